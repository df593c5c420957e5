// Draws a meadow: patches of lighter and darker ground, and tufts. What grows where follows from the place alone, so that
// it stands still under a camera that moves.

import type { Camera } from "./camera.ts";
import { alpha, mix } from "./looks.ts";
import type { MapInfo } from "./protocol.ts";

/** Metres between tufts, and between patches. */
const TUFT = 1.7;
const PATCH = 7;
/** Pixels a metre below which tufts would be noise. */
const SCALE_MIN = 9;
const LEAF = "#8fd694";

/** A number from 0 to 1 that belongs to a place. */
function at(x: number, y: number, salt: number): number {
  let h = Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1) ^ Math.imul(salt, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  return ((h ^ (h >>> 13)) >>> 0) / 2 ** 32;
}

export function drawGrass(c: CanvasRenderingContext2D, camera: Camera, map: MapInfo, colour: string): void {
  const [w, h] = map.size;
  const [left, top] = camera.screen(-w / 2, h / 2);
  c.save();
  c.beginPath();
  c.rect(left, top, w * camera.scale, h * camera.scale);
  c.clip();
  drawPatches(c, camera, map, colour);
  if (camera.scale >= SCALE_MIN) drawTufts(c, camera, map, colour);
  c.restore();
}

/** Calls with every cell of a lattice that lies on the map and on the screen. */
function cells(
  c: CanvasRenderingContext2D,
  camera: Camera,
  map: MapInfo,
  size: number,
  draw: (i: number, j: number) => void,
): void {
  const ratio = c.getTransform().a || 1;
  const [x0, y1] = camera.world(0, 0);
  const [x1, y0] = camera.world(c.canvas.width / ratio, c.canvas.height / ratio);
  const [hw, hh] = [map.size[0] / 2, map.size[1] / 2];
  const first = (low: number, half: number): number => Math.floor(Math.max(low, -half) / size) - 1;
  const last = (high: number, half: number): number => Math.ceil(Math.min(high, half) / size) + 1;
  for (let i = first(x0, hw); i <= last(x1, hw); i++) {
    for (let j = first(y0, hh); j <= last(y1, hh); j++) draw(i, j);
  }
}

function drawPatches(c: CanvasRenderingContext2D, camera: Camera, map: MapInfo, colour: string): void {
  const [light, dark] = [mix(colour, LEAF, 0.4), mix(colour, "#000", 0.6)];
  cells(c, camera, map, PATCH, (i, j) => {
    const [x, y] = camera.screen((i + at(i, j, 1)) * PATCH, (j + at(i, j, 2)) * PATCH);
    const r = (0.6 + 0.6 * at(i, j, 3)) * PATCH * camera.scale;
    const tone = at(i, j, 4) < 0.5 ? light : dark;
    const fill = c.createRadialGradient(x, y, 0, x, y, r);
    fill.addColorStop(0, alpha(tone, 0.3));
    fill.addColorStop(1, alpha(tone, 0));
    c.fillStyle = fill;
    c.fillRect(x - r, y - r, r * 2, r * 2);
  });
}

/** Three blades each, all in one stroke. */
function drawTufts(c: CanvasRenderingContext2D, camera: Camera, map: MapInfo, colour: string): void {
  c.beginPath();
  cells(c, camera, map, TUFT, (i, j) => {
    if (at(i, j, 6) < 0.35) return;
    const [x, y] = camera.screen((i + at(i, j, 7)) * TUFT, (j + at(i, j, 8)) * TUFT);
    const blade = (0.16 + 0.16 * at(i, j, 9)) * camera.scale;
    for (const lean of [-0.55, 0, 0.55]) {
      c.moveTo(x + lean * blade * 0.3, y);
      c.lineTo(x + lean * blade, y - blade * (1 - 0.4 * Math.abs(lean)));
    }
  });
  c.strokeStyle = alpha(mix(colour, LEAF, 0.5), 0.5);
  c.lineWidth = Math.max(1, camera.scale * 0.05);
  c.lineCap = "round";
  c.stroke();
}
