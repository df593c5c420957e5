// The room page: one animation loop, one call into the wasm client a frame, and everything drawn from what it
// gives.

import { barLevel } from "./bodies.ts";
import { Controls } from "./controls.ts";
import type { Insets } from "./camera.ts";
import { ownBody, Painter } from "./draw.ts";
import type { Choice } from "./ends.ts";
import { type Body, type Frame, ONLINE, readFrame } from "./frame.ts";
import { Hud } from "./hud.ts";
import { NameField } from "./name-field.ts";
import { playerName } from "./names.ts";
import { Net, now } from "./net.ts";
import { LinkPanel, StatsPanel } from "./panel.ts";
import type { LinkAccount, RoomState, Welcome } from "./protocol.ts";
import { TouchControls } from "./touch.ts";

/** Milliseconds between two writings of what is text. */
const TEXT_MS = 200;
const NOTICES = {
  back: "Back in your seat.",
  "new-seat": "Your seat was gone by now; this is a new one.",
  restored: "The room came back from its last save.",
  "new-account": "You were not recognised any more: this is a new guest account.",
  trapped: "The game client stumbled and is starting again.",
};

const element = <T extends HTMLElement>(id: string): T => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
};

class RoomPage {
  private readonly canvas = element<HTMLCanvasElement>("table");
  private readonly painter = new Painter(this.canvas);
  private readonly touchZone = element("touch");
  private readonly controls = new Controls(
    this.canvas,
    new TouchControls(element("stick"), element("knob"), element("buttons")),
  );
  private readonly hud = new Hud();
  private readonly linkPanel = new LinkPanel((choice) => void this.choose(choice));
  private readonly statsPanel = new StatsPanel();
  private readonly net: Net;
  private welcome: Welcome | null = null;
  private room: RoomState = { roster: [], round: { n: 0, live: 0, endsAt: null }, shared: {} };
  private names = new Map<number, string>();
  private link: LinkAccount | null = null;
  private frame: Frame | null = null;
  private versions = { instance: 0, welcome: -1, room: -1, link: -1 };
  private drawnAt = 0;
  private writtenAt = 0;
  private hasFailed = false;

  constructor(
    private readonly game: string,
    room: string,
  ) {
    const query = new URLSearchParams(location.search);
    const asked = query.get("name");
    new NameField(element<HTMLInputElement>("name"), asked, (name) => this.rename(name));
    this.net = new Net(
      { game, room, name: asked ?? playerName(), watch: query.has("watch") },
      {
        notice: (notice) => this.notice(notice),
        say: (seat, text) => this.hud.notice(`${this.names.get(seat) ?? "Somebody"}: ${text}`),
        failed: (message) => {
          this.hasFailed = true;
          this.linkPanel.showFault(message);
        },
      },
    );
    element("seat").addEventListener("click", () => {
      this.net.use((client) => client.connectAgain(false, now()));
    });
  }

  async start(): Promise<void> {
    this.expose();
    await this.net.start();
    requestAnimationFrame((at) => this.animate(at));
  }

  private animate(at: number): void {
    requestAnimationFrame((next) => this.animate(next));
    const dt = Math.min((at - this.drawnAt) / 1_000, 0.1);
    this.drawnAt = at;
    const flat = this.net.frame(this.controls.sample(this.ownOnScreen()));
    if (!flat) return;
    // Read before drawing: a welcome says what the numbers mean.
    this.readVersions(readFrame(flat, null));
    const frame = readFrame(flat, this.welcome);
    this.frame = frame;
    if (frame.outputs > 0) this.net.pump();
    if (this.welcome) this.painter.draw(frame, this.welcome, this.names, this.clear(), dt);
    else this.painter.clear();
    if (at - this.writtenAt < TEXT_MS) return;
    this.writtenAt = at;
    this.writeText(frame);
  }

  private readVersions(frame: Frame): void {
    const seen = this.versions;
    const isNew = seen.instance !== this.net.instances;
    if (frame.welcomeVersion > 0 && (isNew || seen.welcome !== frame.welcomeVersion)) this.readWelcome();
    if (isNew || seen.room !== frame.roomVersion) {
      this.room = JSON.parse(this.net.ask((c) => c.room()) ?? "null") ?? this.room;
      this.names = new Map(this.room.roster.map((row) => [row.seat, row.name]));
    }
    if (isNew || seen.link !== frame.linkVersion) {
      this.link = JSON.parse(this.net.ask((c) => c.link(now())) ?? "null");
    }
    this.versions = {
      instance: this.net.instances,
      welcome: frame.welcomeVersion,
      room: frame.roomVersion,
      link: frame.linkVersion,
    };
  }

  private readWelcome(): void {
    const text = this.net.ask((c) => c.welcome());
    if (!text) return;
    const isFirst = this.welcome === null;
    this.welcome = JSON.parse(text) as Welcome;
    this.controls.declare(this.welcome.inputs);
    if (isFirst && this.welcome.you && this.controls.help()) this.hud.notice(this.controls.help());
    this.hud.showPlace(this.welcome);
    this.painter.reset();
    const isPlaying = this.welcome.you !== null;
    document.body.classList.toggle("playing", isPlaying);
    document.body.classList.toggle("watching", !isPlaying);
  }

  private writeText(frame: Frame): void {
    const stats = JSON.parse(this.net.ask((c) => c.stats(now())) ?? "null");
    if (this.welcome) {
      this.hud.showRound(frame, this.room);
      this.hud.showScores(frame, this.room);
      const own = ownBody(frame);
      this.hud.showOwn(own);
      this.hud.showDown(own !== null && frame.live && barLevel(own) === 0);
    }
    if (this.link && !this.hasFailed) {
      this.linkPanel.show(this.link, frame.retryIn);
      this.hud.showSignal(this.link.state, stats?.rtt ?? null, frame.link === ONLINE && frame.starved);
    }
    if (stats && this.statsPanel.isShown) this.statsPanel.show(stats);
  }

  private ownOnScreen(): [number, number] | null {
    const own = this.frame && ownBody(this.frame);
    return own ? this.painter.camera.screen(own.x, own.y) : null;
  }

  /** What thumbs and the top row cover. */
  private clear(): Insets {
    const top = element("top").getBoundingClientRect().bottom;
    const hasTouch = getComputedStyle(this.touchZone).display !== "none";
    const isWide = window.innerWidth >= 900;
    const bottom = hasTouch && !isWide ? this.touchZone.getBoundingClientRect().height : 14;
    return { top: isWide ? 14 : top, right: 10, bottom, left: 10 };
  }

  private notice(notice: keyof typeof NOTICES | "new-build"): void {
    if (notice === "new-build") {
      // A page under `make dev` reloads at once instead (dev.ts).
      if (!window.dispatchEvent(new Event("roundtable:new-build", { cancelable: true }))) return;
      this.hud.notice("A newer version is live.", { label: "Reload", run: () => location.reload() });
    } else {
      this.hud.notice(NOTICES[notice]);
    }
  }

  private rename(name: string): void {
    this.net.rename(name);
    const shown = this.frame?.seat == null ? undefined : this.names.get(this.frame.seat);
    if (shown !== undefined && shown !== name) this.hud.notice(`Others see “${name}” from your next seat on.`);
  }

  private async choose(choice: Choice): Promise<void> {
    if (choice === "again" || choice === "here") this.net.use((client) => client.connectAgain(false, now()));
    else if (choice === "watch") this.net.use((client) => client.connectAgain(true, now()));
    else if (choice === "reload") location.reload();
    else if (choice === "home") location.assign("/");
    else {
      const answer = await fetch(`/api/quick?game=${encodeURIComponent(this.game)}`).catch(() => null);
      const found = answer?.ok ? ((await answer.json()) as { room?: string }) : {};
      location.assign(found.room ? `/${this.game}/${found.room}` : "/");
    }
  }

  /** For tests and other programs on the page. */
  private expose(): void {
    const bare = ({ info: _, ...body }: Body): object => body;
    Object.assign(window, {
      roundtable: {
        stats: () => JSON.parse(this.net.ask((c) => c.stats(now())) ?? "null") as unknown,
        link: () => JSON.parse(this.net.ask((c) => c.link(now())) ?? "null") as unknown,
        welcome: () => this.welcome,
        roster: () => this.room.roster,
        round: () => this.room.round,
        shared: () => this.room.shared,
        bodies: () => this.frame?.bodies.map(bare) ?? [],
      },
    });
  }
}

const [, game = "", room = ""] = location.pathname.split("/");
// A page that is dragged, zoomed or selected under the thumbs is no game.
document.addEventListener("gesturestart", (event) => event.preventDefault());
document.addEventListener("dblclick", (event) => event.preventDefault());
void new RoomPage(game, room).start();
