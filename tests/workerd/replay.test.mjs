/** Golden replays in workerd: the Worker that ships gives the digests that native builds give (F20). */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { ROOT, TEST_KEY, startServer } from "./harness.mjs";

const GOLDEN = join(ROOT, "tests/vectors/golden");

/** Per world, the games it has. */
const WORLDS = { shipped: ["arena", "cards", "isle"], games: ["kitchen", "sky"] };

/** @type {Record<string, import("./harness.mjs").Server>} */
const servers = {};

before(async () => {
  for (const world of Object.keys(WORLDS)) servers[world] = await startServer({ world });
});

after(() => Promise.all(Object.values(servers).map((server) => server.stop())));

const read = (file) => readFileSync(join(GOLDEN, file), "utf8");

/** Runs a log; the status, and what was answered. */
async function replay(world, game, log, key = TEST_KEY) {
  const answer = await fetch(`${servers[world].url}/api/test/replay?game=${game}`, {
    method: "POST", headers: { "x-test-key": key }, body: JSON.stringify(log),
  });
  return { status: answer.status, body: await answer.json() };
}

for (const [world, games] of Object.entries(WORLDS)) {
  for (const game of games) {
    test(`F20: ${game}'s golden log gives the same digests in workerd`, async () => {
      const { status, body } = await replay(world, game, read(`${game}.log`));
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body.digests, read(`${game}.digests`).trim().split("\n"));
    });
  }
}

test("a log that is none is refused, and without the key there is no such address", async () => {
  assert.equal((await replay("shipped", "arena", "room 1 0\nfly 3\n")).status, 400);
  assert.equal((await replay("shipped", "arena", { log: 1 })).status, 400);
  assert.equal((await replay("shipped", "chess", "room 1 0\n")).status, 404);
  const hidden = await replay("shipped", "arena", "room 1 0\n", "another key");
  assert.deepEqual([hidden.status, hidden.body.error.code], [404, "not_found"]);
});
