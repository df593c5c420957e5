/** A walker of the game isle, driven by its own snapshots: goes to the coin nearest to it and picks it up. */

import { setTimeout as sleep } from "node:timers/promises";

import { Player } from "./player.mjs";
import { between } from "./pilot.mjs";

/** A coin always lies this near to the landing, and nothing stands in the way there. */
const NEARBY_METRES = 9;
const STEER_MS = 100;
/** So little nearer in so many steps is no way; so many steps it then goes aside. */
const [STUCK_METRES, STUCK_STEPS, ASIDE_STEPS] = [0.5, 6, 8];
/** Codes that say: not now. The last is how a killed server ends a link. */
export const WAITING = [4011, 4012, 4013, 4016, 1006];
const RETRY_MS = 300;

export class Walker extends Player {
  #walking = false;

  /**
   * @param {{url: string}} server @param {string} room @param {{token: string}} session
   * @param {{within?: number, steerMs?: number, spread?: boolean, hello?: object, name?: string}} [options]
   *   `within`: metres from the landing that it goes; `steerMs`: between two inputs; `spread`: leaves coins to
   *   whom they are nearer to
   */
  constructor(server, room, session, options = {}) {
    super(server, "isle", room, { ...options, hello: { session: session.token, ...options.hello } });
    this.within = options.within ?? NEARBY_METRES;
    this.steerMs = options.steerMs ?? STEER_MS;
    this.spread = options.spread ?? false;
  }

  get gold() {
    return this.body()?.f.gold;
  }

  /** Steers until `stop`, through restarts, if it returns by itself. */
  async walk() {
    this.#walking = true;
    while (this.#walking) {
      this.#steer();
      await sleep(this.steerMs);
    }
  }

  stop() {
    this.#walking = false;
  }

  #steer() {
    const own = this.snap?.e === this.welcome?.e && this.closed === null && this.body();
    if (!own) {
      return;
    }
    const near = this.snap.d[1].filter((body) => body.kind === "coin" && Math.hypot(...body.at) <= this.within);
    const mine = this.spread ? near.filter((coin) => this.#isNearest(own, coin)) : near;
    const ways = mine.map((coin) => between(own, coin)).sort((a, b) => a.metres - b.metres);
    if (this.spread && ways.length === 0) {
      // In a circle of its own, or it would be closed as idle.
      ways.push({ angle: Date.now() / 2000 + own.seat, metres: 1 });
    }
    // Slower at the end, or it runs past.
    const size = ways[0] && Math.min(1, 0.2 + ways[0].metres);
    try {
      this.input({ move: size ? [Math.cos(ways[0].angle) * size, Math.sin(ways[0].angle) * size] : [0, 0] });
    } catch {
      // The link is being dialled.
    }
  }

  /** No other walker is nearer to it, or as near with a lower seat. */
  #isNearest(own, coin) {
    const metres = between(own, coin).metres;
    return !this.snap.d[1].some((other) => {
      const far = other.kind === "walker" && other.id !== own.id ? between(other, coin).metres : Infinity;
      return far < metres || (far === metres && other.seat < own.seat);
    });
  }

  /** Walks to within `metres` of a body, which may walk too, and stands there. @param {() => any} body */
  async goTo(body, metres, patienceMs = 30_000) {
    let [best, since, aside] = [Infinity, 0, 0];
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(STEER_MS)) {
      const [own, other] = [this.body(), body()];
      const way = own && other && between(own, other);
      if (way && way.metres <= metres) {
        this.input({ move: [0, 0] });
        return;
      }
      // Straight on at the middle of a rock it stands still: then it steps aside.
      since = way && way.metres < best - STUCK_METRES ? 0 : since + 1;
      best = since === 0 && way ? way.metres : best;
      if (since > STUCK_STEPS) [since, aside, best] = [0, ASIDE_STEPS, Infinity];
      const angle = (way?.angle ?? 0) + (aside-- > 0 ? Math.PI / 2 : 0);
      const size = way ? Math.min(1, 0.2 + way.metres / 4) : 0;
      this.input({ move: [size * Math.cos(angle), size * Math.sin(angle)] });
    }
    throw new Error(`${this.state()}: did not get there within ${patienceMs} ms`);
  }

  /** Walks until it has at least this much gold. */
  async collect(gold, patienceMs = 60_000) {
    const walk = this.walk();
    try {
      await this.until(`${gold} gold`, () => this.gold >= gold, patienceMs);
    } finally {
      this.stop();
      await walk;
    }
    this.input({ move: [0, 0] });
    return this.gold;
  }
}

/** Dials; how it ended: `welcome`, or the code of the close. */
export async function knock(walker) {
  await walker.dial().catch(() => {});
  const link = walker.links;
  const isIn = () => walker.frames.some((frame) => frame.link === link && frame.text.includes('"welcome"'));
  await walker.until("a welcome or a close", () => isIn() || walker.closed, 20_000);
  return isIn() ? "welcome" : walker.closed.code;
}

/** Enters a room with a session's character, however long it is elsewhere or on its way. @returns {Promise<Walker>} */
export async function enter(server, room, session, options = {}, patienceMs = 30_000, waiting = WAITING) {
  let outcome;
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(RETRY_MS)) {
    const walker = new Walker(server, room, session, options);
    outcome = await knock(walker);
    if (outcome === "welcome") {
      await walker.until("its own body", () => walker.snap?.e === walker.welcome.e && walker.body());
      return walker;
    }
    if (!waiting.includes(outcome)) {
      outcome += ` ${walker.closed?.reason}`;
      break;
    }
  }
  throw new Error(`${options.name ?? "a walker"} did not get into ${room}: ${outcome}`);
}
