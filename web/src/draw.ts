// Draws a frame on the canvas. It knows no game: everything comes from what the welcome declares, or from the game's own
// draw.ts where there is one.

import { Areas } from "./areas.ts";
import { barLevel, drawBody, isOwn } from "./bodies.ts";
import { Camera, type Insets } from "./camera.ts";
import type { DrawHook, Picture } from "./draw-hook.ts";
import type { Body, Frame } from "./frame.ts";
import { Labels } from "./labels.ts";
import { Layer } from "./layer.ts";
import { readLook } from "./looks.ts";
import { Particles } from "./particles.ts";
import type { RoomState, Welcome } from "./protocol.ts";
import type { Sounds } from "./sound.ts";
import { pixelRatio } from "./stamps.ts";

/** Seconds that the red rim shows after the own bar fell. */
const HURT = 0.45;

/** What a frame is drawn from, besides itself. */
export interface Scene {
  welcome: Welcome;
  room: RoomState;
  names: Map<number, string>;
  clear: Insets;
  /** A body that is pointed at to be picked. */
  marked: Body | null;
}

export class Painter {
  readonly camera = new Camera();
  hook: DrawHook | null = null;
  private readonly context: CanvasRenderingContext2D;
  private readonly layer = new Layer();
  private readonly areas = new Areas();
  private readonly labels = new Labels();
  private readonly particles = new Particles();
  private readonly order: Body[] = [];
  private picture: Picture | null = null;
  private radius = 1;
  private width = 0;
  private height = 0;
  private level = 1;
  private hurt = 0;
  private time = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly sounds: Sounds,
  ) {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("this browser has no canvas");
    this.context = context;
    this.resize();
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  /** Another welcome: what was remembered of bodies belongs to what was before. */
  reset(welcome: Welcome): void {
    this.areas.reset();
    this.particles.reset();
    this.picture = null;
    const radii = welcome.kinds.filter((kind) => kind.player).map((kind) => kind.radius);
    this.radius = Math.max(Math.min(...radii, 4), 0.05);
    this.sounds.declare(welcome.fx.some((effect) => readLook(effect.look).sound !== null));
  }

  private resize(): void {
    const ratio = pixelRatio();
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
  }

  draw(frame: Frame, scene: Scene, dt: number): void {
    const { welcome, room, names } = scene;
    const { camera, width, height } = this;
    const how = welcome.camera ?? { how: "whole" };
    const isPlaying = frame.seat !== null;
    camera.aim({
      width, height, clear: scene.clear, map: welcome.map, how, radius: this.radius, isPlaying, target: frame.own, dt,
    }); // prettier-ignore
    this.time += dt;
    const p = (this.picture ??= {
      c: this.context, camera, width, height, welcome, frame, names, shared: room.shared, dt, time: this.time,
    }); // prettier-ignore
    [p.width, p.height, p.names, p.shared, p.dt, p.time] = [width, height, names, room.shared, dt, this.time];
    this.clear();
    this.drawAll(p, scene);
  }

  private drawAll(p: Picture, { room, marked }: Scene): void {
    const { frame, welcome } = p;
    if (!this.asked("ground", (hook) => hook.ground?.(p))) {
      this.layer.draw(p.c, p.camera, welcome.map, p.width, p.height);
    }
    const rows = room.areas ?? [];
    this.areas.pass(p, rows);
    for (const row of rows) {
      if (!this.hook?.area || !this.asked("area", (hook) => hook.area?.(p, row))) this.areas.draw(p, row);
    }
    for (const body of this.ordered(p)) {
      if (isOff(p, body)) continue;
      if (!this.hook?.body || !this.asked("body", (hook) => hook.body?.(p, body))) drawBody(p, body);
    }
    if (marked) drawMarked(p, marked);
    for (const effect of frame.effects) {
      const { sound } = readLook(effect.look);
      const [x, y] = [p.camera.sx(effect.x), p.camera.sy(effect.y)];
      if (sound) this.sounds.play(sound, (x / p.width) * 2 - 1, (y / p.height) * 2 - 1);
      if (!this.asked("effect", (hook) => hook.effect?.(p, effect))) this.particles.add(effect, frame.bodies);
    }
    this.particles.draw(p);
    this.labels.draw(p);
    this.asked("over", (hook) => hook.over?.(p));
    this.drawHurt(p.c, frame.own, p.dt);
  }

  /** Whether the game's own drawing did a part. One that fails is not asked again. */
  private asked(part: keyof DrawHook, call: (hook: DrawHook) => void): boolean {
    const hook = this.hook;
    if (!hook?.[part]) return false;
    this.context.save();
    try {
      call(hook);
      return true;
    } catch (error) {
      console.error(`draw.ts: ${part} failed and is not asked again`, error);
      this.hook = { ...hook, [part]: undefined };
      return false;
    } finally {
      this.context.restore();
    }
  }

  /** The own body last, so that nobody hides it; where there is height, what is low first. */
  private ordered({ frame, welcome }: Picture): Body[] {
    const { order } = this;
    order.length = 0;
    for (const body of frame.bodies) if (!isOwn(body, frame.seat)) order.push(body);
    if (welcome.map.size[2]) order.sort(byHeight);
    for (const body of frame.bodies) if (isOwn(body, frame.seat)) order.push(body);
    return order;
  }

  /** Nothing at all: what lies beyond the edge is the page's own background. */
  clear(): void {
    const ratio = pixelRatio();
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
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

const byHeight = (a: Body, b: Body): number => a.z - b.z;

/** Wholly beyond the edge of the screen, with some room for shadow and heading. */
function isOff({ camera, width, height }: Picture, body: Body): boolean {
  const [x, y, reach] = [camera.sx(body.x), camera.sy(body.y), body.info.radius * camera.scale * 3 + 30];
  return x < -reach || y < -reach || x > width + reach || y > height + reach;
}

function drawMarked({ c, camera }: Picture, body: Body): void {
  c.beginPath();
  c.arc(camera.sx(body.x), camera.sy(body.y), body.info.radius * camera.scale + 9, 0, Math.PI * 2);
  c.strokeStyle = "#ffd166";
  c.lineWidth = 3;
  c.stroke();
}
