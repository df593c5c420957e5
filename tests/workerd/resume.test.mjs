/** Resume tokens: what opens a seat again, and what does not. Field cases F1 and F2. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { startServer } from "./harness.mjs";
import { Player, join } from "./player.mjs";

/** Milliseconds the arena keeps the seat of a lost connection. */
const GRACE_MS = 10_000;

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer();
});

after(() => server?.stop());

/** What a welcome says of the seat, without the token. */
const stay = ({ you }) => ({ seat: you.seat, occ: you.occ });

/** Joins with a token and gives the welcome's `you`. */
async function knock(room, token, name = "Knocker") {
  const player = await join(server, "arena", room, { token, name });
  return player;
}

describe("resume", { concurrency: true }, () => {
  test("a return within the grace gives the same seat and occupancy with a new token", async () => {
    const watcher = await join(server, "arena", "r-return", { name: "Watcher" });
    const first = await join(server, "arena", "r-return", { name: "Ada" });
    await first.close();
    await watcher.until("Ada away in the roster", () => watcher.roster.find((row) => row.seat === first.seat)?.away);
    const again = await knock("r-return", first.token);
    assert.deepEqual(stay(again.welcome), stay(first.welcome));
    assert.equal(again.welcome.you.back, true);
    assert.notEqual(again.token, first.token);
    const row = () => watcher.roster.find(({ seat }) => seat === first.seat);
    await watcher.until("Ada back in the roster", () => row()?.away === false);
    assert.equal(row().name, "Ada", "the seat keeps its name");
    [watcher, again].forEach((player) => player.cut());
  });

  test("the old token opens nothing once a message came on the socket that got the new one", async () => {
    const first = await join(server, "arena", "r-old", { name: "Ada" });
    await first.close();
    const second = await knock("r-old", first.token);
    await second.ping();
    const thief = await knock("r-old", first.token, "Thief");
    assert.equal(thief.welcome.you.back, false);
    assert.notEqual(thief.seat, second.seat);
    await second.ping();
    assert.equal(second.closed, null, "the holder was not disturbed");
    [second, thief].forEach((player) => player.cut());
  });

  test("a welcome lost on the way costs no seat, not even twice", async () => {
    const watcher = await join(server, "arena", "r-lost", { name: "Watcher" });
    const away = (seat) => watcher.roster.find((row) => row.seat === seat)?.away;
    const first = await join(server, "arena", "r-lost", { name: "Ada" });
    await first.close();
    for (let loss = 0; loss < 2; loss++) {
      await watcher.until("Ada away", () => away(first.seat) === true);
      const lost = new Player(server, "arena", "r-lost", { token: first.token, hello: null });
      await lost.dial();
      lost.deafen();
      lost.send({ ...lost.hello(), token: first.token });
      await watcher.until("the hello taken", () => away(first.seat) === false);
      lost.cut();
      assert.equal(lost.welcomes.length, 0, "the welcome was never read");
    }
    await watcher.until("Ada away again", () => away(first.seat) === true);
    const again = await knock("r-lost", first.token);
    assert.deepEqual(stay(again.welcome), stay(first.welcome));
    assert.equal(again.welcome.you.back, true);
    [watcher, again].forEach((player) => player.cut());
  });

  test("a token of another room, an unknown one and an empty one open nothing", async () => {
    const other = await join(server, "arena", "r-there", { name: "Ada" });
    await other.close();
    for (const token of [other.token, "no-such-token", "", "x".repeat(512)]) {
      const player = await knock("r-here", token);
      assert.equal(player.welcome.you.back, false, JSON.stringify(token.slice(0, 40)));
      await player.leave();
    }
    const home = await knock("r-there", other.token);
    assert.equal(home.welcome.you.back, true, "it still opens its own");
    home.cut();
  });

  // F1
  test("what other players see opens no seat, and no frame to them holds a secret", async () => {
    const ada = await join(server, "arena", "r-ids", { name: "Ada" });
    const bob = await join(server, "arena", "r-ids", { name: "Bob" });
    await bob.until("Ada's body", () => bob.body(ada.seat));
    const first = ada.token;
    await ada.close();
    const seen = [
      ada.seat, ada.welcome.you.occ, `${ada.seat}:${ada.welcome.you.occ}`, bob.body(ada.seat).id, "Ada",
      ada.welcome.schema,
      first.slice(0, -1), first.toLowerCase() === first ? first.toUpperCase() : first.toLowerCase(),
    ];
    for (const id of seen) {
      const thief = await knock("r-ids", String(id), "Thief");
      assert.equal(thief.welcome.you.back, false, `token ${id}`);
      assert.notEqual(thief.seat, ada.seat);
      await thief.leave();
    }
    const again = await knock("r-ids", first);
    assert.equal(again.seat, ada.seat);
    await bob.ping();
    const secrets = [first, again.token];
    for (const { text } of bob.frames) {
      assert.ok(!secrets.some((secret) => text.includes(secret)), text);
      const message = JSON.parse(text);
      if (message.t !== "welcome") {
        assert.ok(!text.includes("token"), text);
      }
    }
    [bob, again].forEach((player) => player.cut());
  });

  // F2
  test("a return while the old socket is open takes the seat over, and says so to the old one", async () => {
    const first = await join(server, "arena", "r-open", { name: "Ada" });
    const second = await knock("r-open", first.token);
    assert.deepEqual(stay(second.welcome), stay(first.welcome));
    assert.equal(second.welcome.you.back, true);
    await first.until("the old socket's end", () => first.closed);
    assert.equal(first.closed.code, 4014);
    assert.equal(first.closes[0].bye?.code, 4014);
    await second.ping();
    // F9
    assert.equal((await server.facts("arena", "r-open")).closes.taken, 1, "it is counted by its name");
    second.cut();
  });

  // F2
  test("two returns at once: one holds the seat, the other is told that it was taken", async () => {
    const first = await join(server, "arena", "r-twice", { name: "Ada" });
    await first.close();
    const pair = [0, 1].map(() => new Player(server, "arena", "r-twice", { token: first.token, hello: null }));
    await Promise.all(pair.map((player) => player.dial()));
    pair.forEach((player) => player.send({ ...player.hello(), token: first.token }));
    await Promise.all(pair.map((player) => player.welcomed()));
    for (const player of pair) {
      assert.deepEqual(stay(player.welcome), stay(first.welcome));
      assert.equal(player.welcome.you.back, true);
    }
    const loser = await Promise.race(pair.map((player) => player.until("an end", () => player.closed && player)));
    assert.equal(loser.closed.code, 4014);
    const winner = pair.find((player) => player !== loser);
    await winner.ping();
    assert.equal(winner.closed, null);
    winner.cut();
  });

  // F2
  test("a token is good until the grace is over, and opens nothing after it", async () => {
    const watcher = await join(server, "arena", "r-grace", { name: "Watcher" });
    const early = await join(server, "arena", "r-grace", { name: "Early" });
    const late = await join(server, "arena", "r-grace", { name: "Late" });
    await Promise.all([early.close(), late.close()]);
    const start = watcher.snap.k;
    await watcher.tick(start + 20 * (GRACE_MS / 1000 - 1), GRACE_MS + 5_000);
    const back = await knock("r-grace", early.token);
    assert.equal(back.welcome.you.back, true, "a second before its end");
    await watcher.until("Late gone from the roster", () => !watcher.roster.some((row) => row.seat === late.seat));
    const gone = await knock("r-grace", late.token);
    assert.equal(gone.welcome.you.back, false, "after its end");
    assert.notEqual(gone.welcome.you.occ, late.welcome.you.occ, "another stay");
    [watcher, back, gone].forEach((player) => player.cut());
  });
});
