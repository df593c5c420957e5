// Tapping a body or a place on the ground, for an argument of an action. While it is on, the canvas is for that alone.

import type { Camera } from "./camera.ts";
import { element, write } from "./dom.ts";
import type { Body, Frame } from "./frame.ts";
import type { Value } from "./protocol.ts";

/** Pixels from a body's rim that still count as on it: a finger is no needle. */
const REACH = 26;

export class Pick {
  /** The body that is pointed at. */
  marked: Body | null = null;
  private readonly line = element("pick");
  private what: "body" | "place" = "body";
  private picked: ((value: Value) => void) | null = null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly camera: Camera,
    private readonly frame: () => Frame | null,
  ) {
    canvas.addEventListener("pointermove", (event) => {
      if (this.isOn) this.marked = this.what === "body" ? this.at(event) : null;
    });
    canvas.addEventListener("pointerdown", (event) => this.take(event));
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.stop();
    });
    element("pick-stop").addEventListener("click", () => this.stop());
  }

  get isOn(): boolean {
    return this.picked !== null;
  }

  start(what: "body" | "place", picked: (value: Value) => void): void {
    [this.what, this.picked] = [what, picked];
    write(element("pick-what"), what === "body" ? "Tap what you mean" : "Tap a place");
    this.show();
  }

  stop(): void {
    this.picked = this.marked = null;
    this.show();
  }

  private show(): void {
    this.line.hidden = !this.isOn;
    document.body.classList.toggle("picking", this.isOn);
  }

  private take(event: PointerEvent): void {
    const picked = this.picked;
    if (!picked) return;
    event.preventDefault();
    const place = this.camera.world(event.clientX - this.left(), event.clientY - this.top());
    const value = this.what === "place" ? place : (this.at(event)?.id ?? null);
    if (value === null) return;
    this.stop();
    picked(value);
  }

  private left(): number {
    return this.canvas.getBoundingClientRect().left;
  }

  private top(): number {
    return this.canvas.getBoundingClientRect().top;
  }

  /** The nearest body under a pointer, other than the own one. */
  private at(event: PointerEvent): Body | null {
    const frame = this.frame();
    let [best, reach]: [Body | null, number] = [null, REACH];
    for (const body of frame?.bodies ?? []) {
      if (body === frame?.own) continue;
      const x = this.camera.sx(body.x) - event.clientX + this.left();
      const y = this.camera.sy(body.y) - event.clientY + this.top();
      const off = Math.hypot(x, y) - body.info.radius * this.camera.scale;
      if (off < reach) [best, reach] = [body, off];
    }
    return best;
  }
}
