/** Cards: an event-driven game. Private hands, turns by timer, bots that think, and a room that sleeps in between. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { startServer } from "./harness.mjs";
import { join } from "./player.mjs";

/** Milliseconds of idleness after which an object leaves memory, sockets attached, and some more. */
const HIBERNATE_MS = 12_500;
const TURN_MS = 30_000;
const CLIMB = ["one", "two", "three", "four", "five", "six", "seven"];

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer();
});

after(() => server?.stop());

const turn = (player) => player.shared.table?.turn;
const mine = (player) => turn(player) === player.welcome.you.seat;
const fits = (card, top) =>
  card === "star" || top === "star" || (CLIMB.indexOf(card) - CLIMB.indexOf(top) + 7) % 7 <= 2;

/** Plays a card that fits, or draws. */
function move(player) {
  const { top } = player.shared.table;
  const card = player.body().f.hand.find((held) => fits(held, top));
  return card ? player.act("play", { card }) : player.act("draw");
}

describe("a card room", { concurrency: true }, () => {
  test("nothing comes but by events: no ticks, no clock, bots fill the table", async () => {
    const ada = await join(server, "cards", "quiet", { name: "Ada" });
    assert.equal(ada.welcome.hz, null);
    await ada.until("two bots", () => ada.roster.filter((row) => row.driver === "bot").length === 2);
    await ada.until("a turn", () => turn(ada) !== undefined);
    assert.ok(mine(ada), "who sits down first begins");
    const { tick } = await server.facts("cards", "quiet");
    await sleep(3_000);
    assert.equal((await server.facts("cards", "quiet")).tick, tick, "nobody acted, nothing ran");
    ada.cut();
  });

  // B44
  test("a hand is its own player's alone", async () => {
    const ada = await join(server, "cards", "hands", { name: "Ada" });
    const bob = await join(server, "cards", "hands", { name: "Bob" });
    await ada.until("Bob's body", () => ada.snap.d[1].some((body) => body.seat === bob.welcome.you.seat));
    assert.equal(ada.body().f.hand.length, ada.body().f.cards);
    for (const [one, other] of [[ada, bob], [bob, ada]]) {
      const seen = one.snaps.flatMap((snap) => snap.d[1]).filter((body) => body.seat === other.welcome.you.seat);
      assert.ok(seen.length > 0 && seen.every((body) => !("hand" in body.f) && "cards" in body.f));
    }
    ada.cut();
    bob.cut();
  });

  test("turns pass from person to bots and back; a move out of turn or a card not held is refused", async () => {
    const ada = await join(server, "cards", "turns", { name: "Ada" });
    await ada.until("her turn", () => mine(ada));
    const missing = [...CLIMB, "star"].find((card) => !ada.body().f.hand.includes(card) && fits(card, ada.shared.table.top));
    if (missing) {
      assert.deepEqual((({ ok, why }) => ({ ok, why }))(await ada.act("play", { card: missing })),
        { ok: false, why: "you do not hold that card" });
    }
    assert.equal((await move(ada)).ok, true);
    assert.equal((await ada.act("draw")).why, "it is not your turn");
    await ada.until("her turn again, after two bots have thought", () => mine(ada), 12_000);
    ada.cut();
  });

  test("the same card twice running is two plays", async () => {
    const ada = await join(server, "cards", "twice", { name: "Ada" });
    const drawn = [];
    for (let i = 0; i < 2; i++) {
      await ada.until("her turn", () => mine(ada), 12_000);
      const before = ada.body().f.cards;
      assert.equal((await ada.act("draw")).ok, true);
      await ada.until("the card", () => ada.body().f.cards === before + 1);
      drawn.push(ada.body().f.cards);
    }
    assert.equal(drawn[1], drawn[0] + 1);
    ada.cut();
  });

  test("a turn nobody takes is over after 30 s, though everybody slept", async () => {
    const ada = await join(server, "cards", "timer", { name: "Ada" });
    await ada.until("her turn", () => mine(ada));
    const cards = ada.body().f.cards;
    const start = performance.now();
    await ada.until("the turn passing on", () => !mine(ada), TURN_MS + 10_000);
    assert.ok(performance.now() - start > TURN_MS - 5_000);
    await ada.until("a card drawn for her", () => ada.body().f.cards === cards + 1);
    ada.cut();
  });

  // F10, F11
  test("asleep with sockets attached, it wakes to a move: same epoch, same seats, no new welcome", async () => {
    const ada = await join(server, "cards", "asleep", { name: "Ada" });
    await ada.until("her turn", () => mine(ada));
    const { epoch } = await server.facts("cards", "asleep");
    await sleep(HIBERNATE_MS);
    assert.equal((await move(ada)).ok, true);
    assert.equal(ada.welcomes.length, 1);
    const facts = await server.facts("cards", "asleep");
    assert.deepEqual([facts.epoch, facts.people], [epoch, 1]);
    ada.cut();
  });
});

// B51
test("killed between an action and its answer: it has happened exactly once", async () => {
  const room = "crash";
  let ada = await join(server, "cards", room, { name: "Ada" });
  for (let i = 0; i < 3; i++) {
    await ada.until("her turn", () => mine(ada), 20_000);
    const before = ada.body().f.cards;
    const number = ada.do("draw");
    await sleep([0, 4, 40][i]);
    ada.cut();
    await server.restart();
    const back = await join(server, "cards", room, { name: "Ada", token: ada.token });
    assert.equal(back.welcome.you.back, true);
    back.do("draw", {}, number);
    const did = await back.until("the answer", () => back.dids.find((one) => one.n === number));
    assert.equal(did.ok, true);
    await back.until("her hand", () => back.body()?.f.cards === before + 1);
    await sleep(100);
    assert.equal(back.body().f.cards, before + 1, "once, not twice");
    await back.leave();
    ada = await join(server, "cards", room, { name: "Ada" });
  }
  ada.cut();
});
