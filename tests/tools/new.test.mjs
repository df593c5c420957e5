// `make new`: in a copy of the repository it writes a game and its test, which compile; bad and taken names are refused.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const root = new URL("../../", import.meta.url).pathname;
let copy;

before(() => {
  copy = mkdtempSync(join(tmpdir(), "roundtable-new-"));
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  for (const file of files.trim().split("\n").filter((file) => existsSync(join(root, file)))) {
    cpSync(join(root, file), join(copy, file));
  }
  if (existsSync(join(root, ".tools"))) symlinkSync(join(root, ".tools"), join(copy, ".tools"));
});

after(() => rmSync(copy, { recursive: true, force: true }));

/** Runs `make new` in the copy; its exit code and all it said. */
function make(game) {
  const run = spawnSync("make", ["new", `GAME=${game}`], { cwd: copy, encoding: "utf8" });
  return { code: run.status, said: run.stdout + run.stderr };
}

const read = (file) => readFileSync(join(copy, file), "utf8");

test("make new writes a game and its test, which the rest knows and which compile", () => {
  const made = make("coinrush");
  assert.equal(made.code, 0, made.said);
  assert.match(made.said, /src\/games\/coinrush\.rs/);
  assert.match(read("src/games/coinrush.rs"), /impl Rules for Coinrush/);
  assert.match(read("tests/native/coinrush.rs"), /Play::<Coinrush>::seeded/);
  assert.match(read("src/games/mod.rs"), /\("coinrush", game::<coinrush::Coinrush>\)/);
  assert.match(read("tests/native/main.rs"), /^mod coinrush;$/m);
  // Nothing but this package is built: what it needs was built for the tests before.
  const env = { ...process.env, CARGO_TARGET_DIR: join(root, "target") };
  const check = spawnSync("cargo", ["check", "--quiet", "--test", "native"], { cwd: copy, encoding: "utf8", env });
  assert.equal(check.status, 0, check.stderr);
  const format = spawnSync("cargo", ["fmt", "--check"], { cwd: copy, encoding: "utf8", env });
  assert.equal(format.status, 0, format.stdout);
  assert.match(make("coinrush").said, /coinrush is taken/);
});

test("make new refuses a name that is none, or taken, and writes nothing", () => {
  const before = [read("src/games/mod.rs"), read("tests/native/main.rs")];
  const long = "a".repeat(25);
  for (const name of ["", "A", "a", "Coins", "two words", "x-y", "9lives", "../x", "a;b", long]) {
    const { code, said } = make(name);
    assert.notEqual(code, 0, name);
    assert.match(said, /named with|say its name/, name);
  }
  for (const name of ["arena", "isle", "rules", "saves"]) assert.match(make(name).said, /is taken/, name);
  assert.match(make("api").said, /other addresses/);
  for (const name of ["match", "core"]) assert.match(make(name).said, /a word of Rust/, name);
  for (const name of ["runner", "world"]) assert.match(make(name).said, /means something/, name);
  assert.deepEqual([read("src/games/mod.rs"), read("tests/native/main.rs")], before);
});
