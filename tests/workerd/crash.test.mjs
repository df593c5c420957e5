/** `kill -9` in the middle of play: a hiccup. Field cases F8, F10 (first event of a cold room: an alarm), F13. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { startServer } from "./harness.mjs";
import { holes, ms, quantile, stampsNotRising } from "./measure.mjs";
import { join } from "./player.mjs";

const KILLS = 10;
/** Clients of one room whose server goes away, and how many of them play. */
const CROWD = 50;
const SEATS = 32;
/** Milliseconds from the first /health to both players being back. */
const BACK_MS_MAX = 3_000;
/** Milliseconds within which a room with nobody knocking goes on: one pulse (10 s) and something for the start. */
const ALONE_MS = 12_000;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer();
});

after(() => server?.stop());

const stay = ({ you }) => ({ seat: you.seat, occ: you.occ });

/** Waits for a welcome of a later epoch and a snapshot of it. */
async function isBack(player, epoch) {
  await player.until(`a welcome above epoch ${epoch}`, () => player.welcome.e > epoch, 20_000);
  await player.until("a snapshot of it", () => player.snap.e === player.welcome.e);
  return performance.now();
}

test("ten times killed under two players, both are back in their seats within 3 s by themselves", async (t) => {
  const players = [
    await join(server, "arena", "crash", { name: "Ada", back: true }),
    await join(server, "arena", "crash", { name: "Bob", back: true }),
  ];
  const [first, took] = [players.map((player) => stay(player.welcome)), []];
  for (let kill = 1; kill <= KILLS; kill++) {
    const epoch = players[0].welcome.e;
    players.forEach((player) => player.input({ move: [kill % 2 ? 1 : -1, 0] }));
    await players[0].tick(players[0].snap.k + 5 + kill);
    await server.restart();
    const up = performance.now();
    for (const [i, player] of players.entries()) {
      const back = (await isBack(player, epoch)) - up;
      took.push(back);
      assert.deepEqual(stay(player.welcome), first[i], `kill ${kill}: the same seat and stay`);
      assert.equal(player.welcome.you.back, true, `kill ${kill}`);
      assert.ok(back <= BACK_MS_MAX, `kill ${kill}: back after ${ms(back)}`);
    }
    assert.equal(players[0].welcome.e, players[1].welcome.e, "one epoch for all");
  }
  t.diagnostic(`back after p50 ${ms(quantile(took, 0.5))}, max ${ms(Math.max(...took))}`);
  for (const player of players) {
    assert.deepEqual(holes(player.snaps), [], "within an epoch no tick is missing");
    assert.deepEqual(stampsNotRising(player.snaps), [], "the stamp rises through restarts");
    player.cut();
  }
});

// F14
test(`${CROWD} clients whose sockets all close at once are back in their seats, and do not knock together`, async (t) => {
  const enter = (_, i) => (
    join(server, "arena", "deploy", { name: `P${i}`, back: true, watch: i >= SEATS })
  );
  const all = await Promise.all(Array.from({ length: CROWD }, enter));
  const first = all.map(({ welcome }) => ({ e: welcome.e, you: welcome.you && stay(welcome) }));
  await all[0].tick(all[0].snap.k + 20);
  const { k } = all[0].welcome;
  await server.restart();
  const up = performance.now();
  await Promise.all(all.map((player, i) => isBack(player, first[i].e)));
  t.diagnostic(`all ${CROWD} back ${ms(performance.now() - up)} after /health`);
  for (const [i, player] of all.entries()) {
    assert.deepEqual(player.welcome.you && stay(player.welcome), first[i].you, `client ${i}`);
    assert.ok(player.welcome.k >= k, "nothing committed is lost");
  }
  assert.equal(new Set(all.map(({ welcome }) => welcome.e)).size, 1, "one incarnation serves them all");
  all.forEach((player) => player.cut());
});

test("with nobody knocking the alarm brings the room back within a pulse", async () => {
  const ada = await join(server, "arena", "alone", { name: "Ada" });
  // A join is a commit of its own, so the tick of Bob's welcome is known to be stored.
  const bob = await join(server, "arena", "alone", { name: "Bob" });
  const { k, e } = bob.welcome;
  await server.restart();
  await sleep(ALONE_MS);
  const facts = await server.facts("arena", "alone");
  assert.ok(facts.epoch > e, `epoch ${e} -> ${facts.epoch}`);
  assert.ok(facts.tick >= k + 40, `tick ${k} -> ${facts.tick}`);
});
