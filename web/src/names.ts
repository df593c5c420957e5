// The player's name: kept in this browser, and a friendly one for whoever has not chosen any.

import { read, write } from "./storage.ts";

const CHOSEN = "roundtable:name";
const MADE = "roundtable:name:made";
const FIRST = ["Brisk", "Calm", "Clever", "Bold", "Quiet", "Swift", "Merry", "Lucky", "Sunny", "Keen"];
const SECOND = ["Otter", "Heron", "Fox", "Badger", "Wren", "Lynx", "Finch", "Marten", "Hare", "Owl"];

export const NAME_CHARS_MAX = 24;

/** The name the player chose, if any. */
export function chosenName(): string | null {
  return read("localStorage", CHOSEN)?.trim() || null;
}

/** What to go by as long as none was chosen; the same one in every room. */
export function madeName(): string {
  const kept = read("localStorage", MADE);
  if (kept) return kept;
  const pick = (words: string[]): string => words[Math.floor(Math.random() * words.length)] ?? "";
  const made = `${pick(FIRST)} ${pick(SECOND)}`;
  write("localStorage", MADE, made);
  return made;
}

export function playerName(): string {
  return chosenName() ?? madeName();
}

/** Keeps a name; an empty one is none. */
export function keepName(name: string): void {
  write("localStorage", CHOSEN, name.trim().slice(0, NAME_CHARS_MAX) || null);
}
