/** Event-driven rooms of games that nobody wrote: seats around a table, cards in the hand and on it. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { deep, fair, table } from "./invented.mjs";
import { launch, overlap } from "./pages.mjs";
import { middle, showOn, texts } from "./show.mjs";

const TEXT_PX_MIN = 12;
const SCREENS = ["desktop", "phone", "lying"];

/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  browser = await launch();
});

after(async () => {
  await browser?.close();
});

const on = (...args) => showOn(browser, ...args);

async function edges(locator) {
  const { x, y, width, height } = await locator.boundingBox();
  return { left: x, top: y, right: x + width, bottom: y + height };
}

for (const screen of SCREENS) {
  test(`${screen}: seats sit around a table, with cards on it and whose turn it is`, () =>
    on(screen, table(5), async (stage, page) => {
      assert.equal(await page.locator("#board").isVisible(), true);
      assert.equal(await page.locator("#seats li").count(), 5);
      assert.match((await texts(page, "#seats .marked"))[0], /^Ada turn/);
      assert.equal(await page.locator("#middle .card-face").count(), 2);
      assert.deepEqual(await texts(page, "#middle dl"), ["trump hearts deck 9"]);
      const seats = await Promise.all((await page.locator("#seats li").all()).map(edges));
      seats.forEach((a, i) => seats.slice(i + 1).forEach((b) => assert.equal(overlap(a, b), false, "seats overlap")));
      assert.equal(stage.said.some((m) => m.t === "in"), false, "no inputs are sent");
      stage.welcome.bodies[1].f.hand.pop();
      stage.snap();
      stage.say({ t: "shared", shared: { round: { ...stage.welcome.shared.round, turn: 3 } } });
      await page.locator("#seats .marked").getByText("Max").waitFor();
      await page.waitForFunction(() => document.querySelectorAll(".fan button").length === 5);
    }));
}

test("cards are played by a click, by keys, and by being dropped on the table", () =>
  on("desktop", table(), async (stage, page) => {
    const cards = page.locator(".fan button");
    await cards.first().click();
    await page.locator(".fan .pending").waitFor();
    assert.deepEqual(await stage.did("play"), { card: "seven_of_spades" });
    await cards.nth(1).press("Enter");
    assert.deepEqual(await stage.did("play"), { card: "ace_of_hearts" });
    const [x, y] = middle(await cards.nth(2).boundingBox());
    const drag = async (...to) => {
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(...to, { steps: 5 });
    };
    await drag(x, y - 30);
    await page.mouse.up();
    await drag(640, 300);
    await page.locator("body.dropping").waitFor();
    await page.mouse.up();
    assert.deepEqual(await stage.did("play"), { card: "queen_of_diamonds" });
    await page.waitForTimeout(200);
    assert.equal(stage.said.some((m) => m.t === "do"), false, "a card that falls back into the hand is not played");
  }));

/** Visible text that is too small to read. Runs in the page. */
function smallTexts(limit) {
  const hasText = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const isSmall = (one) => one.checkVisibility() && hasText(one) && parseFloat(getComputedStyle(one).fontSize) < limit;
  return [...document.querySelectorAll("body *")].filter(isSmall).map((one) => one.textContent);
}

for (const screen of SCREENS) {
  test(`${screen}: no text is small`, async () => {
    for (const welcome of [fair(), table(), deep()]) {
      await on(screen, welcome, async (_, page) => {
        assert.deepEqual(await page.evaluate(smallTexts, TEXT_PX_MIN), []);
      });
    }
  });
}
