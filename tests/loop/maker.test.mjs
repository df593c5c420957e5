/** The maker's loop: under `make dev` a change is in the open page, and one that does not build is told there. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, test } from "node:test";

import { launch, open } from "../browser/pages.mjs";
import { Child, freePort } from "../workerd/process.mjs";
import { COPY, COPY_PATH, copyCheckout } from "./checkout.mjs";

/** The aim on two quiet cores is 20 s; a busy machine takes a multiple of that. */
const CHANGE_MS = 120_000;
const START_MS = 900_000;
const END_MS = 10_000;
const GAME = join(COPY, "src/games/arena.rs");
const [LOOK, OTHER_LOOK] = ['"disc #4af"', '"disc #fa4"'];

const admin = "loop-admin-token";
const state = mkdtempSync(join(tmpdir(), "roundtable-loop-"));
let port = 0;
/** @type {Child} */
let dev;
/** @type {import("playwright-core").Browser} */
let browser;
/** @type {import("../browser/pages.mjs").RoomPage} */
let page;

before(async () => {
  copyCheckout();
  port = await freePort();
  dev = new Child("make", ["dev"], {
    cwd: COPY, env: { PORT: String(port), STATE: state, ADMIN_TOKEN: admin, PATH: COPY_PATH },
  });
  const started = Date.now();
  const ready = () => dev.lines.find((line) => line.startsWith("ready: "));
  while (!ready()) {
    assert.ok(!dev.exited && Date.now() - started < START_MS, `make dev is not ready:\n${dev.tail()}`);
    await sleep(200);
  }
  console.log(`# make dev was ready after ${seconds(started)}`);
  browser = await launch();
  page = await open(browser, ready().slice("ready: ".length), "desktop");
  await page.playing();
});

after(async () => {
  await browser?.close();
  await dev?.stop();
  rmSync(state, { recursive: true, force: true, maxRetries: 5 });
});

const seconds = (since) => `${((Date.now() - since) / 1_000).toFixed(1)} s`;
const overlay = () => page.page.locator("#dev-fault");

function write(change) {
  const text = readFileSync(GAME, "utf8");
  const changed = change(text);
  assert.notEqual(changed, text);
  writeFileSync(GAME, changed);
  return Date.now();
}

async function tick() {
  const answer = await fetch(`http://127.0.0.1:${port}/api/rooms/arena/lounge/facts`, {
    headers: { authorization: `Bearer ${admin}` },
  });
  return (await answer.json()).tick;
}

function listens() {
  return new Promise((done) => {
    const socket = createConnection(port, "127.0.0.1", () => done(true)).on("error", () => done(false));
    socket.on("close", () => socket.destroy());
  });
}

test("a change of a game is in the open page, which keeps its seat", async () => {
  const { you } = await page.welcome();
  const saved = write((text) => text.replace(LOOK, OTHER_LOOK));
  await page.page.waitForFunction(
    (look) => window.roundtable?.link()?.state === "online"
      && JSON.stringify(window.roundtable.welcome()).includes(look),
    OTHER_LOOK.slice(1, -1), { timeout: CHANGE_MS, polling: 50 },
  );
  console.log(`# from the save to the new rules in the page: ${seconds(saved)}`);
  await page.playing();
  const { you: now } = await page.welcome();
  assert.deepEqual([now.seat, now.occ, now.back], [you.seat, you.occ, true]);
});

test("a change that does not compile is told in the page and the terminal, and the last build plays on", async () => {
  const { build } = await page.welcome();
  // A marker that only a reload takes away.
  await page.page.evaluate(() => (window.notReloaded = true));
  const saved = write((text) => `${text}\nfn broken( {\n`);
  await overlay().waitFor({ state: "visible", timeout: CHANGE_MS });
  console.log(`# from the save to the compiler's message in the page: ${seconds(saved)}`);
  assert.match(await overlay().innerText(), /error: .*[\s\S]*src\/games\/arena\.rs:\d+/);
  assert.match(dev.lines.join("\n"), /error: [\s\S]*src\/games\/arena\.rs:\d+/);
  const before = await tick();
  await sleep(1_000);
  assert.ok((await tick()) > before, "the room's ticks go on");
  assert.equal((await page.link()).state, "online");
  assert.deepEqual((await page.welcome()).build, build);

  const repaired = write((text) => text.replace("\nfn broken( {\n", ""));
  await overlay().waitFor({ state: "hidden", timeout: CHANGE_MS });
  console.log(`# from the repair to a page without it: ${seconds(repaired)}`);
  assert.equal(await page.page.evaluate(() => window.notReloaded), true, "what plays is still the same build");
  assert.deepEqual(page.errors, []);
});

test("Ctrl-C ends everything", async () => {
  process.kill(-dev.pid, "SIGINT");
  // make itself ends by the signal, as it does in a terminal; what it started may take a moment more.
  assert.ok([0, null].includes(await dev.ended), `make dev ended with ${dev.code}`);
  const isLeft = () => {
    try {
      return process.kill(-dev.pid, 0);
    } catch {
      return false;
    }
  };
  for (const deadline = Date.now() + END_MS; isLeft() && Date.now() < deadline; await sleep(100));
  assert.equal(isLeft(), false, "nothing of its process group is left");
  assert.equal(await listens(), false);
});
