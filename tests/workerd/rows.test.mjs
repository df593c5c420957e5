/**
 * What a busy room costs: the isle at 20 Hz, driven by walkers that pick up coins, against its budget of rows (design.md §6).
 *
 * `make rows-long` runs the same for ten minutes with sixteen seats: `ROWS_SECONDS`, `ROWS_SEATS`.
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { startServer } from "./harness.mjs";
import { join } from "./player.mjs";
import { enter } from "./walker.mjs";

const SECONDS = Number(process.env.ROWS_SECONDS ?? 60);
const SEATS = Number(process.env.ROWS_SEATS ?? 8);
/** Rows a second besides those of durable ticks: a pulse each 10 s, movement each 5 s. */
const ROWS_BESIDES = 0.3;
const PICKUPS_A_MINUTE = 60;
/** Metres from the landing that walkers go, all over the isle: by the landing alone they would wait for the next coin. */
const WITHIN_METRES = 28;
/** Milliseconds between two inputs: as many as a page sends. */
const STEER_MS = 250;
/** Seconds between two looks at the facts: wrangler breaks when it is asked every 5 s (workers-sdk#15452). */
const LOOK_SECONDS = 7.3;
const FREE_ROWS_A_DAY = 100_000;
const ROOM = "busy";

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ d1: true });
});

after(() => server?.stop());

/** Forgets what a walker has received but for the newest of it: ten minutes of it would be gigabytes. */
function forget(walker) {
  walker.snaps.splice(0, walker.snaps.length - 2);
  walker.frames.splice(0, walker.frames.length - 2);
}

/** Rows since, as the platform bills them: of commits, by the cursors, and one for each alarm that was set. */
function since(before, facts) {
  const of = (read) => read(facts) - read(before);
  return {
    rows: of(({ costs }) => costs.total.rows_written),
    alarms: of(({ costs }) => costs.total.alarms_set),
    commits: of(({ rows_written }) => rows_written),
    durable: of(({ storage }) => storage.durable_ticks),
    seconds: of(({ tick }) => tick) / facts.hz,
  };
}

test(`a busy isle of ${SEATS} writes no more than a row a durable tick and ${ROWS_BESIDES} a second`, async (t) => {
  const sessions = await Promise.all(Array.from({ length: SEATS }, () => server.session()));
  const walkers = [];
  for (const [i, session] of sessions.entries()) {
    const how = { within: WITHIN_METRES, steerMs: STEER_MS, spread: true };
    walkers.push(await enter(server, ROOM, session, { name: `Walker ${i + 1}`, ...how }));
  }
  const before = await server.facts("isle", ROOM);
  const gold = () => walkers.reduce((sum, walker) => sum + walker.gold, 0);
  const goldBefore = gold();
  walkers.forEach((walker) => void walker.walk());
  for (const end = Date.now() + SECONDS * 1000; Date.now() < end;) {
    await sleep(Math.min(LOOK_SECONDS * 1000, end - Date.now()));
    walkers.forEach(forget);
  }
  const facts = await server.facts("isle", ROOM);
  const pickups = gold() - goldBefore;
  walkers.forEach((walker) => walker.stop());
  const { rows, alarms, commits, durable, seconds } = since(before, facts);
  const { costs, epoch, slips, late_ticks: late } = facts;
  t.diagnostic(`${rows} rows in ${seconds.toFixed(0)} s: ${durable} durable ticks, ${alarms} alarms, ${pickups} pick-ups`);
  const bare = ((FREE_ROWS_A_DAY / rows) * seconds) / 3600;
  t.diagnostic(
    `${bare.toFixed(1)} room-hours a free day by these rows; facts: ${costs.room_hours_per_free_day} room-hours and `
    + `${costs.player_hours_per_free_day} player-hours, bound by ${costs.bound_by}, $${costs.usd_per_room_hour} an hour`,
  );
  t.diagnostic(`epoch ${epoch}, late ${late}, slips ${slips}; ms ${JSON.stringify(facts.timings)}`);
  assert.equal(epoch, before.epoch, "it was one incarnation");
  assert.ok(walkers.every((walker) => walker.closed === null), "and nobody was closed");
  assert.ok(pickups >= (PICKUPS_A_MINUTE * seconds) / 60, `${pickups} pick-ups in ${seconds} s`);
  assert.ok(durable > 0 && durable <= pickups, `${durable} durable ticks of ${pickups} pick-ups`);
  assert.equal(rows, commits + alarms, "the counts are of the cursors");
  // A cadence that was nearly over when it began, and a fold.
  const budget = durable + ROWS_BESIDES * seconds + 2;
  assert.ok(rows <= budget, `${rows} rows, ${budget.toFixed(1)} are allowed`);
  assert.equal(costs.movement_ms, 5_000, "far below the day's rows");
  assert.ok(costs.room_hours_per_free_day > 0 && costs.usd_per_room_hour > 0, JSON.stringify(costs));
  walkers.forEach((walker) => walker.cut());
});

test("what a room has cost outlives the process", async () => {
  const player = await join(server, "arena", "kept", { name: "Ada", back: true });
  const paid = async () => (await server.facts("arena", "kept")).costs.total;
  await player.until("six seconds", () => player.snap.k > 120, 20_000);
  const before = await paid();
  await server.kill9();
  await server.restart();
  await player.until("the seat again", () => player.welcomes.length > 1, 30_000);
  const later = await paid();
  assert.ok(later.rows_written >= 2 && later.rows_written >= before.rows_written - 2, JSON.stringify([before, later]));
  assert.ok(later.room_seconds >= before.room_seconds - 6 && later.requests >= 1, JSON.stringify([before, later]));
  player.cut();
});

// The last one: this server's console is broken from here on. B42
test("B42 a line every ten seconds, and a log that throws takes nothing down", async () => {
  const player = await join(server, "arena", "quiet", { name: "Ada" });
  await server.logged(/room arena\/quiet: tick \d+: 1\d s: ticks \d+, late .*, worst .*; ms, p50\/mean\/max: rules /, 15_000);
  const { timings, epoch } = await server.facts("arena", "quiet");
  for (const part of ["rules", "frames", "snapshot", "encode", "send", "tick"]) {
    assert.ok(timings[part].count > 100 && timings[part].max < 1_000, `${part}: ${JSON.stringify(timings[part])}`);
  }
  await server.logThrows();
  const from = player.snap.k;
  const other = await join(server, "arena", "quiet", { name: "Bob" });
  // Long enough for a further line to fall due, and a pulse; a new room says that it was made.
  const third = await join(server, "arena", "new", { name: "Cid" });
  await player.until("eleven seconds more", () => player.snap.k > from + 220, 30_000);
  assert.equal((await server.facts("arena", "quiet")).epoch, epoch);
  assert.ok([player, other, third].every((one) => one.closed === null));
  [player, other, third].forEach((one) => one.cut());
});
