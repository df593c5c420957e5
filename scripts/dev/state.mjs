/** What a local server needs before it starts: its secrets, and the tables of its database. */

import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ENVIRONMENT, NODE, ROOT, STATE, WRANGLER } from "./places.mjs";

/** The secrets of a local server: the environment's, else those of `.dev.vars`, made once. */
export function secrets() {
  const path = join(ROOT, ".dev.vars");
  const kept = existsSync(path) ? readFileSync(path, "utf8") : "";
  const values = Object.fromEntries(
    kept.split("\n").map((line) => /^(\w+)="?([^"]*)"?$/.exec(line.trim())).filter(Boolean).map((m) => [m[1], m[2]]),
  );
  const made = ["ADMIN_TOKEN", "SESSION_SECRET"].filter((name) => !values[name]);
  for (const name of made) {
    values[name] = randomBytes(24).toString("hex");
  }
  if (made.length > 0) {
    const lines = made.map((name) => `${name}="${values[name]}"\n`).join("");
    writeFileSync(path, kept === "" || kept.endsWith("\n") ? kept + lines : `${kept}\n${lines}`, { mode: 0o600 });
  }
  for (const name of ["ADMIN_TOKEN", "SESSION_SECRET"]) {
    values[name] = process.env[name] || values[name];
  }
  return values;
}

/** Runs wrangler to its end, its output shown only if it fails. */
function run(args) {
  return new Promise((done, failed) => {
    const child = spawn(NODE, ["--no-warnings", WRANGLER, ...args], {
      cwd: ROOT, env: ENVIRONMENT, stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    }
    child.on("error", failed).on("exit", (code) => {
      return code === 0 ? done(output) : failed(new Error(`wrangler ${args.join(" ")} ended with ${code}:\n${output}`));
    });
  });
}

/** Applies the migrations, unless this state has had exactly these. */
export async function migrate() {
  const folder = join(ROOT, "migrations");
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).sort()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  const stamp = join(STATE, "migrations.applied");
  const digest = hash.digest("hex");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== digest) {
    await run(["d1", "migrations", "apply", "DB", "--local", "--persist-to", STATE]);
    writeFileSync(stamp, digest);
  }
}
