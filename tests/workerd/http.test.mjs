/** The public surface: routes, error shape, room names, and what comes before a valid hello. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ADMIN_TOKEN, startServer } from "./harness.mjs";
import { Player, join } from "./player.mjs";

const HELLO_MS = 10_000;
/** Seats of the arena. */
const SEATS = 16;

/** Started as it ships, without TEST_KEY, and without a secret to sign sessions with. @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({ testKey: false, vars: { SESSION_SECRET: "" } });
});

after(() => server?.stop());

const get = (path, headers = {}) => server.http("GET", path, { headers });
const bearer = (token) => ({ authorization: `Bearer ${token}` });

/** An error is JSON with a stable code, whatever the route. */
function assertError(answer, status) {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers["content-type"] ?? "", /json/);
  assert.match(answer.json.error.code, /^[a-z_]+$/);
  assert.ok(answer.json.error.message.length > 0);
}

/** The bye and close of a socket that says a good hello at a bad address. */
async function refusedAt(game, room, hello = {}) {
  const player = new Player(server, game, room, { hello });
  await player.dial();
  await player.until("the close", () => player.closed);
  return { ...player.closed, bye: player.bye };
}

describe("routes", () => {
  test("/health answers with the build and its versions", async () => {
    const { status, json } = await get("/health");
    assert.equal(status, 200);
    assert.equal(typeof json.build.id, "string");
    assert.ok(json.build.at > 1.6e12);
    assert.match(json.games.isle.schema, /^[0-9a-f]{16}$/);
    assert.match(json.games.isle.fields, /^[\w-]+$/);
  });

  test("/api/games lists the arena", async () => {
    const { status, json } = await get("/api/games");
    assert.equal(status, 200);
    const row = (name) => json.games.find(({ game }) => game === name);
    assert.deepEqual(row("arena"), { game: "arena", seats: SEATS, bots: 8 });
    assert.deepEqual([row("cards").bots, row("isle").bots], [3, 0], "the home page offers bots where there are some");
  });

  test("a room can be created, listed and found by quick join", async () => {
    const made = await server.http("POST", "/api/rooms", { body: { game: "arena", public: true } });
    assert.equal(made.status, 201, made.text);
    assert.match(made.json.room, /^[a-z0-9-]{1,32}$/);
    const quick = await get("/api/quick?game=arena");
    assert.equal(quick.status, 200);
    assert.match(quick.json.room, /^[a-z0-9-]{1,32}$/);
    const player = await join(server, "arena", quick.json.room);
    const list = await get("/api/rooms?game=arena");
    assert.equal(list.status, 200);
    assert.ok(Array.isArray(list.json.rooms));
    player.cut();
    assertError(await get("/api/quick?game=nonsense"), 404);
    assertError(await get("/api/rooms?game=nonsense"), 404);
    const bad = await server.http("POST", "/api/rooms", { body: { game: 7 } });
    assert.ok([400, 404].includes(bad.status), bad.text);
    assertError(bad, bad.status);
  });

  test("facts want the admin token, and are 404 for a room nobody has joined", async () => {
    const player = await join(server, "arena", "told", { name: "Ada" });
    await player.tick(player.welcome.k + 20);
    assertError(await get("/api/rooms/arena/told/facts"), 401);
    assertError(await get("/api/rooms/arena/told/facts", bearer("wrong")), 401);
    assertError(await get("/api/rooms/arena/never-joined/facts", bearer(ADMIN_TOKEN)), 404);
    const { status, json } = await get("/api/rooms/arena/told/facts", bearer(ADMIN_TOKEN));
    assert.equal(status, 200);
    assert.ok(json.tick >= 20 && json.epoch >= 1 && json.rows_written >= 1, JSON.stringify(json));
    assert.equal(json.people, 1);
    assert.equal(json.alive, true);
    assert.ok("faults" in json);
    player.cut();
  });

  test("without TEST_KEY bound the fault hook is 404, with any key or none", async () => {
    const path = "/api/rooms/arena/told/fault";
    const body = { kind: "late-alarm", ms: 2000 };
    for (const key of ["", "test-key", "undefined", "null"]) {
      assertError(await server.http("POST", path, { headers: { "x-test-key": key }, body }), 404);
    }
    assertError(await server.http("POST", path, { body }), 404);
    const away = { headers: { "x-test-key": "" }, body: { kind: "d1-away", on: true } };
    assertError(await server.http("POST", "/api/fault", away), 404);
    const log = { headers: { "x-test-key": "" }, body: "room 1 0\n" };
    assertError(await server.http("POST", "/api/test/replay?game=arena", log), 404);
  });

  test("without a secret to sign with there are no sessions, and the answer says what is missing", async () => {
    const answer = await server.http("POST", "/api/session");
    assertError(answer, 503);
    assert.match(answer.json.error.message, /SESSION_SECRET/);
    for (const session of ["x.y", "x.y.z", null]) {
      const end = await refusedAt("isle", "nobody", { session });
      assert.equal(end.code, 4010);
      assert.match(end.bye.reason, /SESSION_SECRET/);
    }
  });

  test("unknown routes are 404 and wrong methods are refused, both as JSON errors", async () => {
    const unknown = ["/api/nonsense", "/api/", "/admin/x", "/metrics/x", "/ws/arena", "/a/b/c", "/nonsense"];
    for (const path of unknown) {
      assertError(await get(path), 404);
    }
    assert.equal((await get("/nonsense/room")).status, 404, "a page for people");
    const wrong = await server.http("DELETE", "/api/rooms");
    assertError(wrong, wrong.status);
    assert.equal(wrong.status, 405);
    assert.match(wrong.headers.allow ?? "", /GET/);
  });

  test("a room's page is served under any good name, and under no bad one", async () => {
    for (const room of ["x", "a-1", "0".repeat(32)]) {
      const page = await get(`/arena/${room}`);
      assert.equal(page.status, 200);
      assert.match(page.headers["content-type"] ?? "", /html/);
      assert.match(page.text, /<canvas/);
    }
    for (const room of ["X", "a_b", "0".repeat(33), "%20", "ä"]) {
      assert.equal((await get(`/arena/${encodeURI(room)}`)).status, 404, room);
    }
    const plain = await get("/ws/arena/x");
    assertError(plain, plain.status);
    assert.equal(plain.status, 426, "a plain GET at a socket's address");
  });
});

describe("before the hello", { concurrency: true }, () => {
  test("a bad room name or game is told by bye and 4021, not by an HTTP status", async () => {
    const names = ["A", "a_b", "a".repeat(33)].map((room) => ["arena", room]);
    const bad = [...names, ...["nonsense", "api", "admin"].map((game) => [game, "x"])];
    for (const [game, room] of bad) {
      const end = await refusedAt(game, room);
      assert.equal(end.code, 4021, `${game}/${room}`);
      assert.equal(end.bye?.code, 4021);
      assert.ok(end.reason.length > 0);
    }
  });

  test("a hello for another game or of another version is refused with its own code", async () => {
    const other = await refusedAt("arena", "hello", { game: "isle" });
    assert.equal(other.code, 4021);
    const newer = await refusedAt("arena", "hello", { v: 99 });
    assert.equal(newer.code, 4005);
    assertError(await get("/api/rooms/arena/hello/facts", bearer(ADMIN_TOKEN)), 404);
  });

  // B1
  test("unknown fields of a hello are ignored, all known ones are taken", async () => {
    const player = await join(server, "arena", "full-hello", {
      name: "Ada",
      hello: {
        rev: 1, session: null, device: "desk", want: 3, max: 8, caps: ["x"], coast: 1, ver: { any: 1 }, feat: [],
        agent: null, build: { id: "x", at: 1 }, future: { anything: [1, 2] },
      },
    });
    assert.equal(player.seat, 3, "the seat it wants is free");
    player.cut();
  });

  test("a connection that says no hello makes no room and is closed with 4001 in time", async () => {
    const mute = new Player(server, "arena", "mute", { hello: null });
    const start = performance.now();
    await mute.dial();
    assertError(await get("/api/rooms/arena/mute/facts", bearer(ADMIN_TOKEN)), 404);
    await mute.until("the bye", () => mute.bye, HELLO_MS + 5_000);
    const took = performance.now() - start;
    assert.equal(mute.bye.code, 4001);
    // The platform answers the closing handshake of a resting object late; the close frame itself came with the bye.
    await mute.closing();
    assert.equal(mute.closed.code, 4001);
    assert.ok(took > HELLO_MS - 1_000, `closed after ${took} ms`);
    assertError(await get("/api/rooms/arena/mute/facts", bearer(ADMIN_TOKEN)), 404);
  });

  test("a room may have the name of a route", async () => {
    for (const room of ["facts", "fault", "release", "health", "api", "ws", "quick"]) {
      const player = await join(server, "arena", room, { name: "Ada" });
      assert.equal(player.welcome.room, room);
      await player.leave();
    }
  });

  // F9
  test("a full room says so with 4006, and a spectator is still let in", async () => {
    const seated = await Promise.all(
      Array.from({ length: SEATS }, (_, i) => join(server, "arena", "full", { name: `P${i}` })),
    );
    assert.equal(new Set(seated.map((player) => player.seat)).size, SEATS);
    const end = await refusedAt("arena", "full");
    assert.equal(end.code, 4006);
    assert.equal(end.bye?.code, 4006);
    const watcher = await join(server, "arena", "full", { watch: true });
    assert.equal(watcher.welcome.you, null);
    await watcher.until("bodies", () => watcher.snap?.d[1].length >= SEATS);
    [...seated, watcher].forEach((player) => player.cut());
  });
});
