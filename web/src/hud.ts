// Everything on the room page that is text: clock, scores, link, notices, results. Written only where it
// changed.

import type { Body, Frame } from "./frame.ts";
import { seatColour } from "./looks.ts";
import type { RoomState, Welcome } from "./protocol.ts";
import { readable, sharedList, sharedRows } from "./shared.ts";

const NOTICE_MS = 4_500;

const element = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
};

export class Hud {
  private readonly clock = element("clock");
  private readonly round = element("round");
  private readonly signal = element("signal");
  private readonly scores = element("scores");
  private readonly results = element("results");
  private readonly notices = element("notices");
  private readonly down = element("down");
  private readonly own = element("own");
  private scoresWritten = "";
  private resultsWritten = "";

  /** The round's clock, and results during a break; a room whose round never ends has no clock. */
  showRound(frame: Frame, room: RoomState): void {
    const hasEnd = frame.endsIn !== null;
    write(this.clock, frame.endsIn === null ? "" : minutes(frame.endsIn));
    write(this.round, !hasEnd || frame.round === 0 ? "" : frame.live ? `Round ${frame.round}` : "Next round");
    this.clock.classList.toggle("soon", frame.live && frame.endsIn !== null && frame.endsIn < 10);
    this.showResults(frame, room);
  }

  private showResults(frame: Frame, room: RoomState): void {
    const results = frame.live ? [] : (room.round.results ?? []);
    const key = JSON.stringify([results, room.roster]);
    if (key === this.resultsWritten) return;
    this.resultsWritten = key;
    this.results.hidden = results.length === 0;
    const names = new Map(room.roster.map((row) => [row.seat, row.name]));
    const rows = [...results].sort((a, b) => a[2] - b[2]);
    const title = document.createElement("h2");
    title.textContent = `Round ${frame.round} is over`;
    const list = document.createElement("ol");
    list.append(
      ...rows.slice(0, 8).map(([seat, score, place]) => {
        const name = names.get(seat) ?? `Seat ${seat + 1}`;
        return scoreRow({ seat, name, detail: "", score, place, isOwn: seat === frame.seat, isAway: false });
      }),
    );
    this.results.replaceChildren(title, list);
  }

  /** The own body is down and will be back. */
  showDown(isDown: boolean): void {
    this.down.hidden = !isDown;
  }

  /** What the own body has made, by the name its kind gives it. */
  showOwn(own: Body | null): void {
    const field = own && scoreField(own);
    const value = field ? own.fields[field] : undefined;
    this.own.hidden = value === undefined;
    const [name, number] = [this.own.firstElementChild, this.own.lastElementChild];
    if (!field || value === undefined || !name || !number) return;
    write(name as HTMLElement, readable(field));
    const text = value.toLocaleString("en");
    if (number.textContent !== text && number.textContent !== "") bump(number);
    write(number as HTMLElement, text);
  }

  /** Who plays and how they stand, best first; below, what the room shares. */
  showScores(frame: Frame, { roster, shared }: RoomState): void {
    const points = scoresOf(frame.bodies);
    const hasScore = frame.bodies.some((body) => scoreField(body) !== undefined);
    const rows = roster
      .map((row) => ({ ...row, score: points.get(row.seat) ?? 0 }))
      .sort((a, b) => b.score - a.score || a.seat - b.seat);
    const facts = sharedRows(shared);
    const key = JSON.stringify([rows, frame.seat, hasScore, facts]);
    if (key === this.scoresWritten) return;
    this.scoresWritten = key;
    const list = document.createElement("ol");
    list.append(
      ...rows.map((row) =>
        scoreRow({
          seat: row.seat,
          name: row.name,
          detail: row.away ? "away" : row.driver === "person" ? "" : row.driver,
          score: hasScore ? row.score : null,
          place: null,
          isOwn: row.seat === frame.seat,
          isAway: row.away,
        }),
      ),
    );
    this.scores.hidden = rows.length === 0 && facts.length === 0;
    this.scores.replaceChildren(list, sharedList(facts));
  }

  /** The dot and the round-trip time. */
  showSignal(state: string, rtt: number | null, starved: boolean): void {
    const isUp = state === "online";
    const quality = !isUp ? "down" : starved || (rtt ?? 0) > 250 ? "poor" : "good";
    this.signal.dataset["quality"] = quality;
    write(this.signal, isUp ? (rtt === null ? "online" : `${Math.round(rtt)} ms`) : state);
  }

  /** A line that goes away by itself, or stays with a button. */
  notice(text: string, action?: { label: string; run: () => void }): void {
    const line = document.createElement("p");
    line.textContent = text;
    if (action) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = action.label;
      button.addEventListener("click", action.run);
      line.append(button);
    } else {
      setTimeout(() => line.remove(), NOTICE_MS);
    }
    this.notices.append(line);
    while (this.notices.childElementCount > 3) this.notices.firstElementChild?.remove();
  }

  /** Where this is, in the corner and in the tab's title. */
  showPlace(welcome: Welcome): void {
    write(element("place"), `${welcome.game} / ${welcome.room}`);
    document.title = `${welcome.room} · ${welcome.game} · Roundtable`;
  }
}

interface ScoreRow {
  seat: number;
  name: string;
  detail: string;
  score: number | null;
  place: number | null;
  isOwn: boolean;
  isAway: boolean;
}

function scoreRow(row: ScoreRow): HTMLLIElement {
  const item = document.createElement("li");
  item.classList.toggle("own", row.isOwn);
  item.classList.toggle("away", row.isAway);
  item.style.setProperty("--seat", seatColour(row.seat));
  const part = (name: string, text: string): HTMLElement => {
    const span = document.createElement("span");
    span.className = name;
    span.textContent = text;
    return span;
  };
  if (row.place !== null) item.append(part("place", `${row.place}`));
  item.append(part("dot", ""), part("name", row.name));
  if (row.detail) item.append(part("detail", row.detail));
  if (row.score !== null) item.append(part("score", `${row.score}`));
  return item;
}

const scoreField = (body: Body): string | undefined => body.info.fields.find((field) => field.score)?.name;

/** Each seat's score, summed over its bodies. */
function scoresOf(bodies: Body[]): Map<number, number> {
  const points = new Map<number, number>();
  for (const body of bodies) {
    const field = scoreField(body);
    if (body.seat === null || field === undefined) continue;
    points.set(body.seat, (points.get(body.seat) ?? 0) + (body.fields[field] ?? 0));
  }
  return points;
}

/** Grows for a moment: the number has changed. */
function bump(target: Element): void {
  target.classList.remove("bump");
  // Asking for the width lets the animation begin anew.
  void (target as HTMLElement).offsetWidth;
  target.classList.add("bump");
}

function minutes(seconds: number): string {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function write(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
