/**
 * A player of the JSON format (docs/protocol.md), as a script would write one: it keeps every message with its time of
 * arrival, and `until` waits on what was received, with a deadline.
 */

import WebSocket from "ws";

/** Milliseconds `until` waits unless told otherwise. */
const PATIENCE_MS = 8_000;
/** Ticks an input is stamped ahead of the newest snapshot. */
const LEAD_TICKS = 2;

/** @typedef {{id: number, kind: string, seat?: number, at: [number, number], heading: number, f: Record<string, any>}} Body */

export class Player {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Set<() => void>} */
  #waiting = new Set();
  #lastInputTick = -1;
  #leaving = false;

  /** All messages of all links, as they came. @type {{at: number, link: number, text: string}[]} */
  frames = [];
  /** @type {{at: number, e: number, k: number, st: number, d: [any, Body[]], c: [number, number, number?, number?][]}[]} */
  snaps = [];
  /** @type {any[]} */
  welcomes = [];
  /** @type {any[]} */
  pongs = [];
  /** @type {any[]} */
  roster = [];
  /** The last `bye`. @type {{code: number, reason: string} | null} */
  bye = null;
  /** How the current link ended. @type {{code: number, reason: string} | null} */
  closed = null;
  /** Every end of a link. @type {{code: number, reason: string, bye: any, at: number}[]} */
  closes = [];
  /** Links dialled. */
  links = 0;

  /**
   * @param {{url: string}} server
   * @param {string} game
   * @param {string} room
   * @param {{name?: string, token?: string | null, watch?: boolean, back?: boolean, hello?: object | null}} [options]
   *   `back`: return by itself with the token; `hello`: more of the hello, or null to say none.
   */
  constructor(server, game, room, options = {}) {
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
      t: "hello", v: 1, game: this.game, token: this.token, ...(name ? { name } : {}), ...(watch ? { watch } : {}), ...hello,
    };
  }

  #receive(text, link) {
    const at = performance.now();
    this.frames.push({ at, link, text });
    const message = JSON.parse(text);
    switch (message.t) {
      case "welcome":
        this.welcomes.push({ at, ...message });
        this.roster = message.roster;
        this.token = message.you?.token ?? this.token;
        this.#lastInputTick = -1;
        break;
      case "snap":
        this.snaps.push({ at, ...message });
        break;
      case "pong":
        this.pongs.push({ at, ...message });
        break;
      case "roster":
        this.roster = message.roster;
        break;
      case "bye":
        this.bye = message;
        break;
    }
    this.#changed();
  }

  #lost(socket, end) {
    if (socket !== this.#socket) {
      return;
    }
    this.closed = end;
    this.closes.push({ ...end, bye: this.bye, at: performance.now() });
    this.#changed();
    if (this.options.back && !this.#leaving) {
      setTimeout(() => this.#return(), 100 + 200 * Math.random());
    }
  }

  #return() {
    if (!this.#leaving && this.closed) {
      this.dial().catch(() => {});
    }
  }

  #changed() {
    [...this.#waiting].forEach((look) => look());
  }

  /**
   * Resolves with the first truthy value of `predicate`, looked at now and after each message and close.
   * @template T
   * @param {string} what
   * @param {() => T} predicate
   * @returns {Promise<T>}
   */
  until(what, predicate, patienceMs = PATIENCE_MS) {
    return new Promise((done, failed) => {
      const end = (finish, value) => {
        clearTimeout(late);
        this.#waiting.delete(look);
        finish(value);
      };
      const look = () => {
        const value = predicate();
        if (value) {
          end(done, value);
        }
      };
      const late = setTimeout(
        () => end(failed, new Error(`${this.#state()}: not within ${patienceMs} ms: ${what}`)), patienceMs,
      );
      this.#waiting.add(look);
      look();
    });
  }

  #state() {
    const last = this.snap;
    return `${this.options.name ?? "player"} (link ${this.links}, ${this.welcomes.length} welcomes, tick ${last?.k}, `
      + `closed ${JSON.stringify(this.closed)}, last frame ${this.frames.at(-1)?.text.slice(0, 200)})`;
  }

  /** Resolves once this link has its welcome. */
  async welcomed(patienceMs = PATIENCE_MS) {
    const link = this.links;
    await this.until("a welcome", () => this.frames.some((f) => f.link === link && f.text.includes('"welcome"')), patienceMs);
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

  /** A ping and its pong: everything sent before it has been taken. */
  async ping(patienceMs = PATIENCE_MS) {
    const c = Math.floor(Math.random() * 1e9);
    this.send({ t: "ping", c });
    return this.until("a pong", () => this.pongs.find((pong) => pong.c === c), patienceMs);
  }

  get welcome() {
    return this.welcomes.at(-1);
  }

  get seat() {
    return this.welcome?.you?.seat;
  }

  get snap() {
    return this.snaps.at(-1);
  }

  /** The body of a seat in the newest snapshot. @returns {Body | undefined} */
  body(seat = this.seat) {
    return this.snap?.d[1].find((body) => body.seat === seat);
  }

  /** Waits until the newest snapshot has tick `tick` or a later one. */
  async tick(tick, patienceMs = PATIENCE_MS) {
    return this.until(`tick ${tick}`, () => (this.snap?.k ?? -1) >= tick && this.snap, patienceMs);
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
