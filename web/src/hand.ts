// The cards that the own body holds: its lists of names or whole numbers. A card is tapped to play it, or dragged onto the
// table.

import { cardName, paintCard } from "./cards.ts";
import { button, make } from "./dom.ts";
import type { Body } from "./frame.ts";
import type { FieldInfo, KindInfo, TypeInfo, Value } from "./protocol.ts";
import { isCards, readable } from "./values.ts";

/** Pixels that a finger moves before it drags. */
const DRAG = 10;
/** Pixels of a card, and the least of it that shows when many are held. */
const CARD = 66;
const SHOWN_MIN = 30;

export interface PlayedCard {
  value: Value;
  type: TypeInfo;
  element: HTMLElement;
}

/** The fields of a kind that are held in the hand. */
export function handsOf(kind: KindInfo): FieldInfo[] {
  return kind.fields.filter((field) => isCards(field) && (field.hud || field.private));
}

export class Hand {
  private written = "";

  constructor(
    private readonly box: HTMLElement,
    private readonly isPlayable: (type: TypeInfo) => boolean,
    private readonly play: (card: PlayedCard) => void,
  ) {
    new ResizeObserver(() => this.spread()).observe(box);
  }

  show(own: Body | null): void {
    const hands = own ? handsOf(own.info).filter((field) => Array.isArray(own.fields[field.name])) : [];
    const key = JSON.stringify(hands.map((field) => [field.name, own?.fields[field.name]]));
    // A card in the air stays there: what is new is shown when it has come down.
    if (key === this.written || this.box.querySelector(".dragged")) return;
    this.written = key;
    const rows = hands.map((field) => this.row(field, own?.fields[field.name] as Value[], hands.length > 1));
    this.box.hidden = rows.length === 0;
    const focused = [...this.box.querySelectorAll("button")].indexOf(document.activeElement as HTMLButtonElement);
    this.box.replaceChildren(...rows);
    // The card beside the one that was played has the focus: keys go on from there.
    const buttons = this.box.querySelectorAll("button");
    if (focused >= 0) buttons[Math.min(focused, buttons.length - 1)]?.focus();
    this.spread();
  }

  private row(field: FieldInfo, values: Value[], isNamed: boolean): HTMLElement {
    const row = make("div", "fan");
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", readable(field.name));
    const type = field.of ?? { type: "int" };
    const isPlayable = this.isPlayable(type);
    if (isNamed || !isPlayable) row.append(make("span", "fan-name", readable(field.name)));
    values.forEach((value, i) => {
      const card = isPlayable ? this.card(value, type) : paintCard(make("span"), value, type);
      card.style.setProperty("--at", `${i - (values.length - 1) / 2}`);
      row.append(card);
    });
    row.classList.toggle("idle", !isPlayable);
    if (values.length === 0) row.append(make("span", "nothing", isPlayable ? "no cards" : "nothing"));
    return row;
  }

  private card(value: Value, type: TypeInfo): HTMLElement {
    let dragged = false;
    const card = button("", "", () => {
      if (!dragged && !card.classList.contains("pending")) this.play({ value, type, element: card });
      dragged = false;
    });
    paintCard(card, value, type);
    card.title = cardName(value, type);
    let from: { id: number; x: number; y: number } | null = null;
    card.addEventListener("pointerdown", (event) => {
      from = { id: event.pointerId, x: event.clientX, y: event.clientY };
      dragged = false;
      // At once: a quick hand is off the card by its first move.
      card.setPointerCapture(event.pointerId);
    });
    card.addEventListener("pointermove", (event) => {
      if (from?.id !== event.pointerId) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      dragged ||= Math.hypot(dx, dy) > DRAG;
      if (!dragged) return;
      card.style.translate = `${dx}px ${dy}px`;
      card.classList.add("dragged");
      document.body.classList.toggle("dropping", this.isOut(event.clientY));
    });
    const end = (event: PointerEvent): void => {
      if (from?.id !== event.pointerId) return;
      from = null;
      card.style.translate = "";
      card.classList.remove("dragged");
      document.body.classList.remove("dropping");
      const isDropped = dragged && event.type === "pointerup" && this.isOut(event.clientY);
      if (isDropped && !card.classList.contains("pending")) this.play({ value, type, element: card });
    };
    card.addEventListener("pointerup", end);
    card.addEventListener("pointercancel", end);
    return card;
  }

  /** Whether a place of that height is on the table, rather than in the hand. */
  private isOut(y: number): boolean {
    return y < this.box.getBoundingClientRect().top;
  }

  /** Cards lie closer the more there are, so that all can be seen. */
  private spread(): void {
    for (const row of this.box.querySelectorAll<HTMLElement>(".fan")) {
      const cards = row.querySelectorAll(".card-face").length;
      const room = this.box.clientWidth - CARD - 24;
      const step = cards > 1 ? Math.min(CARD + 6, Math.max(room / (cards - 1), SHOWN_MIN)) : CARD;
      row.style.setProperty("--overlap", `${Math.round(step - CARD)}px`);
    }
  }
}
