/** Cards in the page: a hand is dealt, a card is played or drawn by a click, and a move out of turn is told. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startServer } from "../workerd/harness.mjs";
import { launch, open } from "./pages.mjs";

/** @type {import("../workerd/harness.mjs").Server} */
let server;
/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  server = await startServer();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

test("a player draws by a click, sees the card, and is told when it is not their turn", async () => {
  const room = await (await open(browser, server.url, "desktop", "/cards/click")).playing();
  const { page } = room;
  const hand = () => page.locator(".fan button").count();
  const turn = () => page.evaluate(() => window.roundtable.shared().table.turn);
  await page.waitForFunction(() => window.roundtable.shared().table?.turn === window.roundtable.welcome().you.seat);
  await page.waitForFunction(() => document.querySelectorAll(".fan button").length >= 6);
  const before = await hand();
  assert.ok(before >= 6, `${before} cards in the hand`);
  await page.getByRole("button", { name: /draw/i }).click();
  await page.waitForFunction((count) =>
    document.querySelectorAll(".fan button").length === count + 1, before);
  assert.notEqual(await turn(), 0, "the turn has passed on");
  await page.getByRole("button", { name: /draw/i }).click();
  await page.getByText(/not your turn/i).first().waitFor();
  assert.deepEqual(room.errors, []);
  await page.screenshot({ path: "tests/artefacts/cards.png" });
});

/** In the order they climb; a star fits always, and anything fits on a star. */
const CLIMB = ["One", "Two", "Three", "Four", "Five", "Six", "Seven"];

/** A card of the hand that may be played now, by its label; null: none fits. Waits for the own turn. */
async function fitting(page) {
  await page.waitForFunction(() => window.roundtable.shared().table?.turn === window.roundtable.welcome().you.seat);
  const seen = await page.evaluate(() => ({
    top: document.querySelector("#middle .pile [aria-label]").getAttribute("aria-label"),
    hand: [...document.querySelectorAll(".fan button")].map((card) => card.getAttribute("aria-label")),
  }));
  const place = (card) => CLIMB.findIndex((name) => name.toLowerCase() === card.toLowerCase());
  const fits = (card) => place(card) < 0 || place(seen.top) < 0
    || (place(card) - place(seen.top) + CLIMB.length) % CLIMB.length <= 2;
  return seen.hand.find(fits) ?? null;
}

test("a player plays a card by a tap and sees it on the table", async () => {
  const room = await (await open(browser, server.url, "phone", "/cards/play")).playing();
  const { page } = room;
  let card = await fitting(page);
  for (let draws = 0; draws < 10 && card === null; draws++) {
    const held = await page.locator(".fan button").count();
    await page.getByRole("button", { name: /draw/i }).tap();
    await page.waitForFunction((count) => document.querySelectorAll(".fan button").length > count, held);
    card = await fitting(page);
  }
  assert.ok(card, "a card that fits");
  const held = await page.locator(".fan button").count();
  // Watched from before the tap: a bot may lay its own card on it within a second or two.
  const seen = page.waitForFunction((name) =>
    document.querySelector(`#middle .pile [aria-label="${name}"]`) !== null, card);
  await page.locator(`.fan button[aria-label="${card}"]`).first().tap();
  await seen;
  await page.waitForFunction((count) => document.querySelectorAll(".fan button").length === count - 1, held);
  assert.deepEqual(room.errors, []);
});
