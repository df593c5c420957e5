// Keys and mouse buttons as they are held, and what each of them is for. A press is kept until a frame took it, so that a
// tap between two frames is not lost.

export const STICK_KEYS: Record<string, [number, number]> = {
  KeyW: [0, 1],
  ArrowUp: [0, 1],
  KeyS: [0, -1],
  ArrowDown: [0, -1],
  KeyA: [-1, 0],
  ArrowLeft: [-1, 0],
  KeyD: [1, 0],
  ArrowRight: [1, 0],
};
/** A second stick, and an aim without a mouse. */
export const AIM_KEYS: Record<string, [number, number]> = {
  KeyI: [0, 1],
  KeyK: [0, -1],
  KeyJ: [-1, 0],
  KeyL: [1, 0],
};
/** By position: buttons, enums (shift: backwards), actions. */
export const BUTTON_KEYS = ["Space", "KeyE", "KeyQ", "KeyR", "KeyF", "KeyG", "KeyH", "KeyU"];
export const CHOICE_KEYS = ["KeyT", "KeyY"];
export const ACTION_KEYS = ["KeyZ", "KeyX", "KeyC", "KeyV", "KeyB", "KeyN", "KeyM"];

/** A key's name on its cap. */
export const capOf = (code: string | undefined): string => (code ?? "").replace(/Key|Digit/, "").toLowerCase();

export class Keys {
  readonly held = new Set<string>();
  readonly pressed = new Set<string>();
  /** Mouse buttons as buttons of the game: left the first, right the second. */
  readonly mouse = { x: 0, y: 0, moved: false, held: new Set<number>(), pressed: new Set<number>() };
  /** Keys of the game; the others are the browser's. */
  private used: (code: string) => boolean = () => false;
  /** A key that is no input but does something once. */
  private once: (code: string, shift: boolean) => boolean = () => false;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly isPicking: () => boolean,
    private readonly wheel: (by: number) => void,
  ) {
    window.addEventListener("keydown", (event) => this.key(event, true));
    window.addEventListener("keyup", (event) => this.key(event, false));
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "touch") this.point(event);
    });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || this.isPicking()) return;
      this.point(event);
      const button = event.button === 2 ? 1 : 0;
      this.mouse.held.add(button);
      this.mouse.pressed.add(button);
    });
    window.addEventListener("pointerup", (event) => {
      if (event.pointerType === "mouse") this.mouse.held.delete(event.button === 2 ? 1 : 0);
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.wheel(Math.sign(-event.deltaY)), { passive: true });
  }

  listen(used: (code: string) => boolean, once: (code: string, shift: boolean) => boolean): void {
    this.used = used;
    this.once = once;
  }

  private point(event: PointerEvent): void {
    [this.mouse.x, this.mouse.y, this.mouse.moved] = [event.clientX, event.clientY, true];
  }

  /** Adds up the directions of the held keys of a map of them. */
  direction(keys: Record<string, [number, number]>, x: number, y: number): [number, number] {
    for (const code of this.held) {
      x += keys[code]?.[0] ?? 0;
      y += keys[code]?.[1] ?? 0;
    }
    [x, y] = [Math.min(Math.max(x, -1), 1), Math.min(Math.max(y, -1), 1)];
    const length = Math.max(Math.hypot(x, y), 1);
    return [x / length, y / length];
  }

  /** The presses were taken. */
  taken(): void {
    this.pressed.clear();
    this.mouse.pressed.clear();
  }

  release(): void {
    this.taken();
    this.held.clear();
    this.mouse.held.clear();
  }

  private key(event: KeyboardEvent, down: boolean): void {
    if (!down) this.held.delete(event.code);
    // What is typed steers nobody.
    if (event.target instanceof HTMLInputElement && event.target.type !== "range") return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // A button of the page that has the focus is pressed by space.
    if (event.target instanceof HTMLButtonElement && event.code === "Space") return;
    if (down && !event.repeat && this.once(event.code, event.shiftKey)) {
      event.preventDefault();
      return;
    }
    if (!this.used(event.code)) return;
    event.preventDefault();
    if (!down) return;
    if (!event.repeat) this.pressed.add(event.code);
    this.held.add(event.code);
  }
}
