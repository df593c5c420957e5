// Two overlays: the card for a link that has ended, and the panel of network statistics (F3).

import { bannerOf, CHOICES, type Choice, endOf } from "./ends.ts";
import type { LinkAccount } from "./protocol.ts";

const element = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
};

/** Milliseconds that a link may be down before the banner says so: a blink is not worth a word. */
const BLINK_MS = 250;

export class LinkPanel {
  private readonly banner = element("banner");
  private readonly card = element("card");
  private downSince = 0;
  private cardWritten = "";

  constructor(private readonly choose: (choice: Choice) => void) {}

  show(link: LinkAccount, retryIn: number | null): void {
    if (link.state === "online") this.downSince = 0;
    else this.downSince ||= performance.now();
    const downMs = this.downSince > 0 ? performance.now() - this.downSince : 0;
    const end = endOf(link, downMs);
    const isDown = downMs > BLINK_MS;
    const line = bannerOf(link, retryIn);
    this.banner.hidden = end !== null || !isDown;
    if (!this.banner.hidden && this.banner.textContent !== line) this.banner.textContent = line;
    this.showCard(link, end && { ...end, text: end.text || "" }, retryIn);
  }

  private showCard(link: LinkAccount, end: ReturnType<typeof endOf>, retryIn: number | null): void {
    const wait = link.state === "waiting" && retryIn !== null ? ` Next try in ${Math.ceil(retryIn)} s.` : "";
    const key = JSON.stringify([end, link.code]);
    this.card.hidden = end === null;
    if (!end) {
      this.cardWritten = "";
      return;
    }
    if (key !== this.cardWritten) {
      this.cardWritten = key;
      this.write(end.title, end.choices, link.code);
    }
    const text = this.card.querySelector("p");
    if (text && text.textContent !== end.text + wait) text.textContent = end.text + wait;
  }

  /** A card that is not about the link: the client itself cannot be run. */
  showFault(text: string): void {
    this.card.hidden = false;
    this.banner.hidden = true;
    this.write("The game client stopped", ["reload", "home"], null);
    const line = this.card.querySelector("p");
    if (line) line.textContent = text;
  }

  private write(title: string, choices: Choice[], code: number | null): void {
    const heading = document.createElement("h2");
    heading.textContent = title;
    const row = document.createElement("div");
    row.className = "choices";
    row.append(
      ...choices.map((choice) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = CHOICES[choice];
        button.addEventListener("click", () => this.choose(choice));
        return button;
      }),
    );
    const small = document.createElement("small");
    small.textContent = code === null ? "" : `code ${code}`;
    this.card.replaceChildren(heading, document.createElement("p"), row, small);
    row.querySelector("button")?.focus();
  }
}

/** The statistics, toggled with F3. */
export class StatsPanel {
  private readonly panel = element("stats");

  constructor() {
    window.addEventListener("keydown", (event) => {
      if (event.code !== "F3") return;
      event.preventDefault();
      this.panel.hidden = !this.panel.hidden;
    });
  }

  get isShown(): boolean {
    return !this.panel.hidden;
  }

  show(stats: object): void {
    const list = document.createElement("dl");
    for (const [name, value] of Object.entries(stats)) {
      const [term, detail] = [document.createElement("dt"), document.createElement("dd")];
      term.textContent = name;
      detail.textContent = readable(value);
      list.append(term, detail);
    }
    this.panel.replaceChildren(list);
  }
}

function readable(value: unknown): string {
  if (value === null) return "–";
  if (typeof value === "number") return Number.isInteger(value) ? `${value}` : value.toFixed(1);
  if (typeof value === "object") return Object.values(value).map(readable).join(" · ");
  return String(value);
}
