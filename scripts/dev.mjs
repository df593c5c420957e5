/**
 * `make dev`: builds, serves the build under `wrangler dev`, prints a line once the room URL can be opened, and puts in
 * another build whenever the sources change. A change that does not build leaves the last one playing.
 *
 * Everything started here stays in this process group and ends with it. A wrangler that ends by itself is started
 * again: rooms come back from their last commit.
 */

import { mkdirSync } from "node:fs";
import { createServer } from "node:net";

import { build, builder, clear, forget, plain } from "./dev/build.mjs";
import { Events } from "./dev/events.mjs";
import { PORT, STATE } from "./dev/places.mjs";
import { Server } from "./dev/server.mjs";
import { migrate, secrets } from "./dev/state.mjs";
import { endTree } from "./dev/tree.mjs";
import { changed, look } from "./dev/watch.mjs";

const ROOM = "lounge";
/** Starts within a minute after which a wrangler that keeps ending is given up. */
const RESTARTS_MAX = 5;

/** @type {Server | null} */
let server = null;
let isEnding = false;

/** Ends wrangler, a build that runs, and all they started. */
async function end(code) {
  if (isEnding) {
    return;
  }
  isEnding = true;
  await Promise.all([server?.end(), endTree(builder)]);
  process.exit(code);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => void end(0));
}

/** Whether nothing listens on a port. */
function isFree(port) {
  return new Promise((done) => {
    const probe = createServer().once("error", () => done(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => done(true)));
  });
}

/** Keeps wrangler running. */
async function supervise() {
  const starts = [];
  while (!isEnding) {
    starts.push(Date.now());
    const exit = server.start();
    const isUp = await Promise.race([server.ready(), exit.then(() => false)]);
    if (isUp) {
      console.log(`ready: http://127.0.0.1:${PORT}/arena/${ROOM}`);
    }
    const code = await exit;
    const lately = starts.filter((at) => Date.now() - at < 60_000).length;
    if (!isEnding && (!isUp || lately > RESTARTS_MAX)) {
      console.error(`dev: wrangler ended with ${code}`);
      await end(1);
    }
  }
}

/** Builds what has changed, for good. @param {Map<string, string>} since The sources of the build that plays. */
async function takeUpChanges(events, since) {
  for (let seen = since; !isEnding; ) {
    const change = await changed(seen);
    seen = change.seen;
    const [first, ...more] = change.files;
    console.log(`dev: ${first}${more.length > 0 ? ` and ${more.length} more` : ""} changed, building`);
    const made = await build(events.address, false);
    if (isEnding) {
      return;
    }
    if (made.text !== "") {
      console.error(made.text);
    }
    if (made.id === "") {
      console.error(`dev: no build (${made.seconds.toFixed(1)} s): the last one plays on`);
      events.tell({ fault: plain(made.text) });
    } else {
      await putIn(events, made);
    }
  }
}

async function putIn(events, made) {
  const before = server.playing;
  if (made.id === before.id) {
    // As when a change was taken back.
    console.log(`dev: built in ${made.seconds.toFixed(1)} s: it is the build that plays`);
    forget(made);
  } else {
    const started = Date.now();
    if (!(await server.play(made))) {
      console.error("dev: wrangler did not take up the new build and is started anew");
      await server.ready();
    }
    forget(before);
    console.log(`dev: built in ${made.seconds.toFixed(1)} s, playing ${((Date.now() - started) / 1_000).toFixed(1)} s later`);
  }
  events.tell({ build: made.id, fault: null });
}

if (!(await isFree(PORT))) {
  console.error(`port ${PORT} is taken: end what listens there, or choose another one with PORT=`);
  process.exit(1);
}
mkdirSync(STATE, { recursive: true });
clear();
const events = new Events();
await events.listen();
const seen = look();
const first = await build(events.address, true);
if (first.id === "") {
  await end(1);
}
server = new Server(secrets(), first);
await migrate();
events.tell({ build: first.id, fault: null });
await Promise.all([supervise(), takeUpChanges(events, seen)]);
