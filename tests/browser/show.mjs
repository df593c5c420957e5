/** An invented room on a screen of its own, and what can be read off it. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "../workerd/harness.mjs";
import { SHIP } from "./invented.mjs";
import { SCREENS } from "./pages.mjs";
import { Stage } from "./stage.mjs";

const ARTEFACTS = join(ROOT, "tests/artefacts");
const FILES = { "/assets/games/manifest.json": '{"fair":["ship.svg"]}', "/assets/games/fair/ship.svg": SHIP };

/**
 * Runs a test in a page of its own, keeps what it looked like in the end, and makes sure that nothing was thrown in it.
 * @param {import("playwright-core").Browser} browser
 * @param {"desktop" | "phone" | "lying"} screen
 * @param {Record<string, any>} welcome
 * @param {(stage: Stage, page: import("playwright-core").Page) => Promise<void>} run
 */
export async function showOn(browser, screen, welcome, run, { query = "?name=Ada", files = FILES, prepare } = {}) {
  const context = await browser.newContext(SCREENS[screen]);
  if (prepare) {
    await context.addInitScript(prepare);
  }
  const stage = await Stage.open(context, welcome, query, files);
  try {
    await stage.playing();
    await run(stage, stage.page);
    assert.deepEqual(stage.errors, []);
    mkdirSync(ARTEFACTS, { recursive: true });
    await stage.page.screenshot({ path: join(ARTEFACTS, `${welcome.game}-${screen}.png`) });
  } finally {
    await stage.close();
    await context.close();
  }
}

/** The texts of elements, each on one line. */
export async function texts(page, selector) {
  return (await page.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
}

/** The button of an action. */
export const act = (page, name) => page.locator("#actions").getByRole("button", { name }).first();

export const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
