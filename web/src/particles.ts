// Shows effects by their look: a burst of sparks, a ring that widens, a beam ahead of the body that made it, a spark, a
// puff, a flash, a line of text that rises.
//
// With reduced motion asked for, each is one quiet ring (or still text) that fades in place.

import type { Picture } from "./draw-hook.ts";
import type { Body, Effect } from "./frame.ts";
import { readLook } from "./looks.ts";
import { put, textStamp } from "./stamps.ts";
import { readable } from "./values.ts";

interface Particle {
  shape: string;
  colour: string;
  text: string;
  /** Metres, and metres a second. */
  x: number;
  y: number;
  vx: number;
  vy: number;
  size: number;
  age: number;
  life: number;
}

const PARTICLES_MAX = 600;
const SPARKS = 14;
/** Metres from an effect within which a body is taken to have made it. */
const MAKER = 1.6;
const BEAM = 4.5;
const TEXT_PX = 15;

export class Particles {
  /** The first `count` are alive; the others wait to be used again. */
  private readonly all: Particle[] = [];
  private count = 0;
  private readonly quiet = matchMedia("(prefers-reduced-motion: reduce)");

  reset(): void {
    this.count = 0;
  }

  add(effect: Effect, bodies: Body[]): void {
    const { shape, colour, text } = readLook(effect.look);
    const { x, y } = effect;
    const quiet = this.quiet.matches;
    if (shape === "text") {
      const words = text || readable(effect.name);
      this.make("text", colour, x, y, 0, quiet ? 0 : 1.1, 1, 1.1).text = words;
    } else if (quiet || shape === "ring") {
      this.make("ring", colour, x, y, 0, 0, 1.6, 0.5);
    } else if (shape === "beam") {
      const maker = nearest(effect, bodies);
      const [vx, vy] = maker ? [Math.cos(maker.heading), Math.sin(maker.heading)] : [0, 0];
      this.make("beam", colour, x, y, vx, vy, BEAM, 0.14);
      this.make("flash", colour, x, y, 0, 0, 0.45, 0.1);
    } else if (shape === "flash") {
      this.make("flash", colour, x, y, 0, 0, 1.6, 0.22);
    } else if (shape === "spark") {
      this.scatter("spark", colour, x, y, 5, 3.5, 0.3);
    } else if (shape === "puff" || shape === "smoke") {
      this.scatter("puff", colour, x, y, 8, 1.2, 0.9);
    } else {
      this.make("flash", colour, x, y, 0, 0, 1.1, 0.16);
      this.scatter("spark", colour, x, y, SPARKS, 8, 0.5);
    }
  }

  private scatter(
    shape: string,
    colour: string,
    x: number,
    y: number,
    count: number,
    speed: number,
    life: number,
  ): void {
    for (let i = 0; i < count; i++) {
      const angle = Math.random() * Math.PI * 2;
      const fast = speed * (0.25 + 0.75 * Math.random());
      const size = shape === "puff" ? 0.2 + Math.random() * 0.25 : 0.06 + Math.random() * 0.1;
      const [vx, vy] = [Math.cos(angle) * fast, Math.sin(angle) * fast];
      this.make(shape, colour, x, y, vx, vy, size, life * (0.5 + 0.5 * Math.random()));
    }
  }

  private make(
    shape: string,
    colour: string,
    x: number,
    y: number,
    vx: number,
    vy: number,
    size: number,
    life: number,
  ): Particle {
    // When there are too many, the newest takes the place of one that is there.
    const at = this.count < PARTICLES_MAX ? this.count++ : Math.floor(Math.random() * PARTICLES_MAX);
    const made = { shape, colour, text: "", x, y, vx, vy, size, age: 0, life };
    const kept = this.all[at];
    if (!kept) return (this.all[at] = made);
    return Object.assign(kept, made);
  }

  draw({ c, camera, dt }: Picture): void {
    c.globalCompositeOperation = "lighter";
    for (let i = this.count - 1; i >= 0; i--) {
      const p = this.all[i];
      if (!p) continue;
      p.age += dt;
      if (p.age >= p.life) {
        this.drop(i, p);
        continue;
      }
      drawParticle(c, camera.sx(p.x), camera.sy(p.y), camera.scale, p);
      if (p.shape === "beam") continue;
      const drag = p.shape === "text" ? 1 : Math.max(0, 1 - 3 * dt);
      p.x += p.vx * dt;
      p.y += p.vy * dt;
      p.vx *= drag;
      p.vy *= drag;
    }
    c.globalCompositeOperation = "source-over";
    c.globalAlpha = 1;
  }

  /** The last one alive takes the place of one that is over. */
  private drop(i: number, p: Particle): void {
    const last = this.all[--this.count];
    if (!last) return;
    this.all[i] = last;
    this.all[this.count] = p;
  }
}

function drawParticle(c: CanvasRenderingContext2D, x: number, y: number, scale: number, p: Particle): void {
  const left = 1 - p.age / p.life;
  const size = p.size * scale;
  if (p.shape === "text") {
    c.globalCompositeOperation = "source-over";
    c.globalAlpha = Math.min(1, left * 2);
    put(c, textStamp(p.text, p.colour, TEXT_PX, 750), x, y - TEXT_PX);
    c.globalCompositeOperation = "lighter";
    return;
  }
  c.globalAlpha = left;
  c.beginPath();
  if (p.shape === "ring") {
    c.arc(x, y, size * (1.1 - left * 0.8), 0, Math.PI * 2);
    c.strokeStyle = p.colour;
    c.lineWidth = 1 + 4 * left;
    c.stroke();
  } else if (p.shape === "beam") {
    c.moveTo(x, y);
    c.lineTo(x + p.vx * size, y - p.vy * size);
    c.strokeStyle = p.colour;
    c.lineCap = "round";
    c.lineWidth = Math.max(2, 0.22 * scale * left);
    c.stroke();
  } else {
    const grown = p.shape === "flash" ? 1.4 - left * 0.6 : p.shape === "puff" ? 1.6 - left * 0.8 : 1;
    c.globalAlpha = p.shape === "flash" ? left * 0.7 : p.shape === "puff" ? left * 0.35 : left;
    c.arc(x, y, Math.max(size * grown, 1.2), 0, Math.PI * 2);
    c.fillStyle = p.colour;
    c.fill();
  }
}

function nearest(effect: Effect, bodies: Body[]): Body | null {
  let best: Body | null = null;
  let reach = MAKER;
  for (const body of bodies) {
    const distance = Math.hypot(body.x - effect.x, body.y - effect.y);
    if (distance < reach) [best, reach] = [body, distance];
  }
  return best;
}
