/**
 * What a client has received: every message with its time of arrival, and `until`, which waits on it with a deadline.
 * Absent: sockets.
 */

/** Milliseconds `until` waits unless told otherwise. */
export const PATIENCE_MS = 8_000;

/** @typedef {{id: number, kind: string, seat?: number, at: [number, number], heading: number, f: Record<string, any>}} Body */

export class Inbox {
  /** @type {Set<() => void>} */
  #waiting = new Set();

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
  /** Answers to actions. @type {{at: number, link: number, n: number, k: number, ok: boolean, why?: string}[]} */
  dids = [];
  /** The areas there are. @type {any[]} */
  areas = [];
  /** Shared state by kind. @type {Record<string, Record<string, any>>} */
  shared = {};
  /** The last `bye`. @type {{code: number, reason: string} | null} */
  bye = null;

  /** Keeps a message of a link. */
  take(text, link) {
    const at = performance.now();
    this.frames.push({ at, link, text });
    const message = JSON.parse(text);
    switch (message.t) {
      case "welcome":
        this.welcomes.push({ at, ...message });
        this.roster = message.roster;
        this.shared = message.shared ?? {};
        this.areas = message.areas ?? [];
        break;
      case "snap":
        this.snaps.push({ at, ...message });
        break;
      case "did":
        this.dids.push({ at, link, ...message });
        break;
      case "areas":
        this.areas = message.a;
        break;
      case "pong":
        this.pongs.push({ at, ...message });
        break;
      case "roster":
        this.roster = message.roster;
        break;
      case "shared":
        this.shared = message.shared;
        break;
      case "bye":
        this.bye = message;
        break;
    }
    return message;
  }

  /** Looks at what is waited for. */
  changed() {
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
        () => end(failed, new Error(`${this.state()}: not within ${patienceMs} ms: ${what}`)), patienceMs,
      );
      this.#waiting.add(look);
      look();
    });
  }

  /** Who this is and where it stands, for a failure's message. */
  state() {
    return `tick ${this.snap?.k}`;
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
  tick(tick, patienceMs = PATIENCE_MS) {
    return this.until(`tick ${tick}`, () => (this.snap?.k ?? -1) >= tick && this.snap, patienceMs);
  }
}
