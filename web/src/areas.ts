// Draws areas: see-through discs in the colour of the effect of the same name, with a ring that runs out with their time.

import type { Picture } from "./draw-hook.ts";
import { readLook } from "./looks.ts";
import type { AreaRow } from "./protocol.ts";

/** An area whose name the welcome does not declare. */
const PLAIN = "disc #94a3b8";
/** How thick it looks, where its shape says so. */
const FILLS: Record<string, number> = { ring: 0.06, smoke: 0.5, puff: 0.5 };
/** Seconds in which a new area grows to its size. */
const GROW = 0.2;

export class Areas {
  /** By id: ticks it had left when it was first seen, and for how many seconds it has been. */
  private readonly seen = new Map<number, { ticks: number; age: number }>();

  reset(): void {
    this.seen.clear();
  }

  /** To be called once a frame. */
  pass(p: Picture, rows: AreaRow[]): void {
    for (const id of this.seen.keys()) if (!rows.some((row) => row[0] === id)) this.seen.delete(id);
    for (const [id, , , , , endsAt] of rows) {
      const known = this.seen.get(id);
      if (known) known.age += p.dt;
      else this.seen.set(id, { ticks: (endsAt ?? 0) - p.frame.tick, age: 0 });
    }
  }

  /** None of those that are over at the tick drawn: the room's word of it may still be on its way. */
  draw(p: Picture, [id, name, mx, my, radius, endsAt]: AreaRow): void {
    const { c, camera, welcome, frame } = p;
    const seen = this.seen.get(id);
    const left = endsAt === null || !seen ? 1 : (endsAt - frame.tick) / Math.max(seen.ticks, 1);
    if (left <= 0) return;
    const { shape, colour } = readLook(welcome.fx.find((effect) => effect.name === name)?.look ?? PLAIN);
    const [x, y] = [camera.sx(mx), camera.sy(my)];
    const r = radius * camera.scale * Math.min(1, 0.6 + (0.4 * (seen?.age ?? GROW)) / GROW);
    c.beginPath();
    c.arc(x, y, r, 0, Math.PI * 2);
    c.fillStyle = c.strokeStyle = colour;
    c.globalAlpha = FILLS[shape] ?? 0.2;
    c.fill();
    c.globalAlpha = 0.4;
    c.lineWidth = 1.5;
    c.stroke();
    if (endsAt !== null) {
      c.beginPath();
      c.arc(x, y, Math.max(r - 4, 2), -Math.PI / 2, -Math.PI / 2 + Math.min(left, 1) * Math.PI * 2);
      c.globalAlpha = 0.95;
      c.lineWidth = 3.5;
      c.lineCap = "round";
      c.stroke();
    }
    c.globalAlpha = 1;
  }
}
