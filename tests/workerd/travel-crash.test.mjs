/**
 * Characters walk through portals from room to room while the server is killed: each arrives once with everything, or is
 * still where it was. Design.md §7.7.
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { startServer } from "./harness.mjs";
import { ms, quantile } from "./measure.mjs";
import { eventually, lease, leases, record } from "./state.mjs";
import { WAITING, enter } from "./walker.mjs";

/** Kills, and journeys at least: as many as `make crash-long` says; a few in `make test`. */
const KILLS = Number(process.env.CRASH_TRAVELS ?? 5);
const NAMES = ["Ada", "Bob", "Cy", "Dee", "Eva", "Fay", "Gus", "Hal"];
/** Of each, the two that are not its own can be reached by a portal, but for the first: it is entered from outside. */
const ROOMS = ["noon", "dawn", "dusk"];
const REACH_METRES = 2.4;
const TRAVEL = 4019;
/** A room that rests for a minute, says when it is back, and gives up its characters meanwhile. */
const PARKED = 4017;
const PLAY_MS = [6_000, 12_000];
const HOME_MS = 20_000;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ d1: true });
});

after(() => server?.stop());

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** Goes from portal to portal, through kills, until told to stop. */
async function roam(session, name, first, state) {
  let room = first;
  let left = null;
  while (!state.stop) {
    const walker = await enter(server, room, session, { name }, 150_000, [...WAITING, PARKED]).catch((error) => {
      // Killed between its welcome and its body: it knocks again.
      if (!/not within/.test(String(error))) throw error;
    });
    if (!walker) continue;
    if (left !== null) {
      state.journeys.push(performance.now() - left);
      left = null;
    }
    try {
      state.rooms.add(room);
      if (walker.gold < 2) await walker.collect(walker.gold + 1, 6_000);
      state.shown.set(name, Math.max(state.shown.get(name) ?? 0, walker.gold));
      const portal = () => walker.snap.d[1].find(({ kind, f }) => kind === "portal" && f.to !== room);
      await walker.goTo(portal, REACH_METRES, 30_000);
      walker.do("enter");
      await walker.until("the journey", () => walker.closed, 10_000);
      if (walker.closed.code === TRAVEL) {
        room = walker.closed.reason;
        left = performance.now();
      }
    } catch {
      // Killed on the way: whether it left the room is for the next hello to tell.
    }
    // In one of four it comes back to the first room, from outside: the room that has the character must give it up.
    if (left === null && Math.random() < 0.15) room = first;
    walker.cut();
  }
}

test(`${KILLS} kills under ${NAMES.length} travellers: each character is in one place, with all it had (F28)`, async (t) => {
  const sessions = await Promise.all(NAMES.map(() => server.session()));
  const state = { stop: false, journeys: [], rooms: new Set(), shown: new Map() };
  const roaming = NAMES.map((name, i) => roam(sessions[i], name, ROOMS[i % ROOMS.length], state));
  const failed = Promise.all(roaming);
  for (let kill = 0; kill < KILLS; kill++) {
    await Promise.race([sleep(PLAY_MS[0] + Math.random() * (PLAY_MS[1] - PLAY_MS[0])), failed]);
    await server.kill9();
    await server.restart();
  }
  const enough = async () => {
    while (state.journeys.length < KILLS) await sleep(200);
  };
  await Promise.race([enough(), failed]);
  state.stop = true;
  await failed;
  t.diagnostic(`${state.journeys.length} journeys, p50 ${ms(quantile(state.journeys, 0.5))}, `
    + `max ${ms(Math.max(...state.journeys))} from door to door; ${sum([...state.shown.values()])} gold shown`);
  for (const line of server.log().split("\n").filter((text) => /parked until|incarnation ended/.test(text))) {
    t.diagnostic(line);
  }
  assert.deepEqual([...state.rooms].sort(), [...ROOMS].sort(), "all rooms were played in");

  const kept = await eventually("all home, in D1", () => {
    const rows = sessions.map(({ account }) => [record(server, account), lease(server, account)]);
    const isHome = ([row, held]) => (
      row && held.room === null && row.lease === held.body_lease && row.seq === held.body_seq
    );
    return rows.every(isHome) && rows.map(([row]) => row.body.f.gold);
  }, HOME_MS);
  const accounts = leases(server).map(({ account }) => account);
  assert.equal(new Set(accounts).size, accounts.length, "one row an account");
  const holds = await Promise.all(ROOMS.map(async (room) => (await server.facts("isle", room)).holds));
  assert.deepEqual(holds.map(({ held, returning }) => [held, returning]), ROOMS.map(() => [0, 0]));

  // What each room made is there: carried, or lying, or with the one who looks.
  const witness = await server.session();
  let [lying, minted, carried] = [0, 0, 0];
  for (const room of ROOMS) {
    const walker = await enter(server, room, witness, { name: "Witness" });
    const bodies = walker.snap.d[1];
    lying += bodies.filter(({ kind }) => kind === "coin").length;
    minted += walker.shared.island.minted;
    carried = walker.gold;
    await walker.leave();
  }
  assert.equal(sum(kept) + lying + carried, minted);
  for (const [i, name] of NAMES.entries()) {
    assert.ok(kept[i] >= (state.shown.get(name) ?? 0), `${name} has ${kept[i]}, was shown ${state.shown.get(name)}`);
  }
});
