/** A commit that fails: nobody sees what it held, the room comes back from the last. Invariants 1, 2, 5; B25, B26. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startServer } from "./harness.mjs";
import { join } from "./player.mjs";

/** The close code of a failed write. */
const STORAGE = 4016;
/** How a socket ends whose object the platform resets: nothing the room says after a COMMIT that failed gets out. */
const RESET = 1006;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ world: "games" });
});

after(() => server?.stop());

/** A clerk, a witness who plays and a spectator, in a room whose count stands at one. */
async function ledger(room) {
  const clerk = await join(server, "ledger", room, { name: "Clerk", back: true });
  const witness = await join(server, "ledger", room, { name: "Witness", back: true });
  const watcher = await join(server, "ledger", room, { name: "Watcher", back: true, watch: true });
  const all = [clerk, witness, watcher];
  press(clerk);
  await Promise.all(all.map((player) => shown(player, clerk.seat, 1)));
  return { clerk, all };
}

/** Presses `add` for a tick. */
function press(clerk) {
  const tick = clerk.input({ add: true });
  clerk.entries([[tick + 1, { add: false }]]);
}

const shown = (player, seat, count) => (
  player.until(`count ${count}`, () => player.body(seat)?.f.count === count)
);

/** Frames of an epoch in which a count above `count` can be seen. */
function leaks(player, epoch, count) {
  return player.frames.map(({ text }) => JSON.parse(text)).filter((message) => (
    message.t === "snap" && message.e === epoch && message.d[1].some((body) => body.f.count > count)
  ));
}

/** Runs the script with a fault: everything but how the sockets end. */
async function failAt(room, kind) {
  const { clerk, all } = await ledger(room);
  const { e: epoch } = clerk.welcome;
  await server.fault("ledger", room, { kind });
  press(clerk);
  await Promise.all(all.map((player) => player.until("the socket's end", () => player.closes.length > 0)));
  for (const player of all) {
    await player.until("a later epoch", () => player.snap.e > epoch, 15_000);
    assert.deepEqual(leaks(player, epoch, 1), [], "the uncommitted count was shown");
    assert.equal(player.snaps.find((snap) => snap.e > epoch).d[1].find((b) => b.seat === clerk.seat).f.count, 1);
  }
  for (const player of all.slice(0, 2)) {
    assert.equal(player.welcome.you.back, true);
    assert.equal(player.welcome.you.seat, player.welcomes[0].you.seat);
    assert.equal(player.welcome.you.occ, player.welcomes[0].you.occ);
  }
  const facts = await server.facts("ledger", room);
  assert.ok(facts.epoch > epoch);
  press(clerk);
  await Promise.all(all.map((player) => shown(player, clerk.seat, 2)));
  return all;
}

test("without a fault the pressed button shows at everyone", async () => {
  const { clerk, all } = await ledger("plain");
  press(clerk);
  await Promise.all(all.map((player) => shown(player, clerk.seat, 2)));
  assert.ok(all.every((player) => player.closes.length === 0));
  assert.doesNotMatch(server.log(), /fault: write issued/);
  all.forEach((player) => player.cut());
});

// B28
test("a durable change is committed in its tick: a kill right after it is shown loses nothing", async () => {
  const { clerk, all } = await ledger("durable");
  for (const count of [2, 3]) {
    press(clerk);
    await shown(clerk, clerk.seat, count);
    const { e } = clerk.snap;
    await server.restart();
    await clerk.until("a later epoch", () => clerk.snap.e > e, 20_000);
    assert.equal(clerk.body().f.count, count);
    assert.equal(clerk.welcome.you.back, true);
  }
  all.forEach((player) => player.cut());
});

test("a commit that fails after the write was issued shows nobody its value", async (t) => {
  const all = await failAt("commit", "fail-commit");
  await server.logged(/fault: write issued/);
  await server.logged(/fault: send called/);
  t.diagnostic(`closes ${JSON.stringify(all.map((player) => player.closes.map(({ code }) => code)))}`);
  for (const player of all) {
    assert.ok([STORAGE, RESET].includes(player.closes[0].code), `closed with ${player.closes[0].code}`);
    player.cut();
  }
});

// F30: an error between two writes leaves none of them.
test("a write that throws shows nobody its value and closes with a reason", async () => {
  const all = await failAt("write", "fail-write");
  for (const player of all) {
    const [end] = player.closes;
    assert.equal(end.code, STORAGE);
    assert.ok(end.reason.length > 0);
    assert.equal(end.bye?.code, STORAGE);
    player.cut();
  }
});
