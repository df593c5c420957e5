/** Tells the open pages which build plays and what failed, by server-sent events on a port of 127.0.0.1. */

import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import { PORT, STATE } from "./places.mjs";

export class Events {
  /** The `host:port` that pages ask. */
  address = "";
  #told = { build: "", fault: null };
  /** @type {Set<import("node:http").ServerResponse>} */
  #pages = new Set();
  #server = createServer((request, response) => this.#answer(request, response));

  /** Listens, on the port of the last time if it is free: pages that are open since then find it again. */
  async listen() {
    const note = join(STATE, "dev.port");
    const port = await this.#bind(lastPort(note)).catch(() => this.#bind(0));
    writeFileSync(note, String(port));
    this.address = `127.0.0.1:${port}`;
  }

  #bind(port) {
    return new Promise((done, failed) => {
      this.#server.once("error", failed).listen(port, "127.0.0.1", () => {
        this.#server.off("error", failed);
        done(this.#server.address().port);
      });
    });
  }

  /** Only to our own pages: what a compiler says quotes the source. */
  #answer(request, response) {
    const { origin } = request.headers;
    if (![`http://127.0.0.1:${PORT}`, `http://localhost:${PORT}`].includes(origin)) {
      response.writeHead(403).end();
      return;
    }
    response.writeHead(200, {
      "content-type": "text/event-stream", "cache-control": "no-store", "access-control-allow-origin": origin,
    });
    response.write(this.#text());
    this.#pages.add(response);
    response.on("close", () => this.#pages.delete(response));
  }

  #text() {
    return `retry: 1000\ndata: ${JSON.stringify(this.#told)}\n\n`;
  }

  /** @param {{build?: string, fault: string | null}} told */
  tell(told) {
    this.#told = { ...this.#told, ...told };
    this.#pages.forEach((page) => page.write(this.#text()));
  }
}

function lastPort(note) {
  try {
    return Number(readFileSync(note, "utf8")) || 0;
  } catch {
    return 0;
  }
}
