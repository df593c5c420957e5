// Reads what a game says of looks ("disc #4af #fff", "sprite ship.png", "burst #f44 sound:thud") and gives each seat its
// colour.

export interface Look {
  shape: string;
  colour: string;
  /** The second colour, of the rim. */
  rim: string | null;
  /** What stands between the shape and its colours: a file's name, or words. */
  text: string;
  sound: string | null;
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
/** For a colour that no browser knows. */
const QUIET = "#94a3b8";

const further = new Map<number, string>();

export function seatColour(seat: number): string {
  const listed = SEATS[seat] ?? further.get(seat);
  if (listed) return listed;
  const made = `hsl(${Math.round(seat * GOLDEN_ANGLE) % 360} 75% 68%)`;
  further.set(seat, made);
  return made;
}

const looks = new Map<string, Look>();

export function readLook(text: string): Look {
  const read = looks.get(text);
  if (read) return read;
  const words = text.trim().split(/\s+/);
  const sound = words.find((word) => word.startsWith("sound:"))?.slice(6) ?? null;
  const [shape = "disc", ...rest] = words.filter((word) => !word.startsWith("sound:"));
  const colours: string[] = [];
  // Colours come last; one with spaces in it (`rgb(1 2 3)`) is all there is.
  const isColour = (word: string | undefined): boolean => !!word && CSS.supports("color", word);
  if (isColour(rest.join(" "))) colours.push(rest.splice(0).join(" "));
  while (colours.length < 2 && isColour(rest.at(-1))) colours.unshift(rest.pop() ?? "");
  const look = { shape, colour: colours[0] ?? QUIET, rim: colours[1] ?? null, text: rest.join(" "), sound };
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
