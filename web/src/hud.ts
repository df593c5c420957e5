// What is text at the edge of the room page: clock, own fields, link, notices. Written only where it changed.

import { element, make, write } from "./dom.ts";
import type { Body, Frame } from "./frame.ts";
import type { FieldInfo, Welcome } from "./protocol.ts";
import { isCards, level, readable, shown } from "./values.ts";

const NOTICE_MS = 4_500;
/** Own fields that are shown. */
const OWN_MAX = 6;
/** Numbers up to this have a bar under them: further ones are bounds that nobody reaches. */
const BAR_MAX = 1_000;

export class Hud {
  private readonly clock = element("clock");
  private readonly round = element("round");
  private readonly signal = element("signal");
  private readonly notices = element("notices");
  private readonly down = element("down");
  private readonly own = element("own");
  private ownWritten = "";

  /** The round's clock; a room whose round never ends has none. */
  showRound(frame: Frame): void {
    const hasEnd = frame.endsIn !== null;
    write(this.clock, frame.endsIn === null ? "" : minutes(frame.endsIn));
    write(this.round, !hasEnd || frame.round === 0 ? "" : frame.live ? `Round ${frame.round}` : "Next round");
    this.clock.classList.toggle("soon", frame.live && frame.endsIn !== null && frame.endsIn < 10);
  }

  /** The own body is down and will be back. */
  showDown(isDown: boolean): void {
    this.down.hidden = !isDown;
  }

  /** The own body's score and the fields that its game marks for its owner; cards are in the hand instead. */
  showOwn(own: Body | null, names: Map<number, string>): void {
    const wanted = own?.info.fields.filter((f) => (f.score || f.hud) && !isCards(f)) ?? [];
    const fields = own ? wanted.filter((f) => own.fields[f.name] !== undefined).slice(0, OWN_MAX) : [];
    this.own.hidden = fields.length === 0;
    const key = fields.map((field) => field.name).join("\n");
    if (key !== this.ownWritten) {
      this.ownWritten = key;
      this.own.replaceChildren(...fields.map(ownRow));
    }
    fields.forEach((field, i) => {
      const row = this.own.children[i];
      const value = own?.fields[field.name];
      if (row instanceof HTMLElement) {
        const isBounded = !field.score && (field.max ?? 0) <= BAR_MAX;
        showValue(row, shown(value, field, names), isBounded ? level(value, field) : null);
      }
    });
  }

  /** The dot and the round-trip time. */
  showSignal(state: string, rtt: number | null, starved: boolean): void {
    const isUp = state === "online";
    const quality = !isUp ? "down" : starved || (rtt ?? 0) > 250 ? "poor" : "good";
    this.signal.dataset["quality"] = quality;
    write(this.signal, isUp ? (rtt === null ? "online" : `${Math.round(rtt)} ms`) : state);
  }

  /** A line that goes away by itself, or stays with a button. The same line again is shown once. */
  notice(text: string, action?: { label: string; run: () => void }): void {
    const last = this.notices.lastElementChild;
    if (!action && last?.firstChild?.textContent === text) last.remove();
    const line = make("p", "", text);
    if (action) {
      const button = make("button", "", action.label);
      button.type = "button";
      button.addEventListener("click", action.run);
      line.append(button);
    } else {
      setTimeout(() => line.remove(), NOTICE_MS);
    }
    this.notices.append(line);
    while (this.notices.childElementCount > 3) this.notices.firstElementChild?.remove();
  }

  /** Where this is, in the corner and in the tab's title; and what the keys do. */
  showPlace(welcome: Welcome, help: string): void {
    write(element("where"), `${welcome.game} / ${welcome.room}`);
    write(element("help"), welcome.you ? help : "");
    document.title = `${welcome.room} · ${welcome.game} · Roundtable`;
  }
}

function ownRow(field: FieldInfo): HTMLElement {
  const row = make("div", "fact");
  row.append(make("span", "", readable(field.name)), make("b"));
  if (field.type === "real" || field.type === "int") row.append(make("i"));
  return row;
}

function showValue(row: HTMLElement, text: string, full: number | null): void {
  const [, value, bar] = row.children;
  if (!(value instanceof HTMLElement)) return;
  if (value.textContent !== text) {
    if (value.textContent !== "") bump(value);
    write(value, text);
  }
  if (bar instanceof HTMLElement) {
    bar.hidden = full === null;
    bar.style.setProperty("--full", `${full ?? 0}`);
  }
}

/** Grows for a moment: the number has changed. */
function bump(target: HTMLElement): void {
  target.classList.remove("bump");
  // Asking for the width lets the animation begin anew.
  void target.offsetWidth;
  target.classList.add("bump");
}

function minutes(seconds: number): string {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
