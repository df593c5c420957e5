/** Joins of many accounts, one after another: what the lease objects of a game take. */

import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { Walker, knock } from "./walker.mjs";

const DAY_MS = 86_400_000;
/** Few seats are held at once in each: everyone leaves as soon as they are in. */
const ROOMS = 24;
const WAITING = [4006, 4011, 4012];
const RETRY_MS = 100;

/** A session of an account that no one asked the server for. */
export function madeUp(server, number, lasts_ms = DAY_MS) {
  const account = `joiner-${number}`;
  const claim = Buffer.from(`${account}.${Date.now() + lasts_ms}`).toString("base64url");
  const mac = createHmac("sha256", server.vars.SESSION_SECRET).update(claim).digest("base64url");
  return { account, token: `${claim}.${mac}` };
}

/** One account comes in and leaves. How it ended, and milliseconds to its welcome. */
async function visit(server, number) {
  const session = madeUp(server, number);
  const from = performance.now();
  for (let tries = 0; tries < 50; tries++) {
    const walker = new Walker(server, `many-${number % ROOMS}`, session);
    const outcome = await knock(walker);
    if (outcome === "welcome") {
      const took = performance.now() - from;
      walker.send({ t: "leave" });
      await walker.until("the close", () => walker.closed);
      return { ok: true, took, tries };
    }
    if (!WAITING.includes(outcome)) return { ok: false, outcome };
    await sleep(RETRY_MS);
  }
  return { ok: false, outcome: "never let in" };
}

/** `rate` joins a second for `seconds`, begun in time whatever became of those before. */
export async function joinAtRate(server, rate, seconds, first = 0) {
  const visits = [];
  const began = performance.now();
  for (let i = 0; i < rate * seconds; i++) {
    const due = began + (i * 1000) / rate;
    if (due > performance.now()) await sleep(due - performance.now());
    visits.push(visit(server, first + i));
  }
  const done = await Promise.all(visits);
  return { done, took: performance.now() - began };
}

/** As many as come in when `many` at a time come and go, for `seconds`. Joins a second. */
export async function ceiling(server, many, seconds, first) {
  const until = performance.now() + seconds * 1000;
  let [number, joined, failed] = [first, 0, 0];
  const began = performance.now();
  await Promise.all(Array.from({ length: many }, async () => {
    while (performance.now() < until) {
      const { ok } = await visit(server, number++);
      if (ok) joined++;
      else failed++;
    }
  }));
  return { perSecond: (joined * 1000) / (performance.now() - began), failed };
}

/** Requests of /health a second, as many at a time. */
export async function healths(server, many, seconds) {
  const until = performance.now() + seconds * 1000;
  let count = 0;
  await Promise.all(Array.from({ length: many }, async () => {
    while (performance.now() < until) {
      if ((await server.http("GET", "/health")).status === 200) count++;
    }
  }));
  return count / seconds;
}
