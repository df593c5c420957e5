/** Ends a child process with all that it started. */

import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds a process has to end before it is killed. */
const END_MS = 3_000;

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

/**
 * Asks a child to end, and makes it and all below it after a while (an open socket can keep wrangler).
 * @param {import("node:child_process").ChildProcess | null} child
 */
export async function endTree(child) {
  if (!child?.pid || child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const started = family(child.pid);
  const gone = new Promise((done) => child.on("exit", done));
  child.kill("SIGTERM");
  await Promise.race([gone, sleep(END_MS)]);
  for (const pid of started) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}
