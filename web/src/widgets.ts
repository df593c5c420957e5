// The small controls that types become, for inputs and for arguments of actions alike: a stepper for a whole number, a
// choice for names, a toggle for yes and no.

import { button, make, write } from "./dom.ts";

export interface Widget<T> {
  element: HTMLElement;
  value: T;
  set(value: T): void;
}

/** Milliseconds until a held step repeats, and between two repetitions. */
const HOLD_MS = 400;
const REPEAT_MS = 70;

/** − value +, and the value can be typed where `typed`. */
export function stepper(
  label: string,
  min: number,
  max: number,
  start: number,
  changed: (value: number) => void = () => {},
  step = 1,
): Widget<number> {
  const box = make("div", "stepper");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  const field = make("input");
  Object.assign(field, { type: "number", inputMode: Number.isInteger(step) ? "numeric" : "decimal" });
  Object.assign(field, { min: `${min}`, max: `${max}`, step: `${step}` });
  field.setAttribute("aria-label", label);
  const fit = (value: number): number => {
    const steps = Math.round((value - min) / step);
    return Math.min(Math.max(Number((min + steps * step).toFixed(6)), min), max);
  };
  const by = (steps: number): void => widget.set(widget.value + steps * step);
  const [less, more] = [repeating("−", `less ${label}`, () => by(-1)), repeating("+", `more ${label}`, () => by(1))];
  const widget: Widget<number> = {
    element: box,
    value: start,
    set(value) {
      const next = fit(Number.isFinite(value) ? value : min);
      const isNew = next !== widget.value;
      widget.value = next;
      field.value = `${next}`;
      less.disabled = next <= min;
      more.disabled = next >= max;
      if (isNew) changed(next);
    },
  };
  field.addEventListener("change", () => widget.set(field.valueAsNumber));
  widget.set(fit(start));
  box.append(less, field, more);
  return widget;
}

/** A button that goes on while it is held. */
function repeating(text: string, label: string, run: () => void): HTMLButtonElement {
  let timer = 0;
  const stop = (): void => window.clearTimeout(timer);
  const again = (ms: number): void => {
    timer = window.setTimeout(() => {
      run();
      again(REPEAT_MS);
    }, ms);
  };
  const made = button("step", text, () => run());
  made.setAttribute("aria-label", label);
  made.addEventListener("pointerdown", () => again(HOLD_MS));
  for (const end of ["pointerup", "pointercancel", "pointerleave", "blur"]) made.addEventListener(end, stop);
  return made;
}

export interface Option<T> {
  value: T;
  text: string;
  /** Of the dot before it. */
  colour?: string;
}

/** One of several, side by side; null: none yet. */
export function choice<T>(
  label: string,
  options: Option<T>[],
  start: T | null,
  changed: (value: T) => void = () => {},
): Widget<T | null> {
  const box = make("div", "choice");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  const buttons = options.map((option) => {
    const made = button("", option.text, () => {
      widget.set(option.value);
      changed(option.value);
    });
    if (option.colour) {
      const dot = make("span", "dot");
      dot.style.setProperty("--seat", option.colour);
      made.prepend(dot);
    }
    return made;
  });
  const widget: Widget<T | null> = {
    element: box,
    value: start,
    set(value) {
      widget.value = value;
      options.forEach((option, i) => buttons[i]?.setAttribute("aria-pressed", `${option.value === value}`));
    },
  };
  widget.set(start);
  box.append(...buttons);
  return widget;
}

export function toggle(label: string, start: boolean): Widget<boolean> {
  const made = button("toggle", "", () => widget.set(!widget.value));
  made.setAttribute("role", "switch");
  made.setAttribute("aria-label", label);
  const widget: Widget<boolean> = {
    element: made,
    value: start,
    set(value) {
      widget.value = value;
      made.setAttribute("aria-checked", `${value}`);
      write(made, value ? "yes" : "no");
    },
  };
  widget.set(start);
  return widget;
}
