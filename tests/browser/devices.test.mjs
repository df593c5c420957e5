/** A guest's account on a second device: the home page makes a code here and takes it there. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startServer } from "../workerd/harness.mjs";
import { launch, SCREENS } from "./pages.mjs";

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

/** The home page in a browser of its own, opened at "another device". */
async function home() {
  const page = await (await browser.newContext(SCREENS.phone)).newPage();
  await page.goto(server.url);
  await page.getByText("Play on another device").click();
  return page;
}

const account = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("roundtable:session") ?? "{}").account);

/** Types a code in and waits for what is said of it. */
async function take(page, code, said) {
  await page.getByLabel("A code from elsewhere").fill(code);
  await page.getByRole("button", { name: "Take it up" }).click();
  await page.getByText(said).waitFor();
}

test("a code that one device makes brings its account to another, once", async () => {
  const first = await home();
  await first.getByRole("button", { name: "Make a code" }).click();
  await first.getByText("play first").waitFor();
  const made = await server.session();
  await first.evaluate((session) => localStorage.setItem("roundtable:session", session), JSON.stringify(made));
  await first.getByRole("button", { name: "Make a code" }).click();
  await first.waitForFunction(() => document.querySelector("output").value !== "");
  const code = await first.locator("output").innerText();
  assert.match(code, /^[a-z2-9]{4} [a-z2-9]{4}$/);

  const second = await home();
  await take(second, "abcd efgh", "This code is unknown");
  assert.equal(await account(second), undefined);
  await take(second, code.toUpperCase(), "You are that player here now");
  assert.equal(await account(second), made.account);
  const third = await home();
  await take(third, code, "This code is unknown");
  assert.equal(await account(third), undefined);
});
