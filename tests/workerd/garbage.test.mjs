/**
 * Garbage from one socket: a close code of the protocol or ignored and counted, and no other seat notices. Invariant 6;
 * field cases F9, F18.
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";

import { startServer } from "./harness.mjs";
import { holes } from "./measure.mjs";
import { Player, join } from "./player.mjs";

const TIMES = 20;
const ROOM = "garbage";
const MESSAGE_BYTES_MAX = 4_096;
const TOO_FAR = 2 ** 53;
/** Milliseconds to see whether a socket that has not said hello is closed for what it said. */
const SEE_MS = 3_000;

/** @type {import("./harness.mjs").Server} */
let server;
/** The seats that must not notice. @type {Player[]} */
let others;

before(async () => {
  server = await startServer();
  others = [
    await join(server, "arena", ROOM, { name: "Ada" }), await join(server, "arena", ROOM, { name: "Bob" }),
  ];
});

after(() => server?.stop());

const padded = (bytes) => JSON.stringify({ t: "say", text: "x".repeat(bytes) });
const input = (entries, e) => `{"t":"in","e":${e},"s":${entries}}`;

/**
 * Kinds of garbage: what is sent the i-th time.
 * @type {Record<string, (i: number, player: Player) => string | Buffer>}
 */
const KINDS = {
  "random bytes": (i) => randomBytes(1 + i * 37),
  "random bytes as text": (i) => randomBytes(1 + i * 37).toString("latin1"),
  "an oversized text": (i) => padded(MESSAGE_BYTES_MAX + i * 9_001),
  "an oversized binary": (i) => randomBytes(MESSAGE_BYTES_MAX + 1 + i * 9_001),
  "an unknown type": (i) => JSON.stringify({ t: ["nonsense", "", "WELCOME", "snap", "__proto__"][i % 5] }),
  "no type": (i) => ["{}", "[]", "null", "1", '"in"', "true", '{"e":1}'][i % 7],
  "a type of a wrong type": (i) => `{"t":${["1", "null", "[]", "{}", "true"][i % 5]}}`,
  "values of wrong types": (i, { welcome }) => [
    input('"x"', welcome?.e ?? 1), input("{}", welcome?.e ?? 1), input('[["x",{}]]', '"1"'), '{"t":"ping","c":[]}',
    '{"t":"say","text":7}', input('[[1]]', welcome?.e ?? 1), input('[[1,{"move":"up"}]]', welcome?.e ?? 1),
    '{"t":"hello","v":"1","game":7}', input('[[1,{"fire":"yes"}]]', welcome?.e ?? 1), input("[7]", welcome?.e ?? 1),
  ][i % 10],
  "1e999": (i, player) => [
    input(`[[${ahead(player)},{"move":[1e999,0]}]]`, epoch(player)),
    '{"t":"ping","c":1e999}', input("[[1e999,{}]]", epoch(player)),
    input(`[[${ahead(player)},{"move":[-1e999,1e308]}]]`, epoch(player)),
  ][i % 4],
  "NaN and infinity by name": (i, player) => (
    input(`[[${ahead(player)},{"move":[${["NaN", "Infinity", "-Infinity"][i % 3]},0]}]]`, epoch(player))
  ),
  "strings for numbers": (i, player) => [
    input(`[["${ahead(player)}",{"move":[0,0]}]]`, epoch(player)),
    input(`[[${ahead(player)},{"move":["1","0"]}]]`, epoch(player)),
    '{"t":"ping","c":"5"}', input(`[[${ahead(player)},{"move":[0,0]}]]`, `"${epoch(player)}"`),
  ][i % 4],
  "a fractional tick": (i, player) => input(`[[${ahead(player) + 0.5},{"move":[0,0]}]]`, epoch(player)),
  "a negative tick": (i, player) => input(`[[${-1 - i},{"move":[0,0]}]]`, epoch(player)),
  "a tick of 2^53": (i, player) => input(`[[${TOO_FAR + (i % 3) * 2},{"move":[0,0]}]]`, epoch(player)),
  "truncated JSON": (i, player) => {
    const whole = input(`[[${ahead(player)},{"move":[0,0]}]]`, epoch(player));
    return whole.slice(0, 1 + ((i * 7) % (whole.length - 1)));
  },
  "deep nesting": (i) => "[".repeat(i % 2 ? 4_000 : 200) + (i % 3 ? "" : "]".repeat(200)),
  "NUL bytes": (i) => ["\0", "\0".repeat(100), '{"t":"say","text":"a\0b"}', '{"t":"in\\u0000","e":1,"s":[]}'][i % 4],
  "an unknown control": (i, player) => input(`[[${ahead(player)},{"fly":true}]]`, epoch(player)),
  "far too many entries": (i, player) => (
    input(JSON.stringify(Array.from({ length: 40 + i }, (_, n) => [ahead(player) + n, {}])), epoch(player))
  ),
  "entries that fall": (i, player) => (
    input(`[[${ahead(player) + 3},{}],[${ahead(player)},{}],[${ahead(player)},{}]]`, epoch(player))
  ),
};

/** Kinds of which every piece is an entry to drop and count. */
const COUNTED = new Set(["a fractional tick", "a negative tick", "a tick of 2^53"]);

const epoch = (player) => player.welcome?.e ?? 1;
const ahead = (player) => (player.snap?.k ?? 1) + 2;

/** A close must be one of the protocol's, with a reason, told before in a `bye`. */
function assertProtocolClose(end, what) {
  assert.ok(end.code >= 4001 && end.code <= 4021, `${what}: closed with ${end.code} ${end.reason}`);
  assert.ok(end.reason.length > 0, `${what}: no reason`);
  assert.equal(end.bye?.code, end.code, `${what}: the bye`);
}

/** Sends one piece from a socket that has said nothing yet. Gives the close code, or 0 if a hello still worked. */
async function fromStranger(what, make, i) {
  const player = new Player(server, "arena", ROOM, { name: "Stranger", hello: null });
  await player.dial();
  player.send(make(i, player));
  player.send(player.hello());
  await player.until("a close or a welcome", () => player.closed || player.welcome, SEE_MS);
  if (player.closed) {
    assertProtocolClose(player.closes[0], what);
    return player.closed.code;
  }
  await player.leave();
  return 0;
}

/** Sends a kind from a seat, `TIMES` times, returning to the seat after each close. Gives the close codes. */
async function fromSeat(what, make) {
  let player = await join(server, "arena", ROOM, { name: "Rascal" });
  const { seat } = player;
  const codes = [];
  for (let i = 0; i < TIMES; i++) {
    player.send(make(i, player));
    const c = i + 0.5;
    player.send({ t: "ping", c });
    await player.until("a close or a pong", () => player.closed || player.pongs.some((pong) => pong.c === c));
    codes.push(player.closed?.code ?? 0);
    if (player.closed) {
      assertProtocolClose(player.closes[0], what);
      player = await join(server, "arena", ROOM, { name: "Rascal", token: player.token });
      assert.equal(player.seat, seat, `${what}: a close for garbage costs no seat`);
    }
  }
  await player.leave();
  return codes;
}

/** How often each code came, for the report. */
const tally = (codes) => JSON.stringify(
  codes.reduce((sum, code) => ({ ...sum, [code || "ignored"]: (sum[code || "ignored"] ?? 0) + 1 }), {}),
);

for (const [what, make] of Object.entries(KINDS)) {
  test(`${what}, ${TIMES} times before the hello and from a seat`, async (t) => {
    const strangers = await Promise.all(Array.from({ length: TIMES }, async (_, i) => {
      // Four at a time: the room has eight seats, and a stranger whose garbage is ignored takes one.
      await gate(i);
      return fromStranger(what, make, i).finally(release);
    }));
    const { dropped } = (await server.facts("arena", ROOM)).inputs;
    const seated = await fromSeat(what, make);
    if (COUNTED.has(what)) {
      const ignored = seated.filter((code) => code === 0).length;
      assert.equal((await server.facts("arena", ROOM)).inputs.dropped - dropped, ignored, "what is ignored is counted");
    }
    t.diagnostic(`before hello ${tally(strangers)}, seated ${tally(seated)}`);
    for (const player of others) {
      assert.equal(player.closed, null);
      assert.deepEqual(holes(player.snaps), [], "the others miss no tick");
    }
  });
}

let busy = 0;
/** @type {(() => void)[]} */
const queue = [];

/** Waits for one of four places. */
async function gate() {
  if (busy >= 4) {
    await new Promise((go) => queue.push(/** @type {() => void} */ (go)));
  }
  busy++;
}

function release() {
  busy--;
  queue.shift()?.();
}

test("a message over 1 MiB, which the platform itself refuses, ends that socket only", async () => {
  const player = await join(server, "arena", ROOM, { name: "Giant" });
  player.send(padded(2 << 20));
  await player.until("the close", () => player.closed);
  assert.ok(player.closed.code === 1009 || player.closed.code === 4002, `closed with ${player.closed.code}`);
});

test("after all of it the room is one incarnation, its entries were counted, the server lives", async () => {
  const [ada] = others;
  assert.ok(ada.snaps.every((snap) => snap.e === ada.welcomes[0].e));
  await ada.tick(ada.snap.k + 5);
  const facts = await server.facts("arena", ROOM);
  assert.equal(facts.epoch, ada.welcomes[0].e);
  // A hello that came behind garbage on a socket that was closed for it must not have taken a seat.
  assert.deepEqual(ada.roster.filter((row) => !row.away).map((row) => row.name).sort(), ["Ada", "Bob"]);
  assert.ok(facts.closes.message >= TIMES, JSON.stringify(facts.closes));
  assert.equal((await server.http("GET", "/health")).status, 200);
});
