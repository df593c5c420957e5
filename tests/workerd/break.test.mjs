/**
 * An operator frees characters from rooms: by a release, and from one that does not answer by force. That takes a minute of
 * silence, so it is left to `make crash-long` (BREAK_LONG=1).
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { ADMIN_TOKEN, startServer } from "./harness.mjs";
import { enter, Walker, knock } from "./walker.mjs";

const TAKEN = 4014;
const BUSY = 4011;
const BREAK_WAIT_MS = 60_000;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ d1: true });
});

after(() => server?.stop());

/** @returns {Promise<{status: number, body: any}>} */
async function free(account, { force = false, token = ADMIN_TOKEN, game = "isle" } = {}) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await server.http("POST", `/api/characters/${game}/${account}/break`, { headers, body: { force } });
  return { status: answer.status, body: JSON.parse(answer.text) };
}

const home = { where: "home", forced: false, force_at: null };

test("a character is freed from the room that holds it, with all it has, and its player is told", async () => {
  const session = await server.session();
  const ada = await enter(server, "north", session, { name: "Ada" });
  const gold = await ada.collect(2);
  assert.deepEqual(await free(session.account), { status: 200, body: home });
  await ada.until("the close", () => ada.closed);
  assert.equal(ada.closed.code, TAKEN);
  assert.equal((await server.facts("isle", "north")).holds.held, 0);
  assert.deepEqual(await free(session.account), { status: 200, body: home }, "once more");
  const there = await enter(server, "south", session, { name: "Ada" });
  assert.ok(there.gold >= gold);
  await there.leave();
});

test("only an operator may, and only what there is can be freed", async () => {
  const { account } = await server.session();
  for (const [asked, status, code] of [
    [free(account, { token: "wrong" }), 401, "unauthorized"],
    [free(account, { token: "" }), 401, "unauthorized"],
    [free("not%20an%20account"), 400, "bad_request"],
    [free(account, { game: "arena" }), 404, "no_such_game"],
  ]) {
    const { status: got, body } = await asked;
    assert.deepEqual([got, body.error.code], [status, code]);
  }
  assert.deepEqual((await free(account)).body, home, "one that never played");
});

test("a room that does not answer keeps its character until it has been silent for long enough", async () => {
  const session = await server.session();
  const bob = await enter(server, "deaf", session, { name: "Bob" });
  await bob.collect(2);
  await server.fault("isle", "deaf", { kind: "deaf", on: true });
  const before = Date.now();
  const { body } = await free(session.account, { force: true });
  assert.deepEqual([body.where, body.forced], ["held", false]);
  assert.ok(Math.abs(body.force_at - before - BREAK_WAIT_MS) < 10_000, String(body.force_at - before));
  assert.equal(await knock(new Walker(server, "elsewhere", session, { name: "Bob" })), BUSY);
  const walk = bob.walk();
  if (process.env.BREAK_LONG) {
    while (Date.now() < body.force_at) await sleep(500);
    assert.deepEqual((await free(session.account)).body.where, "held", "nobody said to force it");
    assert.deepEqual((await free(session.account, { force: true })).body, { ...home, forced: true });
    const there = await enter(server, "elsewhere", session, { name: "Bob" });
    assert.equal(bob.closed, null, "the deaf room plays on");
    await server.fault("isle", "deaf", { kind: "deaf", on: false });
    await bob.until("the close", () => bob.closed, 60_000);
    assert.equal(bob.closed.code, TAKEN);
    const { holds } = await server.facts("isle", "deaf");
    assert.deepEqual([holds.held, holds.returning], [0, 0]);
    await there.leave();
  } else {
    await server.fault("isle", "deaf", { kind: "deaf", on: false });
    assert.deepEqual((await free(session.account)).body, home);
    await bob.until("the close", () => bob.closed);
  }
  bob.stop();
  await walk;
});
