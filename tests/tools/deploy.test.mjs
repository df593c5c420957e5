// scripts/deploy.sh with a wrangler of our own that says which secrets there are, and deploys nothing.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const root = new URL("../../", import.meta.url).pathname;
let home;

before(() => {
  home = mkdtempSync(join(tmpdir(), "roundtable-deploy-"));
  const bin = join(home, "node_modules/.bin");
  for (const folder of [bin, join(home, "src/games")]) mkdirSync(folder, { recursive: true });
  cpSync(join(root, "scripts"), join(home, "scripts"), { recursive: true });
  for (const file of ["wrangler.toml", "rust-toolchain.toml", "Cargo.lock"]) cpSync(join(root, file), join(home, file));
  const stub = join(bin, "wrangler");
  writeFileSync(stub, `#!/bin/sh
case "$1 $2" in
  "secret list") [ -n "$SECRETS" ] || exit 1; echo "$SECRETS" ;;
  *) echo "wrangler $*" >> "${home}/done" ;;
esac
`);
  chmodSync(stub, 0o755);
});

after(() => rmSync(home, { recursive: true, force: true }));

/** Runs it over one game; resolves to how it ended, what it said and what it had wrangler do. */
function deploy(game, names) {
  writeFileSync(join(home, "src/games/game.rs"), game);
  writeFileSync(join(home, "done"), "");
  const secrets = names && JSON.stringify(names.map((name) => ({ name, type: "secret_text" })), null, 2);
  const PATH = `${join(home, "node_modules/.bin")}:${process.env.PATH}`;
  const env = { ...process.env, PATH, URL: "none", SECRETS: secrets ?? "" };
  const { status, stdout, stderr } = spawnSync("sh", ["scripts/deploy.sh"], { cwd: home, env, encoding: "utf8" });
  return { status, said: stdout + stderr, done: readFileSync(join(home, "done"), "utf8") };
}

const CHARACTERS = "const ROOM: Room = Room::lasting().characters().seats(16);";
const NONE = "//! A game without .characters()\nconst ROOM: Room = Room::lasting();";

test("a game with characters is not deployed without a secret to sign sessions with", () => {
  for (const names of [undefined, [], ["ADMIN_TOKEN"], ["SESSION_SECRET_FORMER"]]) {
    const { status, said, done } = deploy(CHARACTERS, names);
    assert.notEqual(status, 0, said);
    assert.match(said, /SESSION_SECRET/);
    assert.equal(done, "");
  }
  const { status, said, done } = deploy(CHARACTERS, ["ADMIN_TOKEN", "SESSION_SECRET"]);
  assert.equal(status, 0, said);
  assert.match(done, /wrangler deploy\nwrangler d1 migrations apply/);
});

test("a game without characters needs none", () => {
  for (const names of [undefined, ["ADMIN_TOKEN"]]) {
    assert.equal(deploy(NONE, names).status, 0);
  }
});

test("a secret that wakes the fault hooks is refused", () => {
  const { status, done } = deploy(NONE, ["TEST_KEY", "SESSION_SECRET"]);
  assert.notEqual(status, 0);
  assert.equal(done, "");
});
