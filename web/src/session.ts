// The account of this browser: a guest's, one for all tabs of an origin, made when a room first asks for it.
//
// Its token opens the player's characters on every room, so it is said in the hello and nowhere else: not in a URL, not
// in a log.

import { read, write } from "./storage.ts";

const KEY = "roundtable:session";
/** The one before, which a room refused: it is all that is left of an account should the refusal prove a mistake. */
const FORMER = "roundtable:session:former";
/** Milliseconds that the request may take; the wasm client asks the room again after SESSION_WAIT_MS. */
const PATIENCE_MS = 10_000;

interface Session {
  account: string;
  token: string;
}

export function keptSession(): string | null {
  return parse(read("localStorage", KEY))?.token ?? null;
}

/**
 * A session in place of one that a room refused (null: there was none); null when none can be had. Tabs that ask at the
 * same time get the same one: an account each would be a character each, and all but the last one lost.
 */
export async function newSession(refused: string | null): Promise<string | null> {
  const get = async (): Promise<string | null> => {
    const kept = keptSession();
    return kept !== null && kept !== refused ? kept : await request();
  };
  // Only pages over https and on localhost have locks.
  return navigator.locks ? await navigator.locks.request(KEY, get) : await get();
}

async function request(): Promise<string | null> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const answer = await fetch("/api/session", { method: "POST", signal });
    const made = answer.ok ? parse(await answer.text()) : null;
    if (made) {
      const former = read("localStorage", KEY);
      if (former !== null) write("localStorage", FORMER, former);
      write("localStorage", KEY, JSON.stringify(made));
    }
    return made?.token ?? null;
  } catch {
    return null;
  }
}

function parse(text: string | null): Session | null {
  try {
    const { account, token } = JSON.parse(text ?? "null") as Partial<Session>;
    return typeof account === "string" && typeof token === "string" && token ? { account, token } : null;
  } catch {
    return null;
  }
}
