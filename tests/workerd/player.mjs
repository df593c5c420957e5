/**
 * A player of the JSON format (docs/protocol.md), as a script would write one: it keeps every message with its time of
 * arrival, and `until` waits on what was received, with a deadline.
 */

import { setTimeout as sleep } from "node:timers/promises";

import WebSocket from "ws";

import { Inbox, PATIENCE_MS } from "./inbox.mjs";

/** Ticks an input is stamped ahead of the newest snapshot. */
const LEAD_TICKS = 2;

export class Player extends Inbox {
  /** @type {WebSocket | null} */
  #socket = null;
  #lastInputTick = -1;
  #lastAction = 0;
  #leaving = false;

  /** How the current link ended. @type {{code: number, reason: string} | null} */
  closed = null;
  /** Every end of a link. @type {{code: number, reason: string, bye: any, at: number}[]} */
  closes = [];
  /** Links dialled. */
  links = 0;

  /**
   * @param {{url: string, ended: boolean}} server
   * @param {string} game
   * @param {string} room
   * @param {{name?: string, token?: string | null, watch?: boolean, back?: boolean, hello?: object | null}} [options]
   *   `back`: return by itself with the token; `hello`: more of the hello, or null to say none.
   */
  constructor(server, game, room, options = {}) {
    super();
    this.server = server;
    this.address = `${server.url.replace("http", "ws")}/ws/${game}/${room}?format=json`;
    this.game = game;
    this.options = options;
    this.token = options.token ?? null;
  }

  /** Dials; resolves when the link is open and hello was said. */
  dial() {
    const socket = new WebSocket(this.address, { perMessageDeflate: false });
    const link = ++this.links;
    this.#socket = socket;
    this.closed = null;
    this.bye = null;
    socket.on("message", (data) => this.#receive(String(data), link));
    socket.on("close", (code, reason) => this.#lost(socket, { code, reason: String(reason) }));
    return new Promise((done, failed) => {
      socket.on("error", failed);
      socket.on("open", () => {
        if (this.options.hello !== null) {
          this.send(this.hello());
        }
        done(this);
      });
    });
  }

  hello() {
    const { name, watch, hello } = this.options;
    return {
      t: "hello", v: 1, game: this.game, token: this.token,
      ...(name ? { name } : {}), ...(watch ? { watch } : {}), ...hello,
    };
  }

  #receive(text, link) {
    const message = this.take(text, link);
    if (message.t === "welcome") {
      this.token = message.you?.token ?? this.token;
      this.#lastInputTick = -1;
    }
    this.changed();
  }

  #lost(socket, end) {
    if (socket !== this.#socket) {
      return;
    }
    this.closed = end;
    this.closes.push({ ...end, bye: this.bye, at: performance.now() });
    this.changed();
    if (this.options.back && !this.#leaving) {
      setTimeout(() => this.#return(), 100 + 200 * Math.random());
    }
  }

  #return() {
    if (!this.#leaving && this.closed && !this.server.ended) {
      this.dial().catch(() => {});
    }
  }

  state() {
    const last = this.snap;
    return `${this.options.name ?? "player"} (link ${this.links}, ${this.welcomes.length} welcomes, tick ${last?.k}, `
      + `closed ${JSON.stringify(this.closed)}, last frame ${this.frames.at(-1)?.text.slice(0, 200)})`;
  }

  /** Resolves once this link has its welcome. */
  async welcomed(patienceMs = PATIENCE_MS) {
    const link = this.links;
    const isWelcome = (frame) => frame.link === link && frame.text.includes('"welcome"');
    await this.until("a welcome", () => this.frames.some(isWelcome), patienceMs);
    return this.welcome;
  }

  /** @param {object | string | Buffer} message */
  send(message) {
    this.#socket?.send(typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  /** Holds these controls from the next free tick on; gives that tick. */
  input(controls) {
    const tick = Math.max((this.snap?.k ?? this.welcome.k) + LEAD_TICKS, this.#lastInputTick + 1);
    this.entries([[tick, controls]]);
    return tick;
  }

  /** @param {[number, object][]} entries */
  entries(entries) {
    this.#lastInputTick = Math.max(this.#lastInputTick, ...entries.map(([tick]) => tick));
    this.send({ t: "in", e: this.welcome.e, s: entries, ...(this.snap ? { g: this.snap.k } : {}) });
  }

  /** Sends an action; gives its number. A number given is that of a repeat. */
  do(action, args = {}, number = ++this.#lastAction) {
    this.send({ t: "do", e: this.welcome.e, n: number, a: action, x: args });
    return number;
  }

  /** Sends an action and waits for its answer. */
  async act(action, args = {}, patienceMs = PATIENCE_MS) {
    const number = this.do(action, args);
    return this.until(`the answer to ${action}`, () => this.dids.find((did) => did.n === number), patienceMs);
  }

  /** A ping and its pong: everything sent before it has been taken. */
  async ping(patienceMs = PATIENCE_MS) {
    const c = Math.floor(Math.random() * 1e9);
    this.send({ t: "ping", c });
    return this.until("a pong", () => this.pongs.find((pong) => pong.c === c), patienceMs);
  }

  /** Closes the socket in the orderly way, without a leave: the seat is kept for its grace. */
  async close() {
    this.#leaving = true;
    this.#socket?.close(1000);
    await this.until("the close", () => this.closed);
  }

  /** Gives the seat up. */
  async leave() {
    this.#leaving = true;
    if (!this.closed) {
      this.send({ t: "leave" });
      await this.until("the close after leave", () => this.closed);
    }
  }

  /** Breaks the link without a word. */
  cut() {
    this.#leaving = true;
    this.#socket?.terminate();
  }

  /** Waits for the server's close frame and ends the link without the rest of the handshake. */
  async closing() {
    for (const deadline = Date.now() + PATIENCE_MS; this.#socket?.readyState === WebSocket.OPEN; await sleep(20)) {
      if (Date.now() > deadline) {
        throw new Error(`${this.state()}: no close frame`);
      }
    }
    this.cut();
    await this.until("the close", () => this.closed);
  }

  /** Stops reading from the network: what comes now is lost on the way once the link is cut. */
  deafen() {
    /** @type {any} */ (this.#socket)._socket.pause();
  }
}

/** Dials and waits for the welcome, and if it has a seat for its body. @returns {Promise<Player>} */
export async function join(server, game, room, options = {}) {
  const player = new Player(server, game, room, options);
  await player.dial();
  await player.welcomed();
  if (player.welcome.you) {
    await player.until("its own body", () => player.body());
  }
  return player;
}
