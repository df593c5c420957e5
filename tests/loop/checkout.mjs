/**
 * A second checkout that a test may write into: the tracked and new files of this one as they are now, with a target
 * directory of its own. It is kept under target/ from run to run, so that only the first one builds much.
 */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

import { ROOT } from "../workerd/harness.mjs";

export const COPY = join(ROOT, "target/tmp/loop");
/** What is ours alone in there. */
const OWN = new Set(["target", "node_modules", ".tools", ".dev.vars", ".wrangler"]);
/** What `make dev` has built here already. */
const SEEDS = ["loop", "loop-browser", "wasm32-unknown-unknown/loop", "wasm32-unknown-unknown/loop-browser"];

function listed() {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const names = execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\0");
  return names.filter((name) => name !== "" && existsSync(join(ROOT, name)));
}

function copied(dir = "") {
  return readdirSync(join(COPY, dir), { withFileTypes: true }).filter(({ name }) => dir !== "" || !OWN.has(name))
    .flatMap((entry) => (entry.isDirectory() ? copied(join(dir, entry.name)) : [join(dir, entry.name)]));
}

const isSame = (name) => existsSync(join(COPY, name)) && readFileSync(join(COPY, name)).equals(readFileSync(join(ROOT, name)));

/** Where the copy finds commands: without the shims of this checkout, which its set-up would take for the real ones. */
export const COPY_PATH = (process.env.PATH ?? "").split(":").filter((dir) => !dir.startsWith(`${ROOT}/`)).join(":");

/** Makes the copy what this checkout is. What is the same keeps its time, so that cargo does not build it anew. */
export function copyCheckout() {
  mkdirSync(COPY, { recursive: true });
  const names = listed();
  for (const name of names.filter((one) => !isSame(one))) {
    mkdirSync(dirname(join(COPY, name)), { recursive: true });
    cpSync(join(ROOT, name), join(COPY, name));
  }
  const wanted = new Set(names);
  copied().filter((name) => !wanted.has(name)).forEach((name) => rmSync(join(COPY, name)));
  mkdirSync(join(COPY, ".tools"), { recursive: true });
  // Not .tools/shim, which the copy's set-up writes.
  for (const name of ["node_modules", ".tools/bin"].filter((one) => !existsSync(join(COPY, one)))) {
    symlinkSync(join(ROOT, name), join(COPY, name));
  }
  for (const name of SEEDS) {
    const [from, to] = [join(ROOT, "target", name), join(COPY, "target", name)];
    if (existsSync(from) && !existsSync(to)) {
      mkdirSync(dirname(to), { recursive: true });
      // Not cpSync: the times of files are what cargo goes by, and there are gigabytes.
      execFileSync("cp", ["-a", from, to]);
    }
  }
}
