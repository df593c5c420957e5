// The player's name on the room page: a line of text that is edited where it stands, and asks for a name while none was
// chosen.

import { chosenName, keepName, madeName, NAME_CHARS_MAX } from "./names.ts";

export class NameField {
  /** What the player goes by when nothing is typed. */
  private fallback = madeName();

  constructor(
    private readonly input: HTMLInputElement,
    name: string | null,
    private readonly named: (name: string) => void,
  ) {
    input.maxLength = NAME_CHARS_MAX;
    input.placeholder = this.fallback;
    this.show(name ?? chosenName() ?? "");
    input.addEventListener("change", () => this.change());
    input.addEventListener("input", () => this.fit());
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "Escape") input.blur();
    });
  }

  private change(): void {
    keepName(this.input.value);
    this.show(chosenName() ?? "");
    this.named(this.input.value || this.fallback);
  }

  private show(name: string): void {
    this.input.value = name;
    this.input.parentElement?.classList.toggle("unnamed", name === "");
    this.fit();
  }

  /** As wide as what it holds, for browsers without `field-sizing`. */
  private fit(): void {
    this.input.size = Math.max((this.input.value || this.input.placeholder).length, 4);
  }
}
