// Draws a frame on the canvas. It knows no game: everything comes from what the welcome declares.

import { Bodies, barLevel } from "./bodies.ts";
import { Camera, type Insets } from "./camera.ts";
import type { Body, Frame } from "./frame.ts";
import { drawGround, drawShapes } from "./ground.ts";
import { Particles } from "./particles.ts";
import type { Welcome } from "./protocol.ts";

/** Seconds that the red rim shows after the own bar fell. */
const HURT = 0.45;
/** Device pixels a CSS pixel beyond which sharpness is not seen but paid for. */
const RATIO_MAX = 2.5;

export class Painter {
  readonly camera = new Camera();
  private readonly context: CanvasRenderingContext2D;
  private readonly bodies = new Bodies();
  private readonly particles = new Particles();
  private width = 0;
  private height = 0;
  private level = 1;
  private hurt = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser has no canvas");
    this.context = context;
    this.resize();
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  /** Another welcome: what was remembered of bodies belongs to what was before. */
  reset(): void {
    this.bodies.reset();
    this.particles.reset();
  }

  private resize(): void {
    const ratio = Math.min(window.devicePixelRatio || 1, RATIO_MAX);
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  draw(frame: Frame, welcome: Welcome, names: Map<number, string>, clear: Insets, dt: number): void {
    const c = this.context;
    const own = ownBody(frame);
    const follow = { isPlaying: frame.seat !== null, target: own && at(own), dt };
    this.camera.aim(this.width, this.height, clear, welcome.map.size, follow);
    this.clear();
    drawGround(c, this.camera, welcome.map);
    drawShapes(c, this.camera, welcome.map);
    for (const effect of frame.effects) this.particles.add(effect, frame.bodies);
    this.bodies.draw(c, this.camera, frame, names, dt);
    this.particles.draw(c, this.camera, dt);
    this.drawHurt(c, own, dt);
  }

  /** What lies beyond the edge; all there is before the first welcome. */
  clear(): void {
    const [x, y] = [this.width / 2, this.height / 2];
    const dark = this.context.createRadialGradient(x, y, 0, x, y, Math.hypot(x, y));
    dark.addColorStop(0, "#121a29");
    dark.addColorStop(1, "#06080d");
    this.context.fillStyle = dark;
    this.context.fillRect(0, 0, this.width, this.height);
  }

  /** A red rim when the own bar falls: felt without looking at it. */
  private drawHurt(c: CanvasRenderingContext2D, own: Body | null, dt: number): void {
    const level = (own && barLevel(own)) ?? 1;
    this.hurt = level < this.level ? HURT : Math.max(0, this.hurt - dt);
    this.level = level;
    if (this.hurt === 0) return;
    const reach = Math.hypot(this.width, this.height) / 2;
    const [x, y] = [this.width / 2, this.height / 2];
    const rim = c.createRadialGradient(x, y, reach * 0.6, x, y, reach);
    rim.addColorStop(0, "rgb(255 60 70 / 0)");
    rim.addColorStop(1, `rgb(255 60 70 / ${(0.28 * this.hurt) / HURT})`);
    c.fillStyle = rim;
    c.fillRect(0, 0, this.width, this.height);
  }
}

const at = (body: Body): [number, number] => [body.x, body.y];

export function ownBody(frame: Frame): Body | null {
  return frame.seat === null ? null : (frame.bodies.find((body) => body.seat === frame.seat) ?? null);
}
