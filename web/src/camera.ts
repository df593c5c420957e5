// Where the map lies on the screen: the whole of it where it fits at a readable size, else following the own
// body.
//
// Metres with y up become pixels with y down. Parts of the screen that thumbs and panels cover are kept
// clear.

/** Pixels a metre below which players could no longer be told apart. */
const READABLE = 15;
/** Pixels a metre when following. */
const FOLLOW = 23;
/** Metres of surroundings shown beyond the edge. */
const MARGIN = 1.2;
/** Share of the way that the view moves towards its target each second, as an exponent. */
const GLIDE = 7;

export interface Insets {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

export interface Follow {
  isPlaying: boolean;
  target: [number, number] | null;
  /** Seconds since the last frame. */
  dt: number;
}

export class Camera {
  scale = FOLLOW;
  private x = 0;
  private y = 0;
  private centre: [number, number] = [0, 0];
  private settled = false;

  /**
   * Points at the map in a view of `width` by `height` pixels. A player for whom it does not fit is followed; without
   * a body to follow (not yet, not at the moment) the view stays.
   */
  aim(width: number, height: number, clear: Insets, map: [number, number], follow: Follow): void {
    const free = {
      w: Math.max(width - clear.left - clear.right, 80),
      h: Math.max(height - clear.top - clear.bottom, 80),
    };
    this.centre = [clear.left + free.w / 2, clear.top + free.h / 2];
    const fit = Math.min(free.w / (map[0] + 2 * MARGIN), free.h / (map[1] + 2 * MARGIN));
    if (fit >= READABLE || !follow.isPlaying) {
      [this.scale, this.x, this.y, this.settled] = [fit, 0, 0, false];
      return;
    }
    this.scale = FOLLOW;
    if (!follow.target) return;
    const [x, y] = this.within(follow.target, free, map);
    const share = this.settled ? 1 - Math.exp(-GLIDE * follow.dt) : 1;
    this.x += (x - this.x) * share;
    this.y += (y - this.y) * share;
    this.settled = true;
  }

  /** As near to the target as shows no more than the margin beyond the edge; the middle where all fits. */
  private within(
    target: [number, number],
    free: { w: number; h: number },
    map: [number, number],
  ): [number, number] {
    const axis = (at: number, side: number, pixels: number): number => {
      const slack = side / 2 + MARGIN - pixels / 2 / this.scale;
      return slack <= 0 ? 0 : Math.min(Math.max(at, -slack), slack);
    };
    return [axis(target[0], map[0], free.w), axis(target[1], map[1], free.h)];
  }

  /** The place on the map that a pixel shows. */
  world(px: number, py: number): [number, number] {
    return [this.x + (px - this.centre[0]) / this.scale, this.y - (py - this.centre[1]) / this.scale];
  }

  screen(x: number, y: number): [number, number] {
    return [this.centre[0] + (x - this.x) * this.scale, this.centre[1] - (y - this.y) * this.scale];
  }
}
