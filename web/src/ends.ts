// What a player reads about a link that is not up, and what they may do about it, by the close codes of
// docs/protocol.md.

import type { LinkAccount } from "./protocol.ts";

export type Choice = "again" | "watch" | "reload" | "home" | "another";

export interface End {
  title: string;
  text: string;
  choices: Choice[];
}

export const CHOICES: Record<Choice, string> = {
  again: "Try again",
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
    title: "This room needs an account",
    text: "It could not be opened as a guest.",
    choices: ["again", "home"],
  },
  taken: {
    title: "You are playing elsewhere",
    text: "Your seat was taken over by a newer tab or device.",
    choices: ["again", "home"],
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
const LEFT: End = { title: "You left the room", text: "", choices: ["again", "home"] };
const OVER: End = { title: "The link has ended", text: "", choices: ["again", "reload"] };

/** The card for a link that will not be up soon; none while a banner is enough. */
export function endOf(link: LinkAccount): End | null {
  if (link.state === "online") return null;
  const named = link.name === null ? undefined : ENDS[link.name];
  // These are waited out, so the banner tells of them, unless there was never a seat to come back to.
  const isLong = link.name === "full" || link.name === "parked" || link.name === "limit";
  if (link.state !== "ended" && !isLong) return null;
  const end = named ?? (link.why === "left" ? LEFT : OVER);
  // The room's own words say more than ours, which stand for it when it gave none.
  return { ...end, text: link.reason || end.text };
}

const WHY: Record<string, string> = {
  error: "the connection broke",
  close: "the connection closed",
  silent: "nothing was heard from the room",
  welcome: "the room's welcome could not be read",
  storage: "the room is restarting from its last save",
  behind: "we had fallen behind",
  rate: "we sent too much",
  busy: "your character is busy",
  returning: "your character is on its way back",
  away: "the records are away",
  newer: "the room runs an older version",
};

/** The line of the banner while the link is being made anew. */
export function bannerOf(link: LinkAccount, retryIn: number | null): string {
  const what = link.wasUp ? "Reconnecting" : "Taking a seat";
  const why = link.why === null ? "" : (WHY[link.name ?? link.why] ?? WHY[link.why] ?? "");
  const code = link.code !== null && link.code >= 4000 ? ` (${link.code})` : "";
  const when =
    link.state === "waiting" && retryIn !== null && retryIn >= 1
      ? ` · next try in ${Math.ceil(retryIn)} s`
      : "";
  return why ? `${what}: ${why}${code}${when}` : `${what}…${when}`;
}
