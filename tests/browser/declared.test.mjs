/**
 * The page shows and reaches all that a welcome can declare, for games it has never heard of: fields, shapes, controls,
 * actions, areas, effects, cameras. `tables.test.mjs` has the event-driven rooms.
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { build } from "esbuild";

import { deep, fair } from "./invented.mjs";
import { launch } from "./pages.mjs";
import { act, middle, showOn, texts } from "./show.mjs";

/** A smaller button is missed by a thumb. */
const TOUCH_PX_MIN = 40;
const UP = Math.PI / 2;

/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  browser = await launch();
});

after(async () => {
  await browser?.close();
});

const on = (...args) => showOn(browser, ...args);

test("own fields, scores, shared state, clock and keys are written out", () =>
  on("desktop", fair(), async (_, page) => {
    const own = await texts(page, "#own .fact");
    assert.deepEqual(own, ["hp 80", "points 7", "armed yes", "heat 2.5", "stance ready", "rival Rob"]);
    const [scores] = await texts(page, "#scores");
    const lines = ["Grace 7", "Rob bot 7", "Max ai 7", "away", "prices up yes", "keeper Rob", "motto no refunds"];
    for (const line of lines) {
      assert.ok(scores.includes(line), `${line} in ${scores}`);
    }
    assert.equal(await page.locator("#scores .card-face").count(), 5, "a shared list is a row of cards");
    assert.match(await page.locator("#clock").innerText(), /^\d:\d\d$/);
    const [help] = await texts(page, "#help");
    assert.match(help, /move: WASD or arrows .*look: mouse.*fire: space.*gear: numbers.*stance: t/);
    assert.equal(await page.locator("#mute").isVisible(), true);
  }));

test("the whole map, every shape, area and effect is drawn without a fault", () =>
  on("desktop", fair(), async (stage, page) => {
    for (const corner of [[-20, -12], [20, 12]]) {
      const [x, y] = await stage.screen(...corner);
      assert.ok(x >= 0 && y >= 0 && x <= 1280 && y <= 800, `a corner at ${x}, ${y}`);
    }
    assert.equal((await page.evaluate(() => window.roundtable.areas())).length, 2);
    stage.say({ t: "fx", fx: stage.welcome.fx.map(({ name }) => [name, 1, 1]) });
    stage.say({ t: "areas", a: [[9, "unknown", 0, 0, 4, stage.now.k + 20]] });
    await page.waitForFunction(() => window.roundtable.areas().length === 1);
    await page.waitForTimeout(400);
  }));

test("every control is reached by keys and mouse", () =>
  on("desktop", fair(), async (stage, page) => {
    const hold = async (key, controls) => {
      await page.keyboard.down(key);
      await stage.holds(controls);
      await page.keyboard.up(key);
    };
    await hold("d", { move: [1, 0] });
    await hold(" ", { fire: true });
    await hold("e", { roll: true });
    await page.keyboard.press("3");
    await stage.holds({ gear: 3 });
    await page.keyboard.press("t");
    await stage.holds({ gear: 3, stance: "ready" });
    const [x, y] = await stage.screen(0, 0);
    await page.mouse.move(x, y - 150);
    await stage.aims(UP);
    await page.mouse.wheel(0, -100);
    await stage.holds({ gear: 4 });
    const pickers = page.locator("#pickers");
    await pickers.getByRole("button", { name: "less gear" }).click();
    await pickers.getByRole("button", { name: "wild" }).click();
    await stage.holds({ gear: 3, stance: "wild" });
  }));

test("every control is reached by thumbs, and what they press is big enough", () =>
  on("phone", fair(), async (stage, page) => {
    const session = await page.context().newCDPSession(page);
    const touch = (type, ...touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
    const drag = async (selector, dx, held) => {
      const [x, y] = middle(await page.locator(selector).boundingBox());
      await touch("touchStart", { x, y });
      await touch("touchMove", { x: x + dx, y });
      await held();
      await touch("touchEnd");
    };
    await drag("#stick", 70, () => stage.holds({ move: [1, 0] }));
    await drag("#aim", -70, () => stage.aims(Math.PI));
    await page.locator("#buttons").getByRole("button", { name: "fire" }).tap();
    await stage.holds({ fire: true });
    await page.locator("#pickers").getByRole("button", { name: "more gear" }).tap();
    await stage.holds({ gear: 2 });
    const pressed = "#buttons button, #actions button, #pickers button, .fan button";
    for (const button of await page.locator(pressed).all()) {
      const { width, height } = await button.boundingBox();
      assert.ok(Math.min(width, height) >= TOUCH_PX_MIN, `${await button.innerText()}: ${width} × ${height}`);
    }
  }));

/** A gamepad that the test holds. Runs in the page, before its own code. */
function holdPad() {
  const buttons = Array.from({ length: 16 }, () => ({ pressed: false }));
  window.pad = { connected: true, axes: [0, 0, 0, 0], buttons };
  navigator.getGamepads = () => [window.pad];
}

test("every control is reached by a gamepad, and every widget by its directional pad", () =>
  on("desktop", fair(), async (stage, page) => {
    const axes = (...values) => page.evaluate((wanted) => (window.pad.axes = wanted), values);
    const set = (index, down) => page.evaluate(([i, is]) => (window.pad.buttons[i].pressed = is), [index, down]);
    const press = async (index) => {
      await set(index, true);
      await page.waitForTimeout(80);
      await set(index, false);
      await page.waitForTimeout(80);
    };
    await axes(0, -1, 0, 0);
    await stage.holds({ move: [0, 1] });
    await axes(0, 0, 0, -1);
    await stage.aims(UP);
    await axes(0, 0, 0, 0);
    for (const [index, controls] of [[0, { fire: true }], [1, { roll: true }], [5, { gear: 2 }], [7, { stance: "ready" }]]) {
      await press(index);
      await stage.holds(controls);
    }
    // Through the pickers to the first action; A is then the widget's.
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    for (let i = 0; i < 12 && !(await focused()).startsWith("wave"); i++) {
      await press(15);
    }
    await press(0);
    assert.deepEqual(await stage.did("wave"), {});
  }, { prepare: holdPad }));

test("every type of argument has a widget", () =>
  on("desktop", fair(), async (stage, page) => {
    const sheet = page.locator("#sheet");
    const press = (name) => sheet.getByRole("button", { name, exact: true }).click();
    await act(page, /wave/).click();
    assert.deepEqual(await stage.did("wave"), {});
    await act(page, /sell/).click();
    await press("salt");
    await sheet.getByRole("spinbutton").fill("5");
    await press("sell");
    assert.deepEqual(await stage.did("sell"), { good: "salt", price: 5 });
    await act(page, /greet/).click();
    await press("Rob");
    assert.deepEqual(await stage.did("greet"), { who: 2 });
    await act(page, /shout/).click();
    await sheet.getByRole("textbox").fill("fresh fish");
    await page.keyboard.press("Enter");
    assert.deepEqual(await stage.did("shout"), { words: "fresh fish" });
    await act(page, /vow/).click();
    await sheet.getByRole("switch").click();
    await sheet.getByRole("slider").fill("90");
    await press("spot");
    await page.mouse.click(...(await stage.screen(3, -2)));
    await press("Add");
    await press("more share");
    await press("vow");
    const { aloud, share, towards, spot, marks } = await stage.did("vow");
    assert.deepEqual([aloud, share, marks], [true, 0.1, [1]]);
    assert.ok(Math.abs(towards - UP) < 1e-9 && Math.hypot(spot[0] - 3, spot[1] + 2) < 0.1);
  }));

test("a body is tapped, or chosen from a list by keys", () =>
  on("desktop", fair(), async (stage, page) => {
    await act(page, /mark/).click();
    await page.locator("#pick").waitFor();
    await page.mouse.click(...(await stage.screen(9, 8)));
    assert.deepEqual(await stage.did("mark"), { what: 15 });
    await page.keyboard.press("v");
    await page.locator("#sheet").getByRole("button", { name: "Rob" }).press("Enter");
    assert.deepEqual(await stage.did("mark"), { what: 13 });
    await act(page, /mark/).click();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#pick").isVisible(), false);
  }));

test("success is quiet, a refusal is told, and what is not answered is seen to wait", () =>
  on("desktop", fair(), async (stage, page) => {
    await act(page, /wave/).click();
    await page.locator("#actions .pending[aria-busy=true]").waitFor();
    await stage.did("wave");
    await page.locator("#actions .pending").waitFor({ state: "detached" });
    assert.deepEqual(await texts(page, "#notices p"), []);
    for (const [why, line] of [["nobody is near", "Nobody is near."], ["busy", "Too much at once"]]) {
      await act(page, /wave/).click();
      await stage.did("wave", why);
      await page.locator("#notices").getByText(line).waitFor();
    }
  }));

test("a map with height is drawn from above, the own body followed", () =>
  on("desktop", deep(), async (stage, page) => {
    const bodies = await page.evaluate(() => window.roundtable.bodies());
    assert.equal(bodies.find((body) => body.seat === 1).z, 0.5);
    stage.welcome.bodies[1].at = [8, 0, 0.5];
    await page.waitForFunction(() => window.roundtable.camera().x > 6);
    const { scale } = await page.evaluate(() => window.roundtable.camera());
    assert.ok(Math.abs(scale * 24 - 800) < 80, `24 metres across the shorter side, at ${scale} pixels a metre`);
  }));

test("results name places with their ties, and mark bots", () =>
  on("desktop", fair(), async (stage, page) => {
    stage.welcome.round = { n: 3, live: 0, endsAt: 2_400 };
    const results = [[0, 9, 1], [1, 7, 2], [2, 7, 2], [3, 1, 4]];
    stage.say({ t: "round", round: { ...stage.welcome.round, results } });
    await page.locator("#results").waitFor();
    const rows = await texts(page, "#results li");
    assert.deepEqual(rows, ["1 Grace 9", "2 Ada tie 7", "2 Rob tie bot 7", "4 Max ai 1"]);
  }));

test("bots are asked for in the address", () =>
  on("desktop", fair(), async (stage) => {
    assert.equal((await stage.heard("hello", (m) => m.t === "hello")).bots, 3);
  }, { query: "?bots=3" }));

test("a seat that travels goes on in the other room without a click, under its name", () =>
  on("desktop", fair(), async (stage, page) => {
    stage.said = [];
    await stage.hangUp(4019, "harbour");
    await page.waitForURL("**/fair/harbour?name=Ada");
    assert.equal((await stage.heard("hello", (m) => m.t === "hello")).name, "Ada");
    await stage.playing();
  }));

test("sound is off or on as it was left", () =>
  on("desktop", fair(), async (_, page) => {
    assert.equal(await page.locator("#mute").getAttribute("aria-pressed"), "false");
    await page.locator("#mute").click();
    await page.reload();
    await page.locator("#mute[aria-pressed=true]").waitFor();
  }));

test("a game's own draw.ts replaces parts of the drawing; a part that fails is the page's again", async () => {
  const entryPoints = [new URL("fair-draw.ts", import.meta.url).pathname];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: "esm", write: false });
  const files = {
    "/assets/games/manifest.json": '{"fair":["draw.js"]}', "/assets/games/fair/draw.js": outputFiles[0].text,
  };
  await on("desktop", fair(), async (_, page) => {
    await page.waitForFunction(() => window.drawn?.bodies > 100);
    assert.equal(await page.evaluate(() => window.drawn.areas), 1);
  }, { files });
});
