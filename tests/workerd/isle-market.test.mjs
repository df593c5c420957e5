/** The isle's market: buying, trading between seats in one commit, and a portal to another room. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { startServer } from "./harness.mjs";
import { enter } from "./walker.mjs";

const REACH_METRES = 2.5;
const TRAVEL = 4019;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ d1: true });
});

after(() => server?.stop());

const kind = (player, name) => () => player.snap.d[1].find((body) => body.kind === name);
const answer = ({ ok, why }) => ({ ok, why });

/** Gold in a room: carried, on the ground, in the till; and all that was ever minted there. */
function gold(player) {
  const bodies = player.snap.d[1];
  const carried = bodies.filter((body) => body.kind === "walker").reduce((sum, body) => sum + body.f.gold, 0);
  const { minted, till } = player.shared.island;
  return { there: carried + bodies.filter((body) => body.kind === "coin").length + till, minted };
}

describe("the market", { concurrency: true }, () => {
  test("a walker buys shells where the stall is, and nowhere else, and pays for them", async () => {
    const ada = await enter(server, "stall", await server.session(), { name: "Ada" });
    assert.deepEqual(answer(await ada.act("buy", { shells: 1 })), { ok: false, why: "you are not at the stall" });
    await ada.collect(6);
    await ada.goTo(kind(ada, "stall"), REACH_METRES);
    const had = ada.gold;
    const dear = await ada.act("buy", { shells: 99 });
    assert.deepEqual(answer(dear), { ok: false, why: "that costs 297 gold" });
    assert.equal((await ada.act("buy", { shells: 2 })).ok, true);
    await ada.until("the shells", () => ada.body().f.shells === 2);
    assert.equal(ada.gold, had - 6);
    await ada.until("the books to agree", () => gold(ada).there === gold(ada).minted);
    for (const bad of [{ shells: 0 }, { shells: 100 }, { shells: "2" }, {}, { shells: 1, tip: 1 }]) {
      assert.equal((await ada.act("buy", bad)).ok, false, JSON.stringify(bad));
    }
    await ada.leave();
  });

  test("two seats trade in one tick, and a stale or foreign offer is refused", async () => {
    const [ada, bob] = await Promise.all(["Ada", "Bob"].map(async (name) =>
      enter(server, "trade", await server.session(), { name })));
    await Promise.all([ada.collect(4), bob.collect(4)]);
    await bob.goTo(kind(bob, "stall"), REACH_METRES);
    assert.equal((await bob.act("buy", { shells: 1 })).ok, true);
    await ada.goTo(() => ada.body(bob.welcome.you.seat), 1.5);
    const [a, b] = [ada.welcome.you.seat, bob.welcome.you.seat];
    assert.equal((await bob.act("accept", { from: a })).why, "there is no offer to you");
    assert.equal((await ada.act("offer", { to: b, gold: 3, shells: 1 })).ok, true);
    const [had, held] = [ada.gold, bob.gold];
    assert.equal((await bob.act("accept", { from: a })).ok, true);
    await ada.until("the shell", () => ada.body().f.shells === 1);
    assert.deepEqual([ada.gold, ada.body(b).f.gold, ada.body(b).f.shells], [had - 3, held + 3, 0]);
    assert.equal((await bob.act("accept", { from: a })).why, "there is no offer to you");
    await ada.leave();
    await bob.leave();
  });

  test("a portal takes a walker and all it has to the room it names", async () => {
    const session = await server.session();
    const ada = await enter(server, "west", session, { name: "Ada" });
    const carried = await ada.collect(2);
    assert.equal((await ada.act("enter")).why, "there is no portal here");
    await ada.goTo(kind(ada, "portal"), REACH_METRES, 60_000);
    const { to } = kind(ada, "portal")().f;
    ada.do("enter");
    await ada.until("the journey", () => ada.closed);
    assert.deepEqual(ada.closed, { code: TRAVEL, reason: to });
    const there = await enter(server, to, session, { name: "Ada" });
    assert.ok(there.gold >= carried);
    await there.leave();
  });
});
