/**
 * A page without a server: the built files, and a room that is a script. It says what a test wants the page to hear and
 * keeps what the page says.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "../workerd/harness.mjs";

/** Nothing listens there: every request is answered here. It is a secure context, as the real page is one. */
const ORIGIN = "http://localhost:9";
const DIST = process.env.STAGE_DIST ?? join(ROOT, "web/dist");
const TYPES = {
  html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", wasm: "application/wasm",
  json: "application/json",
};

export class Stage {
  /** Every message of the page, by arrival. @type {Record<string, any>[]} */
  said = [];
  /** @type {import("playwright-core").WebSocketRoute | null} */
  #socket = null;
  /** What the page threw. @type {string[]} */
  errors = [];

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
      this.say(this.welcome);
      this.snap();
    } else if (message.t === "ping") {
      this.say({ t: "pong", c: message.c, st: this.now.st, k: this.now.k });
    }
  }

  /** @param {Record<string, any>} message */
  say(message) {
    this.#socket?.send(JSON.stringify(message));
  }

  /** The next snapshot, of the bodies as they are. */
  snap(bodies = this.welcome.bodies) {
    this.now.k += 1;
    this.now.st += 50;
    const { n, live, endsAt } = this.welcome.round;
    this.say({ t: "snap", ...this.now, d: [[n, live, endsAt], bodies], c: [] });
  }

  close(code, reason) {
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
}
