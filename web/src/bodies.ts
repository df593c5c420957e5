// Draws bodies by the look their kind declares, with own mark, heading, height, and a flash when the bar falls.

import type { Picture } from "./draw-hook.ts";
import type { Body } from "./frame.ts";
import { readLook, seatColour } from "./looks.ts";
import type { Welcome } from "./protocol.ts";
import { outline, pointer } from "./shapes.ts";
import { sprite } from "./sprites.ts";
import { bodyStamp, noseStamp, type Paint, put, type Stamp } from "./stamps.ts";
import { level } from "./values.ts";

/** Seconds of the white flash of a body that was hurt. */
const FLASH = 0.16;
/** Pixels of the smallest body. */
const RADIUS_MIN = 4;
/** How much bigger a body is at the top of a map with height, and how many of its metres up are a metre of shadow. */
const GROWTH = 0.6;
const SHADOW = 0.45;

/** What is remembered of a body between frames. */
interface Mark {
  level: number;
  flash: number;
  paint: Paint;
  stamp: Stamp | null;
}

const marks = new WeakMap<Body, Mark>();

export const isOwn = (body: Body, seat: number | null): boolean => body.seat !== null && body.seat === seat;

/** How full a body's bar is, 0 to 1; none if its kind has no bar. */
export function barLevel(body: Body): number | null {
  const { bar, fields } = body.info;
  if (!bar) return null;
  for (const field of fields) if (field.name === bar) return level(body.fields[bar], field);
  return null;
}

/** Whether it says something where a body of this kind heads. */
export function hasHeading(body: Body, welcome: Welcome): boolean {
  const { player, turn, speed } = body.info;
  if (!player) return (turn ?? 0) > 0 || (speed ?? 0) > 0;
  for (const input of welcome.inputs) if (input.how === "aim" || input.how === "stick") return true;
  return false;
}

/** Pixels of a body's radius as it is drawn: what is higher is nearer. */
export function radiusOf(body: Body, { camera, welcome }: Picture): number {
  const depth = welcome.map.size[2];
  const growth = depth ? 1 + GROWTH * Math.min(Math.max(body.z / depth, 0), 1) : 1;
  return Math.max(body.info.radius * camera.scale * growth, RADIUS_MIN);
}

export function drawBody(p: Picture, body: Body): void {
  const { c, camera } = p;
  const [x, y] = [camera.sx(body.x), camera.sy(body.y)];
  const r = radiusOf(body, p);
  const mark = remember(p, body, Math.round(r * 2) / 2);
  const { own, down } = mark.paint;
  if (own && !down) drawOwnMark(c, x, y, r);
  if (!down) drawShadow(p, body, x, y, r);
  c.globalAlpha = down ? 0.45 : 1;
  drawTurned(p, body, mark, x, y);
  if (mark.flash > 0) {
    c.globalAlpha = mark.flash / FLASH;
    c.fillStyle = "#ffffff";
    c.translate(x, y);
    outline(c, readLook(body.info.look).shape, r);
    c.fill();
    c.translate(-x, -y);
  }
  c.globalAlpha = 1;
}

function remember({ frame, dt }: Picture, body: Body, r: number): Mark {
  const now = barLevel(body) ?? 1;
  let mark = marks.get(body);
  if (!mark) {
    const paint = { look: body.info.look, colour: "", r: 0, own: false, down: false };
    mark = { level: now, flash: 0, paint, stamp: null };
    marks.set(body, mark);
  }
  mark.flash = now < mark.level ? FLASH : Math.max(0, mark.flash - dt);
  mark.level = now;
  const { paint } = mark;
  const colour = body.seat === null ? readLook(paint.look).colour : seatColour(body.seat);
  const [own, down] = [isOwn(body, frame.seat), now === 0];
  if (paint.r !== r || paint.colour !== colour || paint.own !== own || paint.down !== down) {
    [paint.r, paint.colour, paint.own, paint.down, mark.stamp] = [r, colour, own, down, null];
  }
  return mark;
}

/** The body itself, turned if its shape points somewhere, else with a nose under it. */
function drawTurned(p: Picture, body: Body, { paint, stamp }: Mark, x: number, y: number): void {
  const { c, welcome } = p;
  const { shape, text } = readLook(paint.look);
  const points = hasHeading(body, welcome) ? pointer(shape) : null;
  const image = shape === "sprite" ? sprite(welcome.game, text) : null;
  const mark = marks.get(body);
  const picture = image ? null : (stamp ?? bodyStamp(paint));
  if (mark && picture) mark.stamp = picture;
  const hasNose = !points && !paint.down && hasHeading(body, welcome);
  if (!points && !hasNose) {
    if (picture) put(c, picture, x, y);
    else if (image) drawSprite(c, image, x, y, paint.r);
    return;
  }
  c.translate(x, y);
  c.rotate(-body.heading);
  if (hasNose) put(c, noseStamp(paint.colour, paint.r), 0, 0);
  if (!points) c.rotate(body.heading);
  else c.rotate(points.turn);
  if (picture) put(c, picture, 0, 0);
  else if (image) drawSprite(c, image, 0, 0, paint.r);
  if (points) c.rotate(body.heading - points.turn);
  c.translate(-x, -y);
}

function drawSprite(c: CanvasRenderingContext2D, image: HTMLImageElement, x: number, y: number, r: number): void {
  const { naturalWidth: w, naturalHeight: h } = image;
  const scale = (r * 2) / Math.max(w, h);
  c.drawImage(image, x - (w * scale) / 2, y - (h * scale) / 2, w * scale, h * scale);
}

const glow = new Map<number, CanvasGradient>();

function drawOwnMark(c: CanvasRenderingContext2D, x: number, y: number, r: number): void {
  c.translate(x, y);
  c.beginPath();
  c.arc(0, 0, r + 6, 0, Math.PI * 2);
  c.strokeStyle = "rgb(255 255 255 / 0.55)";
  c.lineWidth = 1.5;
  c.setLineDash([5, 4]);
  c.stroke();
  c.setLineDash([]);
  const whole = Math.round(r);
  let fill = glow.get(whole);
  if (!fill) {
    fill = c.createRadialGradient(0, 0, whole, 0, 0, whole + 22);
    fill.addColorStop(0, "rgb(255 255 255 / 0.16)");
    fill.addColorStop(1, "rgb(255 255 255 / 0)");
    glow.set(whole, fill);
  }
  c.fillStyle = fill;
  c.beginPath();
  c.arc(0, 0, r + 22, 0, Math.PI * 2);
  c.fill();
  c.translate(-x, -y);
}

/** The shadow falls away from a body that is up in the air. */
function drawShadow({ c, camera }: Picture, body: Body, x: number, y: number, r: number): void {
  const away = Math.max(body.z, 0) * camera.scale * SHADOW;
  c.fillStyle = away > 0 ? "rgb(0 0 0 / 0.28)" : "rgb(0 0 0 / 0.35)";
  c.beginPath();
  c.ellipse(x + away * 0.6, y + r * 0.35 + away, r * 1.05, r * 0.95, 0, 0, Math.PI * 2);
  c.fill();
}
