// The home page: a name, the games, and the public rooms with people in them.

import { devices } from "./devices.ts";
import { chosenName, keepName, madeName, NAME_CHARS_MAX } from "./names.ts";
import { renewSession } from "./session.ts";

interface Game {
  game: string;
  /** The most seats that bots fill, by themselves or because a player asks; 0 where none do. */
  bots: number;
}

interface ListedRoom {
  room: string;
  people: number;
  seats?: number;
}

/** Milliseconds between two looks at the list of rooms. */
const REFRESH_MS = 5_000;
/** Seats that are filled with bots for somebody who wants to play against them. */
const BOTS = 4;

async function ask<T>(path: string, init?: RequestInit): Promise<T | null> {
  const answer = await fetch(path, init).catch(() => null);
  return answer?.ok ? ((await answer.json()) as T) : null;
}

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  name: string,
  text = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  return made;
}

function button(name: string, text: string, run: () => Promise<void>): HTMLButtonElement {
  const made = make("button", name, text);
  made.type = "button";
  made.addEventListener("click", () => {
    made.disabled = true;
    void run().finally(() => (made.disabled = false));
  });
  return made;
}

function say(text: string): void {
  const line = document.getElementById("say");
  if (line) line.textContent = text;
}

async function play(game: string): Promise<void> {
  const found = await ask<{ room: string }>(`/api/quick?game=${encodeURIComponent(game)}`);
  if (found) location.assign(`/${game}/${found.room}`);
  else say("No room could be found just now. Try again in a moment.");
}

/** Opens a new room; with bots it is nobody else's, and they fill it up to so many seats. */
async function open(game: string, bots = 0): Promise<void> {
  const made = await ask<{ room: string }>("/api/rooms", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ game, public: bots === 0 }),
  });
  if (made) location.assign(`/${game}/${made.room}${bots > 0 ? `?bots=${bots}` : ""}`);
  else say("No room could be opened just now. Try again in a moment.");
}

/** A game: play now, a room of one's own, and the rooms where somebody is. */
class GameCard {
  readonly element = make("article", "game");
  private readonly rooms = make("ul", "rooms");

  constructor(
    private readonly game: string,
    bots: number,
  ) {
    const title = make("h2", "", game);
    const actions = make("div", "actions");
    actions.append(
      button("primary", "Play now", () => play(game)),
      button("quiet", "New room", () => open(game)),
    );
    if (bots > 1) actions.append(button("quiet", "Against bots", () => open(game, Math.min(bots, BOTS))));
    this.element.append(title, actions, this.rooms);
  }

  async refresh(): Promise<void> {
    const list = await ask<{ rooms: ListedRoom[] }>(`/api/rooms?game=${encodeURIComponent(this.game)}`);
    if (!list) return;
    const rooms = list.rooms.filter((room) => room.people > 0).slice(0, 12);
    if (rooms.length === 0) {
      this.rooms.replaceChildren(make("li", "nobody", "Nobody is playing. Be the first."));
      return;
    }
    this.rooms.replaceChildren(...rooms.map((room) => this.row(room)));
  }

  private row(room: ListedRoom): HTMLLIElement {
    const item = make("li", "");
    const link = make("a", "");
    link.href = `/${this.game}/${room.room}`;
    const count = room.seats ? `${room.people} of ${room.seats}` : `${room.people}`;
    link.append(make("span", "name", room.room), make("span", "people", `${count} playing`));
    item.append(link);
    return item;
  }
}

async function start(): Promise<void> {
  devices();
  void renewSession();
  const name = document.getElementById("name");
  if (name instanceof HTMLInputElement) {
    name.maxLength = NAME_CHARS_MAX;
    name.placeholder = madeName();
    name.value = chosenName() ?? "";
    name.addEventListener("input", () => keepName(name.value));
  }
  const answer = await ask<{ games: Game[] }>("/api/games");
  if (!answer) {
    say("The list of games could not be loaded. Reload the page to try again.");
    return;
  }
  const cards = answer.games.map((game) => new GameCard(game.game, game.bots));
  document.getElementById("games")?.replaceChildren(...cards.map((card) => card.element));
  const refresh = (): void => {
    if (!document.hidden) cards.forEach((card) => void card.refresh());
  };
  refresh();
  setInterval(refresh, REFRESH_MS);
  document.addEventListener("visibilitychange", refresh);
}

void start();
