// The player's name: kept in this browser, and a friendly one for whoever has not chosen any.

const KEY = "roundtable:name";
const FIRST = ["Brisk", "Calm", "Clever", "Bold", "Quiet", "Swift", "Merry", "Lucky", "Sunny", "Keen"];
const SECOND = ["Otter", "Heron", "Fox", "Badger", "Wren", "Lynx", "Finch", "Marten", "Hare", "Owl"];

export const NAME_CHARS_MAX = 24;

export function playerName(): string {
  const kept = localStorage.getItem(KEY)?.trim();
  if (kept) return kept;
  const pick = (words: string[]): string => words[Math.floor(Math.random() * words.length)] ?? "";
  const made = `${pick(FIRST)} ${pick(SECOND)}`;
  keepName(made);
  return made;
}

export function keepName(name: string): void {
  localStorage.setItem(KEY, name.trim().slice(0, NAME_CHARS_MAX));
}
