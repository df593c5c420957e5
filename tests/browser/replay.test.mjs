/** Golden replays in Chromium: the rules of the browser's build give the digests that native builds give (F20). */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { ROOT } from "../workerd/harness.mjs";
import { launch } from "./pages.mjs";

/** Made by scripts/build-replay.sh: the page's own client holds no game. */
const ASSETS = join(ROOT, "target/replay");
const TYPES = { "client.js": "text/javascript", "client_bg.wasm": "application/wasm" };

/** @type {import("node:http").Server} */
let server;
/** @type {import("playwright-core").Browser} */
let browser;
/** @type {import("playwright-core").Page} */
let page;

before(async () => {
  // No Worker is needed to run rules.
  server = createServer((request, response) => {
    const name = request.url.slice(1);
    response.setHeader("content-type", TYPES[name] ?? "text/html");
    response.end(TYPES[name] ? readFileSync(join(ASSETS, name)) : "<!doctype html>");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  browser = await launch();
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
});

after(async () => {
  await browser?.close();
  server?.close();
});

const read = (file) => readFileSync(join(ROOT, "tests/vectors/golden", file), "utf8");

/** Runs a log in the page, in an instance of its own; the digests, or what was thrown. */
function replay(game, log) {
  return page.evaluate(async ([game, log]) => {
    const client = await import("/client.js");
    await client.default();
    try {
      return client.replay(game, log);
    } catch (error) {
      return String(error);
    }
  }, [game, log]);
}

for (const game of ["arena", "cards", "isle", "sky"]) {
  test(`F20: ${game}'s golden log gives the same digests in Chromium`, async () => {
    assert.deepEqual(await replay(game, read(`${game}.log`)), read(`${game}.digests`).trim().split("\n"));
  });
}

test("a log that is none is refused", async () => {
  assert.match(await replay("arena", "room 1 0\nfly 3\n"), /line 2/);
  assert.match(await replay("chess", "room 1 0\n"), /no game/);
});
