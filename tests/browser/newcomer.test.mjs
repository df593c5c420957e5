/**
 * A newcomer's game (tests/worker/newcomer.rs) in the page, which has no line about it: a player runs onto a mole, and
 * the score counts it.
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { ROOT, startServer } from "../workerd/harness.mjs";
import { launch, open } from "./pages.mjs";

/** Metres to either side at which a key leads nowhere nearer. */
const NEAR = 0.3;
/** A bell moves all moles every five seconds: a chase may begin several times. */
const CHASE_MS = 45_000;
const KEYS = { left: "ArrowLeft", right: "ArrowRight", up: "ArrowUp", down: "ArrowDown" };

/** @type {import("../workerd/harness.mjs").Server} */
let server;
/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  server = await startServer({ world: "games" });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** The player's own body, the mole nearest to it, and what it has whacked, as the page draws them. */
const look = (page) =>
  page.evaluate(() => {
    const { seat } = window.roundtable.welcome().you;
    const bodies = window.roundtable.bodies();
    const me = bodies.find((body) => body.seat === seat);
    const far = (body) => Math.hypot(body.x - me.x, body.y - me.y);
    const moles = me ? bodies.filter((body) => body.kind === "mole").sort((a, b) => far(a) - far(b)) : [];
    return { me, mole: moles[0], moles: moles.length, whacked: me?.fields.whacked ?? 0 };
  });

/** The keys that lead from one place to another. */
function keysTo(me, mole) {
  const keys = [];
  if (Math.abs(mole.x - me.x) > NEAR) keys.push(mole.x < me.x ? KEYS.left : KEYS.right);
  if (Math.abs(mole.y - me.y) > NEAR) keys.push(mole.y < me.y ? KEYS.down : KEYS.up);
  return keys;
}

/** Runs after the nearest mole by the arrow keys until one more is whacked. */
async function chase(page) {
  const before = (await look(page)).whacked;
  let held = [];
  for (const deadline = Date.now() + CHASE_MS; Date.now() < deadline;) {
    const { me, mole, whacked } = await look(page);
    const done = whacked > before;
    const wanted = me && mole && !done ? keysTo(me, mole) : [];
    await Promise.all(held.filter((key) => !wanted.includes(key)).map((key) => page.keyboard.up(key)));
    await Promise.all(wanted.filter((key) => !held.includes(key)).map((key) => page.keyboard.down(key)));
    held = wanted;
    if (done) return whacked;
    await page.waitForTimeout(30);
  }
  throw new Error(`no mole was whacked within ${CHASE_MS} ms`);
}

test("a newcomer's game is played in the page: a mole is whacked and the score says so", async () => {
  assert.equal(existsSync(join(ROOT, "web/games/moles")), false, "nothing in the page is about this game");
  const room = await open(browser, `${server.url}/moles/lawn`, "desktop");
  await room.playing();
  // One that comes up where the player stands is whacked at once.
  const start = await look(room.page);
  assert.ok(start.moles + start.whacked >= 8, `${start.moles} moles, ${start.whacked} whacked`);
  await room.shot("newcomer-start");
  const whacked = await chase(room.page);
  await room.shot("newcomer-whacked");
  const own = room.page.locator("#own .fact", { hasText: "whacked" });
  assert.match(await own.innerText(), /whacked\s+\d+/);
  const count = Number(/\d+/.exec(await own.innerText())[0]);
  assert.ok(count >= whacked, `${count} beside the clock, ${whacked} on the body`);
  assert.match(await room.page.locator("#scores").innerText(), new RegExp(`\\b${count}\\b`));
  assert.deepEqual(room.errors, []);
});

test("a phone shows it too, with a stick and no small text", async () => {
  const room = await open(browser, `${server.url}/moles/lawn`, "phone");
  await room.playing();
  assert.equal(await room.page.locator("#stick").isVisible(), true);
  await room.shot("newcomer");
  assert.deepEqual(await room.smallText(12), []);
  assert.deepEqual(room.errors, []);
});
