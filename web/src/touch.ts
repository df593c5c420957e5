// The controls under the thumbs: a stick that lies where the left thumb lands, one for the right thumb where the game has
// an aim, and labelled buttons.
//
// They own their zones of the screen and nothing else does; each finger is followed by its own pointer id.

import { make } from "./dom.ts";

/** Pixels from the stick's centre to its rim. */
const REACH = 54;
/** Share of the reach within which the stick is neutral. */
const DEAD = 0.2;
/** Directions and strengths that the stick tells apart: finer would only be sent more often. */
const DIRECTIONS = 64;
const STRENGTHS = 4;

export class TouchStick {
  x = 0;
  y = 0;
  private finger: { id: number; x: number; y: number } | null = null;
  private readonly base = make("div", "base");
  private readonly knob = make("div", "knob");

  constructor(private readonly zone: HTMLElement) {
    this.base.append(this.knob);
    zone.append(this.base);
    zone.addEventListener("pointerdown", (event) => this.grab(event));
    zone.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      zone.addEventListener(end, (event) => {
        if (event.pointerId === this.finger?.id) this.release();
      });
    }
  }

  /** It is let go, by the finger or because the page lost its focus. */
  release(): void {
    this.finger = null;
    this.x = this.y = 0;
    this.knob.style.transform = "";
    this.zone.classList.remove("held");
    this.zone.style.removeProperty("--stick-x");
    this.zone.style.removeProperty("--stick-y");
  }

  private grab(event: PointerEvent): void {
    if (this.finger) return;
    event.preventDefault();
    this.zone.setPointerCapture(event.pointerId);
    this.finger = { id: event.pointerId, x: event.clientX, y: event.clientY };
    const box = this.zone.getBoundingClientRect();
    this.zone.style.setProperty("--stick-x", `${event.clientX - box.left}px`);
    this.zone.style.setProperty("--stick-y", `${event.clientY - box.top}px`);
    this.zone.classList.add("held");
  }

  private move(event: PointerEvent): void {
    if (event.pointerId !== this.finger?.id) return;
    const [dx, dy] = [event.clientX - this.finger.x, event.clientY - this.finger.y];
    const length = Math.hypot(dx, dy);
    const reach = Math.min(length / REACH, 1);
    const shown = length > 0 ? (reach * REACH) / length : 0;
    this.knob.style.transform = `translate(${dx * shown}px, ${dy * shown}px)`;
    [this.x, this.y] = quantised(dx, -dy, reach);
  }
}

export class TouchButtons {
  /** Fingers on each button. */
  readonly down = new Set<number>();
  /** Buttons that went down since the last frame took them. */
  readonly pressed = new Set<number>();
  private names = "";

  constructor(private readonly box: HTMLElement) {}

  /** Makes a button for each name; the same names again (another welcome) leave what is held alone. */
  label(names: string[]): void {
    if (names.join("\n") === this.names) return;
    this.names = names.join("\n");
    this.down.clear();
    this.box.replaceChildren(...names.map((name, index) => this.make(name, index)));
  }

  private make(name: string, index: number): HTMLButtonElement {
    const button = make("button", "", name);
    button.type = "button";
    button.setAttribute("aria-label", name);
    const up = (): void => {
      this.down.delete(index);
      button.classList.remove("down");
    };
    button.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      button.setPointerCapture(event.pointerId);
      this.down.add(index);
      this.pressed.add(index);
      button.classList.add("down");
    });
    // A press that comes from no finger: a screen reader's, a switch's.
    button.addEventListener("click", (event) => {
      if (event.detail === 0) this.pressed.add(index);
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      button.addEventListener(end, up);
    }
    return button;
  }
}

/** A push of the stick, as one of `DIRECTIONS` × `STRENGTHS` vectors. */
export function quantised(x: number, y: number, reach: number): [number, number] {
  if (reach < DEAD) return [0, 0];
  const step = (Math.PI * 2) / DIRECTIONS;
  const angle = Math.round(Math.atan2(y, x) / step) * step;
  const strength = Math.ceil(((reach - DEAD) / (1 - DEAD)) * STRENGTHS) / STRENGTHS;
  return [Math.cos(angle) * strength, Math.sin(angle) * strength];
}
