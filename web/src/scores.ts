// Who plays and how they stand, during a round and after it.

import { element, make } from "./dom.ts";
import { type Fact, factList, sharedFacts } from "./facts.ts";
import type { Body, Frame } from "./frame.ts";
import { seatColour } from "./looks.ts";
import type { RoomState, RosterRow, Welcome } from "./protocol.ts";

/** Rows of results. */
const RESULTS_MAX = 8;

export class Scores {
  private readonly scores = element("scores");
  private readonly results = element("results");
  private scoresWritten = "";
  private resultsWritten = "";

  /** Best first; below, what the room shares, unless a board shows it. */
  show(frame: Frame, { roster, shared }: RoomState, welcome: Welcome, names: Map<number, string>, onBoard: boolean): void {
    const points = scoresOf(frame.bodies);
    const hasScore = welcome.kinds.some((kind) => kind.player && kind.fields.some((field) => field.score));
    const rows = roster
      .map((row) => ({ ...row, score: points.get(row.seat) ?? 0 }))
      .sort((a, b) => b.score - a.score || a.seat - b.seat);
    const facts: Fact[] = onBoard ? [] : sharedFacts(welcome, shared);
    const key = JSON.stringify([rows, frame.seat, hasScore, facts]);
    if (key === this.scoresWritten) return;
    this.scoresWritten = key;
    const list = make("ol");
    list.append(
      ...rows.map((row) =>
        scoreRow({
          seat: row.seat,
          name: row.name,
          details: detailsOf(row),
          score: hasScore ? row.score : null,
          place: null,
          isOwn: row.seat === frame.seat,
          isAway: row.away,
        }),
      ),
    );
    this.scores.hidden = (rows.length === 0 && facts.length === 0) || (onBoard && !hasScore);
    this.scores.replaceChildren(list, factList(facts, names));
  }

  /** Results during a break: places, which ties share. */
  showResults(frame: Frame, room: RoomState): void {
    const results = frame.live ? [] : (room.round.results ?? []);
    const key = JSON.stringify([results, room.roster]);
    if (key === this.resultsWritten) return;
    this.resultsWritten = key;
    this.results.hidden = results.length === 0;
    const roster = new Map(room.roster.map((row) => [row.seat, row]));
    const rows = [...results].sort((a, b) => a[2] - b[2] || a[0] - b[0]);
    const shared = (place: number): boolean => rows.filter((row) => row[2] === place).length > 1;
    const list = make("ol");
    // The own row is always there, however far down.
    const seen = rows.filter((row, i) => i < RESULTS_MAX || row[0] === frame.seat);
    list.append(
      ...seen.map(([seat, score, place]) => {
        const row = roster.get(seat);
        const details = [...(shared(place) ? ["tie"] : []), ...(row ? detailsOf(row) : ["left"])];
        const name = row?.name ?? `Seat ${seat + 1}`;
        return scoreRow({ seat, name, details, score, place, isOwn: seat === frame.seat, isAway: false });
      }),
    );
    this.results.replaceChildren(make("h2", "", `Round ${frame.round} is over`), list);
  }
}

/** What is said of a seat beside its name. */
export function detailsOf(row: RosterRow): string[] {
  return [...(row.driver === "person" ? [] : [row.driver]), ...(row.away ? ["away"] : [])];
}

interface ScoreRow {
  seat: number;
  name: string;
  details: string[];
  score: number | null;
  place: number | null;
  isOwn: boolean;
  isAway: boolean;
}

function scoreRow(row: ScoreRow): HTMLLIElement {
  const item = make("li");
  item.classList.toggle("own", row.isOwn);
  item.classList.toggle("away", row.isAway);
  item.classList.toggle("first", row.place === 1);
  item.style.setProperty("--seat", seatColour(row.seat));
  if (row.place !== null) item.append(make("span", "place", `${row.place}`));
  item.append(make("span", "dot"), make("span", "name", row.name));
  for (const detail of row.details) item.append(make("span", `detail ${detail}`, detail));
  if (row.score !== null) item.append(make("span", "score", `${row.score}`));
  return item;
}

export function scoreField(body: Body): string | undefined {
  return body.info.fields.find((field) => field.score)?.name;
}

/** Each seat's score, summed over its bodies. */
function scoresOf(bodies: Body[]): Map<number, number> {
  const points = new Map<number, number>();
  for (const body of bodies) {
    const field = scoreField(body);
    const value = field === undefined ? undefined : body.fields[field];
    if (body.seat === null || typeof value !== "number") continue;
    points.set(body.seat, (points.get(body.seat) ?? 0) + value);
  }
  return points;
}
