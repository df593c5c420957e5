// Reads what a game says of looks ("disc #4af", "grid #1b2330", "burst #f44") and gives each seat its colour.

export interface Look {
  shape: string;
  colour: string;
}

/** Told apart on the dark ground, also by most colour-blind players; the first ones are furthest apart. */
const SEATS = [
  "#4cc9f0",
  "#ff6b6b",
  "#ffd166",
  "#7ae582",
  "#c77dff",
  "#ff9f5a",
  "#6d8dff",
  "#ff7ac6",
  "#2dd4bf",
  "#d4f15a",
  "#b8c4d6",
  "#d9a066",
];
/** Degrees between further seats' hues: the golden angle never repeats one. */
const GOLDEN_ANGLE = 137.5;

export function seatColour(seat: number): string {
  return SEATS[seat] ?? `hsl(${Math.round(seat * GOLDEN_ANGLE) % 360} 75% 68%)`;
}

const looks = new Map<string, Look>();

/** The shape and colour of a look; a colour no browser knows is a quiet grey. */
export function readLook(text: string): Look {
  const read = looks.get(text);
  if (read) return read;
  const [shape = "disc", ...rest] = text.trim().split(/\s+/);
  const colour = rest.join(" ");
  const look = { shape, colour: CSS.supports("color", colour) ? colour : "#94a3b8" };
  looks.set(text, look);
  return look;
}

/** A colour darkened (below 0) or lightened (above 0). */
export function shade(colour: string, by: number): string {
  return mix(colour, by < 0 ? "#000" : "#fff", Math.abs(by));
}

/** A colour part of the way to another. */
export function mix(colour: string, other: string, part: number): string {
  const [from, to] = [rgb(colour), rgb(other)];
  const channels = from.map((v, i) => Math.round(v + ((to[i] ?? v) - v) * part));
  return `rgb(${channels.join(" ")})`;
}

/** A colour made see-through. */
export function alpha(colour: string, a: number): string {
  const [r, g, b] = rgb(colour);
  return `rgb(${r} ${g} ${b} / ${a})`;
}

const channels = new Map<string, [number, number, number]>();

/** The browser itself turns any CSS colour into numbers, by painting one pixel. */
function rgb(colour: string): [number, number, number] {
  const read = channels.get(colour);
  if (read) return read;
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  if (!context) return [148, 163, 184];
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data;
  channels.set(colour, [r, g, b]);
  return [r, g, b];
}
