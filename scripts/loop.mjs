/**
 * The maker's loop: builds, watches the sources, builds again, and tells the open pages.
 *
 * A build goes into a folder of its own and is moved over the served one only when all of it is there, so that a failed
 * one leaves the old one playing. Pages hear of it by Server-Sent Events on a port of their own. Absent: serving.
 */

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** What a build is made of; `web/dist` is not served here. */
const WATCHED = ["src", "macros", "web", "Cargo.toml", "wrangler.toml", "scripts/build-dev.sh", "scripts/page.sh"];
const PASSED_OVER = new Set(["dist", "node_modules", "target"]);
/** Milliseconds between looks at the sources: polling works on every file system. */
const LOOK_MS = 300;
/** Characters of a compiler's message that a page is shown. */
const SHOWN_CHARS = 12_000;

const plain = (text) => text.replace(/\u001b\[[0-9;]*m/g, "");

export class Loop {
  /** @type {Set<import("node:http").ServerResponse>} */
  #pages = new Set();
  #state = { kind: "building" };
  #events = "";
  /** @type {import("node:http").Server | null} */
  #server = null;
  #ended = false;

  /** @param {string} root @param {string} live the folder that is served */
  constructor(root, live) {
    this.root = root;
    this.live = live;
  }

  /** Begins to tell pages; they are given its address when they are built. */
  async listen() {
    this.#server = createServer((request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "access-control-allow-origin": "*" });
      this.#pages.add(response);
      request.on("close", () => this.#pages.delete(response));
      this.#tell(response);
    });
    await new Promise((done) => this.#server?.listen(0, "127.0.0.1", () => done(null)));
    const address = /** @type {import("node:net").AddressInfo} */ (this.#server.address());
    this.#events = `http://127.0.0.1:${address.port}`;
  }

  #tell(page) {
    page.write(`data: ${JSON.stringify(this.#state)}\n\n`);
  }

  #become(state) {
    this.#state = state;
    this.#pages.forEach((page) => this.#tell(page));
  }

  /** Builds; whether it worked. The served folder is changed only then. */
  async build() {
    this.#become({ kind: "building" });
    const start = Date.now();
    const next = `${this.live}.next`;
    rmSync(next, { recursive: true, force: true });
    const { code, text } = await this.#run(["scripts/build-dev.sh", next]);
    if (code !== 0) {
      this.#become({ kind: "failed", text: plain(text).slice(-SHOWN_CHARS) });
      console.error(`dev: the build failed, the one before plays on`);
      return false;
    }
    this.#swap(next);
    this.#become({ kind: "live", build: readFileSync(join(this.live, "id"), "utf8").trim() });
    console.log(`dev: built in ${((Date.now() - start) / 1_000).toFixed(1)} s`);
    return true;
  }

  /** File by file, each at once: the server watches them and must never see half of one. */
  #swap(next) {
    const files = readdirSync(next, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const entry of files) {
      const from = join(entry.parentPath, entry.name);
      const to = join(this.live, from.slice(next.length));
      if (existsSync(to) && readFileSync(to).equals(readFileSync(from))) {
        continue;
      }
      mkdirSync(join(to, ".."), { recursive: true });
      cpSync(from, `${to}.part`);
      renameSync(`${to}.part`, to);
    }
    rmSync(next, { recursive: true, force: true });
  }

  #run(args) {
    return new Promise((done) => {
      const child = spawn("sh", args, {
        cwd: this.root,
        env: { ...process.env, DEV_EVENTS: this.#events, CARGO_TERM_COLOR: process.stderr.isTTY ? "always" : "never" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let text = "";
      child.stdout.on("data", () => {});
      child.stderr.setEncoding("utf8").on("data", (part) => {
        text += part;
        process.stderr.write(part);
      });
      child.on("exit", (code) => done({ code: code ?? 1, text })).on("error", () => done({ code: 1, text }));
    });
  }

  /** Builds again after each change, until the end. */
  async watch() {
    let seen = this.#stamp();
    while (!this.#ended) {
      await sleep(LOOK_MS);
      const now = this.#stamp();
      if (now !== seen) {
        seen = now;
        // Editors write a file in several steps.
        await sleep(LOOK_MS / 2);
        seen = this.#stamp();
        await this.build();
      }
    }
  }

  #stamp() {
    const parts = [];
    const look = (path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (!stat?.isDirectory()) {
        parts.push(`${path} ${stat?.mtimeMs} ${stat?.size}`);
        return;
      }
      for (const name of readdirSync(path)) {
        if (!PASSED_OVER.has(name)) {
          look(join(path, name));
        }
      }
    };
    WATCHED.forEach((path) => look(join(this.root, path)));
    return parts.join("\n");
  }

  end() {
    this.#ended = true;
    this.#pages.forEach((page) => page.end());
    this.#server?.close();
  }
}

/** A copy of wrangler.toml that serves a folder and builds nothing, its paths made absolute. */
export function servedConfig(root, live) {
  let section = "";
  const kept = [];
  for (const line of readFileSync(join(root, "wrangler.toml"), "utf8").split("\n")) {
    section = /^\s*\[+([^\]]+)\]+/.exec(line)?.[1].trim() ?? section;
    if (section === "build") {
      continue;
    }
    kept.push(line
      .replace(/^main\s*=.*/, `main = ${JSON.stringify(join(live, "worker/index.js"))}`)
      .replace(/^directory\s*=.*/, `directory = ${JSON.stringify(join(live, "site"))}`)
      .replace(/^migrations_dir\s*=.*/, `migrations_dir = ${JSON.stringify(join(root, "migrations"))}`));
  }
  return kept.join("\n");
}
