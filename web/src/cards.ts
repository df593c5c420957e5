// How a card looks: a name that says a rank and a suit as a playing card, one that says a colour in it, any other in plain
// words, a number as itself.

import { make } from "./dom.ts";
import type { TypeInfo, Value } from "./protocol.ts";
import { readable } from "./values.ts";

const SUITS: Record<string, string> = { spade: "♠", heart: "♥", diamond: "♦", club: "♣" };
const RANKS: Record<string, string> = {
  ace: "A", one: "1", two: "2", three: "3", four: "4", five: "5", six: "6", seven: "7", eight: "8", nine: "9", ten: "10",
  jack: "J", queen: "Q", king: "K", joker: "★", star: "★",
}; // prettier-ignore
const COLOURS: Record<string, string> = {
  red: "#d93a4a", blue: "#2f7fe0", green: "#2c9a57", yellow: "#d9a514", orange: "#e0762f", purple: "#8a52d6",
  pink: "#d957a0", brown: "#8a5a35", black: "#2b303b", white: "#f4f1e8", grey: "#7c8798", gray: "#7c8798",
}; // prettier-ignore
/** `s7`, `hq`: suit and rank in short. */
const SHORT = /^([shdc])(10|[2-9ajqkt])$/;
const LETTERS: Record<string, string> = { s: "♠", h: "♥", d: "♦", c: "♣" };

interface Face {
  text: string;
  suit: string;
  colour: string | null;
}

const faces = new Map<string, Face>();

function faceOf(name: string): Face {
  const known = faces.get(name);
  if (known) return known;
  const words = name
    .replace(/([a-z])([A-Z0-9])/g, "$1 $2")
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== "of");
  const short = SHORT.exec(words.join(""));
  let [suit, colour]: [string, string | null] = ["", null];
  const rest: string[] = [];
  for (const word of words) {
    const found = SUITS[word.replace(/s$/, "")];
    if (found) suit = found;
    else if (COLOURS[word]) colour = COLOURS[word] ?? null;
    else rest.push(RANKS[word] ?? word);
  }
  const face = short
    ? { text: (short[2] ?? "").replace("t", "10").toUpperCase(), suit: LETTERS[short[1] ?? ""] ?? "", colour: null }
    : { text: rest.join(" "), suit, colour };
  faces.set(name, face);
  return face;
}

/** What a card says, in words. */
export function cardName(value: Value, type: TypeInfo | undefined): string {
  return typeof value === "string" && type?.type === "enum" ? readable(value) : String(value);
}

/** A card's face, in an element that may be a button. */
export function paintCard(card: HTMLElement, value: Value, type: TypeInfo | undefined): HTMLElement {
  const face = typeof value === "string" ? faceOf(value) : { text: String(value), suit: "", colour: null };
  card.classList.add("card-face");
  card.classList.toggle("red", face.suit === "♥" || face.suit === "♦");
  card.classList.toggle("long", face.text.length > 3);
  card.classList.toggle("tinted", face.colour !== null);
  if (face.colour) card.style.setProperty("--tint", face.colour);
  card.classList.toggle("pale", face.colour === COLOURS["white"]);
  card.setAttribute("aria-label", cardName(value, type));
  card.replaceChildren(make("b", "", face.text), make("i", "", face.suit));
  return card;
}

/** A row of cards that are only looked at: the last ones where there are many. */
export function cardRow(values: Value[], type: TypeInfo | undefined, most: number): HTMLElement {
  const row = make("div", "cards");
  const hidden = Math.max(values.length - most, 0);
  if (hidden > 0) row.append(make("span", "more", `+${hidden}`));
  for (const value of values.slice(hidden)) {
    const card = paintCard(make("span"), value, type);
    card.setAttribute("role", "img");
    row.append(card);
  }
  return row;
}
