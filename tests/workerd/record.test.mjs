/** Recordings and exports: a live room's replay file replays natively to the same digests; its save is what check-save reads. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { ADMIN_TOKEN, ROOT, startServer } from "./harness.mjs";
import { join } from "./player.mjs";
import { loseJournalRow } from "./state.mjs";
import { enter } from "./walker.mjs";

const HZ = 20;
/** Ticks between two digests of a recording. */
const DIGEST_TICKS = 60;
const bearer = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** @type {import("./harness.mjs").Server} */
let server;
const home = mkdtempSync(path(tmpdir(), "roundtable-record-"));

before(async () => {
  server = await startServer({ d1: true });
});

after(async () => {
  await server?.stop();
  rmSync(home, { recursive: true, force: true });
});

const at = (game, room, what) => `/api/rooms/${game}/${room}/${what}`;

/** Begins or ends the recording of a room; what is recorded then. */
async function record(game, room, on) {
  const answer = await server.http("POST", at(game, room, "record"), { headers: bearer, body: { on } });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

/** A file that an operator fetches. */
async function fetched(game, room, what) {
  const answer = await fetch(server.url + at(game, room, what), { headers: bearer });
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(answer.status, 200, bytes.toString());
  const file = path(home, `${game}-${room}-${what.replace("?", "-")}`);
  writeFileSync(file, bytes);
  return { bytes, text: bytes.toString(), file, lacks: answer.headers.get("x-lacks"), headers: answer.headers };
}

/** Runs a native tool of this repository, as a person would. */
function tool(example, ...args) {
  // The profile that `cargo test` has built.
  const all = ["run", "--quiet", "--profile", "test", "--example", example, "--", ...args];
  return new Promise((done) => {
    execFile("cargo", all, { cwd: ROOT, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      done({ code: error ? error.code : 0, stdout, stderr });
    });
  });
}

/** The recording of a room, replayed natively: every digest in it is the same. */
async function replayed(t, game, room, digests, what = "replay") {
  const file = await fetched(game, room, what);
  const { code, stdout, stderr } = await tool("replay", file.file);
  assert.equal(code, 0, `${stdout}${stderr}`);
  const same = Number(/(\d+) digests are as recorded/.exec(stdout)?.[1]);
  assert.ok(same >= digests, stdout);
  t.diagnostic(`${game}: ${stdout.trim()}; ${file.bytes.length} bytes`);
  return { ...file, stdout };
}

const count = (text, line) => text.split("\n").filter((one) => one.startsWith(line)).length;

/** Steers a player about, and fires, for so many ticks. */
async function wander(player, ticks, turn) {
  const until = player.snap.k + ticks;
  for (let i = 0; player.snap.k < until; i++) {
    const angle = turn * i;
    player.input({ move: [Math.cos(angle), Math.sin(angle)], fire: i % 3 === 0 });
    await player.tick(player.snap.k + 4);
  }
}

test("F20: an arena that two people played replays natively to the same digests, over a crash of the process", async (t) => {
  const ada = await join(server, "arena", "taped", { name: "Ada" });
  const bob = await join(server, "arena", "taped", { name: "Bob" });
  const facts = await record("arena", "taped", true);
  assert.ok(facts.on && facts.from_epoch === 1, JSON.stringify(facts));
  await Promise.all([wander(ada, 3 * DIGEST_TICKS, 0.7), wander(bob, 3 * DIGEST_TICKS, -0.4)]);
  const before = await replayed(t, "arena", "taped", 3);
  assert.ok(count(before.text, "hold 0 ") > 5 && count(before.text, "hold 1 ") > 5, before.text.slice(-2000));
  for (const secret of [ada.token, bob.token]) {
    assert.ok(!before.text.includes(secret), "a replay file goes to others");
  }
  // A checkpoint of a match room is at most 5 s old.
  await sleep(5_500);
  await server.kill9();
  await server.restart();
  const again = await join(server, "arena", "taped", { name: "Ada", token: ada.token });
  await wander(again, 2 * DIGEST_TICKS, 0.9);
  again.cut();
  await sleep(500);
  const { text } = await replayed(t, "arena", "taped", 5);
  assert.deepEqual([count(text, "epoch 1"), count(text, "epoch 2")], [1, 1], "the file goes on over the crash");
  const { recording } = await server.facts("arena", "taped");
  assert.deepEqual([recording.on, recording.from_epoch], [true, 1]);
});

test("F20: an isle with characters, and a tick of it to look at", async (t) => {
  const [ada, bob] = await Promise.all(["Ada", "Bob"].map(async (name) => (
    enter(server, "taped-isle", await server.session(), { name })
  )));
  await record("isle", "taped-isle", true);
  await Promise.all([ada.collect(2), bob.collect(1)]);
  await bob.leave();
  const third = await enter(server, "taped-isle", await server.session(), { name: "Cyd" });
  await third.tick(third.snap.k + DIGEST_TICKS);
  const { text, file } = await replayed(t, "isle", "taped-isle", 2);
  assert.ok(count(text, "enter ") === 1 && count(text, "leave ") === 1, text.slice(-2000));
  const from = Number(/^tick (\d+)$/m.exec(text)[1]);
  const shown = await tool("replay", file, "--at", String(from + 10));
  assert.equal(shown.code, 0, shown.stdout);
  assert.match(shown.stdout, new RegExp(`tick ${from + 10}, digest [0-9a-f]{16}`));
  assert.match(shown.stdout, /walker seat 0 at .*gold \d+/);
  [ada, third].forEach((player) => player.cut());
});

test("F20: a table of cards, which runs by events and may sleep", async (t) => {
  const ada = await join(server, "cards", "taped-cards", { name: "Ada" });
  await record("cards", "taped-cards", true);
  for (let turn = 0; turn < 4; turn++) {
    await ada.act("draw").catch(() => {});
    await sleep(300);
  }
  const { text } = await replayed(t, "cards", "taped-cards", 1);
  assert.ok(count(text, "act 0 ") >= 4 && count(text, "at ") >= 4, text.slice(-2000));
  await ada.leave();
});

test("of a host that panicked the recording is kept, up to what it was doing", async (t) => {
  const ada = await join(server, "arena", "falls", { name: "Ada", back: true });
  await record("arena", "falls", true);
  await wander(ada, DIGEST_TICKS, 0.5);
  await server.fault("arena", "falls", { kind: "panic-host" });
  await ada.until("its return", () => ada.welcomes.length > 1);
  const { text } = await replayed(t, "arena", "falls", 1, "replay?fallen");
  assert.match(text, /^epoch 1$/m);
  const now = await replayed(t, "arena", "falls", 1);
  assert.match(now.text, /^epoch 2$/m);
  await record("arena", "falls", false);
  const off = await server.http("GET", at("arena", "falls", "replay"), { headers: bearer });
  assert.deepEqual([off.status, off.json.error.code], [404, "not_recorded"]);
  ada.cut();
});

test("the save of a running room is what check-save reads", async () => {
  const ada = await join(server, "arena", "saved", { name: "Ada" });
  await ada.tick(ada.snap.k + HZ);
  const { file, lacks, headers } = await fetched("arena", "saved", "save");
  assert.equal(lacks, null);
  assert.match(headers.get("content-disposition"), /arena-saved\.save/);
  const { code, stdout } = await tool("check_save", file);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /the room opens/);
  ada.cut();
});

test("a room whose journal has a gap is refused, and its save is had as far as it goes", async () => {
  const ada = await enter(server, "torn", await server.session(), { name: "Ada" });
  await ada.collect(3);
  ada.cut();
  await server.kill9();
  loseJournalRow(server, "isle/torn");
  await server.restart();
  const { file, lacks } = await fetched("isle", "torn", "save");
  assert.match(lacks ?? "", /gap/);
  const { code, stdout } = await tool("check_save", file);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /isle: a save of \d+ bytes/);
});

test("exports are for who has the admin token, and only of rooms that are there", async () => {
  const ada = await join(server, "arena", "shut", { name: "Ada" });
  const ask = (what, method, headers, room = "shut") => (
    server.http(method, at("arena", room, what), { headers, ...(method === "POST" ? { body: { on: true } } : {}) })
  );
  for (const [what, method] of [["save", "GET"], ["replay", "GET"], ["record", "POST"]]) {
    for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: ADMIN_TOKEN }]) {
      assert.equal((await ask(what, method, headers)).status, 401, what);
    }
    const missing = await ask(what, method, bearer, "never-joined");
    assert.deepEqual([missing.status, missing.json.error.code], [404, "no_such_room"], what);
  }
  const unasked = await ask("replay", "GET", bearer);
  assert.deepEqual([unasked.status, unasked.json.error.code], [404, "not_recorded"]);
  for (const body of [{}, { on: 1 }, { on: true, more: 1 }]) {
    const bad = await server.http("POST", at("arena", "shut", "record"), { headers: bearer, body });
    assert.equal(bad.status, 400, JSON.stringify(body));
  }
  assert.equal((await server.facts("arena", "shut")).recording.on, false);
  ada.cut();
});
