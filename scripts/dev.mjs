/**
 * Builds and runs the Worker under `wrangler dev`: migrations, secrets, and a line once the room URL can be opened. Every
 * change of the sources is built and taken up (`loop.mjs`).
 *
 * Everything started here stays in this process group and ends with it. A wrangler that ends by itself is started
 * again: rooms come back from their last commit.
 */

import { execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Loop, servedConfig } from "./loop.mjs";

const ROOT = resolve(import.meta.dirname, "..");
const PORT = Number(process.env.PORT ?? 8787);
const STATE = resolve(ROOT, process.env.STATE ?? ".wrangler/state");
// wrangler needs a newer Node than this script may run under: the one that npm installed.
const NODE = join(ROOT, "node_modules/.bin/node");
// Not bin/wrangler.js: that is a parent which, killed, leaves the server running.
const WRANGLER = join(ROOT, "node_modules/wrangler/wrangler-dist/cli.js");
/** What is served: builds are moved here when they are whole. */
const LIVE = join(ROOT, "target/dev/live");
const CONFIG = join(ROOT, "target/dev/wrangler.toml");
const ROOM = "lounge";
/** Milliseconds a start may take on a slow machine. */
const READY_MS = 90_000;
/** Milliseconds between looks at /health; polling every 5 s trips wrangler's proxy (workers-sdk#15452). */
const HEALTH_MS = 200;
/** Starts within a minute after which a wrangler that keeps ending is given up. */
const RESTARTS_MAX = 5;
/** Milliseconds wrangler has to end before it is killed. */
const END_MS = 3_000;

const ENVIRONMENT = { ...process.env, CLOUDFLARE_CF_FETCH_ENABLED: "false" };

/** The secrets of a local server: the environment's, else those of `.dev.vars`, made once. */
function secrets() {
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
async function migrate() {
  const folder = join(ROOT, "migrations");
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).sort()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  const stamp = join(STATE, "migrations.applied");
  const digest = hash.digest("hex");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== digest) {
    await run(["d1", "migrations", "apply", "DB", "--local", "--config", CONFIG, "--persist-to", STATE]);
    writeFileSync(stamp, digest);
  }
}

/** @type {import("node:child_process").ChildProcess | null} */
let wrangler = null;
let ending = false;
const loop = new Loop(ROOT, LIVE);

/** Starts wrangler; the promise is its exit code. */
function serve(vars) {
  const envFile = join(STATE, "dev.env");
  // A file, not arguments: other users of the machine see those.
  writeFileSync(envFile, Object.entries(vars).map(([k, v]) => `${k}="${v}"\n`).join(""), { mode: 0o600 });
  wrangler = spawn(NODE, [
    "--no-warnings", WRANGLER, "dev", "--config", CONFIG, "--ip", "127.0.0.1", "--port", String(PORT), "--inspector-port", "0", "--persist-to", STATE,
    "--env-file", envFile, "--show-interactive-dev-session=false",
  ], { cwd: ROOT, env: ENVIRONMENT, stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((done) => wrangler.on("exit", (code) => done(code ?? 1)).on("error", () => done(1)));
}

async function ready() {
  const deadline = Date.now() + READY_MS;
  while (!ending && Date.now() < deadline) {
    const health = await fetch(`http://127.0.0.1:${PORT}/health`).catch(() => null);
    if (health?.ok && (await health.json().catch(() => null))?.ok) {
      return true;
    }
    await sleep(HEALTH_MS);
  }
  return false;
}

/** Whether nothing listens on a port. */
function isFree(port) {
  return new Promise((done) => {
    const probe = createServer().once("error", () => done(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => done(true)));
  });
}

/** The processes below one, itself last. */
function family(pid) {
  let rows = [];
  try {
    rows = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  } catch {
    // A slim image has no ps: wrangler ends what it started itself.
  }
  const parents = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const below = (parent) => parents.filter(([, p]) => p === parent).flatMap(([child]) => [...below(child), child]);
  return [...below(pid), pid];
}

/** Ends wrangler and all it started, by force if it takes too long (an open socket can make it). */
async function end(code) {
  if (ending) {
    return;
  }
  ending = true;
  loop.end();
  if (wrangler && wrangler.exitCode === null) {
    const started = family(wrangler.pid);
    const gone = new Promise((done) => wrangler.on("exit", done));
    wrangler.kill("SIGTERM");
    await Promise.race([gone, sleep(END_MS)]);
    for (const pid of started) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended.
      }
    }
  }
  process.exit(code);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => void end(0));
}

if (!(await isFree(PORT))) {
  console.error(`port ${PORT} is taken: end what listens there, or choose another one with PORT=`);
  process.exit(1);
}
mkdirSync(STATE, { recursive: true });
const vars = secrets();
await loop.listen();
console.log("building for play…");
if (!(await loop.build())) {
  await end(1);
}
writeFileSync(CONFIG, servedConfig(ROOT, LIVE));
void loop.watch();
await migrate();
const starts = [];
while (!ending) {
  starts.push(Date.now());
  const exit = serve(vars);
  const up = await Promise.race([ready(), exit.then(() => false)]);
  if (up) {
    console.log(`ready: http://127.0.0.1:${PORT}/arena/${ROOM}`);
  }
  const code = await exit;
  const lately = starts.filter((at) => Date.now() - at < 60_000).length;
  if (!ending && (!up || lately > RESTARTS_MAX)) {
    console.error(`dev: wrangler ended with ${code}`);
    await end(1);
  }
}
