// The account of this browser: a guest's, one for all tabs of an origin, made when a room first asks for it.
//
// Its token opens the player's characters on every room, so it is said in the hello and nowhere else: not in a URL, not
// in a log.

import { read, write } from "./storage.ts";

const KEY = "roundtable:session";
/** The one before, which a room refused or a code replaced: all that is left of an account should that prove a mistake. */
const FORMER = "roundtable:session:former";
/** Milliseconds of its life that a token has left when it is renewed: half of what the server gives it (SESSION_MS). */
const RENEWED_MS = 45 * 86_400_000;
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
  return await alone(async () => {
    const kept = keptSession();
    if (kept !== null && kept !== refused) return kept;
    const made = await request({});
    if (made) replace(made);
    return made?.token ?? null;
  });
}

/** A fresh token of the same account in place of one that has lived half its life; if none can be had, later. */
export async function renewSession(): Promise<void> {
  if (!isOld(keptSession())) return;
  await alone(async () => {
    const kept = parse(read("localStorage", KEY));
    // Another tab may have done it.
    if (!kept || !isOld(kept.token)) return;
    const made = await request({ authorization: `Bearer ${kept.token}` });
    if (made?.account === kept.account) keep(made);
  });
}

/** A one-time code by which this account comes to a second device; null when none can be had. */
export async function makeCode(): Promise<string | null> {
  const token = keptSession();
  if (token === null) return null;
  const text = await post("/api/session/code", { authorization: `Bearer ${token}` });
  return (JSON.parse(text ?? "{}") as { code?: string }).code ?? null;
}

/** Takes up the account that a code was made for, in place of this browser's own. Says whether it could be. */
export async function takeCode(code: string): Promise<boolean> {
  return await alone(async () => {
    const made = await request({ "content-type": "application/json" }, JSON.stringify({ code }));
    if (made) replace(made);
    return made !== null;
  });
}

/** A token says when it expires: `base64url(account.expiry).mac`. */
function isOld(token: string | null): boolean {
  try {
    const [first = ""] = (token ?? "").split(".");
    const claim = atob(first.replaceAll("-", "+").replaceAll("_", "/"));
    return Number(claim.split(".")[1]) - Date.now() < RENEWED_MS;
  } catch {
    return false;
  }
}

/** One tab at a time. Only pages over https and on localhost have locks. */
async function alone<T>(run: () => Promise<T>): Promise<T> {
  return navigator.locks ? await navigator.locks.request(KEY, run) : await run();
}

function keep(session: Session): void {
  write("localStorage", KEY, JSON.stringify(session));
}

/** Keeps another account's. */
function replace(session: Session): void {
  const former = read("localStorage", KEY);
  if (former !== null) write("localStorage", FORMER, former);
  keep(session);
}

async function request(headers: Record<string, string>, body?: string): Promise<Session | null> {
  return parse(await post("/api/session", headers, body));
}

/** What a request is answered; null when it is refused or lost. */
async function post(path: string, headers: Record<string, string>, body?: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(path, { method: "POST", headers, body, signal });
    return answer.ok ? await answer.text() : null;
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
