/** Two people in one public room of the arena, by the JSON format. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startServer } from "./harness.mjs";
import { holes, ms, quantile, gaps, rates, stampsNotRising } from "./measure.mjs";
import { between, fireAt, walkTo } from "./pilot.mjs";
import { join } from "./player.mjs";

const HZ = 20;
const WATCH_MS = 10_000;
/** Metres at which a fighter hits what it faces. */
const REACH_METRES = 2.5;

/** @type {import("./harness.mjs").Server} */
let server;
/** @type {import("./player.mjs").Player} */
let ada;
/** @type {import("./player.mjs").Player} */
let bob;

before(async () => {
  server = await startServer();
  ada = await join(server, "arena", "x", { name: "Ada" });
  bob = await join(server, "arena", "x", { name: "Bob" });
});

after(async () => {
  ada?.cut();
  bob?.cut();
  await server?.stop();
});

test("two players are welcomed with different seats and see each other in roster and snapshots", async () => {
  assert.notEqual(ada.seat, bob.seat);
  for (const player of [ada, bob]) {
    const { welcome } = player;
    assert.equal(welcome.v, 1);
    assert.equal(welcome.room, "x");
    assert.equal(welcome.hz, HZ);
    assert.equal(welcome.you.back, false);
    assert.deepEqual(welcome.inputs.map(({ name, how }) => [name, how]), [["move", "stick"], ["fire", "button"]]);
    const fighter = welcome.kinds.find((kind) => kind.name === "fighter");
    assert.deepEqual(fighter.fields.map((field) => field.name).sort(), ["hp", "score"]);
    await player.until("both names in the roster", () => {
      const names = player.roster.map((row) => row.name);
      return names.includes("Ada") && names.includes("Bob");
    });
    await player.until("both bodies", () => player.body(ada.seat) && player.body(bob.seat));
    assert.equal(player.body(bob.seat).kind, "fighter");
  }
});

test("over 10 s each gets a snapshot for each tick, in order, at 20 Hz, with a rising stamp", async () => {
  const start = await server.facts("arena", "x");
  await ada.tick(start.tick + (HZ * WATCH_MS) / 1000, WATCH_MS + 5_000);
  const end = await server.facts("arena", "x");
  for (const player of [ada, bob]) {
    await player.tick(end.tick);
    const seen = player.snaps.filter((snap) => snap.k > start.tick && snap.k <= end.tick);
    assert.ok(Math.abs(seen.length - (end.tick - start.tick)) <= 1, `${seen.length} of ${end.tick - start.tick} ticks`);
    assert.deepEqual(holes(seen), []);
    assert.deepEqual(stampsNotRising(seen), []);
    const rate = rates(seen);
    for (const [clock, hz] of Object.entries(rate)) {
      assert.ok(Math.abs(hz / HZ - 1) <= 0.05, `${hz.toFixed(2)} Hz ${clock}`);
    }
    const between = gaps(seen);
    console.log(`# ${player.options.name}: ${seen.length} snaps of ${end.tick - start.tick} ticks, `
      + `${rate.stamped.toFixed(3)} Hz stamped, ${rate.arrived.toFixed(3)} Hz arrived, `
      + `gap p50 ${ms(quantile(between, 0.5))} p99 ${ms(quantile(between, 0.99))} max ${ms(Math.max(...between))}`);
  }
});

test("one's input moves its body in the other's snapshots", async () => {
  const before = bob.body(ada.seat).at;
  // Towards the middle: there is room to walk.
  const angle = Math.atan2(-before[1], -before[0]);
  ada.input({ move: [Math.cos(angle), Math.sin(angle)] });
  await bob.until("a step of Ada's body", () => {
    const { at } = bob.body(ada.seat);
    return Math.hypot(at[0] - before[0], at[1] - before[1]) > 0.5;
  });
  const stop = ada.input({ move: [0, 0] });
  const stood = (await bob.tick(stop + 2)).d[1].find((body) => body.seat === ada.seat).at;
  const later = (await bob.tick(stop + 12)).d[1].find((body) => body.seat === ada.seat).at;
  assert.deepEqual(later, stood, "a neutral stick stops it");
});

test("ack is the newest input tick used, lead the newest received less the tick just run", async () => {
  const first = ada.snap.k + 6;
  const ticks = [first, first + 3, first + 7];
  ada.entries(ticks.map((tick) => [tick, { move: [0, 0] }]));
  await ada.tick(first + 10);
  const rows = ada.snaps.filter((snap) => snap.k >= first - 2 && snap.k <= first + 10).map((snap) => (
    { k: snap.k, row: snap.c.find(([seat]) => seat === ada.seat) }
  ));
  for (const { k, row: [, , ack, lead] } of rows) {
    const used = ticks.filter((tick) => tick <= k).at(-1);
    if (used === undefined) {
      assert.ok(ack < first, `nothing of the batch is used at ${k}`);
    } else {
      assert.equal(ack, used, `ack at ${k}`);
      assert.equal(lead, ticks[2] - k, `lead at ${k}`);
    }
  }
});

test("an entry for a tick already run takes effect at the next one", async () => {
  const late = Math.max(ada.snap.k - 1, ada.snap.c.find(([seat]) => seat === ada.seat)[2] + 1);
  await ada.tick(late + 4);
  ada.entries([[late, { move: [0, 0] }]]);
  await ada.until("its ack", () => ada.snap.c.find(([seat]) => seat === ada.seat)[2] === late);
});

test("firing at the other lowers its hp, and a kill raises the score", async () => {
  const hp = ada.body(bob.seat).f.hp;
  const score = ada.body().f.score;
  await walkTo(ada, bob.seat, REACH_METRES);
  await fireAt(ada, bob.seat, REACH_METRES, () => bob.body()?.f.hp < hp);
  console.log(`# hp ${hp} -> ${bob.body().f.hp} at ${between(ada.body(), bob.body()).metres.toFixed(2)} m`);
  const after = await fireAt(ada, bob.seat, REACH_METRES, () => ada.body()?.f.score > score && ada.body().f.score);
  await bob.until("the score at the other's", () => bob.body(ada.seat)?.f.score === after);
  await bob.until("Bob on his feet again", () => bob.body()?.f.hp === hp, 15_000);
  assert.ok(ada.snaps.every((snap) => snap.e === ada.snap.e), "one epoch all along");
  assert.deepEqual([holes(ada.snaps), holes(bob.snaps)], [[], []], "no tick was missed by anyone");
});
