/**
 * The maker's loop: `make dev` in a copy of the checkout, a page in Chromium, and a game file that changes under both.
 * Run by `make test-loop`; the copy takes the built parts along, so that only what changes is built.
 */

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { launch, open } from "../browser/pages.mjs";
import { ROOT } from "../workerd/harness.mjs";
import { Child, freePort } from "../workerd/process.mjs";

/** What a build needs, beside the sources; links where nothing is written. */
const COPIED = ["src", "macros", "web", "migrations", "scripts", "tests/worker", "benches", "examples", "Makefile", "Cargo.toml",
  "Cargo.lock", "package.json", "package-lock.json", "rust-toolchain.toml", "rustfmt.toml", "clippy.toml", "wrangler.toml"];
const LINKED = ["node_modules", ".tools"];
/** The whole of a first build, on a machine that has other things to do. */
const READY_MS = 600_000;
const CHANGE_MS = 120_000;

const home = mkdtempSync(join(tmpdir(), "roundtable-loop-"));
/** @type {Child | null} */
let dev = null;
/** @type {import("playwright-core").Browser | null} */
let browser = null;

after(async () => {
  await browser?.close();
  await dev?.stop();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

function copy() {
  for (const path of COPIED.filter((path) => existsSync(join(ROOT, path)))) {
    cpSync(join(ROOT, path), join(home, path), { recursive: true });
  }
  LINKED.forEach((path) => symlinkSync(join(ROOT, path), join(home, path)));
}

/** Waits until the output has this line once more; gives the seconds. */
async function line(pattern, patienceMs) {
  const count = () => dev.lines.filter((text) => pattern.test(text)).length;
  const [start, before] = [performance.now(), count()];
  while (count() === before) {
    assert.ok(!dev.exited, `make dev ended:\n${dev.tail()}`);
    assert.ok(performance.now() - start < patienceMs, `no line ${pattern}:\n${dev.tail()}`);
    await sleep(100);
  }
  return (performance.now() - start) / 1_000;
}

const seat = (page) => page.evaluate(() => window.roundtable.welcome().you.seat);
const radius = (page) => page.evaluate(
  () => window.roundtable?.welcome?.()?.kinds?.find((kind) => kind.name === "fighter")?.radius ?? null,
);
const tick = (page) => page.evaluate(() => window.roundtable.link().tick ?? window.roundtable.stats?.().tick ?? performance.now());

test("a change of a game is in the open page, same seat; an error shows and the old game plays on", async (t) => {
  copy();
  const port = await freePort();
  dev = new Child("make", ["dev"], { cwd: home, env: { PORT: String(port), STATE: join(home, "state") } });
  await line(/^ready: /, READY_MS);
  browser = await launch();
  const { page } = await (await open(browser, `http://127.0.0.1:${port}`, "desktop", "/arena/loop")).playing();
  const [sat, game] = [await seat(page), join(home, "src/games/arena.rs")];
  const source = readFileSync(game, "utf8");
  const was = await radius(page);

  writeFileSync(game, source.replace(`radius = ${was}`, "radius = 0.9"));
  const start = performance.now();
  await page.waitForFunction(() => window.roundtable?.welcome?.()?.kinds
    ?.some((kind) => kind.name === "fighter" && kind.radius === 0.9), null, { timeout: CHANGE_MS });
  t.diagnostic(`a change was in the open page after ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  assert.equal(await seat(page), sat);

  writeFileSync(game, source.replace("pub struct Arena;", "pub struct Arena"));
  await page.waitForSelector("#dev-error", { timeout: CHANGE_MS });
  assert.match(await page.textContent("#dev-error"), /error/);
  assert.ok(dev.lines.some((text) => /^error/.test(text)), "the terminal has it too");
  const before = await tick(page);
  await sleep(1_000);
  assert.ok((await tick(page)) > before, "the old game plays on");
  assert.equal(await radius(page), 0.9);

  writeFileSync(game, source);
  await page.waitForFunction((radius) => !document.querySelector("#dev-error") && window.roundtable?.welcome?.()?.kinds
    ?.some((kind) => kind.name === "fighter" && kind.radius === radius), was, { timeout: CHANGE_MS });
  assert.equal(await seat(page), sat);
});
