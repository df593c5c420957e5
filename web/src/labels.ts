// What is written at bodies: bar and name above, the label field below. No name lies over another one: it moves to another
// side of its body, or is left out where there is no room.

import { barLevel, isOwn, radiusOf } from "./bodies.ts";
import type { Picture } from "./draw-hook.ts";
import type { Body } from "./frame.ts";
import { seatColour, shade } from "./looks.ts";
import { put, type Stamp, textStamp } from "./stamps.ts";
import { shown } from "./values.ts";

const LABEL = 13;
/** Characters of a line that fit at a body. */
const CHARS_MAX = 14;
/** Sides of a body a name may lie on: above, below, right, left. */
const SIDES = 4;
/** Pixels that must be free around its best place before a name moves back there: it must not flicker. */
const CALM = 8;

/** What a body's lines were when they were painted. */
interface Lines {
  name: string;
  nameStamp: Stamp | null;
  label: unknown;
  labelStamp: Stamp | null;
  own: boolean;
  side: number;
}

const lines = new WeakMap<Body, Lines>();

const short = (text: string): string =>
  text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX - 1).trimEnd()}…` : text;

export class Labels {
  /** Boxes that are taken: four numbers each. */
  private taken = new Float32Array(4 * 64);
  private count = 0;
  private x = 0;
  private y = 0;

  draw(p: Picture): void {
    this.count = 0;
    for (const body of p.frame.bodies) if (isSeen(p, body)) this.drawBar(p, body);
    // The own lines first: they must not move. Names before labels: who it is says more than what.
    const own = p.frame.own;
    if (own) this.drawName(p, own);
    for (const body of p.frame.bodies) if (body !== own && isSeen(p, body)) this.drawName(p, body);
    if (own) this.drawLabel(p, own);
    for (const body of p.frame.bodies) if (body !== own && isSeen(p, body)) this.drawLabel(p, body);
    p.c.globalAlpha = 1;
  }

  private drawBar(p: Picture, body: Body): void {
    const level = barLevel(body);
    if (level === null || level === 0) return;
    const { c, camera } = p;
    const r = radiusOf(body, p);
    const [x, y, width] = [camera.sx(body.x), camera.sy(body.y) - r - 9, Math.max(r * 2.4, 34)];
    c.fillStyle = "rgb(6 9 15 / 0.8)";
    c.fillRect(x - width / 2 - 1.5, y - 4.5, width + 3, 8);
    c.fillStyle = level > 0.55 ? "#7ae582" : level > 0.25 ? "#ffd166" : "#ff6b6b";
    c.fillRect(x - width / 2, y - 3, Math.max(width * level, 3), 5);
    this.take(x - width / 2, y - 4.5, x + width / 2, y + 3.5);
  }

  private drawName(p: Picture, body: Body): void {
    const own = isOwn(body, p.frame.seat);
    const read = readLines(p, body, own);
    if (!read.nameStamp) return;
    const { c, camera } = p;
    const level = barLevel(body);
    c.globalAlpha = level === 0 ? 0.55 : 1;
    const side = this.find(read, camera.sx(body.x), camera.sy(body.y), radiusOf(body, p), (level ?? 0) > 0, own);
    if (side < 0) return;
    read.side = side;
    put(c, read.nameStamp, this.x, this.y);
  }

  private drawLabel(p: Picture, body: Body): void {
    const stamp = lines.get(body)?.labelStamp;
    if (!stamp) return;
    const { c, camera } = p;
    const [x, y] = [camera.sx(body.x), camera.sy(body.y) + radiusOf(body, p) + stamp.height / 2 + 1];
    const [hw, hh] = [stamp.width / 2 - 2, stamp.height / 2 - 3];
    if (!this.isFree(x - hw, y - hh, x + hw, y + hh)) return;
    c.globalAlpha = barLevel(body) === 0 ? 0.55 : 1;
    put(c, stamp, x, y);
    this.take(x - hw, y - hh, x + hw, y + hh);
  }

  /** A free side for a name; its place is then in `x` and `y`, and taken. */
  private find(read: Lines, x: number, y: number, r: number, hasBar: boolean, own: boolean): number {
    const { width = 0, height = 0 } = read.nameStamp ?? {};
    for (let i = -1; i <= SIDES; i++) {
      // Back above if there is plenty of room; else where it was; else wherever there is room.
      const side = i === -1 ? 0 : i === 0 ? read.side : i - 1;
      const pad = i === -1 && read.side !== 0 ? CALM : 0;
      this.lay(side, read, x, y, r, hasBar);
      const [hw, hh] = [width / 2 - 2 + pad, height / 2 - 2 + pad];
      if (!this.isFree(this.x - hw, this.y - hh, this.x + hw, this.y + hh)) continue;
      this.take(this.x - hw, this.y - hh, this.x + hw, this.y + hh);
      return side;
    }
    // The own name is there whatever lies under it.
    if (own) this.lay(0, read, x, y, r, hasBar);
    return own ? 0 : -1;
  }

  /** Puts `x` and `y` where a name lies on a side. */
  private lay(side: number, read: Lines, x: number, y: number, r: number, hasBar: boolean): void {
    const { width = 0, height = 0 } = read.nameStamp ?? {};
    const out = r + 4 + width / 2;
    this.x = side === 2 ? x + out : side === 3 ? x - out : x;
    const above = y - r - (hasBar ? 14 : 4) - height / 2;
    this.y = side === 0 ? above : side === 1 ? y + r + (read.labelStamp ? 18 : 3) + height / 2 : y;
  }

  private isFree(x0: number, y0: number, x1: number, y1: number): boolean {
    const t = this.taken;
    for (let i = 0; i < this.count * 4; i += 4) {
      if (y0 < (t[i + 3] ?? 0) && y1 > (t[i + 1] ?? 0) && x0 < (t[i + 2] ?? 0) && x1 > (t[i] ?? 0)) return false;
    }
    return true;
  }

  private take(x0: number, y0: number, x1: number, y1: number): void {
    if ((this.count + 1) * 4 > this.taken.length) {
      const more = new Float32Array(this.taken.length * 2);
      more.set(this.taken);
      this.taken = more;
    }
    const at = this.count++ * 4;
    this.taken[at] = x0;
    this.taken[at + 1] = y0;
    this.taken[at + 2] = x1;
    this.taken[at + 3] = y1;
  }
}

/** Whether any of a body's lines may be on the screen. */
function isSeen({ camera, width, height }: Picture, body: Body): boolean {
  const [x, y] = [camera.sx(body.x), camera.sy(body.y)];
  return x > -80 && y > -60 && x < width + 80 && y < height + 60;
}

function readLines({ names }: Picture, body: Body, own: boolean): Lines {
  let read = lines.get(body);
  if (!read) {
    read = { name: "", nameStamp: null, label: undefined, labelStamp: null, own, side: 0 };
    lines.set(body, read);
  }
  const name = body.seat === null || !body.info.player ? "" : (names.get(body.seat) ?? `Seat ${body.seat + 1}`);
  if (name !== read.name || own !== read.own) {
    [read.name, read.own] = [name, own];
    const colour = own || body.seat === null ? "#ffffff" : shade(seatColour(body.seat), 0.35);
    read.nameStamp = name ? textStamp(short(name), colour, LABEL, own ? 700 : 600) : null;
  }
  const value = body.info.label ? body.fields[body.info.label] : undefined;
  if (value !== read.label) {
    read.label = value;
    const type = body.info.fields.find((field) => field.name === body.info.label);
    const text = value === undefined || value === "" ? "" : short(shown(value, type, names));
    read.labelStamp = text ? textStamp(text, "#e8edf5", LABEL - 1, 600) : null;
  }
  return read;
}
