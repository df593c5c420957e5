// Shows effects by their look: a burst of sparks, a ring that widens, a beam ahead of the body that made it.
//
// With reduced motion asked for, each is one quiet ring that fades in place.

import type { Camera } from "./camera.ts";
import type { Body, Effect } from "./frame.ts";
import { alpha, readLook } from "./looks.ts";

interface Particle {
  shape: string;
  colour: string;
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

export class Particles {
  private all: Particle[] = [];
  private readonly quiet = matchMedia("(prefers-reduced-motion: reduce)");

  reset(): void {
    this.all = [];
  }

  add(effect: Effect, bodies: Body[]): void {
    const { shape, colour } = readLook(effect.look);
    const still = { colour, x: effect.x, y: effect.y, vx: 0, vy: 0, age: 0 };
    if (this.quiet.matches || shape === "ring") {
      this.all.push({ ...still, shape: "ring", size: 1.6, life: 0.5 });
    } else if (shape === "beam") {
      const maker = nearest(effect, bodies);
      const [vx, vy] = maker ? [Math.cos(maker.heading), Math.sin(maker.heading)] : [0, 0];
      this.all.push({ ...still, shape: "beam", vx, vy, size: BEAM, life: 0.14 });
      this.all.push({ ...still, shape: "flash", size: 0.45, life: 0.1 });
    } else {
      this.burst(still);
    }
    this.all.splice(0, Math.max(0, this.all.length - PARTICLES_MAX));
  }

  private burst(still: Omit<Particle, "shape" | "size" | "life">): void {
    this.all.push({ ...still, shape: "flash", size: 1.1, life: 0.16 });
    for (let i = 0; i < SPARKS; i++) {
      const angle = Math.random() * Math.PI * 2;
      const speed = 2 + Math.random() * 6;
      const [vx, vy] = [Math.cos(angle) * speed, Math.sin(angle) * speed];
      const size = 0.06 + Math.random() * 0.1;
      this.all.push({ ...still, shape: "spark", vx, vy, size, life: 0.25 + Math.random() * 0.3 });
    }
  }

  draw(c: CanvasRenderingContext2D, camera: Camera, dt: number): void {
    c.save();
    c.globalCompositeOperation = "lighter";
    for (const p of this.all) {
      p.age += dt;
      const left = 1 - p.age / p.life;
      if (left <= 0) continue;
      drawParticle(c, camera, p, left);
      if (p.shape !== "spark") continue;
      p.x += p.vx * dt;
      p.y += p.vy * dt;
      p.vx *= 1 - 3 * dt;
      p.vy *= 1 - 3 * dt;
    }
    c.restore();
    this.all = this.all.filter((p) => p.age < p.life);
  }
}

function drawParticle(c: CanvasRenderingContext2D, camera: Camera, p: Particle, left: number): void {
  const [x, y] = camera.screen(p.x, p.y);
  const size = p.size * camera.scale;
  c.beginPath();
  if (p.shape === "ring") {
    c.arc(x, y, size * (1.1 - left * 0.8), 0, Math.PI * 2);
    c.strokeStyle = alpha(p.colour, left);
    c.lineWidth = 1 + 4 * left;
    c.stroke();
  } else if (p.shape === "beam") {
    const [ex, ey] = [x + p.vx * size, y - p.vy * size];
    const ray = c.createLinearGradient(x, y, ex, ey);
    ray.addColorStop(0, alpha(p.colour, left));
    ray.addColorStop(1, alpha(p.colour, 0));
    c.moveTo(x, y);
    c.lineTo(ex, ey);
    c.strokeStyle = ray;
    c.lineCap = "round";
    c.lineWidth = Math.max(2, 0.22 * camera.scale * left);
    c.stroke();
  } else {
    c.arc(x, y, Math.max(size * (p.shape === "flash" ? 1.4 - left * 0.6 : 1), 1.2), 0, Math.PI * 2);
    c.fillStyle = alpha(p.colour, p.shape === "flash" ? left * 0.7 : left);
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
