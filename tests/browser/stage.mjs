/**
 * A page without a server: the built files, and a room that is a script. It says what a test wants the page to hear and
 * keeps what the page says. A room that ticks sends a snapshot every 50 ms, as real ones do; an event-driven one sends
 * what it is told to.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "../workerd/harness.mjs";

/** Nothing listens there: every request is answered here. It is a secure context, as the real page is one. */
const ORIGIN = "http://localhost:9";
const DIST = process.env.STAGE_DIST ?? join(ROOT, "web/dist");
const TICK_MS = 50;
const TYPES = {
  html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", wasm: "application/wasm",
  json: "application/json",
};

export class Stage {
  /** Every message of the page, by arrival. @type {Record<string, any>[]} */
  said = [];
  /** What the page threw. @type {string[]} */
  errors = [];
  /** @type {import("playwright-core").WebSocketRoute | null} */
  #socket = null;
  #timer;

  /**
   * @param {import("playwright-core").Page} page
   * @param {Record<string, any>} welcome
   * @param {Record<string, string>} files Further files, by path under the origin.
   */
  constructor(page, welcome, files) {
    this.page = page;
    this.welcome = welcome;
    this.files = files;
    this.now = { e: welcome.e, k: welcome.k, st: welcome.st };
  }

  /** Opens the page of a room in which `welcome` is said to whoever comes. */
  static async open(context, welcome, query = "", files = {}) {
    const stage = new Stage(await context.newPage(), welcome, files);
    stage.page.on("pageerror", (error) => stage.errors.push(String(error)));
    await stage.page.route(`${ORIGIN}/**`, (route) => stage.#serve(route));
    await stage.page.routeWebSocket(/\/ws\//, (socket) => {
      stage.#socket = socket;
      socket.onMessage((text) => stage.#hear(JSON.parse(String(text))));
    });
    await stage.page.goto(`${ORIGIN}/${welcome.game}/${welcome.room}${query}`);
    return stage;
  }

  /** Waits until the page is in its seat with bodies to show. */
  async playing() {
    await this.page.waitForFunction(
      () => window.roundtable?.link()?.state === "online" && window.roundtable.bodies().length > 0,
      null, { timeout: 20_000 },
    );
    // The text is written a moment after the picture.
    await this.page.waitForTimeout(400);
    return this;
  }

  async close() {
    clearInterval(this.#timer);
    await this.page.close();
  }

  #serve(route) {
    const { pathname } = new URL(route.request().url());
    const made = this.files[pathname];
    const path = pathname.startsWith("/assets/") ? pathname : "/room.html";
    const contentType = TYPES[path.split(".").pop()];
    try {
      return route.fulfill({ contentType, body: made ?? readFileSync(join(DIST, path)) });
    } catch {
      return route.fulfill({ status: 404, body: "" });
    }
  }

  #hear(message) {
    this.said.push(message);
    if (message.t === "hello") {
      this.say({ ...this.welcome, ...this.now });
      this.snap();
      clearInterval(this.#timer);
      if (this.welcome.hz !== null) {
        this.#timer = setInterval(() => this.snap(), TICK_MS);
      }
    } else if (message.t === "ping") {
      this.say({ t: "pong", c: message.c, st: this.now.st, k: this.now.k });
    }
  }

  /** @param {Record<string, any>} message */
  say(message) {
    this.#socket?.send(JSON.stringify({ k: this.now.k, ...message }));
  }

  /** The next snapshot, of the bodies as they are. */
  snap() {
    this.now.k += 1;
    this.now.st += TICK_MS;
    const { n, live, endsAt } = this.welcome.round;
    this.say({ t: "snap", ...this.now, d: [[n, live, endsAt], this.welcome.bodies], c: [] });
  }

  /** The room ends the connection. */
  hangUp(code, reason) {
    clearInterval(this.#timer);
    return this.#socket?.close({ code, reason });
  }

  /** Waits for a message of the page. */
  async heard(what, wanted, patienceMs = 5_000) {
    const end = Date.now() + patienceMs;
    for (;;) {
      const found = this.said.find(wanted);
      if (found) {
        return found;
      }
      if (Date.now() > end) {
        throw new Error(`the page has not said ${what}; it said ${JSON.stringify(this.said.slice(-5))}`);
      }
      await this.page.waitForTimeout(20);
    }
  }

  /** Waits for an action, answers it, and gives its arguments. */
  async did(action, why = undefined) {
    const { n, x } = await this.heard(action, (m) => m.t === "do" && m.a === action);
    this.said = this.said.filter((m) => m.t !== "do" || m.n !== n);
    this.say({ t: "did", n, ok: why === undefined, why });
    return x;
  }

  /** Waits for an input that `wanted` is true of. */
  held(what, wanted) {
    return this.heard(what, (m) => m.t === "in" && m.s.some(([, controls]) => wanted(controls)));
  }

  /** Waits for an input in which these controls are held. */
  holds(controls) {
    const is = (held, [name, value]) => JSON.stringify(held[name]) === JSON.stringify(value);
    return this.held(JSON.stringify(controls), (held) => Object.entries(controls).every((one) => is(held, one)));
  }

  /** Waits for an aim at an angle, in radians. */
  aims(angle) {
    return this.held(`an aim at ${angle}`, ({ look }) => Math.abs(Math.sin((look - angle) / 2)) < 0.03);
  }

  /** Where a place on the map is on the screen. */
  screen(x, y) {
    return this.page.evaluate((at) => window.roundtable.screen(...at), [x, y]);
  }
}
