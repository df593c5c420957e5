/**
 * A deploy that changes a field's type while people play: the room refuses its save and says why, every character is released
 * from it and plays on elsewhere with all it had, and when the change is taken back the room opens without them.
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { startServer } from "./harness.mjs";
import { Player } from "./player.mjs";

const WAITING = [4011, 4012, 4013, 4016, 1006];
const PARKED = 4017;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ world: "games", d1: true });
});

after(() => server?.stop());

/** Enters a room of the hills; gives the player, or the close that is no reason to try again. */
async function enter(room, session, name) {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(300)) {
    const player = new Player(server, "hills", room, { name, hello: { session: session.token } });
    await player.dial().catch(() => {});
    await player.until("a body or a close", () => player.body() || player.closed, 20_000);
    if (!player.closed || !WAITING.includes(player.closed.code)) return player;
  }
  throw new Error(`${name} did not get into ${room}`);
}

async function find(player, feathers) {
  for (let i = 0; i < feathers; i++) {
    player.input({ look: true });
    await player.tick(player.snap.k + 4);
    player.input({});
    await player.tick(player.snap.k + 4);
  }
  await player.until("feathers", () => player.body().f.feathers >= feathers);
}

/** Starts anew, with another version in the place of the first or not. */
async function deploy(alias) {
  if (alias) server.vars.GAME_ALIAS = alias;
  else delete server.vars.GAME_ALIAS;
  await server.restart();
}

test("its characters are released from a room that cannot use its save, and nothing is lost or doubled", async () => {
  const sessions = await Promise.all([1, 2, 3].map(() => server.session()));
  const [ada, bob, cy] = await Promise.all(sessions.map((session, i) => enter("one", session, ["Ada", "Bob", "Cy"][i])));
  await Promise.all([find(ada, 3), find(bob, 2), find(cy, 1)]);
  await cy.leave();

  await deploy("hills=hills-two");
  const refused = await enter("one", sessions[0], "Ada");
  assert.equal(refused.closed.code, PARKED, JSON.stringify(refused.closed));
  assert.match(refused.closed.reason, /rock\.moss/);
  const facts = await server.facts("hills", "one");
  assert.equal(facts.state, "refused");
  assert.match(facts.why, /rock\.moss/);
  const elsewhere = [];
  for (const [i, feathers] of [[0, 3], [1, 2], [2, 1]]) {
    const player = await enter("two", sessions[i], ["Ada", "Bob", "Cy"][i]);
    assert.equal(player.body()?.f.feathers, feathers, player.state());
    assert.equal(player.body().f.hat, "feathered");
    elsewhere.push(player);
  }
  await find(elsewhere[0], 4);
  for (const player of elsewhere) await player.leave();
  assert.equal((await server.facts("hills", "one")).state, "refused", "the save is kept");

  await deploy(null);
  const watcher = new Player(server, "hills", "one", { watch: true });
  await watcher.dial();
  await watcher.welcomed();
  const again = await enter("one", sessions[1], "Bob");
  assert.deepEqual(again.snap.d[1].filter(({ kind }) => kind === "hiker").map(({ f }) => f.feathers), [2]);
  assert.equal(again.shared.nest.found, 6, "what was found here, and no more");
  const back = await enter("one", sessions[0], "Ada");
  assert.equal(back.body().f.feathers, 7);
  const { holds } = await server.facts("hills", "one");
  assert.deepEqual([holds.held, holds.returning], [2, 0]);
  [again, back, watcher].forEach((player) => player.cut());
});
