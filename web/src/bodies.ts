// Draws bodies by the look their kind declares, with bar, label, own mark, and a flash when the bar falls.

import type { Camera } from "./camera.ts";
import type { Body, Frame } from "./frame.ts";
import { readLook, seatColour, shade } from "./looks.ts";

/** Seconds of the white flash of a body that was hurt. */
const FLASH = 0.16;
const LABEL = 13;

/** What is remembered of a body between frames, to see its bar fall. */
interface Past {
  level: number;
  flash: number;
  seen: number;
}

export class Bodies {
  private past = new Map<number, Past>();
  private frames = 0;

  /** Forgets all: another room or epoch begins. */
  reset(): void {
    this.past.clear();
  }

  draw(
    c: CanvasRenderingContext2D,
    camera: Camera,
    frame: Frame,
    names: Map<number, string>,
    dt: number,
  ): void {
    this.frames += 1;
    // Own body last, so that nobody hides it; then all that is written, so that no body hides a name.
    const mine = (body: Body): boolean => body.seat !== null && body.seat === frame.seat;
    const order = [...frame.bodies].sort((a, b) => Number(mine(a)) - Number(mine(b)));
    for (const body of order) this.drawBody(c, camera, body, mine(body), dt);
    for (const body of order) drawLabel(c, camera, body, mine(body), names);
    for (const [id, past] of this.past) if (past.seen !== this.frames) this.past.delete(id);
  }

  private drawBody(c: CanvasRenderingContext2D, camera: Camera, body: Body, own: boolean, dt: number): void {
    const past = this.remember(body, dt);
    const { shape, colour: plain } = readLook(body.info.look);
    const colour = body.seat === null ? plain : seatColour(body.seat);
    const [x, y] = camera.screen(body.x, body.y);
    const r = Math.max(body.info.radius * camera.scale, 4);
    const isDown = past.level === 0;
    c.save();
    c.translate(x, y);
    if (own && !isDown) drawOwnMark(c, r);
    c.globalAlpha = isDown ? 0.45 : 1;
    if (!isDown) drawShadow(c, r);
    if (body.info.player && !isDown) drawNose(c, r, -body.heading, colour);
    outline(c, shape, r);
    const fill = c.createRadialGradient(-r * 0.35, -r * 0.4, r * 0.1, 0, 0, r * 1.1);
    fill.addColorStop(0, shade(colour, 0.32));
    fill.addColorStop(0.6, colour);
    fill.addColorStop(1, shade(colour, -0.25));
    c.fillStyle = isDown ? shade(colour, -0.5) : fill;
    c.fill();
    // A fallen one keeps its colour in the rim, to be told from the ground and from the others.
    c.strokeStyle = own ? "#ffffff" : isDown ? colour : shade(colour, -0.5);
    c.lineWidth = own ? 2.5 : 1.5;
    c.stroke();
    if (past.flash > 0) {
      c.globalAlpha = past.flash / FLASH;
      c.fillStyle = "#ffffff";
      c.fill();
    }
    c.restore();
  }

  private remember(body: Body, dt: number): Past {
    const level = barLevel(body) ?? 1;
    const past = this.past.get(body.id) ?? { level, flash: 0, seen: 0 };
    past.flash = level < past.level ? FLASH : Math.max(0, past.flash - dt);
    past.level = level;
    past.seen = this.frames;
    this.past.set(body.id, past);
    return past;
  }
}

/** A name as it fits over a body. */
const short = (name: string): string => (name.length > 14 ? `${name.slice(0, 13).trimEnd()}…` : name);

/** How full a body's bar is, 0 to 1; none if its kind has no bar. */
export function barLevel(body: Body): number | null {
  const field = body.info.fields.find((f) => f.name === body.info.bar);
  const value = field && body.fields[field.name];
  if (field?.max === undefined || value === undefined) return null;
  const min = field.min ?? 0;
  return Math.min(Math.max((value - min) / Math.max(field.max - min, 1e-9), 0), 1);
}

function drawOwnMark(c: CanvasRenderingContext2D, r: number): void {
  c.beginPath();
  c.arc(0, 0, r + 6, 0, Math.PI * 2);
  c.strokeStyle = "rgb(255 255 255 / 0.55)";
  c.lineWidth = 1.5;
  c.setLineDash([5, 4]);
  c.stroke();
  c.setLineDash([]);
  const glow = c.createRadialGradient(0, 0, r, 0, 0, r + 22);
  glow.addColorStop(0, "rgb(255 255 255 / 0.16)");
  glow.addColorStop(1, "rgb(255 255 255 / 0)");
  c.fillStyle = glow;
  c.beginPath();
  c.arc(0, 0, r + 22, 0, Math.PI * 2);
  c.fill();
}

function drawShadow(c: CanvasRenderingContext2D, r: number): void {
  c.fillStyle = "rgb(0 0 0 / 0.35)";
  c.beginPath();
  c.ellipse(0, r * 0.35, r * 1.05, r * 0.95, 0, 0, Math.PI * 2);
  c.fill();
}

/** Where a player faces: a short barrel under the disc. */
function drawNose(c: CanvasRenderingContext2D, r: number, angle: number, colour: string): void {
  c.save();
  c.rotate(angle);
  c.fillStyle = shade(colour, -0.3);
  c.strokeStyle = shade(colour, -0.6);
  c.lineWidth = 1.5;
  c.beginPath();
  c.roundRect(r * 0.3, -r * 0.3, r * 1.3, r * 0.6, r * 0.2);
  c.fill();
  c.stroke();
  c.restore();
}

function drawBar(c: CanvasRenderingContext2D, x: number, y: number, width: number, level: number): void {
  c.fillStyle = "rgb(6 9 15 / 0.8)";
  c.beginPath();
  c.roundRect(x - width / 2 - 1.5, y - 4.5, width + 3, 8, 4);
  c.fill();
  c.fillStyle = level > 0.55 ? "#7ae582" : level > 0.25 ? "#ffd166" : "#ff6b6b";
  c.beginPath();
  c.roundRect(x - width / 2, y - 3, Math.max(width * level, 3), 5, 2.5);
  c.fill();
}

/** The outline of a shape of radius `r` around the origin; an unknown one is a disc. */
function outline(c: CanvasRenderingContext2D, shape: string, r: number): void {
  c.beginPath();
  const polygon = (corners: number, inner: number, turn: number): void => {
    const points = inner < 1 ? corners * 2 : corners;
    for (let i = 0; i < points; i++) {
      const reach = inner < 1 && i % 2 === 1 ? r * inner : r;
      const angle = turn + (i / points) * Math.PI * 2;
      c.lineTo(Math.cos(angle) * reach, Math.sin(angle) * reach);
    }
    c.closePath();
  };
  const up = -Math.PI / 2;
  if (shape === "star") polygon(5, 0.45, up);
  else if (shape === "diamond") polygon(4, 1, up);
  else if (shape === "triangle") polygon(3, 1, up);
  else if (shape === "hex") polygon(6, 1, up);
  else if (shape === "box" || shape === "square")
    c.roundRect(-r * 0.85, -r * 0.85, r * 1.7, r * 1.7, r * 0.2);
  else c.arc(0, 0, r, 0, Math.PI * 2);
}

/** Name and bar, above everything. */
function drawLabel(
  c: CanvasRenderingContext2D,
  camera: Camera,
  body: Body,
  own: boolean,
  names: Map<number, string>,
): void {
  const [x, y] = camera.screen(body.x, body.y);
  const r = Math.max(body.info.radius * camera.scale, 4);
  const level = barLevel(body);
  let above = y - r - 9;
  if (level !== null && level > 0) {
    drawBar(c, x, above, Math.max(r * 2.4, 34), level);
    above -= 6;
  }
  const name = body.seat === null ? null : short(names.get(body.seat) ?? `Seat ${body.seat + 1}`);
  if (!name || body.seat === null) return;
  c.font = `${own ? 700 : 600} ${LABEL}px system-ui, sans-serif`;
  c.textAlign = "center";
  c.textBaseline = "alphabetic";
  c.lineJoin = "round";
  c.globalAlpha = level === 0 ? 0.55 : 1;
  c.strokeStyle = "rgb(6 9 15 / 0.85)";
  c.lineWidth = 3.5;
  c.strokeText(name, x, above);
  c.fillStyle = own ? "#ffffff" : shade(seatColour(body.seat), 0.35);
  c.fillText(name, x, above);
  c.globalAlpha = 1;
}
