/** What the rules record reaches D1, each once, whatever happens on the way; and anyone may read the best of a key. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { startServer } from "./harness.mjs";
import { enter } from "./walker.mjs";

const REACH_METRES = 2.5;
const PATIENCE_MS = 30_000;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ d1: true });
});

after(() => server?.stop());

const kind = (player, name) => () => player.snap.d[1].find((body) => body.kind === name);

async function best(query = "game=isle&key=shells") {
  const response = await fetch(`${server.url}/api/records?${query}`);
  return { status: response.status, body: await response.json() };
}

async function until(count) {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(200)) {
    const { body } = await best();
    if (body.records?.length >= count) return body.records;
  }
  throw new Error(`no ${count} records within ${PATIENCE_MS} ms: ${JSON.stringify((await best()).body)}`);
}

async function shopper(room, session) {
  const walker = await enter(server, room, session, { name: "Ada" });
  await walker.collect(9);
  await walker.goTo(kind(walker, "stall"), REACH_METRES);
  return walker;
}

test("B48: what the rules record is in D1 once, the best first, through a D1 that is away and a killed server", async () => {
  const session = await server.session();
  const ada = await shopper("shop", session);
  assert.equal((await ada.act("buy", { shells: 1 })).ok, true);
  const [first] = await until(1);
  assert.deepEqual([first.value, first.owner, first.room], ["1", session.account, "shop"]);
  assert.ok(Math.abs(Date.now() - first.at) < 60_000);

  // D1 is away for the second one: the room goes on, and it arrives after that.
  await server.d1Away(true);
  const tick = ada.snap.k;
  assert.equal((await ada.act("buy", { shells: 1 })).ok, true);
  await ada.until("ticks", () => ada.snap.k > tick + 40);
  await server.d1Away(false);
  await until(2);

  // The server dies with the third one committed, sent or not.
  assert.equal((await ada.act("buy", { shells: 1 })).ok, true);
  await server.kill9();
  await server.restart();
  const records = await until(3);
  assert.deepEqual(records.map((record) => record.value), ["3", "2", "1"]);
  await sleep(2_000);
  assert.equal((await until(3)).length, 3, "each once");
});

test("a list says whose and which records, and a bad question is told so", async () => {
  assert.deepEqual((await best("game=isle&key=no%20such%2Fkey")).body, { game: "isle", key: "no such/key", records: [] });
  for (const [query, status, code] of [
    ["game=isle", 400, "bad_request"],
    [`game=isle&key=${"x".repeat(65)}`, 400, "bad_request"],
    ["game=isle&key=%E0%A4%A", 400, "bad_request"],
    ["game=nothing&key=shells", 404, "no_such_game"],
    ["key=shells", 400, "bad_request"],
  ]) {
    const { status: got, body } = await best(query);
    assert.deepEqual([got, body.error.code], [status, code], query);
  }
});
