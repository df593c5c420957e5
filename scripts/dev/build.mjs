/** Runs scripts/build-dev.sh into a folder of its own, and makes of its output what is worth reading. */

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { BUILT, ROOT } from "./places.mjs";

const BUILDS = join(BUILT, "builds");
/** What says only that the tools are at work. */
const PROGRESS = /^(\[INFO\]|\s+(Compiling|Finished|Locking|Updating|Blocking)\b|\s*index\.js\s|⚡ Done)/u;
/** Where worker-build begins to tell of itself, after the compiler's message. */
const AFTERWORD = /^Error: /u;

/** @typedef {{folder: string, id: string, text: string, seconds: number}} Build */

/** The build that runs, to be ended with everything else. @type {import("node:child_process").ChildProcess | null} */
export let builder = null;
let count = 0;

/** Forgets the builds of former runs. */
export function clear() {
  rmSync(BUILDS, { recursive: true, force: true });
  mkdirSync(BUILDS, { recursive: true });
}

/**
 * Builds the sources as they are. Without an id it failed, and the text says why.
 * @param {string} events The address that the pages listen to.
 * @param {boolean} isShown Whether all output goes to the terminal as it comes: a first build takes minutes.
 * @returns {Promise<Build>}
 */
export async function build(events, isShown) {
  count += 1;
  const folder = join(BUILDS, String(count));
  const started = Date.now();
  const colour = process.stderr.isTTY ? { CARGO_TERM_COLOR: "always" } : {};
  builder = spawn("sh", [join(ROOT, "scripts/build-dev.sh"), folder], {
    cwd: ROOT,
    env: { ...process.env, DEV_EVENTS: events, ...colour },
    stdio: ["ignore", isShown ? "inherit" : "pipe", isShown ? "inherit" : "pipe"],
  });
  let output = "";
  for (const stream of [builder.stdout, builder.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => (output += text));
  }
  const code = await new Promise((done) => builder.on("close", done).on("error", () => done(1)));
  builder = null;
  const id = code === 0 ? readFileSync(join(folder, "id"), "utf8").trim() : "";
  if (id === "") {
    forget({ folder });
  }
  return { folder, id, text: worthReading(output), seconds: (Date.now() - started) / 1_000 };
}

/** Removes a build that plays no more. */
export function forget({ folder }) {
  rmSync(folder, { recursive: true, force: true });
}

const ESCAPES = /\x1b\[[0-9;]*m/gu;

/** A text without the colours of a terminal. */
export const plain = (text) => text.replace(ESCAPES, "");

function worthReading(output) {
  const lines = output.split("\n");
  const end = lines.findIndex((line) => AFTERWORD.test(line));
  return lines.slice(0, end < 0 ? undefined : end).filter((line) => !PROGRESS.test(plain(line)))
    .join("\n").trim().replace(/\n{3,}/gu, "\n\n");
}
