/**
 * Child processes of the tests: each in a process group of its own, its output kept, ended by pid and never by name.
 * Whatever ends the test process (a failed test, a signal, an exit) ends them too.
 */

import { spawn } from "node:child_process";
import { createServer } from "node:net";

/** Groups that are running, by the pid of their leader. @type {Set<number>} */
const running = new Set();

/** Ends a process group at once. */
function killGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
  running.delete(pid);
}

process.on("exit", () => running.forEach(killGroup));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => process.exit(1));
}

/** A child with its process group and everything it printed. */
export class Child {
  /** @type {string[]} */
  lines = [];
  exited = false;
  #partial = "";

  /**
   * @param {string} command
   * @param {string[]} args
   * @param {{cwd?: string, env?: Record<string, string>}} [options]
   */
  constructor(command, args, options = {}) {
    this.process = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.pid = this.process.pid;
    running.add(this.pid);
    this.process.stdout.setEncoding("utf8").on("data", (text) => this.#keep(text));
    this.process.stderr.setEncoding("utf8").on("data", (text) => this.#keep(text));
    this.ended = new Promise((resolve) => {
      this.process.on("close", (code) => {
        this.exited = true;
        this.code = code;
        resolve(code);
      });
    });
  }

  #keep(text) {
    const parts = (this.#partial + text).split("\n");
    this.#partial = parts.pop() ?? "";
    this.lines.push(...parts);
  }

  /** The last lines it printed, for a failure's message. */
  tail(count = 30) {
    return [...this.lines.slice(-count), this.#partial].join("\n");
  }

  /** `kill -9` of the whole group; resolves once its pipes are closed. */
  async kill9() {
    killGroup(this.pid);
    await this.ended;
  }

  /** Asks it to end, and makes it after `patienceMs`. */
  async stop(patienceMs = 3000) {
    if (!this.exited) {
      process.kill(this.pid, "SIGTERM");
      const late = setTimeout(() => killGroup(this.pid), patienceMs);
      await this.ended;
      clearTimeout(late);
    }
    killGroup(this.pid);
  }
}

/** A port nobody listens on now. @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (probe.address());
      probe.close(() => resolve(port));
    });
  });
}
