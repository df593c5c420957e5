// What this browser remembers: for every tab (localStorage) or for one (sessionStorage).
//
// A browser that forbids storage still plays: what is kept then lasts as long as the page.

type Area = "localStorage" | "sessionStorage";

const memory = new Map<string, string>();

export function read(area: Area, key: string): string | null {
  try {
    return window[area].getItem(key);
  } catch {
    return memory.get(key) ?? null;
  }
}

/** Keeps a value; null forgets it. */
export function write(area: Area, key: string, value: string | null): void {
  if (value === null) memory.delete(key);
  else memory.set(key, value);
  try {
    if (value === null) window[area].removeItem(key);
    else window[area].setItem(key, value);
  } catch {
    // Forbidden or full: the page goes on with its memory.
  }
}
