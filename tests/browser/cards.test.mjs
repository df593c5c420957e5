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
