// The picture of what does not move, painted once: the whole map where that is not too much, else the part around the
// view, which is painted anew when the view comes to its edge.

import { Camera } from "./camera.ts";
import { drawGround, drawShapes } from "./ground.ts";
import type { MapInfo } from "./protocol.ts";
import { pixelRatio } from "./stamps.ts";

/** Pixels that the picture of a whole map may have. */
const WHOLE_MAX = 6e6;
/** Metres around the map that are painted too: its shadow and edge. */
const EDGE = 3;
/** Share of the view's sides painted beyond it, where the whole map is too much. */
const BEYOND = 0.3;

export class Layer {
  private picture: OffscreenCanvas | null = null;
  private map: MapInfo | null = null;
  private scale = 0;
  private ratio = 0;
  /** What the picture shows, metres: left, top, width, height. */
  private x = 0;
  private y = 0;
  private w = 0;
  private h = 0;

  draw(c: CanvasRenderingContext2D, camera: Camera, map: MapInfo, width: number, height: number): void {
    const ratio = pixelRatio();
    const isKept = this.map === map && this.scale === camera.scale && this.ratio === ratio;
    if (!isKept || !this.covers(camera, width, height)) {
      [this.map, this.scale, this.ratio] = [map, camera.scale, ratio];
      this.paint(camera, map, width, height);
    }
    if (!this.picture) return;
    // On whole device pixels: a picture between them would shimmer.
    const left = Math.round(camera.sx(this.x) * ratio) / ratio;
    const top = Math.round(camera.sy(this.y) * ratio) / ratio;
    c.drawImage(this.picture, left, top, this.picture.width / ratio, this.picture.height / ratio);
  }

  /** Whether all of the map that is in view is painted. */
  private covers(camera: Camera, width: number, height: number): boolean {
    const [left, top, right, bottom] = inView(camera, this.map, width, height);
    return (
      left >= this.x - 1e-6 && top <= this.y + 1e-6 && right <= this.x + this.w + 1e-6 && bottom >= this.y - this.h - 1e-6
    ); // prettier-ignore
  }

  private paint(camera: Camera, map: MapInfo, width: number, height: number): void {
    const [w, h] = [map.size[0] + 2 * EDGE, map.size[1] + 2 * EDGE];
    const isWhole = w * h * (camera.scale * this.ratio) ** 2 <= WHOLE_MAX;
    const [left, top, right, bottom] = isWhole
      ? [-w / 2, h / 2, w / 2, -h / 2]
      : inView(camera, map, width, height, BEYOND);
    [this.x, this.y, this.w, this.h] = [left, top, right - left, top - bottom];
    const pixels = (metres: number): number => Math.max(1, Math.ceil(metres * camera.scale * this.ratio));
    this.picture = new OffscreenCanvas(pixels(this.w), pixels(this.h));
    const c = this.picture.getContext("2d");
    if (!c) return;
    c.scale(this.ratio, this.ratio);
    const own = new Camera();
    [own.scale, own.x, own.y, own.cx, own.cy] = [camera.scale, left, top, 0, 0];
    drawGround(c, own, map);
    drawShapes(c, own, map);
  }
}

/** The part of the map in view, and `beyond` of the view's sides around it: left, top, right, bottom in metres. */
function inView(
  camera: Camera,
  map: MapInfo | null,
  width: number,
  height: number,
  beyond = 0,
): [number, number, number, number] {
  const [mw, mh] = map?.size ?? [0, 0];
  const clamp = (at: number, side: number): number => Math.min(Math.max(at, -side / 2 - EDGE), side / 2 + EDGE);
  const [left, top] = camera.world(-width * beyond, -height * beyond);
  const [right, bottom] = camera.world(width * (1 + beyond), height * (1 + beyond));
  return [clamp(left, mw), clamp(top, mh), clamp(right, mw), clamp(bottom, mh)];
}
