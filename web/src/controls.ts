// Turns keys, mouse, touch and gamepad into the words of the controls that the game declares.
//
// The first stick is WASD, arrows, the left touch stick and a gamepad's left stick; the first aim the mouse, the right touch
// stick, the right gamepad stick or IJKL; the first button space, mouse, A; further ones E, Q, R and B, X, Y. Whole numbers
// and enums keep their value until it is changed, on the screen or by keys, wheel and shoulder buttons.

import { make } from "./dom.ts";
import { AIM_KEYS, BUTTON_KEYS, capOf, CHOICE_KEYS, Keys, STICK_KEYS } from "./keys.ts";
import type { InputInfo } from "./protocol.ts";
import { quantised, type TouchButtons, type TouchStick } from "./touch.ts";
import { readable } from "./values.ts";
import { choice, stepper, type Widget } from "./widgets.ts";

const WORDS = 16;
const STICK_STEPS = 127;
const CIRCLE_STEPS = 65_536;
const TURN = Math.PI * 2;
/** Shoulder buttons of a gamepad that lower and raise the first whole number, and choose in the first enum. */
const SHOULDERS = { int: [4, 5], enum: [6, 7] } as const;

export interface Thumbs {
  left: TouchStick;
  right: TouchStick;
  buttons: TouchButtons;
}

/** An input that keeps its value. */
interface Kept {
  how: "int" | "enum";
  low: number;
  high: number;
  neutral: number;
  widget: Widget<number> | Widget<number | null>;
}

export class Controls {
  private readonly words = new Int16Array(WORDS);
  private inputs: InputInfo[] = [];
  private kept = new Map<InputInfo, Kept>();
  private aim = 0;
  private hasAimed = false;
  private shoulders = new Set<number>();
  /** Whether the pad's button is the game's at the moment. */
  isPadFree: (index: number) => boolean = () => true;

  constructor(
    private readonly keys: Keys,
    readonly thumbs: Thumbs,
    private readonly pickers: HTMLElement,
  ) {
    window.addEventListener("blur", () => this.release());
    document.addEventListener("visibilitychange", () => this.release());
  }

  /** What the game declares. */
  declare(inputs: InputInfo[]): void {
    // Another welcome of the same game: what is held stays held.
    if (JSON.stringify(inputs) === JSON.stringify(this.inputs)) return;
    this.inputs = inputs;
    this.thumbs.buttons.label(inputs.filter(({ how }) => how === "button").map(({ name }) => readable(name)));
    this.kept = new Map();
    const rows: HTMLElement[] = [];
    for (const input of inputs) {
      if (input.how !== "int" && input.how !== "enum") continue;
      const kept = keep(input, input.how);
      this.kept.set(input, kept);
      const row = make("div", "picker");
      row.append(make("span", "", readable(input.name)), kept.widget.element);
      rows.push(row);
    }
    this.pickers.replaceChildren(...rows);
    this.pickers.hidden = rows.length === 0;
  }

  has(how: string, count = 1): boolean {
    return this.inputs.filter((input) => input.how === how).length >= count;
  }

  /** Whether a key steers in this game. */
  uses(code: string): boolean {
    if (code in STICK_KEYS) return this.has("stick");
    if (code in AIM_KEYS) return this.has("aim") || this.has("stick", 2);
    const button = BUTTON_KEYS.indexOf(code);
    return button >= 0 && this.has("button", button + 1);
  }

  /** A key that sets a whole number or goes on in an enum. */
  once(code: string, shift: boolean): boolean {
    const number = this.first("int");
    const digit = /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1];
    if (number && digit !== undefined && Number(digit) >= number.low && Number(digit) <= number.high) {
      number.widget.set(Number(digit));
      return true;
    }
    if (number && /^(Minus|Equal|NumpadSubtract|NumpadAdd)$/.test(code)) {
      step(number, /Minus|Sub/.test(code) ? -1 : 1);
      return true;
    }
    const which = this.first("enum", CHOICE_KEYS.indexOf(code));
    if (which) step(which, shift ? -1 : 1);
    return which !== undefined;
  }

  /** The wheel turns the first whole number, or else the first enum. */
  turn(by: number): void {
    const kept = this.first("int") ?? this.first("enum");
    if (kept) step(kept, by);
  }

  private first(how: string, index = 0): Kept | undefined {
    return [...this.kept.values()].filter((kept) => kept.how === how)[index];
  }

  /** What does what, for a line of help. */
  help(): string {
    const counts: Record<string, number> = {};
    const parts = this.inputs.map((input) => {
      const n = (counts[input.how] = (counts[input.how] ?? 0) + 1);
      const keys: Record<string, string> = {
        stick: n === 1 ? "WASD or arrows" : "IJKL",
        aim: "mouse or IJKL",
        button: n === 1 ? "space or click" : capOf(BUTTON_KEYS[n - 1]),
        int: n === 1 ? "numbers, − +, wheel" : "",
        enum: capOf(CHOICE_KEYS[n - 1]),
      };
      return keys[input.how] ? `${readable(input.name)}: ${keys[input.how]}` : "";
    });
    return parts.filter(Boolean).join(" · ");
  }

  /** The words held in this frame. `own` is where the own body is on the screen, for the mouse's aim. */
  sample(pad: Gamepad | null, own: { x: number; y: number } | null): Int16Array {
    let [word, sticks, buttons] = [0, 0, 0];
    this.shoulder(pad);
    this.words.fill(0);
    for (const input of this.inputs) {
      if (input.how === "stick") {
        const [x, y] = this.stick(sticks++, pad);
        this.words[word++] = Math.round(x * STICK_STEPS);
        this.words[word++] = Math.round(y * STICK_STEPS);
      } else if (input.how === "aim") {
        // As an unsigned word; Int16Array wraps it.
        this.words[word++] = Math.round((this.aimed(own, pad) / TURN) * CIRCLE_STEPS);
      } else if (input.how === "button") {
        this.words[word++] = this.isDown(buttons++, pad) ? 1 : 0;
      } else {
        const kept = this.kept.get(input);
        this.words[word++] = kept ? (kept.widget.value ?? 0) - kept.neutral : 0;
      }
    }
    this.keys.taken();
    this.thumbs.buttons.pressed.clear();
    return this.words;
  }

  private stick(index: number, pad: Gamepad | null): [number, number] {
    const [px, py] = [pad?.axes[index * 2] ?? 0, -(pad?.axes[index * 2 + 1] ?? 0)];
    const pushed = quantised(px, py, Math.min(Math.hypot(px, py), 1));
    if (pushed[0] !== 0 || pushed[1] !== 0) return pushed;
    const thumb = index === 0 ? this.thumbs.left : this.thumbs.right;
    return this.keys.direction(index === 0 ? STICK_KEYS : AIM_KEYS, thumb.x, thumb.y);
  }

  private aimed(own: { x: number; y: number } | null, pad: Gamepad | null): number {
    const { left, right } = this.thumbs;
    const { mouse } = this.keys;
    const [px, py] = [pad?.axes[2] ?? 0, -(pad?.axes[3] ?? 0)];
    const [x, y] = this.keys.direction(AIM_KEYS, right.x, right.y);
    const isThumb = right.x !== 0 || right.y !== 0;
    if (Math.hypot(px, py) > 0.4) this.aim = Math.atan2(py, px);
    else if (x !== 0 || y !== 0) this.aim = Math.atan2(y, x);
    // A thumb that has never aimed aims where it goes.
    else if (!this.hasAimed && (left.x !== 0 || left.y !== 0)) this.aim = Math.atan2(left.y, left.x);
    else if (own && mouse.moved) this.aim = Math.atan2(own.y - mouse.y, mouse.x - own.x);
    this.hasAimed ||= isThumb;
    // It was the keys or a thumb that spoke last, until the mouse moves again.
    if (x !== 0 || y !== 0 || Math.hypot(px, py) > 0.4) mouse.moved = false;
    return this.aim;
  }

  private isDown(index: number, pad: Gamepad | null): boolean {
    const { keys } = this;
    const { buttons } = this.thumbs;
    const key = BUTTON_KEYS[index];
    return (
      (key !== undefined && (keys.held.has(key) || keys.pressed.has(key))) ||
      keys.mouse.pressed.has(index) ||
      keys.mouse.held.has(index) ||
      buttons.down.has(index) ||
      buttons.pressed.has(index) ||
      (pad?.buttons[index]?.pressed === true && this.isPadFree(index))
    );
  }

  private shoulder(pad: Gamepad | null): void {
    if (!pad || this.kept.size === 0) return;
    for (const how of ["int", "enum"] as const) {
      const kept = this.first(how);
      SHOULDERS[how].forEach((index, i) => {
        const down = pad.buttons[index]?.pressed === true;
        if (down && !this.shoulders.has(index) && kept) step(kept, i === 0 ? -1 : 1);
        if (down) this.shoulders.add(index);
        else this.shoulders.delete(index);
      });
    }
  }

  private release(): void {
    this.keys.release();
    this.thumbs.buttons.down.clear();
    this.thumbs.left.release();
    this.thumbs.right.release();
  }
}

function keep(input: InputInfo, how: "int" | "enum"): Kept {
  const label = readable(input.name);
  if (how === "enum") {
    const options = (input.names ?? []).map((name, value) => ({ value, text: readable(name) }));
    return { how, low: 0, high: options.length - 1, neutral: 0, widget: choice<number>(label, options, 0) };
  }
  const [low, high] = [input.min ?? 0, input.max ?? 0];
  // As src/rules/schema.rs has it: the number in bounds that is nearest to 0.
  const neutral = Math.min(Math.max(0, low), high);
  return { how, low, high, neutral, widget: stepper(label, low, high, neutral) };
}

/** A whole number stops at its bounds, an enum begins anew. */
function step(kept: Kept, by: number): void {
  const next = (kept.widget.value ?? kept.low) + by;
  const size = kept.high - kept.low + 1;
  if (kept.how === "int") kept.widget.set(Math.min(Math.max(next, kept.low), kept.high));
  else kept.widget.set((((next - kept.low) % size) + size) % size);
}
