// Pictures painted once and drawn many times: a body of a look at a size, and a line of text. A phone draws 200 of them
// in the time that it takes to paint 20.

import { readLook, shade } from "./looks.ts";
import { outline } from "./shapes.ts";

export interface Stamp {
  picture: OffscreenCanvas;
  /** CSS pixels. */
  width: number;
  height: number;
}

/** Stamps beyond which all are made anew: sizes and colours change with camera and seats. */
const STAMPS_MAX = 400;
/** Device pixels a CSS pixel beyond which sharpness is not seen but paid for. */
export const RATIO_MAX = 2.5;

export const pixelRatio = (): number => Math.min(window.devicePixelRatio || 1, RATIO_MAX);

const stamps = new Map<string, Stamp>();

function stamp(
  key: string,
  width: number,
  height: number,
  paint: (c: OffscreenCanvasRenderingContext2D) => void,
): Stamp {
  const ratio = pixelRatio();
  const name = `${ratio} ${key}`;
  const kept = stamps.get(name);
  if (kept) return kept;
  if (stamps.size >= STAMPS_MAX) stamps.clear();
  const picture = new OffscreenCanvas(Math.ceil(width * ratio), Math.ceil(height * ratio));
  const c = picture.getContext("2d");
  if (c) {
    c.scale(ratio, ratio);
    c.translate(width / 2, height / 2);
    paint(c);
  }
  const made = { picture, width, height };
  stamps.set(name, made);
  return made;
}

/** How a body is painted. */
export interface Paint {
  look: string;
  colour: string;
  /** Pixels. */
  r: number;
  own: boolean;
  down: boolean;
}

export function bodyStamp({ look, colour, r, own, down }: Paint): Stamp {
  const side = r * 2 + 8;
  return stamp(`${look} ${colour} ${r} ${own} ${down}`, side, side, (c) => {
    const { shape, rim } = readLook(look);
    outline(c, shape === "ring" ? "disc" : shape, shape === "ring" ? r * 0.8 : r);
    // A fallen one keeps its colour in the rim, to be told from the ground and from the others.
    const edge = rim ?? (own ? "#ffffff" : down ? colour : shade(colour, -0.5));
    if (shape === "ring") {
      c.lineWidth = r * 0.4;
      c.strokeStyle = down ? shade(colour, -0.5) : colour;
      c.stroke();
      return;
    }
    const fill = c.createRadialGradient(-r * 0.35, -r * 0.4, r * 0.1, 0, 0, r * 1.1);
    fill.addColorStop(0, shade(colour, 0.32));
    fill.addColorStop(0.6, colour);
    fill.addColorStop(1, shade(colour, -0.25));
    c.fillStyle = down ? shade(colour, -0.5) : fill;
    c.fill();
    c.strokeStyle = edge;
    c.lineWidth = own ? 2.5 : rim ? 2 : 1.5;
    c.stroke();
  });
}

/** Where a body without a pointing shape faces: a short barrel, drawn under it and turned. */
export function noseStamp(colour: string, r: number): Stamp {
  const side = r * 3.4 + 4;
  return stamp(`nose ${colour} ${r}`, side, side, (c) => {
    c.fillStyle = shade(colour, -0.3);
    c.strokeStyle = shade(colour, -0.6);
    c.lineWidth = 1.5;
    c.beginPath();
    c.roundRect(r * 0.3, -r * 0.3, r * 1.3, r * 0.6, r * 0.2);
    c.fill();
    c.stroke();
  });
}

let measure: OffscreenCanvasRenderingContext2D | null = null;

/** A line of text with a dark edge, readable on any ground. */
export function textStamp(text: string, colour: string, px: number, weight: number): Stamp {
  const font = `${weight} ${px}px system-ui, sans-serif`;
  measure ??= new OffscreenCanvas(1, 1).getContext("2d");
  const key = `text ${text}\n${colour} ${font}`;
  const kept = stamps.get(`${pixelRatio()} ${key}`);
  if (kept) return kept;
  if (measure) measure.font = font;
  const width = Math.ceil(measure?.measureText(text).width ?? text.length * px * 0.6) + 6;
  return stamp(key, width, Math.ceil(px * 1.4), (c) => {
    c.font = font;
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.lineJoin = "round";
    c.strokeStyle = "rgb(6 9 15 / 0.85)";
    c.lineWidth = 3.5;
    c.strokeText(text, 0, 0);
    c.fillStyle = colour;
    c.fillText(text, 0, 0);
  });
}

/** Draws a stamp around a place, in whole device pixels so that text stays sharp. */
export function put(c: CanvasRenderingContext2D, s: Stamp, x: number, y: number): void {
  const ratio = pixelRatio();
  const left = Math.round((x - s.width / 2) * ratio) / ratio;
  const top = Math.round((y - s.height / 2) * ratio) / ratio;
  c.drawImage(s.picture, left, top, s.picture.width / ratio, s.picture.height / ratio);
}
