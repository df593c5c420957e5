/**
 * What a server's state directory holds, read from its SQLite files and not through the server: D1's rows, an object's
 * rows, and which objects have an alarm. To read, files are copied first with their write-ahead logs, so a running server
 * is not disturbed.
 */

import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 250;

/** Opens a copy of a database and gives it to `look`. */
function inCopy(file, look) {
  const home = mkdtempSync(join(tmpdir(), "roundtable-state-"));
  try {
    const copy = join(home, "copy.sqlite");
    copyFileSync(file, copy);
    if (existsSync(`${file}-wal`)) {
      copyFileSync(`${file}-wal`, `${copy}-wal`);
    }
    const database = new DatabaseSync(copy);
    try {
      return look(database);
    } finally {
      database.close();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function databases(folder) {
  const all = existsSync(folder) ? readdirSync(folder) : [];
  return all.filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite").map((name) => join(folder, name));
}

const objects = (server, type) => join(server.state, "v3/do", `roundtable-${type}`);

const hasTable = (database, name) => (
  database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined
);

/** The character of an account in D1. */
export function record(server, account, game = "isle") {
  const [file] = databases(join(server.state, "v3/d1/miniflare-D1DatabaseObject"));
  return inCopy(file, (database) => {
    const row = database.prepare("SELECT * FROM characters WHERE account = ? AND game = ?").get(account, game);
    return row && { ...row, body: JSON.parse(String(row.body)) };
  });
}

/** Whether D1 knows an account. */
export function knowsAccount(server, account) {
  const [file] = databases(join(server.state, "v3/d1/miniflare-D1DatabaseObject"));
  return inCopy(file, (database) => (
    database.prepare("SELECT 1 FROM accounts WHERE account = ?").get(account) !== undefined
  ));
}

/** The Lobby's rows of leases, of all lease objects. */
export function leases(server) {
  return databases(objects(server, "Lobby")).flatMap((file) => inCopy(file, (database) => (
    hasTable(database, "leases") ? database.prepare("SELECT * FROM leases").all() : []
  )));
}

/** The Lobby's row of an account. */
export function lease(server, account) {
  const row = leases(server).find((one) => one.account === account);
  return row && { ...row, body: row.body && JSON.parse(String(row.body)) };
}

/** Makes the Lobby's row of an account say that this room holds the character. Only while the server is down. */
export function pretendHeld(server, account, room) {
  for (const file of databases(objects(server, "Lobby"))) {
    const database = new DatabaseSync(file);
    if (hasTable(database, "leases")) {
      database.prepare("UPDATE leases SET room = ? WHERE account = ?").run(room, account);
    }
    database.close();
  }
}

/** Takes the second of a Table's journal rows since its save away. Only while the server is down. */
export function loseJournalRow(server, name) {
  for (const file of databases(objects(server, "Table"))) {
    const database = new DatabaseSync(file);
    const named = hasTable(database, "journal") ? database.prepare("SELECT name FROM __miniflare_do_name").get() : null;
    if (named?.name === name) {
      const since = "SELECT slot FROM journal WHERE seq > (SELECT max(seq) FROM save) ORDER BY seq LIMIT 1 OFFSET 1";
      database.prepare(`DELETE FROM journal WHERE slot = (${since})`).run();
    }
    database.close();
  }
}

/** When an object's alarm fires; null without one. @param {"Table" | "Lobby"} type */
export function alarm(server, type, name) {
  const folder = objects(server, type);
  const file = databases(folder).find((one) => inCopy(one, (database) => (
    database.prepare("SELECT name FROM __miniflare_do_name").get()?.name === name
  )));
  if (!file) {
    throw new Error(`no ${type} ${name} in ${folder}`);
  }
  const id = basename(file, ".sqlite");
  return inCopy(join(folder, "metadata.sqlite"), (database) => (
    database.prepare("SELECT scheduled_time AS at FROM _cf_ALARM WHERE actor_id = ?").get(id)?.at ?? null
  ));
}

/**
 * Looks until `look` gives something truthy. A copy may be torn while it is written: then it is taken again.
 * @template T
 * @param {string} what
 * @param {() => T} look
 * @returns {Promise<T>}
 */
export async function eventually(what, look, patienceMs) {
  let last;
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(LOOK_MS)) {
    try {
      last = look();
      if (last) {
        return last;
      }
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`not within ${patienceMs} ms: ${what}; last ${last instanceof Error ? last : JSON.stringify(last)}`);
}
