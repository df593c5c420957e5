/** Two browsers in one room, a phone and a desktop: they play, and a killed server is a hiccup. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startServer } from "../workerd/harness.mjs";
import { fireAt } from "../workerd/pilot.mjs";
import { join } from "../workerd/player.mjs";
import { launch, open, overlap } from "./pages.mjs";

const ROOM = "two-pages";
const TEXT_PX_MIN = 12;
/** Metres of a step that can be seen. */
const STEP = 0.5;
const REACH_METRES = 5;
const PAGES = ["phone", "desktop"];

/** @type {import("../workerd/harness.mjs").Server} */
let server;
/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Record<string, import("./pages.mjs").RoomPage>} */
const pages = {};

before(async () => {
  server = await startServer();
  browser = await launch();
  for (const screen of PAGES) {
    pages[screen] = await open(browser, `${server.url}/arena/${ROOM}`, screen);
  }
  await each((page) => page.playing());
  // Both are there for both.
  const seats = await Promise.all(PAGES.map((screen) => pages[screen].seat()));
  await each((page) => page.draws(seats));
  // A marker that only a reload takes away.
  await each((page) => page.page.evaluate(() => (window.notReloaded = true)));
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const each = (run) => Promise.all(PAGES.map((screen) => run(pages[screen])));
const middle = (box) => [(box.left + box.right) / 2, (box.top + box.bottom) / 2];

/** Holds the key that leads from a place towards the middle. */
async function walkByKey(page, { x, y }, run) {
  const key = Math.abs(x) > Math.abs(y) ? (x > 0 ? "ArrowLeft" : "ArrowRight") : (y > 0 ? "ArrowDown" : "ArrowUp");
  await page.keyboard.down(key);
  await run().finally(() => page.keyboard.up(key));
}

test("a key pressed on the desktop moves its body on the phone", async () => {
  const { phone, desktop } = pages;
  const seat = await desktop.seat();
  assert.notEqual(seat, await phone.seat());
  const from = await phone.body(seat);
  await walkByKey(desktop.page, from, () => phone.movedFrom(seat, from, STEP));
});

test("a finger on the stick of the phone moves its body on the desktop", async () => {
  const { phone, desktop } = pages;
  const seat = await phone.seat();
  const from = await desktop.body(seat);
  const [x, y] = middle(await phone.box("#stick"));
  const [dx, dy] = [from.x > 0 ? -40 : 40, from.y > 0 ? 40 : -40];
  const finger = await phone.touch();
  await finger.down(x, y);
  await finger.move(x + dx, y + dy);
  await desktop.movedFrom(seat, from, STEP).finally(() => finger.up());
});

test("space on the desktop and the button on the phone fire", async () => {
  const { phone, desktop } = pages;
  const ear = await join(server, "arena", ROOM, { name: "Ear", watch: true });
  const isShot = ({ t, fx }) => t === "fx" && fx.some(([name]) => name === "shot");
  const shots = () => ear.frames.filter(({ text }) => isShot(JSON.parse(text)));
  await desktop.page.keyboard.press("Space", { delay: 80 });
  await ear.until("a shot of the desktop", () => shots().length === 1);
  const button = phone.page.getByRole("button", { name: "fire" });
  await button.tap();
  await ear.until("a shot of the phone", () => shots().length === 2);
  ear.cut();
});

test("controls lie under the thumbs and over nothing, and no text is small", async () => {
  await each((page) => page.shot("playing"));
  await each(async (page) => assert.deepEqual(await page.smallText(TEXT_PX_MIN), [], page.screen));
  const { phone, desktop } = pages;
  const seen = ["#stick", "#buttons button", "#scores"];
  const [stick, fire, scores] = await Promise.all(seen.map((what) => phone.box(what)));
  const { width, height } = phone.page.viewportSize();
  assert.ok(middle(stick)[0] < width / 2 && middle(stick)[1] > height / 2, "the stick is at the left thumb");
  assert.ok(middle(fire)[0] > width / 2 && middle(fire)[1] > height / 2, "the button is at the right thumb");
  for (const box of [stick, fire]) {
    assert.ok(box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height, "on the screen");
    assert.ok(Math.min(box.right - box.left, box.bottom - box.top) >= 48, "big enough for a thumb");
    assert.equal(overlap(box, scores), false, "not over the score table");
  }
  assert.equal(overlap(stick, fire), false);
  assert.equal(await desktop.page.locator("#stick").isVisible(), false, "no stick without touch");
});

test("a hit, the death and the return can be seen", async () => {
  const hunter = await join(server, "arena", ROOM, { name: "Hunter", back: true });
  for (const screen of PAGES) {
    const page = pages[screen];
    const seat = await page.seat();
    const hit = page.field(seat, "hp", "below", 100, 60_000).then(() => page.shot("hit"));
    const fallen = page.field(seat, "hp", "is", 0, 60_000).then(() => page.shot("fallen"));
    const { score } = hunter.body().f;
    await fireAt(hunter, seat, REACH_METRES, () => hunter.body().f.score > score);
    await Promise.all([hit, fallen]);
    await page.field(seat, "hp", "is", 100);
    await page.shot("back-on-its-feet");
    await page.page.getByText("Hunter").first().waitFor({ timeout: 5_000 });
  }
  await each(async (page) => assert.deepEqual(await page.smallText(TEXT_PX_MIN), [], page.screen));
  await hunter.leave();
});

test("the server killed and started again: both pages recover without a reload", async () => {
  const before = await Promise.all(PAGES.map((screen) => pages[screen].welcome()));
  await server.kill9();
  await each(async (page) => {
    await page.page.waitForFunction(() => window.roundtable.link().state !== "online", null, { timeout: 10_000 });
    await page.page.locator("#banner").waitFor({ timeout: 10_000 });
    await page.shot("reconnecting");
    assert.deepEqual(await page.smallText(TEXT_PX_MIN), [], page.screen);
  });
  await server.start();
  await each((page) => page.playing());
  for (const [i, screen] of PAGES.entries()) {
    const page = pages[screen];
    const welcome = await page.welcome();
    assert.equal(await page.page.evaluate(() => window.notReloaded), true, `${screen} was not reloaded`);
    assert.deepEqual([welcome.you.seat, welcome.you.occ], [before[i].you.seat, before[i].you.occ], screen);
    assert.equal(welcome.you.back, true);
    await page.shot("recovered");
  }
  const { phone, desktop } = pages;
  const seat = await desktop.seat();
  await phone.draws([seat]);
  const from = await phone.body(seat);
  await walkByKey(desktop.page, from, () => phone.movedFrom(seat, from, STEP));
  await each(async (page) => assert.deepEqual(page.errors, [], page.screen));
});
