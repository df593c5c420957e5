/** `kill -9` while characters gather gold and change rooms: none is lost, none is doubled. Design.md §3.1, §3.4, §7. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { startServer } from "./harness.mjs";
import { ms, quantile } from "./measure.mjs";
import { eventually, lease, pretendHeld, record } from "./state.mjs";
import { Walker, enter } from "./walker.mjs";

/** As many as `make crash-long` says; a few in `make test`. */
const KILLS = Number(process.env.CRASH_KILLS ?? 10);
/** Who stays in which room; one more goes from room to room. */
const STAYERS = [["Ada", 0], ["Bob", 0], ["Cy", 1], ["Eva", 0], ["Fay", 1], ["Gus", 1], ["Hal", 0]];
const CLIENTS = STAYERS.length + 1;
/** Milliseconds from /health within which each room must be back with its players knocking. */
const BACK_MS_MAX = 2_000;
/** Milliseconds of play before a kill, at least and at most. */
const PLAY_MS = [300, 3_000];
const ROOMS = ["west", "east"];
const GRACE_MS = 10_000;
const HOME_MS = 5_000;
/** Milliseconds after which a room with nobody knocking must have gone on: one pulse (10 s) and something for the start. */
const ALONE_MS = 12_000;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ d1: true });
});

after(() => server?.stop());

/** What a room shows of its gold: who carries how much, what lies about, what was ever minted. */
function count(witness) {
  const names = new Map(witness.roster.map(({ seat, name }) => [seat, name]));
  const bodies = witness.snap.d[1];
  const carried = bodies.filter(({ kind }) => kind === "walker").map(({ seat, f }) => [names.get(seat), f.gold]);
  return { carried, lying: bodies.filter(({ kind }) => kind === "coin").length, minted: witness.shared.island.minted };
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** Goes from room to room until told to stop; gives the walker it is then, if it got in anywhere. */
async function wander(session, state) {
  for (let turn = 0; !state.stop; turn++) {
    const walker = new Walker(server, ROOMS[turn % 2], session, { name: "Dee" });
    await walker.dial().catch(() => {});
    await walker.until("a body or a close", () => walker.body() || walker.closed || state.stop, 60_000).catch(() => {});
    const walk = walker.walk();
    await sleep(200 + 400 * Math.random());
    walker.stop();
    await walk;
    note(state.shown, "Dee", walker.gold);
    // Half of the time without a word: the next room has to fetch the character.
    await (turn % 4 < 2 && !state.stop ? walker.leave().catch(() => {}) : walker.cut());
  }
}

function note(shown, name, gold) {
  shown.set(name, Math.max(shown.get(name) ?? 0, gold ?? 0));
}

test(`killed ${KILLS} times under ${CLIENTS} clients, no gold is lost and nobody is doubled`, async (t) => {
  const sessions = await Promise.all(Array.from({ length: CLIENTS }, () => server.session()));
  const [dee] = sessions.slice(-1);
  const stayers = await Promise.all(STAYERS.map(([name, room], i) => (
    enter(server, ROOMS[room], sessions[i], { name, back: true })
  )));
  /** Most gold that any client was shown of each. @type {Map<string, number>} */
  const shown = new Map();
  const back = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    const state = { stop: false, shown };
    const play = [...stayers.map((walker) => walker.walk()), wander(dee, state)];
    await sleep(PLAY_MS[0] + Math.random() * (PLAY_MS[1] - PLAY_MS[0]));
    const epochs = stayers.map((walker) => walker.welcome.e);
    await server.kill9();
    const killed = performance.now();
    state.stop = true;
    stayers.forEach((walker) => walker.stop());
    await Promise.all(play);
    stayers.forEach((walker) => count(walker).carried.forEach(([name, gold]) => note(shown, name, gold)));
    await server.restart();
    const up = performance.now();
    const isBack = (walker, i) => (
      walker.welcome.e > epochs[i] && walker.snap.e === walker.welcome.e && walker.body()
    );
    await Promise.all(stayers.map((walker, i) => (
      walker.until("a snapshot of a later epoch", () => isBack(walker, i), 30_000)
    )));
    back.push(performance.now() - up);
    const last = await enter(server, ROOMS[kill % 2], dee, { name: "Dee" });
    // All are in: what each room shows is all there is.
    await Promise.all(stayers.map((walker) => walker.tick(walker.snap.k + 2)));
    const rooms = [count(stayers[0]), count(stayers[2])];
    const carried = rooms.flatMap((room) => room.carried);
    const what = `kill ${kill}, ${ms(up - killed)} down: ${JSON.stringify(rooms)}, shown ${JSON.stringify([...shown])}`;
    assert.deepEqual(carried.map(([name]) => name).sort(), [...STAYERS.map(([name]) => name), "Dee"].sort(), what);
    for (const [name, gold] of carried) {
      assert.ok(gold >= (shown.get(name) ?? 0), `${name} has ${gold}: ${what}`);
    }
    const minted = sum(rooms.map((room) => room.minted));
    assert.equal(sum(carried.map(([, gold]) => gold)) + sum(rooms.map((room) => room.lying)), minted, what);
    await last.leave();
  }
  const gathered = sum([...shown.values()]);
  t.diagnostic(`${gathered} gold; back ${ms(quantile(back, 0.5))} p50, ${ms(Math.max(...back))} max after /health`);
  assert.ok(gathered >= KILLS / 2, "little was gathered, so little was tried");
  // The slowest of all may have met the machine's own stalls.
  assert.ok(quantile(back, 0.9) <= BACK_MS_MAX, back.map(ms).join(", "));
  const [west, east] = [count(stayers[0]), count(stayers[2])];
  await Promise.all(stayers.map((walker) => walker.close()));
  // All home: what D1 has and what lies in the rooms is what was minted.
  const kept = await eventually("all in D1", () => {
    const rows = sessions.map(({ account }) => [record(server, account), lease(server, account)]);
    const isHome = ([row, held]) => (
      row && held.room === null && row.lease === held.body_lease && row.seq === held.body_seq
    );
    return rows.every(isHome) && rows.map(([row]) => row.body.f.gold);
  }, GRACE_MS + HOME_MS);
  assert.equal(sum(kept) + west.lying + east.lying, west.minted + east.minted);
});

test("a copy that D1 lacks when the process is killed gets there by the Lobby's alarm alone", async () => {
  const session = await server.session();
  const ada = await enter(server, "debt", session, { name: "Ada" });
  const gold = await ada.collect(1);
  await server.d1Away(true);
  await ada.leave();
  await eventually("home in the Lobby's row, D1 owed", () => {
    const row = lease(server, session.account);
    return row?.room === null && row.body.f.gold === gold && row.tries > 0;
  }, HOME_MS);
  assert.equal(record(server, session.account), undefined);
  await server.kill9();
  // The fault is kept in memory: after the restart D1 is there. Nobody asks for anything.
  await server.restart();
  await eventually("in D1", () => record(server, session.account)?.body.f.gold === gold, GRACE_MS);
});

test("a release reaches a room that is not in memory, and makes none where there was none", async () => {
  const [cold, lost] = [await server.session(), await server.session()];
  const ada = await enter(server, "cold", cold, { name: "Ada" });
  const bob = await enter(server, "cold", lost, { name: "Bob" });
  const carried = [await ada.collect(1), await bob.collect(1)];
  await bob.leave();
  await eventually("Bob home", () => lease(server, lost.account).room === null, HOME_MS);
  await server.kill9();
  // As if the process had died between the Lobby's grant and the room's first commit.
  pretendHeld(server, lost.account, "ghost");
  await server.restart();
  const again = [await enter(server, "warm", cold), await enter(server, "warm", lost)];
  // A coin may lie where one comes ashore.
  again.forEach(({ gold }, i) => assert.ok(gold >= carried[i] && gold <= carried[i] + 2, `${gold} of ${carried[i]}`));
  const facts = await server.facts("isle", "cold");
  assert.deepEqual([facts.holds.held, facts.seats, facts.paused], [0, 0, true]);
  await assert.rejects(server.facts("isle", "ghost"), /404/);
  again.forEach((walker) => walker.cut());
});

test("with somebody seated, the first request 12 s after a kill finds the room gone on by itself", async () => {
  const session = await server.session();
  const ada = await enter(server, "alone", session, { name: "Ada" });
  await ada.collect(1);
  await ada.tick(ada.snap.k + 7);
  await server.kill9();
  const { k } = ada.snap;
  const { e } = ada.welcome;
  await server.restart();
  await sleep(ALONE_MS);
  const facts = await server.facts("isle", "alone");
  assert.ok(facts.epoch > e, `epoch ${e} -> ${facts.epoch}`);
  assert.ok(facts.tick >= k + 40, `tick ${k} -> ${facts.tick}`);
});
