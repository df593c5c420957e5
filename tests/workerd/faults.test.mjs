/** A rules handler that panics: its room goes on, and no other room notices. Field case F15; B19, B20, B41. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startServer } from "./harness.mjs";
import { gaps, holes, ms, quantile } from "./measure.mjs";
import { join } from "./player.mjs";

const HZ = 20;
/** Seconds of a measurement: 300 gaps, so that the 99th percentile is not the worst one. */
const WATCH_S = 15;
/** The 99th percentile of gaps while the other room panics, against the one before. */
const RATIO_MAX = 1.25;
/** The machine's own stalls fail a measurement now and then: it may be taken again. */
const TRIES = 3;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ world: "games" });
});

after(() => server?.stop());

/** The gap p99 at a player over the next seconds; no tick may be missing. */
async function measure(player) {
  const from = player.snaps.length;
  await player.tick(player.snap.k + WATCH_S * HZ, WATCH_S * 1000 + 10_000);
  const seen = player.snaps.slice(from);
  assert.deepEqual(holes(seen), []);
  return quantile(gaps(seen), 0.99);
}

test("a handler that panics is counted and named, its room goes on, the other room keeps its pace", async (t) => {
  const imp = await join(server, "trap", "hot", { name: "Imp" });
  const calm = await join(server, "trap", "calm", { name: "Calm" });
  for (let turn = 1; ; turn++) {
    const before = await measure(calm);
    const from = imp.snap.k;
    const start = imp.input({ boom: true });
    const during = await measure(calm);
    const end = imp.input({ boom: false });
    await imp.tick(end + 2);
    t.diagnostic(`try ${turn}: gap p99 ${ms(before)} before, ${ms(during)} during`);
    assert.ok(imp.snap.k - from >= (WATCH_S - 1) * HZ, "the room of the panics goes on");
    assert.ok(end > start);
    assert.deepEqual(holes(imp.snaps), [], "and misses no tick");
    if (during <= before * RATIO_MAX) {
      break;
    }
    assert.ok(turn < TRIES, `${ms(before)} before, ${ms(during)} during`);
  }
  const hot = await server.facts("trap", "hot");
  assert.ok(hot.faults >= WATCH_S * HZ - 5, `${hot.faults} faults`);
  assert.equal(hot.last_fault.handler, "imp.tick");
  assert.ok(hot.last_fault.message.length > 0);
  assert.equal((await server.facts("trap", "calm")).faults, 0);
  assert.deepEqual(holes(calm.snaps), []);
  assert.equal(imp.closed, null);
  assert.equal(imp.snap.e, imp.welcomes[0].e, "no incarnation ended");
  [imp, calm].forEach((player) => player.cut());
});

test("after the panics the room takes new players, and its next tick comes within 5 s", async () => {
  const late = await join(server, "trap", "hot", { name: "Late" });
  const { k } = late.welcome;
  await late.tick(k + 5, 5_000);
  late.cut();
});

test("a panic of the room itself: the sockets stay and get a higher epoch, other rooms never stop", async (t) => {
  const ada = await join(server, "trap", "fallen", { name: "Ada" });
  const calm = await join(server, "trap", "upright", { name: "Calm" });
  const { e, k, you } = ada.welcome;
  await ada.tick(k + HZ);
  const start = performance.now();
  await server.fault("trap", "fallen", { kind: "panic-host" });
  await ada.until("a welcome of a higher epoch", () => ada.welcome.e > e, 5_000);
  await ada.until("a snapshot of it", () => ada.snap.e === ada.welcome.e, 5_000);
  t.diagnostic(`ticks again after ${ms(performance.now() - start)}`);
  assert.equal(ada.links, 1, "by the same socket");
  assert.equal(ada.closed, null);
  assert.deepEqual([ada.welcome.you.seat, ada.welcome.you.occ], [you.seat, you.occ]);
  assert.equal(ada.welcome.you.back, true);
  assert.notEqual(ada.welcome.you.token, you.token);
  assert.ok(ada.snap.k >= k, "from a commit, not from nothing");
  await calm.tick(calm.snap.k + HZ);
  assert.deepEqual(holes(calm.snaps), []);
  assert.equal(calm.snap.e, calm.welcomes[0].e);
  [ada, calm].forEach((player) => player.cut());
});
