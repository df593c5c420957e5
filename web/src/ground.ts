// Paints what does not move: the ground with its edge, and the obstacles. `layer.ts` keeps the picture.

import type { Camera } from "./camera.ts";
import { drawMeadow, drawTufts } from "./grass.ts";
import { alpha, mix, readLook } from "./looks.ts";
import type { MapInfo, ShapeInfo } from "./protocol.ts";

export type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** Metres between the lines of a grid. */
const GRID = 2;
/** Metres an obstacle seems to be high. */
const HEIGHT = 0.28;
/** Metres of shadow for each metre of height, on maps that have any; and between the outlines it is made of. */
const SHADOW = 0.3;
const SHADOW_STEP = 0.15;
/** What the ground's colour is mixed with for what stands on it: lighter, but no grey. */
const STONE = "#8ea9d6";
/** The light of a table, and that of the open. */
const LAMP = "rgb(140 180 255)";
const SUN = "rgb(200 230 160)";

export function drawGround(c: Context, camera: Camera, map: MapInfo): void {
  const { shape, colour } = readLook(map.ground);
  const [w, h] = map.size;
  const [left, top] = camera.screen(-w / 2, h / 2);
  const [right, bottom] = camera.screen(w / 2, -h / 2);
  c.save();
  c.shadowColor = "rgb(0 0 0 / 0.6)";
  c.shadowBlur = 40;
  c.fillStyle = colour;
  c.fillRect(left, top, right - left, bottom - top);
  c.restore();
  if (shape === "grass") drawMeadow(c, camera, map, colour);
  drawLight(c, [left, top], [right, bottom], shape === "grass" ? SUN : LAMP);
  if (shape === "grid") drawGrid(c, camera, map, colour);
  if (shape === "grass") drawTufts(c, camera, map, colour);
  // A light edge with a darker band inside: the end of the world is seen before it is felt.
  c.strokeStyle = alpha("#000", 0.25);
  c.lineWidth = camera.scale * 0.5;
  c.strokeRect(
    left + c.lineWidth / 2,
    top + c.lineWidth / 2,
    right - left - c.lineWidth,
    bottom - top - c.lineWidth,
  );
  c.strokeStyle = mix(colour, STONE, 0.6);
  c.lineWidth = 2;
  c.strokeRect(left - 1, top - 1, right - left + 2, bottom - top + 2);
}

/** A soft light over the middle. */
function drawLight(
  c: Context,
  from: [number, number],
  to: [number, number],
  tint: string,
): void {
  const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  const reach = Math.hypot(to[0] - from[0], to[1] - from[1]) / 2;
  const light = c.createRadialGradient(x, y, 0, x, y, reach);
  light.addColorStop(0, alpha(tint, 0.09));
  light.addColorStop(1, "rgb(0 0 0 / 0.22)");
  c.fillStyle = light;
  c.fillRect(from[0], from[1], to[0] - from[0], to[1] - from[1]);
}

function drawGrid(c: Context, camera: Camera, map: MapInfo, colour: string): void {
  const [w, h] = map.size;
  const lines = (every: number, strength: number): void => {
    c.strokeStyle = mix(colour, STONE, strength);
    c.lineWidth = 1;
    c.beginPath();
    for (let x = Math.ceil(-w / 2 / every) * every; x <= w / 2; x += every) line(x, -h / 2, x, h / 2);
    for (let y = Math.ceil(-h / 2 / every) * every; y <= h / 2; y += every) line(-w / 2, y, w / 2, y);
    c.stroke();
  };
  // On whole pixels, so that thin lines stay thin.
  const line = (x0: number, y0: number, x1: number, y1: number): void => {
    const [ax, ay] = camera.screen(x0, y0);
    const [bx, by] = camera.screen(x1, y1);
    c.moveTo(Math.round(ax) + 0.5, Math.round(ay) + 0.5);
    c.lineTo(Math.round(bx) + 0.5, Math.round(by) + 0.5);
  };
  lines(GRID, 0.11);
  lines(GRID * 5, 0.24);
}

/** Each obstacle is a block seen from above: a foot, a shadow, and a top that is lighter the higher it is. */
export function drawShapes(c: Context, camera: Camera, map: MapInfo): void {
  const { colour } = readLook(map.ground);
  const depth = map.size[2] ?? 0;
  // From below to above: what is high hides what is low.
  const shapes = depth ? [...map.shapes].sort((a, b) => topOf(a, depth) - topOf(b, depth)) : map.shapes;
  // No blur: a phone would pay for it at each obstacle.
  c.fillStyle = alpha("#000", 0.32);
  for (const shape of shapes) {
    const top = depth ? topOf(shape, depth) * SHADOW : HEIGHT;
    const bottom = "block" in shape ? Math.max(shape.block[2] - shape.block[5], 0) * SHADOW : 0;
    c.beginPath();
    // As one path, so that it is no darker where its parts lie over each other.
    const parts = Math.ceil((top - bottom) / SHADOW_STEP) + 1;
    for (let i = 0; i <= parts; i++) addPath(c, camera, shape, (bottom + ((top - bottom) * i) / parts) * camera.scale);
    c.fill();
  }
  for (const shape of shapes) {
    const high = depth ? Math.min(topOf(shape, depth) / depth, 1) : 0;
    c.beginPath();
    addPath(c, camera, shape, 0);
    c.fillStyle = mix(colour, STONE, 0.16);
    c.fill();
    c.beginPath();
    addPath(c, camera, shape, depth ? 0 : -HEIGHT * camera.scale);
    c.fillStyle = "sphere" in shape ? dome(c, camera, shape.sphere, colour) : mix(colour, STONE, 0.3 + 0.4 * high);
    c.fill();
    c.strokeStyle = mix(colour, STONE, 0.6 + 0.3 * high);
    c.lineWidth = 1.5;
    c.stroke();
  }
}

/** Metres that the top of an obstacle is up; without a height of its own it is a wall to the top of the map. */
function topOf(shape: ShapeInfo, depth: number): number {
  if ("block" in shape) return shape.block[2] + shape.block[5];
  return "sphere" in shape ? shape.sphere[2] + shape.sphere[3] : depth;
}

function dome(
  c: Context,
  camera: Camera,
  [mx, my, , radius]: [number, number, number, number],
  colour: string,
): CanvasGradient {
  const [x, y] = camera.screen(mx, my);
  const r = radius * camera.scale;
  const fill = c.createRadialGradient(x - r * 0.3, y - r * 0.35, r * 0.1, x, y, r * 1.05);
  fill.addColorStop(0, mix(colour, STONE, 0.8));
  fill.addColorStop(1, mix(colour, STONE, 0.25));
  return fill;
}

function addPath(c: Context, camera: Camera, shape: ShapeInfo, dy: number): void {
  if ("polygon" in shape) {
    shape.polygon.forEach(([x, y], i) => {
      if (i === 0) c.moveTo(camera.sx(x), camera.sy(y) + dy);
      else c.lineTo(camera.sx(x), camera.sy(y) + dy);
    });
    c.closePath();
    return;
  }
  const round = "disc" in shape ? shape.disc : null;
  const ball = "sphere" in shape ? shape.sphere : null;
  const radius = round?.[2] ?? ball?.[3];
  const [mx, my] = round ?? ball ?? ("box" in shape ? shape.box : "block" in shape ? shape.block : [0, 0]);
  const [x, y] = [camera.sx(mx), camera.sy(my) + dy];
  if (radius !== undefined) {
    c.moveTo(x + radius * camera.scale, y);
    c.arc(x, y, radius * camera.scale, 0, Math.PI * 2);
    return;
  }
  const [hw, hh] = "box" in shape ? [shape.box[2], shape.box[3]] : "block" in shape ? [shape.block[3], shape.block[4]] : [0, 0];
  const [w, h] = [hw * camera.scale, hh * camera.scale];
  c.roundRect(x - w, y - h, w * 2, h * 2, Math.min(6, w, h));
}
