// Turns keys, mouse, touch and gamepad into the words of the controls that the game declares.
//
// The first stick is WASD, arrows, the touch stick and a gamepad's left stick; the first aim the mouse or the
// right stick; the first button space, mouse, A; further buttons E, Q, R and B, X, Y. A press is kept until a
// frame took it, so that a tap between two frames is not lost.

import type { InputInfo } from "./protocol.ts";
import { quantised, TouchControls } from "./touch.ts";

const WORDS = 16;
const STICK_STEPS = 127;
const CIRCLE_STEPS = 65_536;
const KEYS: Record<string, [number, number]> = {
  KeyW: [0, 1],
  ArrowUp: [0, 1],
  KeyS: [0, -1],
  ArrowDown: [0, -1],
  KeyA: [-1, 0],
  ArrowLeft: [-1, 0],
  KeyD: [1, 0],
  ArrowRight: [1, 0],
};
/** The key of each button, by position. */
const BUTTON_KEYS = ["Space", "KeyE", "KeyQ", "KeyR", "KeyF", "Digit1", "Digit2", "Digit3"];

export class Controls {
  private readonly words = new Int16Array(WORDS);
  private readonly keys = new Set<string>();
  private readonly pressed = new Set<number>();
  private readonly mouse = { x: 0, y: 0, down: new Set<number>() };
  private inputs: InputInfo[] = [];
  private aim = 0;

  constructor(
    canvas: HTMLCanvasElement,
    readonly touch: TouchControls,
  ) {
    window.addEventListener("keydown", (event) => this.key(event, true));
    window.addEventListener("keyup", (event) => this.key(event, false));
    window.addEventListener("blur", () => this.release());
    document.addEventListener("visibilitychange", () => this.release());
    canvas.addEventListener("pointermove", (event) => {
      [this.mouse.x, this.mouse.y] = [event.clientX, event.clientY];
    });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse") return;
      const button = event.button === 2 ? 1 : 0;
      this.mouse.down.add(button);
      this.pressed.add(button);
    });
    window.addEventListener("pointerup", (event) => {
      if (event.pointerType === "mouse") this.mouse.down.delete(event.button === 2 ? 1 : 0);
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  /** What the game declares. */
  declare(inputs: InputInfo[]): void {
    this.inputs = inputs;
    this.touch.label(inputs.filter((input) => input.how === "button").map((input) => input.name));
  }

  /** What does what, for a line of help; nothing where the controls are on the screen and say so themselves. */
  help(): string {
    if (matchMedia("(pointer: coarse)").matches) return "";
    let button = 0;
    const part = (input: InputInfo): string => {
      if (input.how === "stick") return `${input.name}: WASD or arrows`;
      if (input.how === "aim") return `${input.name}: mouse`;
      const key = (BUTTON_KEYS[button++] ?? "").replace(/Key|Digit/, "").toLowerCase();
      return `${input.name}: ${button === 1 ? "space or click" : key}`;
    };
    return this.inputs.map(part).join(" · ");
  }

  /** The words held in this frame. `own` is where the own body is on the screen, for the mouse's aim. */
  sample(own: [number, number] | null): Int16Array {
    const pad = navigator.getGamepads?.().find((p) => p?.connected) ?? null;
    let [word, sticks, buttons] = [0, 0, 0];
    this.words.fill(0);
    for (const input of this.inputs) {
      if (input.how === "stick") {
        const [x, y] = this.stick(sticks++, pad);
        this.words[word++] = Math.round(x * STICK_STEPS);
        this.words[word++] = Math.round(y * STICK_STEPS);
      } else if (input.how === "aim") {
        // As an unsigned word; Int16Array wraps it.
        this.words[word++] = Math.round((this.aimed(own, pad) / (Math.PI * 2)) * CIRCLE_STEPS);
      } else if (input.how === "button") {
        this.words[word++] = this.isDown(buttons++, pad) ? 1 : 0;
      }
    }
    this.pressed.clear();
    this.touch.pressed.clear();
    return this.words;
  }

  private stick(index: number, pad: Gamepad | null): [number, number] {
    const [px, py] = [pad?.axes[index * 2] ?? 0, -(pad?.axes[index * 2 + 1] ?? 0)];
    const pushed = quantised(px, py, Math.min(Math.hypot(px, py), 1));
    if (index > 0 || pushed[0] !== 0 || pushed[1] !== 0) return pushed;
    let [x, y] = [this.touch.x, this.touch.y];
    for (const key of this.keys) {
      x += KEYS[key]?.[0] ?? 0;
      y += KEYS[key]?.[1] ?? 0;
    }
    [x, y] = [Math.min(Math.max(x, -1), 1), Math.min(Math.max(y, -1), 1)];
    const length = Math.max(Math.hypot(x, y), 1);
    return [x / length, y / length];
  }

  private aimed(own: [number, number] | null, pad: Gamepad | null): number {
    const [px, py] = [pad?.axes[2] ?? 0, -(pad?.axes[3] ?? 0)];
    if (Math.hypot(px, py) > 0.4) this.aim = Math.atan2(py, px);
    else if (this.touch.x !== 0 || this.touch.y !== 0) this.aim = Math.atan2(this.touch.y, this.touch.x);
    else if (own && this.mouse.x + this.mouse.y > 0) {
      this.aim = Math.atan2(own[1] - this.mouse.y, this.mouse.x - own[0]);
    }
    return this.aim;
  }

  private isDown(index: number, pad: Gamepad | null): boolean {
    const key = BUTTON_KEYS[index];
    return (
      (key !== undefined && this.keys.has(key)) ||
      this.pressed.has(index) ||
      this.mouse.down.has(index) ||
      this.touch.down.has(index) ||
      this.touch.pressed.has(index) ||
      pad?.buttons[index]?.pressed === true
    );
  }

  private key(event: KeyboardEvent, down: boolean): void {
    if (!down) this.keys.delete(event.code);
    // What is typed steers nobody.
    if (event.target instanceof HTMLInputElement) return;
    const button = BUTTON_KEYS.indexOf(event.code);
    if ((!(event.code in KEYS) && button < 0) || event.ctrlKey || event.metaKey || event.altKey) return;
    // A button of the page that has the focus is pressed by space.
    if (event.target instanceof HTMLButtonElement && event.code === "Space") return;
    event.preventDefault();
    if (!down) return;
    if (!event.repeat && button >= 0) this.pressed.add(button);
    this.keys.add(event.code);
  }

  private release(): void {
    this.keys.clear();
    this.pressed.clear();
    this.mouse.down.clear();
    this.touch.down.clear();
    this.touch.release();
  }
}
