/** Rooms that fail again and again, storage at its daily limit, and what an operator may do. Design.md §3.2, §6; B26, B27,
 * B43, B46. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { startServer } from "./harness.mjs";
import { join, Player } from "./player.mjs";
import { Walker } from "./walker.mjs";

const [STORAGE, PARKED, LIMIT] = [4016, 4017, 4018];
/** Milliseconds of three panics on end, with the waits between them. */
const PARKS_MS = 20_000;
/** Milliseconds after the end of a parking within which the room is up again by its alarm. */
const ALARM_MS = 3_000;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ d1: true });
});

after(() => server?.stop());

const command = (game, room, verb) => (
  server.http("POST", `/api/rooms/${game}/${room}/${verb}`, {
    headers: { authorization: `Bearer ${server.vars.ADMIN_TOKEN}` },
  })
);

/** Knocks, and gives how the socket ended. */
async function knock(game, room) {
  const player = new Player(server, game, room);
  await player.dial().catch(() => {});
  await player.until("a close", () => player.closed);
  return player.closed;
}

describe("parking", () => {
  test("a parked room gives its characters back", async () => {
    const session = await server.session();
    const walker = new Walker(server, "ill", session, { name: "Wil" });
    await walker.dial();
    await walker.until("a body", () => walker.body());
    await server.fault("isle", "ill", { kind: "panic-always", on: true });
    await walker.until("the room parked", () => walker.closed, PARKS_MS);
    assert.equal(walker.closed.code, PARKED);
    const there = new Walker(server, "well", session, { name: "Wil", back: true });
    await there.dial();
    await there.until("a body in another room", () => there.body(), 20_000);
    assert.equal((await server.facts("isle", "ill")).state, "parked");
    await there.leave();
  });

  test("storage at its daily limit: everyone is told until when, and nothing is counted against the room", async () => {
    const ada = await join(server, "isle", "limit", { name: "Ada", hello: { session: (await server.session()).token } });
    await ada.tick(ada.welcome.k + 5);
    await server.fault("isle", "limit", { kind: "limit" });
    await ada.until("the room to stop", () => ada.closed, 10_000);
    assert.equal(ada.closed.code, LIMIT);
    const until = Number(/^until (\d+): /.exec(ada.closed.reason)?.[1]);
    assert.ok(until > Date.now() + 25_000 && until <= Date.now() + 86_400_000, ada.closed.reason);
    const facts = await server.facts("isle", "limit");
    assert.deepEqual([facts.state, facts.until, facts.parkings, facts.failures], ["away", until, 0, 0]);
    assert.equal((await knock("isle", "limit")).code, LIMIT);
  });

  // The longest: it waits for the end of a parking, and restarts the server.
  test("a room that panics three times on end is parked and says so, also after a restart, and comes back", async (t) => {
    const calm = await join(server, "arena", "calm", { name: "Calm", back: true });
    const ada = await join(server, "arena", "sick", { name: "Ada" });
    await ada.tick(ada.welcome.k + 20);
    await server.fault("arena", "sick", { kind: "panic-always", on: true });
    await ada.until("the room parked", () => ada.closed, PARKS_MS);
    assert.equal(ada.closed.code, PARKED);
    assert.match(ada.closed.reason, /^parked for \d+ s: a panic$/);
    const facts = await server.facts("arena", "sick");
    assert.deepEqual([facts.state, facts.why, facts.parkings, facts.alive], ["parked", "a panic", 1, false]);
    assert.ok(facts.epoch >= ada.welcome.e && facts.until > Date.now(), JSON.stringify(facts));
    assert.equal((await knock("arena", "sick")).code, PARKED);
    await calm.tick(calm.snap.k + 20);
    assert.equal(calm.links, 1, "no other room noticed");
    const rows = () => server.facts("arena", "sick").then(({ alarm }) => alarm);
    const alarm = await rows();
    await server.restart();
    const { code, reason } = await knock("arena", "sick");
    assert.deepEqual([code, /^parked for \d+ s: a panic$/.test(reason)], [PARKED, true], reason);
    const parked = await server.facts("arena", "sick");
    assert.deepEqual([parked.state, parked.until], ["parked", facts.until]);
    t.diagnostic(`alarm ${alarm - facts.until} ms after the end of the parking`);
    // The fault went with the process.
    await sleep(facts.until + ALARM_MS - Date.now());
    const back = await server.facts("arena", "sick");
    assert.ok(back.state === "live" && back.tick > parked.tick, `by its alarm, with nobody knocking: ${JSON.stringify(back)}`);
    const again = await join(server, "arena", "sick", { name: "Ada", token: ada.token });
    await again.tick(again.welcome.k + 20);
    [calm, again].forEach((player) => player.cut());
  });
});

describe("an operator's commands", () => {
  test("need the token, and a room", async () => {
    for (const verb of ["stop", "tick", "announce"]) {
      assert.equal((await server.http("POST", `/api/rooms/arena/none/${verb}`)).status, 401);
      assert.equal((await command("arena", "none", verb)).status, 404);
      assert.equal((await server.http("GET", `/api/rooms/arena/none/${verb}`)).status, 404);
    }
  });

  // B27
  test("a stop writes everything and sends players away to come back to the same seats", async () => {
    const ada = await join(server, "arena", "stop", { name: "Ada", back: true });
    await ada.tick(ada.welcome.k + 30);
    const { e, you } = ada.welcome;
    const { k } = ada.snap;
    assert.equal((await command("arena", "stop", "stop")).status, 200);
    await ada.until("a later epoch", () => ada.welcome.e > e);
    assert.equal(ada.closes[0].code, STORAGE);
    assert.match(ada.closes[0].reason, /stopped/);
    assert.deepEqual([ada.welcome.you.seat, ada.welcome.you.occ, ada.welcome.k >= k], [you.seat, you.occ, true]);
    assert.equal((await server.facts("arena", "stop")).failures, 0);
    ada.cut();
  });

  // B43, B46
  test("a tick now and an announcement change nothing else", async () => {
    const ada = await join(server, "arena", "now", { name: "Ada" });
    await ada.tick(ada.welcome.k + 5);
    const from = ada.frames.length;
    assert.equal((await command("arena", "now", "announce")).status, 200);
    const said = () => ada.frames.slice(from).map(({ text }) => JSON.parse(text).t);
    await ada.until("all of it", () => ["round", "roster", "shared"].every((t) => said().includes(t)));
    for (let i = 0; i < 5; i++) {
      assert.equal((await command("arena", "now", "tick")).status, 200);
    }
    await ada.tick(ada.snap.k + 20);
    assert.equal(ada.welcomes.length, 1);
    ada.cut();
  });
});
