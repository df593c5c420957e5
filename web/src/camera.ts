// Where the map lies on the screen, as the game's camera says: the whole of it, the own body in the middle, or a fixed
// part.
//
// Metres with y up become pixels with y down. Parts of the screen that thumbs and panels cover are kept clear. A whole map
// on which players would be too small to tell apart (a phone) follows the own body instead.

import type { CameraInfo, MapInfo } from "./protocol.ts";

/** Pixels of a player's radius below which a whole map is not shown. */
const READABLE = 8;
/** Pixels of a player's radius when following in its place. */
const FOLLOW = 13;
/** Metres of surroundings shown beyond the edge. */
const MARGIN = 1.2;
/** How fast the view moves towards its target: the share left after a second is e to the minus this. */
const GLIDE = 7;
/** Metres from the target beyond which the view jumps: the body was put elsewhere. */
const JUMP = 25;

export interface Insets {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

/** What a camera is pointed by. */
export interface View {
  width: number;
  height: number;
  clear: Insets;
  map: MapInfo;
  how: CameraInfo;
  /** Metres of the smallest player's radius. */
  radius: number;
  isPlaying: boolean;
  target: { x: number; y: number } | null;
  /** Seconds since the last frame. */
  dt: number;
}

export class Camera {
  /** Pixels a metre. */
  scale = 20;
  x = 0;
  y = 0;
  /** The pixel that shows the place looked at. */
  cx = 0;
  cy = 0;
  private settled = false;
  private readonly quiet = matchMedia("(prefers-reduced-motion: reduce)");

  /** Without a body to follow (not yet, not at the moment) the view stays. */
  aim(view: View): void {
    const { clear, how, map } = view;
    const w = Math.max(view.width - clear.left - clear.right, 80);
    const h = Math.max(view.height - clear.top - clear.bottom, 80);
    this.cx = clear.left + w / 2;
    this.cy = clear.top + h / 2;
    if (how.how === "fixed") {
      this.still(how.at[0], how.at[1], Math.min(w, h) / Math.max(how.metres, 0.1));
      return;
    }
    const fit = Math.min(w / (map.size[0] + 2 * MARGIN), h / (map.size[1] + 2 * MARGIN));
    const isReadable = fit * view.radius >= READABLE;
    if (!view.isPlaying || (how.how === "whole" && isReadable)) {
      this.still(0, 0, fit);
      return;
    }
    // Of the screen, whatever lies over it: a body is as big with a hand of cards below as without.
    const shorter = Math.min(view.width, view.height);
    const asked = how.how === "follow" ? shorter / Math.max(how.metres, 0.1) : FOLLOW / view.radius;
    this.scale = Math.max(asked, fit);
    if (view.target) this.follow(view.target, w, h, view);
  }

  private still(x: number, y: number, scale: number): void {
    this.x = x;
    this.y = y;
    this.scale = scale;
    this.settled = false;
  }

  private follow(target: { x: number; y: number }, w: number, h: number, { map, dt }: View): void {
    const x = this.within(target.x, map.size[0], w);
    const y = this.within(target.y, map.size[1], h);
    const isFar = Math.abs(x - this.x) + Math.abs(y - this.y) > JUMP;
    const share = this.settled && !isFar && !this.quiet.matches ? 1 - Math.exp(-GLIDE * dt) : 1;
    this.x += (x - this.x) * share;
    this.y += (y - this.y) * share;
    this.settled = true;
  }

  /** As near to a place as shows no more than the margin beyond the edge; the middle where all fits. */
  private within(at: number, side: number, pixels: number): number {
    const slack = side / 2 + MARGIN - pixels / 2 / this.scale;
    return slack <= 0 ? 0 : Math.min(Math.max(at, -slack), slack);
  }

  sx(x: number): number {
    return this.cx + (x - this.x) * this.scale;
  }

  sy(y: number): number {
    return this.cy - (y - this.y) * this.scale;
  }

  screen(x: number, y: number): [number, number] {
    return [this.sx(x), this.sy(y)];
  }

  /** The place on the map that a pixel shows. */
  world(px: number, py: number): [number, number] {
    return [this.x + (px - this.cx) / this.scale, this.y - (py - this.cy) / this.scale];
  }
}
