/** Fifty joins a second through the lease objects. `make bench-leases` runs it for longer and finds the ceiling. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startServer } from "./harness.mjs";
import { joinAtRate } from "./joins.mjs";
import { leases } from "./state.mjs";

const [RATE, SECONDS] = [50, 3];

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ d1: true });
});

after(() => server?.stop());

test(`F29: ${RATE} accounts a second come in through the lease objects, none in vain`, async (t) => {
  const { done, took } = await joinAtRate(server, RATE, SECONDS);
  assert.deepEqual(done.filter(({ ok }) => !ok), []);
  t.diagnostic(`${done.length} joins in ${Math.round(took)} ms`);
  const rows = leases(server);
  assert.equal(rows.length, RATE * SECONDS);
  assert.equal(new Set(rows.map(({ account }) => account)).size, rows.length);
});
