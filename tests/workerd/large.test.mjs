/** Worlds that are large: a save of several chunks, and a cold start. Design.md §6, §9. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startServer } from "./harness.mjs";
import { ms, quantile } from "./measure.mjs";
import { join } from "./player.mjs";

const FLOCK = 250;
/** Bodies of the large world; its save is more than a chunk. */
const LARGE = 5_000;
const CHUNK_BYTES = 1 << 20;
/** Bodies of the world that is started cold, how often, and the goal from first event to first frame. */
const COLD = 1_000;
const STARTS = 5;
const COLD_MS = 50;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ world: "games" });
});

after(() => server?.stop());

/** A shepherd in a world with so many sheep. */
async function filled(room, bodies) {
  const ada = await join(server, "crowd", room, { name: "Ada" });
  const sheep = () => ada.snap?.d[1].length - 1;
  for (let n = FLOCK; n <= bodies; n += FLOCK) {
    const tick = ada.input({ more: true });
    ada.entries([[tick + 1, { more: false }]]);
    await ada.until(`${n} sheep`, () => sheep() >= n, 20_000);
  }
  return ada;
}

test(`a world of ${LARGE} bodies is stored and comes back the same`, async (t) => {
  const ada = await filled("large", LARGE);
  await ada.leave();
  const stored = await server.facts("crowd", "large");
  assert.equal(stored.paused, true, "all of it is committed");
  await server.restart();
  const back = await server.facts("crowd", "large");
  assert.ok(back.epoch > stored.epoch);
  assert.equal(back.digest, stored.digest, "to the bit");
  // A stop folds: the save itself, in chunks.
  const eve = await join(server, "crowd", "large", { name: "Eve" });
  assert.equal(eve.snap?.d[1].length ?? LARGE + 1, LARGE + 1);
  const headers = { authorization: `Bearer ${server.vars.ADMIN_TOKEN}` };
  assert.equal((await server.http("POST", "/api/rooms/crowd/large/stop", { headers })).status, 200);
  const again = await join(server, "crowd", "large", { name: "Eve", token: eve.token });
  await again.tick(again.welcome.k + 5);
  assert.deepEqual([again.welcome.you.back, again.snap.d[1].length], [true, LARGE + 1]);
  const { storage } = await server.facts("crowd", "large");
  assert.ok(storage.save_bytes > CHUNK_BYTES, `${storage.save_bytes} bytes`);
  t.diagnostic(`a save of ${storage.save_bytes} bytes`);
  await again.leave();
});

test(`a room of ${COLD} bodies is up within ${COLD_MS} ms of its first event`, async (t) => {
  let ada = await filled("cold", COLD);
  const took = [];
  for (let start = 0; start < STARTS; start++) {
    await server.restart();
    ada = await join(server, "crowd", "cold", { name: "Ada", token: ada.token });
    await ada.tick(ada.welcome.k + 2);
    took.push((await server.facts("crowd", "cold")).cold_ms);
  }
  t.diagnostic(`${STARTS} cold starts: least ${ms(Math.min(...took))}, p50 ${ms(quantile(took, 0.5))}`);
  // The machine's noise only ever adds to it.
  assert.ok(Math.min(...took) <= COLD_MS, `${took.join(", ")} ms`);
  ada.cut();
});
