// The room of an event-driven game as a table: who sits around it, what lies on it. Shown for players who hold cards, and as
// long as no body was put anywhere; another game that places its bodies is drawn as a map like any other.

import { cardRow } from "./cards.ts";
import { element, make } from "./dom.ts";
import { type Fact, factList, sharedFacts } from "./facts.ts";
import type { Body, Frame } from "./frame.ts";
import { handsOf } from "./hand.ts";
import { seatColour } from "./looks.ts";
import type { RoomState, RosterRow, TypeInfo, Value, Welcome } from "./protocol.ts";
import { detailsOf } from "./scores.ts";
import { isCards, isSameType, readable, shown } from "./values.ts";

/** Seats that fit around a table; more of them are a list above it. */
const AROUND_MAX = 12;
/** Cards of a pile that are seen, and of a row at a seat. */
const PILE = 6;
const ROW = 6;

export class Board {
  private readonly box = element("board");
  private readonly seats = element("seats");
  private readonly middle = element("middle");
  private written = "";

  /** Returns whether there is a board. */
  show(frame: Frame, room: RoomState, welcome: Welcome, names: Map<number, string>): boolean {
    const isOn = welcome.hz === null && (areTogether(frame.bodies) || isCardTable(frame.bodies, welcome));
    this.box.hidden = !isOn;
    document.body.classList.toggle("board", isOn);
    if (!isOn) return false;
    const facts = sharedFacts(welcome, room.shared);
    const bodies = frame.bodies.map((body) => [body.id, body.seat, body.fields]);
    const key = JSON.stringify([frame.seat, room.roster, facts, bodies]);
    if (key === this.written) return true;
    this.written = key;
    this.showSeats(frame, room.roster, facts, names);
    this.showMiddle(frame, facts, cardsOf(welcome), names);
    return true;
  }

  private showSeats(frame: Frame, roster: RosterRow[], facts: Fact[], names: Map<number, string>): void {
    // The own seat is nearest, the others follow around the table as they sit.
    const own = Math.max(
      0,
      roster.findIndex((row) => row.seat === frame.seat),
    );
    const order = [...roster.slice(own), ...roster.slice(0, own)];
    const items = order.map((row, i) => {
      const item = make("li");
      const angle = Math.PI * (0.5 + (2 * i) / order.length);
      item.style.setProperty("--x", Math.cos(angle).toFixed(3));
      item.style.setProperty("--y", Math.sin(angle).toFixed(3));
      item.style.setProperty("--seat", seatColour(row.seat));
      item.classList.toggle("own", row.seat === frame.seat);
      item.classList.toggle("away", row.away);
      const head = make("div", "sitter");
      head.append(make("span", "dot"), make("span", "name", row.name));
      for (const detail of detailsOf(row)) head.append(make("span", `detail ${detail}`, detail));
      item.append(head);
      const badges = facts.filter((fact) => fact.field.type === "seat" && fact.value === row.seat);
      for (const badge of badges) item.append(make("span", "badge", badge.name));
      item.classList.toggle("marked", badges.length > 0);
      const body = frame.bodies.find((one) => one.seat === row.seat && one.info.player);
      if (body) item.append(...bodyFacts(body, names));
      return item;
    });
    this.seats.classList.toggle("many", order.length > AROUND_MAX);
    this.seats.classList.toggle("some", order.length > 5);
    this.seats.replaceChildren(...items);
  }

  /** What is shared, and what belongs to no seat. Who a seat field means is seen at the seat. */
  private showMiddle(frame: Frame, facts: Fact[], cards: TypeInfo[], names: Map<number, string>): void {
    const made: HTMLElement[] = [];
    const rest: Fact[] = [];
    for (const fact of facts) {
      const { field, value } = fact;
      if (isCards(field) && Array.isArray(value)) made.push(pile(fact.name, value, field.of));
      // A single value of what hands are made of is a card that lies there.
      else if (value !== null && cards.some((card) => isSameType(card, field))) made.push(pile(fact.name, [value], field));
      else if (field.type !== "seat") rest.push(fact);
    }
    for (const body of frame.bodies) {
      if (body.seat !== null) continue;
      const group = make("div", "thing");
      group.append(make("span", "pile-name", readable(body.kind)), ...bodyFacts(body, names));
      made.push(group);
    }
    this.middle.replaceChildren(...made, factList(rest, names));
  }
}

function pile(name: string, values: Value[], type: TypeInfo | undefined): HTMLElement {
  const box = make("div", "pile");
  const row = cardRow(values, type, PILE);
  if (values.length === 0) row.append(make("span", "no-card"));
  box.append(row, make("span", "pile-name", name));
  return box;
}

/** What everyone may see of a body: cards as cards, what is true as a word, the rest as name and value. */
function bodyFacts(body: Body, names: Map<number, string>): HTMLElement[] {
  const facts: HTMLElement[] = [];
  const words = make("div", "words");
  for (const field of body.info.fields) {
    const value = body.fields[field.name];
    if (value === undefined || field.private) continue;
    if (isCards(field) && Array.isArray(value)) {
      if (value.length > 0) facts.push(cardRow(value, field.of, ROW));
    } else if (value === true) {
      words.append(make("span", "word", readable(field.name)));
    } else if (value !== false && value !== null && value !== "") {
      const word = make("span", "word", `${readable(field.name)} `);
      word.append(make("b", "", shown(value, field, names)));
      words.append(word);
    }
  }
  if (words.childElementCount > 0) facts.push(words);
  return facts;
}

/** Nobody was put anywhere: all are where they were made. */
function areTogether(bodies: Body[]): boolean {
  const first = bodies[0];
  return bodies.every((body) => body.x === first?.x && body.y === first.y);
}

/** Players who hold cards sit at a table, wherever their bodies are: nothing else is on the map. */
function isCardTable(bodies: Body[], welcome: Welcome): boolean {
  const isBare = welcome.map.shapes.length === 0 && welcome.inputs.length === 0;
  return isBare && cardsOf(welcome).length > 0 && bodies.every((body) => body.seat !== null);
}

/** Types of the cards that players hold. */
function cardsOf(welcome: Welcome): TypeInfo[] {
  const hands = welcome.kinds.filter((kind) => kind.player).flatMap(handsOf);
  return hands.flatMap((field) => (field.of ? [field.of] : []));
}
