// Draws a meadow: patches of lighter and darker ground, and tufts. What grows where follows from the place alone, so that
// it stands still under a camera that moves.
//
// The patches are soft, so they are painted once, small, and drawn stretched: one picture a frame, whatever the phone.

import type { Camera } from "./camera.ts";
import type { Context } from "./ground.ts";
import { alpha, mix } from "./looks.ts";
import type { MapInfo } from "./protocol.ts";

/** Metres between tufts, and between patches. */
const TUFT = 1.7;
const PATCH = 7;
/** Pixels of the painted patches a metre, and at most along a side. */
const FINE = 4;
const PAINTED_MAX = 512;
/** Metres of a side beyond which a map has no patches: there would be too many to paint. */
const SIDE_MAX = 600;
/** Pixels a metre below which tufts would be noise. */
const SCALE_MIN = 9;
const LEAF = "#8fd694";

/** A number from 0 to 1 that belongs to a place. */
function at(x: number, y: number, salt: number): number {
  let h = Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1) ^ Math.imul(salt, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  return ((h ^ (h >>> 13)) >>> 0) / 2 ** 32;
}

/** By map: each welcome brings its own. */
const painted = new WeakMap<MapInfo, OffscreenCanvas>();

/** The ground itself, over a plain one of its colour. */
export function drawMeadow(c: Context, camera: Camera, map: MapInfo, colour: string): void {
  const [w, h] = map.size;
  if (Math.max(w, h) > SIDE_MAX) return;
  const known = painted.get(map);
  const picture = known ?? paintPatches(map, colour);
  if (!known) painted.set(map, picture);
  const [left, top] = camera.screen(-w / 2, h / 2);
  c.drawImage(picture, left, top, w * camera.scale, h * camera.scale);
}

function paintPatches(map: MapInfo, colour: string): OffscreenCanvas {
  const [w, h] = map.size;
  const scale = Math.min(FINE, PAINTED_MAX / Math.max(w, h));
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(w * scale)), Math.max(1, Math.round(h * scale)));
  const c = canvas.getContext("2d", { alpha: false });
  if (!c) return canvas;
  c.fillStyle = colour;
  c.fillRect(0, 0, canvas.width, canvas.height);
  const [light, dark] = [mix(colour, LEAF, 0.4), mix(colour, "#000", 0.6)];
  const [columns, rows] = [Math.ceil(w / PATCH) + 1, Math.ceil(h / PATCH) + 1];
  for (let i = -1; i <= columns; i++) {
    for (let j = -1; j <= rows; j++) {
      const [x, y] = [(i + at(i, j, 1)) * PATCH * scale, (j + at(i, j, 2)) * PATCH * scale];
      const r = (0.6 + 0.6 * at(i, j, 3)) * PATCH * scale;
      const tone = at(i, j, 4) < 0.5 ? light : dark;
      const fill = c.createRadialGradient(x, y, 0, x, y, r);
      fill.addColorStop(0, alpha(tone, 0.3));
      fill.addColorStop(1, alpha(tone, 0));
      c.fillStyle = fill;
      c.fillRect(x - r, y - r, r * 2, r * 2);
    }
  }
  return canvas;
}

/** What stands on it, as far as the screen shows: three blades a tuft, all in one stroke. */
export function drawTufts(c: Context, camera: Camera, map: MapInfo, colour: string): void {
  if (camera.scale < SCALE_MIN) return;
  const ratio = c.getTransform().a || 1;
  const [x0, y1] = camera.world(0, 0);
  const [x1, y0] = camera.world(c.canvas.width / ratio, c.canvas.height / ratio);
  // A blade's length inside the edge.
  const [hw, hh] = [map.size[0] / 2 - 0.4, map.size[1] / 2 - 0.4];
  const first = (low: number, half: number): number => Math.floor(Math.max(low, -half) / TUFT) - 1;
  const last = (high: number, half: number): number => Math.ceil(Math.min(high, half) / TUFT);
  c.beginPath();
  for (let i = first(x0, hw); i <= last(x1, hw); i++) {
    for (let j = first(y0, hh); j <= last(y1, hh); j++) {
      const [mx, my] = [(i + at(i, j, 7)) * TUFT, (j + at(i, j, 8)) * TUFT];
      if (at(i, j, 6) < 0.35 || Math.abs(mx) > hw || Math.abs(my) > hh) continue;
      const [x, y] = camera.screen(mx, my);
      const blade = (0.16 + 0.16 * at(i, j, 9)) * camera.scale;
      for (const lean of [-0.55, 0, 0.55]) {
        c.moveTo(x + lean * blade * 0.3, y);
        c.lineTo(x + lean * blade, y - blade * (1 - 0.4 * Math.abs(lean)));
      }
    }
  }
  c.strokeStyle = alpha(mix(colour, LEAF, 0.5), 0.5);
  c.lineWidth = Math.max(1, camera.scale * 0.05);
  c.lineCap = "round";
  c.stroke();
}
