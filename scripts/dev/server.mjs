/**
 * wrangler, serving the build that its configuration names.
 *
 * Another build is put in by writing the configuration anew: wrangler then starts workerd once more with Worker and
 * page of the same build, on the same state. Rooms come back from their last commit, and players to their seats.
 */

import { spawn } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import { BUILT, CONFIG, ENVIRONMENT, NODE, PORT, ROOT, STATE, WRANGLER } from "./places.mjs";
import { endTree } from "./tree.mjs";

/** Milliseconds a start may take on a slow machine. */
const READY_MS = 90_000;
/** Milliseconds wrangler has to take up another build before it is started anew. */
const TAKE_UP_MS = 20_000;
/** Milliseconds between looks; polling every 5 s trips wrangler's proxy (workers-sdk#15452). */
const LOOK_MS = 200;

/** The deployed configuration with another build in it, and without `[build]`: this command builds. */
function writeConfig({ folder }) {
  const places = {
    main: join(folder, "worker/index.js"), directory: join(folder, "site"), migrations_dir: join(ROOT, "migrations"),
  };
  let section = "";
  const lines = readFileSync(join(ROOT, "wrangler.toml"), "utf8").split("\n").flatMap((line) => {
    section = /^\s*\[+([^\]]+)\]+/.exec(line)?.[1].trim() ?? section;
    const key = /^\s*(\w+)\s*=/.exec(line)?.[1] ?? "";
    return section === "build" ? [] : [places[key] ? `${key} = ${JSON.stringify(places[key])}` : line];
  });
  writeFileSync(`${CONFIG}.new`, lines.join("\n"));
  renameSync(`${CONFIG}.new`, CONFIG);
}

export class Server {
  /** @type {import("node:child_process").ChildProcess | null} */
  #child = null;

  /** @param {Record<string, string>} vars @param {import("./build.mjs").Build} build */
  constructor(vars, build) {
    this.envFile = join(STATE, "dev.env");
    // A file, not arguments: other users of the machine see those.
    const lines = Object.entries(vars).map(([key, value]) => `${key}="${value}"\n`);
    writeFileSync(this.envFile, lines.join(""), { mode: 0o600 });
    this.playing = build;
    writeConfig(build);
  }

  /** Starts wrangler; the promise is its exit code. */
  start() {
    const child = spawn(NODE, [
      "--no-warnings", WRANGLER, "dev", "--config", CONFIG, "--ip", "127.0.0.1", "--port", String(PORT),
      "--inspector-port", "0", "--persist-to", STATE, "--env-file", this.envFile, "--show-interactive-dev-session=false",
    ], {
      cwd: BUILT,
      env: process.stdout.isTTY ? { ...ENVIRONMENT, FORCE_COLOR: "1" } : ENVIRONMENT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    passOn(child.stdout, process.stdout);
    passOn(child.stderr, process.stderr);
    this.#child = child;
    return new Promise((done) => child.on("exit", (code) => done(code ?? 1)).on("error", () => done(1)));
  }

  /** Puts another build in; false if wrangler had to be ended for it, and whoever supervises it starts it anew. */
  async play(build) {
    this.playing = build;
    writeConfig(build);
    if (await this.ready(TAKE_UP_MS)) {
      return true;
    }
    await this.end();
    return false;
  }

  /** Waits until Worker and page of the build answer. */
  async ready(patienceMs = READY_MS) {
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(LOOK_MS)) {
      const [health, home] = await Promise.all(["/health", "/"].map(got));
      if (health.includes(`"${this.playing.id.split("-")[0]}"`) && home.includes(this.playing.id)) {
        return true;
      }
    }
    return false;
  }

  async end() {
    await endTree(this.#child);
  }
}

const got = (path) => fetch(`http://127.0.0.1:${PORT}${path}`).then((answer) => answer.text()).catch(() => "");

/** Passes lines on, but for those that a change of the configuration makes wrangler say each time. */
function passOn(from, to) {
  let isSkipping = false;
  createInterface({ input: from }).on("line", (line) => {
    if (line.includes("has access to the following bindings")) {
      isSkipping = true;
    } else if (line.trim() === "") {
      isSkipping = false;
    }
    if (!isSkipping && !/GET (\/health|\/) |^Using secrets defined in/.test(line)) {
      to.write(`${line}\n`);
    }
  });
}
