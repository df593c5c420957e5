// The form in which an action gets its arguments, and the menu of what can be done with a card.

import { argWidget, type ArgWidget, type World } from "./args.ts";
import { button, element, make } from "./dom.ts";
import type { ActionInfo, Value } from "./protocol.ts";
import { readable } from "./values.ts";

export type Args = Record<string, Value>;

export class Sheet {
  private readonly form = element<HTMLFormElement>("sheet");
  /** What was entered last, by action and argument: a price is seldom another one. */
  private readonly last = new Map<string, Value>();
  private submit: (() => void) | null = null;
  private back: HTMLElement | null = null;

  constructor(private readonly world: World) {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit?.();
    });
    this.form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  get isOpen(): boolean {
    return !this.form.hidden;
  }

  close(): void {
    this.form.hidden = true;
    this.submit = null;
    this.form.replaceChildren();
    // Back to where it was opened from, if the keys are used.
    if (this.back?.isConnected && document.activeElement === document.body) this.back.focus();
    this.back = null;
  }

  /** Asks for the arguments that `given` does not have. `from` is the widget it was opened from. */
  open(action: ActionInfo, given: Args, from: HTMLElement | null, send: (args: Args) => void): void {
    const asked = action.args.filter((arg) => !(arg.name in given));
    const fields = new Map<string, ArgWidget>();
    const done = (): void => {
      const args = { ...given };
      for (const [name, field] of fields) {
        const value = field.value();
        if (value === undefined) return focusFirst(field.element);
        args[name] = value;
        if (typeof value === "number" || typeof value === "boolean") this.last.set(`${action.name} ${name}`, value);
      }
      this.close();
      send(args);
    };
    for (const arg of asked) {
      const chosen = (): void => (asked.length === 1 ? done() : undefined);
      const field = argWidget(readable(arg.name), arg, this.world, chosen);
      const last = this.last.get(`${action.name} ${arg.name}`);
      if (last !== undefined && !field.isQuick) field.set(last);
      fields.set(arg.name, field);
    }
    const rows = asked.map((arg) => {
      const row = make("div", "arg");
      const field = fields.get(arg.name);
      if (asked.length > 1 || !field?.isQuick) row.append(make("span", "", readable(arg.name)));
      if (field) row.append(field.element);
      return row;
    });
    const isQuick = asked.length === 1 && [...fields.values()][0]?.isQuick === true;
    this.show(readable(action.name), rows, isQuick ? null : readable(action.name), from);
    this.submit = done;
  }

  /** One of several things to do. */
  menu(title: string, options: { text: string; run: () => void }[], from: HTMLElement | null): void {
    const row = make("div", "choice");
    row.append(
      ...options.map(({ text, run }) =>
        button("", text, () => {
          this.close();
          run();
        }),
      ),
    );
    this.show(title, [row], null, from);
  }

  private show(title: string, rows: HTMLElement[], submit: string | null, from: HTMLElement | null): void {
    this.back = from;
    const heading = make("h2", "", title);
    const foot = make("div", "choices");
    if (submit) {
      const go = make("button", "", submit);
      go.type = "submit";
      foot.append(go);
    }
    foot.append(button("quiet", "Cancel", () => this.close()));
    this.form.replaceChildren(heading, ...rows, foot);
    this.form.setAttribute("aria-label", title);
    this.form.hidden = false;
    focusFirst(this.form);
  }
}

/** A text is not given the focus on a phone: its keyboard would cover what is to be seen. */
function focusFirst(box: HTMLElement): void {
  const first = box.matches("button, input") ? box : box.querySelector<HTMLElement>("input, button");
  if (!(first instanceof HTMLInputElement) || matchMedia("(pointer: fine)").matches) {
    first?.focus({ preventScroll: true });
  }
}
