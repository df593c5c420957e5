/** A paused room costs nothing: no alarm, no timer, no row, no processor time, and its sockets stay. B31; F33. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { startServer } from "./harness.mjs";
import { join } from "./player.mjs";

/** Milliseconds that both servers are watched, after the object has gone to sleep (10 s of idleness, and some). */
const WATCH_MS = 60_000;
const SLEEP_MS = 13_000;
/** Milliseconds of processor time that a sleeping room may cost beside none. */
const CPU_MS = 20;
/** Milliseconds in a tick of the kernel's account. */
const JIFFY_MS = 10;

/** One with a room, one without. @type {import("./harness.mjs").Server[]} */
let servers = [];

before(async () => {
  servers = await Promise.all([startServer({ d1: true }), startServer({ d1: true })]);
});

after(() => Promise.all(servers.map((server) => server.stop())));

/** Every process that descends from one. */
function family(pid) {
  const parents = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map((name) => {
    const stat = statOf(name);
    const ticks = stat && Number(stat[11]) + Number(stat[12]);
    return stat ? { pid: Number(name), parent: Number(stat[1]), name: stat.name, ticks } : null;
  }).filter((found) => found !== null);
  const found = new Set([pid]);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    parents.filter(({ parent }) => found.has(parent)).forEach((child) => found.add(child.pid));
  }
  return parents.filter((one) => found.has(one.pid));
}

function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = text.lastIndexOf(")");
    return Object.assign(text.slice(end + 2).split(" "), { name: text.slice(text.indexOf("(") + 1, end) });
  } catch {
    return null;
  }
}

/** Milliseconds of processor time that a server's workerd has used. */
function cpuMs(server) {
  const workerd = family(server.pid).filter(({ name }) => name === "workerd");
  assert.ok(workerd.length >= 1, "a workerd");
  return workerd.reduce((sum, { ticks }) => sum + ticks * JIFFY_MS, 0);
}

// B31, F33
test("a room that everyone has left sleeps for nothing, and wakes for its spectator", async (t) => {
  const [busy, bare] = servers;
  const watcher = await join(busy, "isle", "asleep", { name: "Watcher", watch: true });
  const { token } = await busy.session();
  const ada = await join(busy, "isle", "asleep", { name: "Ada", hello: { session: token } });
  await ada.tick(ada.welcome.k + 20);
  await ada.leave();
  await watcher.until("Ada gone from the roster", () => watcher.roster.length === 0);
  await sleep(SLEEP_MS);
  const rest = await busy.facts("isle", "asleep");
  assert.deepEqual(
    [rest.paused, rest.outbox, rest.holds.held, rest.alarm, rest.ticking], [true, 0, 0, null, false], "nothing is set",
  );
  // That look woke the object: it falls asleep once more.
  await sleep(SLEEP_MS);
  const from = servers.map(cpuMs);
  await sleep(WATCH_MS);
  const [cost, none] = servers.map((server, i) => cpuMs(server) - from[i]);
  t.diagnostic(`processor time over ${WATCH_MS / 1000} s: ${cost} ms with a paused room, ${none} ms with none`);
  assert.ok(cost - none <= CPU_MS + JIFFY_MS, `${cost} ms against ${none} ms`);
  const pong = await watcher.ping();
  assert.ok(pong.k >= watcher.welcome.k);
  const later = await busy.facts("isle", "asleep");
  assert.deepEqual([later.epoch, later.storage.seq], [rest.epoch, rest.storage.seq], "no row in all that time");
  assert.equal(watcher.welcomes.length, 1, "it slept, it did not fall");
  const eve = await join(busy, "isle", "asleep", { name: "Eve", hello: { session: (await busy.session()).token } });
  await watcher.until("the next snap after the sleep", () => watcher.body(eve.seat));
  assert.equal(watcher.links, 1, "on the socket that it always had");
  assert.equal((await bare.http("GET", "/health")).status, 200);
  [watcher, eve].forEach((player) => player.cut());
});
