/**
 * The built Worker under `wrangler dev`, as the tests start it: free ports, a state directory of its own, the log kept.
 *
 * Two worlds: `shipped` is the Worker that is deployed, `games` is `tests/worker`, the same entry macro with games made
 * to fail. Nothing is built here: a configuration without its `[build]` is written next to the state.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Child, freePort } from "./process.mjs";

export const ROOT = resolve(import.meta.dirname, "../..");
export const ADMIN_TOKEN = "test-admin-token";
export const TEST_KEY = "test-key";

const WORLDS = { shipped: "wrangler.toml", games: "tests/worker/wrangler.toml" };
/** Milliseconds a start may take: a cold wrangler on a busy machine. */
const START_MS = 60_000;
/** Milliseconds between two looks at /health: nowhere near 5 s, at which wrangler breaks (workers-sdk#15452). */
const HEALTH_MS = 130;

/**
 * Copies a configuration without `[build]`, its paths made absolute.
 * @param {string} from
 * @param {string} to
 */
function writeConfig(from, to) {
  const home = dirname(from);
  let section = "";
  const kept = [];
  for (const line of readFileSync(from, "utf8").split("\n")) {
    section = /^\s*\[+([^\]]+)\]+/.exec(line)?.[1].trim() ?? section;
    if (section !== "build" && !section.startsWith("build.")) {
      kept.push(line.replace(
        /^(\s*(?:main|directory|migrations_dir)\s*=\s*)"([^"]*)"/,
        (_, key, path) => `${key}${JSON.stringify(resolve(home, path))}`,
      ));
    }
  }
  writeFileSync(to, kept.join("\n"));
}

export class Server {
  /** @type {Child} */
  #child;
  /** Lines of former starts. @type {string[]} */
  #past = [];
  /** Stopped for good: nobody needs to come back. */
  ended = false;

  /** @param {{world: string, port: number, home: string, vars: Record<string, string>}} made */
  constructor(made) {
    this.port = made.port;
    this.url = `http://127.0.0.1:${made.port}`;
    this.home = made.home;
    this.vars = made.vars;
    this.config = join(made.home, "wrangler.toml");
    writeConfig(join(ROOT, WORLDS[made.world]), this.config);
  }

  /** Where its objects and its database lie. */
  get state() {
    return join(this.home, "state");
  }

  /** The process that leads its group. */
  get pid() {
    return this.#child.pid;
  }

  /** @param {string[]} args */
  #wrangler(args) {
    const modules = join(ROOT, "node_modules");
    return new Child(join(modules, ".bin/node"), [join(modules, "wrangler/bin/wrangler.js"), ...args], {
      cwd: this.home,
      env: { WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "1", NO_COLOR: "1" },
    });
  }

  /** Starts it and waits until it answers /health. */
  async start() {
    this.#child = this.#wrangler([
      "dev", "--config", this.config, "--ip", "127.0.0.1", "--port", String(this.port), "--inspector-port", "0",
      "--persist-to", this.state, "--show-interactive-dev-session=false",
      ...Object.entries(this.vars).flatMap(([key, value]) => ["--var", `${key}:${value}`]),
    ]);
    await this.#healthy();
    return this;
  }

  /** Makes the database's tables. Before the first start. */
  async migrate() {
    const apply = ["d1", "migrations", "apply", "DB", "--local", "--config", this.config, "--persist-to", this.state];
    const child = this.#wrangler(apply);
    if (await child.ended) {
      throw new Error(`the migrations failed:\n${child.tail()}`);
    }
  }

  async #healthy() {
    const deadline = Date.now() + START_MS;
    while (Date.now() < deadline) {
      if (this.#child.exited) {
        throw new Error(`wrangler dev ended with ${this.#child.code}:\n${this.#child.tail()}`);
      }
      const answer = await this.http("GET", "/health").catch(() => null);
      if (answer?.status === 200) {
        return;
      }
      await sleep(HEALTH_MS);
    }
    throw new Error(`no /health within ${START_MS} ms:\n${this.#child.tail()}`);
  }

  /** `kill -9` of wrangler and its workerds. */
  async kill9() {
    await this.#child.kill9();
    this.#past.push(...this.#child.lines);
  }

  /** Starts again on the same port and state. */
  async restart() {
    if (!this.#child.exited) {
      await this.kill9();
    }
    await this.start();
  }

  /** Ends it and removes its state. */
  async stop() {
    this.ended = true;
    await this.#child?.stop();
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Everything it printed, over all starts. */
  log() {
    return [...this.#past, ...this.#child.lines].join("\n");
  }

  /** Waits until it has printed this: its output comes by a pipe, a little after what it tells of. */
  async logged(pattern, patienceMs = 5_000) {
    for (const deadline = Date.now() + patienceMs; !pattern.test(this.log()); await sleep(50)) {
      if (Date.now() > deadline) {
        throw new Error(`not logged within ${patienceMs} ms: ${pattern}\n${this.#child.tail()}`);
      }
    }
  }

  /**
   * One request on a connection of its own: a pooled one would outlive a killed server.
   * @param {string} method
   * @param {string} path
   * @param {{headers?: Record<string, string>, body?: unknown}} [options]
   * @returns {Promise<{status: number, headers: import("node:http").IncomingHttpHeaders, text: string, json: any}>}
   */
  http(method, path, { headers = {}, body } = {}) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const all = text === undefined ? headers : { "content-type": "application/json", ...headers };
    return new Promise((done, failed) => {
      const call = request(this.url + path, { method, headers: all, agent: false }, (response) => {
        let got = "";
        response.setEncoding("utf8").on("data", (part) => (got += part)).on("error", failed).on("end", () => {
          done({ status: response.statusCode ?? 0, headers: response.headers, text: got, json: parsed(got) });
        });
      });
      call.on("error", failed).end(text);
    });
  }

  /** The facts of a room; throws if they are not given. */
  async facts(game, room) {
    const answer = await this.http("GET", `/api/rooms/${game}/${room}/facts`, {
      headers: { authorization: `Bearer ${this.vars.ADMIN_TOKEN}` },
    });
    if (answer.status !== 200) {
      throw new Error(`facts of ${game}/${room}: ${answer.status} ${answer.text}`);
    }
    return answer.json;
  }

  /** A new account and its session token. @returns {Promise<{account: string, token: string}>} */
  async session() {
    const answer = await this.http("POST", "/api/session");
    if (answer.status !== 201) {
      throw new Error(`no session: ${answer.status} ${answer.text}`);
    }
    return answer.json;
  }

  /** Sets a fault in a room. @param {{kind: string, ms?: number}} fault */
  async fault(game, room, fault) {
    await this.#break(`/api/rooms/${game}/${room}/fault`, fault);
  }

  /** Puts D1 out of reach of the lease objects, or back. */
  async d1Away(on) {
    await this.#break("/api/fault", { kind: "d1-away", on });
  }

  async #break(path, fault) {
    const answer = await this.http("POST", path, { headers: { "x-test-key": this.vars.TEST_KEY }, body: fault });
    if (answer.status !== 200) {
      throw new Error(`fault ${fault.kind}: ${answer.status} ${answer.text}`);
    }
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Starts a server.
 * @param {{world?: "shipped" | "games", testKey?: boolean, d1?: boolean, vars?: Record<string, string>}} [options]
 *   `d1`: with the database's tables, which take some seconds to make.
 */
export async function startServer({ world = "shipped", testKey = true, d1 = false, vars = {} } = {}) {
  const built = join(ROOT, dirname(WORLDS[world]), "build/index.js");
  if (!existsSync(built)) {
    throw new Error(`${built} is missing: run \`make build\` first`);
  }
  const made = {
    world,
    port: await freePort(),
    home: mkdtempSync(join(tmpdir(), "roundtable-test-")),
    vars: {
      ADMIN_TOKEN, SESSION_SECRET: "test-session-secret", ...(testKey ? { TEST_KEY } : {}), ...vars,
    },
  };
  const server = new Server(made);
  try {
    if (d1) {
      await server.migrate();
    }
    return await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
}
