// Draws what does not move: the ground with its edge, and the obstacles.

import type { Camera } from "./camera.ts";
import { drawMeadow, drawTufts } from "./grass.ts";
import { alpha, mix, readLook, shade } from "./looks.ts";
import type { MapInfo } from "./protocol.ts";

/** Metres between the lines of a grid. */
const GRID = 2;
/** Metres an obstacle seems to be high. */
const HEIGHT = 0.28;
/** What the ground's colour is mixed with for what stands on it: lighter, but no grey. */
const STONE = "#8ea9d6";
/** The light of a table, and that of the open. */
const LAMP = "rgb(140 180 255)";
const SUN = "rgb(200 230 160)";

export function drawGround(c: CanvasRenderingContext2D, camera: Camera, map: MapInfo): void {
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
  c: CanvasRenderingContext2D,
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

function drawGrid(c: CanvasRenderingContext2D, camera: Camera, map: MapInfo, colour: string): void {
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

/** Each obstacle is a block seen from above: a foot, a shadow, and a lighter top. */
export function drawShapes(c: CanvasRenderingContext2D, camera: Camera, map: MapInfo): void {
  const { colour } = readLook(map.ground);
  const lift = HEIGHT * camera.scale;
  const pass = (dy: number, fill: string, stroke: string | null): void => {
    c.fillStyle = fill;
    for (const shape of map.shapes) {
      path(c, camera, shape, dy);
      c.fill();
      if (!stroke) continue;
      c.strokeStyle = stroke;
      c.lineWidth = 1.5;
      c.stroke();
    }
  };
  c.save();
  c.shadowColor = "rgb(0 0 0 / 0.45)";
  c.shadowBlur = lift;
  c.shadowOffsetY = lift * 0.6;
  pass(0, shade(colour, -0.25), null);
  c.restore();
  pass(0, mix(colour, STONE, 0.16), null);
  pass(-lift, mix(colour, STONE, 0.34), mix(colour, STONE, 0.62));
}

function path(
  c: CanvasRenderingContext2D,
  camera: Camera,
  shape: MapInfo["shapes"][number],
  dy: number,
): void {
  c.beginPath();
  if ("disc" in shape) {
    const [x, y] = camera.screen(shape.disc[0], shape.disc[1]);
    c.arc(x, y + dy, shape.disc[2] * camera.scale, 0, Math.PI * 2);
    return;
  }
  const [x, y] = camera.screen(shape.box[0], shape.box[1]);
  const [w, h] = [shape.box[2] * camera.scale, shape.box[3] * camera.scale];
  c.roundRect(x - w, y - h + dy, w * 2, h * 2, Math.min(6, w, h));
}
