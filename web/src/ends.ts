// What a player reads about a link that is not up, and what they may do about it, by the close codes of
// docs/protocol.md.

import type { LinkAccount } from "./protocol.ts";

export type Choice = "again" | "here" | "watch" | "reload" | "home" | "another";

export interface End {
  title: string;
  text: string;
  choices: Choice[];
}

export const CHOICES: Record<Choice, string> = {
  again: "Try again",
  here: "Play here",
  watch: "Watch",
  reload: "Reload",
  home: "All games",
  another: "Another room",
};

const ENDS: Record<string, End> = {
  hello: {
    title: "The room did not take our hello",
    text: "Reload the page to try again.",
    choices: ["reload", "home"],
  },
  message: {
    title: "The room did not understand us",
    text: "Reload the page to try again.",
    choices: ["reload", "home"],
  },
  older: {
    title: "A newer version is live",
    text: "Reload the page to play on.",
    choices: ["reload", "home"],
  },
  full: {
    title: "This room is full",
    text: "You can watch until a seat is free.",
    choices: ["watch", "another", "again"],
  },
  ended: { title: "This room has ended", text: "Its round is over for good.", choices: ["another", "home"] },
  session: {
    title: "No seat could be had",
    text: "The room did not take the guest account that was made for you.",
    choices: ["again", "home"],
  },
  taken: {
    title: "Playing in another place",
    text: "Your character is playing in another place. It can only be in one.",
    choices: ["here", "home"],
  },
  kicked: { title: "You were removed from this room", text: "", choices: ["home"] },
  idle: {
    title: "Are you still there?",
    text: "Your seat was given up while you were away.",
    choices: ["again", "home"],
  },
  room: { title: "There is no such room", text: "Check the address, or pick a game.", choices: ["home"] },
  parked: {
    title: "This room is resting",
    text: "Something in it failed. It comes back by itself.",
    choices: ["again", "another"],
  },
  limit: {
    title: "The host is at its limit",
    text: "We try again by ourselves, later.",
    choices: ["again", "home"],
  },
};
/** Waits for a character: a banner at first, a card when they last. */
const WAITS: Record<string, End> = {
  busy: {
    title: "Your character is coming",
    text: "Your character is being called from another room…",
    choices: ["again", "home"],
  },
  returning: {
    title: "Your character is coming",
    text: "Your character is on its way home…",
    choices: ["again", "home"],
  },
  away: {
    title: "Your character is safe",
    text: "The records cannot be reached; your character is safe…",
    choices: ["again", "home"],
  },
};
/** Milliseconds of such a wait, or of getting a session, that a banner is enough for. */
const WAIT_MS = 4_000;
const LEFT: End = { title: "You left the room", text: "", choices: ["again", "home"] };
const OVER: End = { title: "The link has ended", text: "", choices: ["again", "reload"] };

/** The card for a link that will not be up soon; none while a banner is enough. `downMs`: since when it is not up. */
export function endOf(link: LinkAccount, downMs: number): End | null {
  // On the way to another room the page goes by itself: there is nothing to choose.
  if (link.state === "online" || link.name === "travel") return null;
  const wait = link.name === null ? undefined : WAITS[link.name];
  // Our words: the room's are those of one object to another.
  if (wait) return downMs > WAIT_MS ? wait : null;
  const named = link.name === null ? undefined : ENDS[link.name];
  // These are waited out, so the banner tells of them, unless there was never a seat to come back to.
  const isLong = link.name === "full" || link.name === "parked" || link.name === "limit";
  if (link.state !== "ended" && !isLong) return null;
  const end = named ?? (link.why === "left" ? LEFT : OVER);
  // The room's own words say more than ours, which stand for it when it gave none; but not of accounts and characters.
  const isOurs = link.name === "session" || link.name === "taken";
  return { ...end, text: isOurs ? end.text : sentence(link.reason || end.text) };
}

/** A reason as the room gives it ("all 8 seats are taken"), for reading: a time in it is told as the player's clock does. */
function sentence(text: string): string {
  const told = text.replace(/\b1\d{12}\b/, (ms) => (
    new Date(Number(ms)).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
  ));
  const line = told.charAt(0).toUpperCase() + told.slice(1);
  return line === "" || /[.!?…]$/.test(line) ? line : `${line}.`;
}

const WHY: Record<string, string> = {
  error: "the connection broke",
  close: "the connection closed",
  silent: "nothing was heard from the room",
  welcome: "the room's welcome could not be read",
  storage: "the room is restarting from its last save",
  behind: "we had fallen behind",
  rate: "we sent too much",
  newer: "the room runs an older version",
};

/** The line of the banner while the link is being made anew. */
export function bannerOf(link: LinkAccount, retryIn: number | null): string {
  // Being told to get a session is nothing that a player has to know of.
  if (link.name === "session") return "Getting you a seat…";
  if (link.name === "travel") return `On the way to ${link.reason}…`;
  const what = link.wasUp ? "Reconnecting" : "Taking a seat";
  const why = link.why === null ? "" : (WHY[link.name ?? link.why] ?? WHY[link.why] ?? "");
  const code = link.code !== null && link.code >= 4000 ? ` (${link.code})` : "";
  const when =
    link.state === "waiting" && retryIn !== null && retryIn >= 1
      ? ` · next try in ${Math.ceil(retryIn)} s`
      : "";
  const wait = link.name === null ? undefined : WAITS[link.name];
  if (wait) return `${wait.text}${when}`;
  return why ? `${what}: ${why}${code}${when}` : `${what}…${when}`;
}
