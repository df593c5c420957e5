/** Rooms that are not in memory: whatever comes first, each works. Field cases F4, F10, F11; B31. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { startServer } from "./harness.mjs";
import { join } from "./player.mjs";

/** Milliseconds of idleness after which an object leaves memory, sockets attached, and some more. */
const HIBERNATE_MS = 12_500;
const HZ = 20;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer();
});

after(() => server?.stop());

/** A room with a spectator only: somebody played and left, so it pauses and may hibernate. */
async function asleep(room) {
  const watcher = await join(server, "arena", room, { name: "Watcher", watch: true });
  const ada = await join(server, "arena", room, { name: "Ada" });
  await ada.tick(ada.welcome.k + 5);
  await ada.leave();
  await watcher.until("Ada gone from the roster", () => watcher.roster.length === 0);
  const { epoch } = await server.facts("arena", room);
  await sleep(HIBERNATE_MS);
  return { watcher, epoch, welcomes: watcher.welcomes.length, tick: watcher.snap.k };
}

describe("hibernation", { concurrency: true }, () => {
  // F10, F11
  test("the first event is a message: it is answered, same epoch, no new welcome", async () => {
    const { watcher, epoch, welcomes, tick } = await asleep("wake-message");
    const pong = await watcher.ping();
    assert.ok(pong.k >= tick);
    assert.equal(watcher.welcomes.length, welcomes);
    assert.equal((await server.facts("arena", "wake-message")).epoch, epoch);
    watcher.cut();
  });

  // F10
  test("the first event is a close: the room takes the next player", async () => {
    const { watcher, epoch } = await asleep("wake-close");
    await watcher.close();
    const eve = await join(server, "arena", "wake-close", { name: "Eve" });
    await eve.tick(eve.welcome.k + HZ);
    assert.ok(eve.welcome.e >= epoch);
    eve.cut();
  });

  // F10
  test("the first event is a request: the facts say where it stands, and do not wake its ticks", async () => {
    const { watcher, epoch, welcomes, tick } = await asleep("wake-fetch");
    const facts = await server.facts("arena", "wake-fetch");
    assert.equal(facts.epoch, epoch);
    assert.ok(facts.tick >= tick);
    assert.equal(facts.people, 0);
    assert.equal(watcher.welcomes.length, welcomes);
    watcher.cut();
  });

  // F10, F11, B31
  test("the first event is a join: ticks go on where they stopped, and the spectator sees them", async () => {
    const { watcher, welcomes, tick, epoch } = await asleep("wake-join");
    const eve = await join(server, "arena", "wake-join", { name: "Eve" });
    await watcher.until("the new body", () => watcher.snap.k > tick && watcher.body(eve.seat));
    assert.equal(eve.welcome.e, epoch);
    assert.equal(watcher.welcomes.length, welcomes);
    [watcher, eve].forEach((player) => player.cut());
  });
});

describe("after a kill", () => {
  // F10
  test("the first event is a request or a returning player: the room goes on from its last commit", async () => {
    const seats = {};
    for (const room of ["cold-fetch", "cold-join"]) {
      seats[room] = await join(server, "arena", room, { name: "Ada" });
      await seats[room].tick(seats[room].welcome.k + 3);
    }
    await server.restart();
    const facts = await server.facts("arena", "cold-fetch");
    const { e, k } = seats["cold-fetch"].welcome;
    assert.ok(facts.epoch > e && facts.tick >= k, JSON.stringify(facts));
    for (const [room, ada] of Object.entries(seats)) {
      const again = await join(server, "arena", room, { token: ada.token });
      assert.equal(again.welcome.you.back, true, room);
      assert.equal(again.seat, ada.seat, room);
      await again.tick(again.welcome.k + HZ);
      await again.leave();
    }
  });
});

describe("pause", () => {
  // B31, F12
  test("a room whose last player's grace is over stands still, and goes on for the next one", async () => {
    const ada = await join(server, "arena", "paused", { name: "Ada" });
    await ada.tick(ada.welcome.k + 3);
    await ada.leave();
    const { tick } = await server.facts("arena", "paused");
    await sleep(1_000);
    const later = await server.facts("arena", "paused");
    assert.ok(later.tick <= tick + 2, `ticks ${tick} -> ${later.tick} with nobody there`);
    assert.equal(later.people, 0);
    assert.equal(later.paused, true);
    const eve = await join(server, "arena", "paused", { name: "Eve" });
    await eve.tick(eve.welcome.k + HZ);
    assert.ok(eve.snap.k - later.tick < 4 * HZ, "no burst for the time it stood");
    eve.cut();
  });
});
