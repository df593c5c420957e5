// Making and changing elements of the page.

export const element = <T extends HTMLElement = HTMLElement>(id: string): T => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
};

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  name = "",
  text = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text) made.textContent = text;
  return made;
}

export function button(name: string, text: string, run: () => void): HTMLButtonElement {
  const made = make("button", name, text);
  made.type = "button";
  made.addEventListener("click", run);
  return made;
}

/** Only what has changed is written: writing costs layout, and a screen reader reads it out again. */
export function write(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
