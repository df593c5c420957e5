/** Bots in the arena: asked for by a hello, driven by the rules, and gone when people need their seats or leave. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startServer } from "./harness.mjs";
import { join } from "./player.mjs";

const ASKED_MAX = 8;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer();
});

after(() => server?.stop());

const bots = (player) => player.roster.filter((row) => row.driver === "bot");

test("no bots come unless asked for; asked for, they come, move, score, and are no people", async () => {
  const ada = await join(server, "arena", "bots", { name: "Ada" });
  await ada.tick(ada.welcome.k + 10);
  assert.equal(bots(ada).length, 0);
  await ada.leave();
  const bob = await join(server, "arena", "bots", { name: "Bob", hello: { bots: 4 } });
  await bob.until("three bots beside him", () => bots(bob).length === 3);
  const [{ seat }] = bots(bob);
  await bob.until("a bot's body", () => bob.body(seat));
  const start = bob.body(seat).at;
  await bob.until("a bot on its way", () => Math.hypot(bob.body(seat).at[0] - start[0], bob.body(seat).at[1] - start[1]) > 2);
  const facts = await server.facts("arena", "bots");
  assert.deepEqual([facts.people, facts.seats], [1, 4]);
  bob.cut();
});

test("more than the game allows are not made, and each person takes a bot's place", async () => {
  const ada = await join(server, "arena", "crowded", { name: "Ada", hello: { bots: 500 } });
  await ada.until("as many as may be asked for", () => ada.roster.length === ASKED_MAX);
  const bob = await join(server, "arena", "crowded", { name: "Bob" });
  await ada.until("one bot fewer", () => bots(ada).length === ASKED_MAX - 2 && ada.roster.length === ASKED_MAX);
  await ada.leave();
  await bob.leave();
});
