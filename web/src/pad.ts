// A gamepad's way through what is pressed and not steered: the directional pad goes from one widget to the next, A presses
// the one that has the focus, B lets go of it.

/** Buttons of the standard layout. */
const A = 0;
const B = 1;
const UP = 12;
const DOWN = 13;
const LEFT = 14;
const RIGHT = 15;

const WIDGETS = "button:not(:disabled), input:not(:disabled)";

export class PadFocus {
  private held = new Set<number>();
  /** Buttons that were pressed for a widget: the game does not hear of them until they are up. */
  private readonly taken = new Set<number>();

  /** Follows the pad; `places` are searched for widgets, the first one that is seen and has any alone. */
  follow(pad: Gamepad | null, places: HTMLElement[], back: () => void): void {
    if (!pad) return;
    const down = new Set<number>();
    for (const index of [A, B, UP, DOWN, LEFT, RIGHT]) if (pad.buttons[index]?.pressed) down.add(index);
    const isNew = (index: number): boolean => down.has(index) && !this.held.has(index);
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    const isInside = focused !== null && places.some((place) => place.contains(focused));
    for (const index of this.taken) if (!down.has(index)) this.taken.delete(index);
    if (isInside && isNew(A)) {
      this.taken.add(A);
      focused.click();
    } else if (isInside && isNew(B)) {
      this.taken.add(B);
      focused.blur();
      back();
    } else if (isNew(RIGHT) || isNew(LEFT)) {
      this.move(places, focused, isNew(RIGHT) ? 1 : -1);
    } else if (isNew(UP) || isNew(DOWN)) {
      if (isInside && focused instanceof HTMLInputElement) turn(focused, isNew(UP) ? 1 : -1);
      else this.move(places, focused, isNew(DOWN) ? 1 : -1);
    }
    this.held = down;
  }

  /** Whether a button of the pad belongs to a widget at the moment. */
  takes(index: number): boolean {
    return this.taken.has(index);
  }

  private move(places: HTMLElement[], focused: HTMLElement | null, by: number): void {
    for (const place of places) {
      const widgets = [...place.querySelectorAll<HTMLElement>(WIDGETS)].filter((w) => w.checkVisibility());
      if (widgets.length === 0) continue;
      const at = focused ? widgets.indexOf(focused) : -1;
      const next = at < 0 ? (by > 0 ? 0 : widgets.length - 1) : (at + by + widgets.length) % widgets.length;
      widgets[next]?.focus();
      return;
    }
  }
}

function turn(input: HTMLInputElement, by: number): void {
  if (input.type !== "number" && input.type !== "range") return;
  if (by > 0) input.stepUp();
  else input.stepDown();
  input.dispatchEvent(new Event("change"));
}
