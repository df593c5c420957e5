/**
 * Two tabs of one account. In two rooms the newer holds the character and the older does not take it back by itself,
 * however long both stay open; in one room the newer plays; in both cases the older has a button.
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { startServer } from "../workerd/harness.mjs";
import { lease } from "../workerd/state.mjs";
import { launch, RoomPage, SCREENS } from "./pages.mjs";

/** Untouched for so long; a minute in `make crash-long`. */
const UNTOUCHED_MS = Number(process.env.TABS_MS ?? 15_000);

/** @type {import("../workerd/harness.mjs").Server} */
let server;
/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  server = await startServer({ d1: true });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** A browser with one account, and tabs in it. */
async function account() {
  const context = await browser.newContext(SCREENS.desktop);
  return async (room) => {
    const page = await context.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(`${server.url}/isle/${room}`);
    return new RoomPage(page, "desktop", errors);
  };
}

const session = (tab) => tab.page.evaluate(() => {
  const kept = Object.values(localStorage).find((text) => text.includes('"account"'));
  return kept ? JSON.parse(kept).account : null;
});

const ended = (tab) => tab.page.waitForFunction(() => window.roundtable.link().state === "ended", null, { timeout: 10_000 });

test(`two rooms, untouched for ${UNTOUCHED_MS / 1000} s: the holder changes once, and by a button once more`, async () => {
  const tab = await account();
  const first = await (await tab("tab-one")).playing();
  const who = await session(first);
  assert.equal(lease(server, who).lease, 1);
  const second = await (await tab("tab-two")).playing();
  await ended(first);
  await sleep(UNTOUCHED_MS);
  const row = lease(server, who);
  assert.deepEqual([row.lease, row.room], [2, "tab-two"]);
  assert.equal((await second.link()).state, "online");
  await first.page.bringToFront();
  await first.page.getByRole("heading", { name: "Playing in another place" }).waitFor();
  await first.shot("taken");
  await first.page.getByRole("button", { name: /here/i }).click();
  await first.playing();
  await ended(second);
  assert.deepEqual([lease(server, who).lease, lease(server, who).room], [3, "tab-one"]);
  assert.deepEqual([...first.errors, ...second.errors], []);
});

test("one room: the newer tab plays, the older shows a button and plays again when it is pressed", async () => {
  const tab = await account();
  const older = await (await tab("same")).playing();
  const newer = await (await tab("same")).playing();
  await ended(older);
  await sleep(3_000);
  assert.equal((await newer.link()).state, "online");
  assert.equal((await newer.page.evaluate(() => window.roundtable.bodies())).filter(({ kind }) => kind === "walker").length, 1);
  await older.page.getByRole("heading", { name: "Playing in another place" }).waitFor();
  await older.page.getByRole("button", { name: /here/i }).click();
  await older.playing();
  await ended(newer);
  assert.deepEqual([...older.errors, ...newer.errors], []);
});
