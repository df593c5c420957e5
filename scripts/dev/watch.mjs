/**
 * Tells when the sources have changed, by looking at them.
 *
 * Looking costs two milliseconds and sees every editor, mount and system alike; fs.watch misses files that are replaced
 * on some.
 */

import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { ROOT } from "./places.mjs";

const WATCHED = ["src", "macros", "web", "Cargo.toml", "Cargo.lock", "wrangler.toml"];
const SKIPPED = new Set(["dist", "target", "node_modules"]);
const LOOK_MS = 200;

/** Every watched file, with what tells that it was written. @returns {Map<string, string>} */
export function look() {
  const seen = new Map();
  const visit = (path) => {
    // A file may go between the listing and the look.
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      const names = readdirSync(path).filter((name) => !name.startsWith(".") && !SKIPPED.has(name));
      names.forEach((name) => visit(join(path, name)));
    } else if (stat) {
      seen.set(path, `${stat.mtimeMs} ${stat.size}`);
    }
  };
  WATCHED.forEach((name) => visit(join(ROOT, name)));
  return seen;
}

/** The files that differ between two looks. */
function differing(before, after) {
  const all = [...new Set([...before.keys(), ...after.keys()])];
  return all.filter((path) => before.get(path) !== after.get(path)).map((path) => relative(ROOT, path));
}

/** Waits until something differs from a look and nothing has been written for a moment; gives which files. */
export async function changed(since) {
  for (let last = since; ; ) {
    await sleep(LOOK_MS);
    const now = look();
    const files = differing(since, now);
    if (files.length > 0 && differing(last, now).length === 0) {
      return { files, seen: now };
    }
    last = now;
  }
}
