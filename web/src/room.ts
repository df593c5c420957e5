// The room page: one animation loop, one call into the wasm client a frame, and everything drawn from what it
// gives.

import { Actions } from "./actions.ts";
import { barLevel } from "./bodies.ts";
import { Board } from "./board.ts";
import type { Insets } from "./camera.ts";
import { Controls } from "./controls.ts";
import { element } from "./dom.ts";
import { loadHook } from "./draw-hook.ts";
import { Painter } from "./draw.ts";
import type { Choice } from "./ends.ts";
import { type Body, type Details, type Frame, FrameReader, ONLINE } from "./frame.ts";
import { Hand } from "./hand.ts";
import { Hud } from "./hud.ts";
import { Keys } from "./keys.ts";
import { readLook } from "./looks.ts";
import { NameField } from "./name-field.ts";
import { playerName } from "./names.ts";
import { Net, now } from "./net.ts";
import { PadFocus } from "./pad.ts";
import { LinkPanel, StatsPanel } from "./panel.ts";
import { Pick } from "./pick.ts";
import type { LinkAccount, RoomState, Welcome } from "./protocol.ts";
import { Scores } from "./scores.ts";
import { Sounds } from "./sound.ts";
import { TouchButtons, TouchStick } from "./touch.ts";

/** Milliseconds between two writings of what is text. */
const TEXT_MS = 150;
const NOTICES = {
  back: "Back in your seat.",
  "new-seat": "Your seat was gone by now; this is a new one.",
  restored: "The room came back from its last save.",
  "new-account": "You were not recognised any more: this is a new guest account.",
  trapped: "The game client stumbled and is starting again.",
};

class RoomPage {
  private readonly sounds = new Sounds(element<HTMLButtonElement>("mute"));
  private readonly painter = new Painter(element<HTMLCanvasElement>("table"), this.sounds);
  private readonly reader = new FrameReader();
  private detailsVersion = -1;
  private readonly hud = new Hud();
  private readonly scores = new Scores();
  private readonly board = new Board();
  private readonly linkPanel = new LinkPanel((choice) => void this.choose(choice));
  private readonly statsPanel = new StatsPanel();
  private readonly pick: Pick;
  private readonly controls: Controls;
  private readonly actions: Actions;
  private readonly hand: Hand;
  private readonly padFocus = new PadFocus();
  private readonly net: Net;
  private welcome: Welcome | null = null;
  private room: RoomState = { roster: [], round: { n: 0, live: 0, endsAt: null }, shared: {} };
  private names = new Map<number, string>();
  private link: LinkAccount | null = null;
  private frame: Frame | null = null;
  private versions = { instance: 0, welcome: -1, room: -1, link: -1 };
  private clear: Insets = { top: 0, right: 0, bottom: 0, left: 0 };
  private drawnAt = 0;
  private writtenAt = 0;
  private isBoard = false;
  private hasFailed = false;

  constructor(
    private readonly game: string,
    room: string,
  ) {
    const query = new URLSearchParams(location.search);
    const asked = query.get("name");
    const bots = Number.parseInt(query.get("bots") ?? "", 10);
    new NameField(element<HTMLInputElement>("name"), asked, (name) => this.rename(name));
    this.net = new Net(
      {
        game,
        room,
        name: asked ?? playerName(),
        watch: query.has("watch"),
        bots: bots >= 0 ? Math.min(bots, 512) : null,
      },
      {
        notice: (notice) => this.notice(notice),
        say: (seat, text) => this.hud.notice(`${this.names.get(seat) ?? "Somebody"}: ${text}`),
        did: (n, ok, why) => this.actions.did(n, ok, why),
        travel: (to) => this.hud.notice(`On the way to ${to}…`),
        failed: (message) => {
          this.hasFailed = true;
          this.linkPanel.showFault(message);
        },
      },
    );
    const canvas = element<HTMLCanvasElement>("table");
    this.pick = new Pick(canvas, this.painter.camera, () => this.frame);
    this.actions = this.makeActions();
    this.hand = new Hand(
      element("hand"),
      (type) => this.actions.isPlayable(type),
      (card) => this.actions.play(card),
    );
    this.controls = this.makeControls(canvas);
    element("seat").addEventListener("click", () => this.net.use((client) => client.connectAgain(false, now())));
    window.addEventListener("resize", () => (this.writtenAt = 0));
  }

  private makeActions(): Actions {
    const world = {
      roster: () => this.room.roster,
      names: () => this.names,
      frame: () => this.frame,
      pick: this.pick,
    };
    const link = {
      act: (action: string, args: object) => this.net.do(action, args),
      say: (text: string) => this.hud.notice(text),
    };
    return new Actions(world, link);
  }

  private makeControls(canvas: HTMLCanvasElement): Controls {
    const keys = new Keys(
      canvas,
      () => this.pick.isOn,
      (by) => this.controls.turn(by),
    );
    const left = new TouchStick(element("stick"));
    const right = new TouchStick(element("aim"));
    const thumbs = { left, right, buttons: new TouchButtons(element("buttons")) };
    const controls = new Controls(keys, thumbs, element("pickers"));
    controls.isPadFree = (index) => !this.padFocus.takes(index);
    keys.listen(
      (code) => this.isPlaying() && controls.uses(code),
      (code, shift) => this.isPlaying() && (controls.once(code, shift) || this.actions.once(code)),
    );
    return controls;
  }

  private isPlaying(): boolean {
    return this.welcome?.you != null && !this.actions.sheet.isOpen;
  }

  async start(): Promise<void> {
    this.expose();
    void loadHook(this.game).then((hook) => (this.painter.hook = hook));
    await this.net.start();
    requestAnimationFrame((at) => this.animate(at));
  }

  private animate(at: number): void {
    requestAnimationFrame((next) => this.animate(next));
    const dt = Math.min((at - this.drawnAt) / 1_000, 0.1);
    this.drawnAt = at;
    const pad = navigator.getGamepads?.().find((one) => one?.connected) ?? null;
    this.padFocus.follow(pad, [element("card"), element("sheet"), element("dock"), element("messages")], () =>
      this.actions.sheet.close(),
    );
    const flat = this.net.frame(this.controls.sample(pad, this.ownOnScreen()));
    if (!flat) return;
    const frame = this.reader.readHeader(flat);
    this.frame = frame;
    // Read before the bodies: a welcome says what the numbers mean.
    this.readVersions(frame);
    if (frame.detailsVersion !== this.detailsVersion) {
      this.detailsVersion = frame.detailsVersion;
      this.reader.setDetails(JSON.parse(this.net.ask((c) => c.details()) ?? "{}") as Details);
    }
    if (this.welcome) this.reader.readBodies(this.welcome);
    if (frame.outputs > 0) this.net.pump();
    if (this.welcome && !this.isBoard) this.draw(frame, this.welcome, dt);
    else this.painter.clear();
    if (this.isBoard) this.hear(frame);
    if (at - this.writtenAt < TEXT_MS) return;
    this.writtenAt = at;
    this.writeText(frame);
  }

  private draw(frame: Frame, welcome: Welcome, dt: number): void {
    const { room, names, clear } = this;
    this.painter.draw(frame, { welcome, room, names, clear, marked: this.pick.marked }, dt);
  }

  /** Effects of a board: it has no places, so what they say is said, and all sound from the middle. */
  private hear(frame: Frame): void {
    for (const { look, name } of frame.effects) {
      const { shape, sound, text } = readLook(look);
      if (sound) this.sounds.play(sound, 0, 0);
      if (shape === "text") this.hud.notice(text || name);
    }
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
    seen.instance = this.net.instances;
    seen.welcome = frame.welcomeVersion;
    seen.room = frame.roomVersion;
    seen.link = frame.linkVersion;
  }

  private readWelcome(): void {
    const text = this.net.ask((c) => c.welcome());
    if (!text) return;
    const welcome = JSON.parse(text) as Welcome;
    this.welcome = welcome;
    this.reader.reset();
    this.controls.declare(welcome.inputs);
    this.actions.declare(welcome);
    this.hud.showPlace(welcome, this.controls.help());
    this.painter.reset(welcome);
    const isPlaying = welcome.you !== null;
    const { classList } = document.body;
    classList.toggle("playing", isPlaying);
    classList.toggle("watching", !isPlaying);
    const has = (how: string, count = 1): boolean => this.controls.has(how, count);
    const hasRight = has("aim") || has("stick", 2);
    classList.toggle("steered", has("stick") || hasRight || has("button"));
    classList.toggle("two-thumbs", hasRight);
    element("stick").hidden = !has("stick");
    element("aim").hidden = !hasRight;
  }

  private writeText(frame: Frame): void {
    const stats = JSON.parse(this.net.ask((c) => c.stats(now())) ?? "null");
    const { welcome, room, names } = this;
    if (welcome) {
      this.isBoard = this.board.show(frame, room, welcome, names);
      this.hud.showRound(frame);
      this.scores.show(frame, room, welcome, names, this.isBoard);
      this.scores.showResults(frame, room);
      this.hud.showOwn(frame.own, names);
      this.hud.showDown(frame.own !== null && frame.live && barLevel(frame.own) === 0);
      this.hand.show(frame.own);
    }
    if (this.link && !this.hasFailed) {
      this.linkPanel.show(this.link, frame.retryIn);
      this.hud.showSignal(this.link.state, stats?.rtt ?? null, frame.link === ONLINE && frame.starved);
    }
    if (stats && this.statsPanel.isShown) this.statsPanel.show(stats);
    this.measure();
  }

  private readonly onScreen = { x: 0, y: 0 };

  private ownOnScreen(): { x: number; y: number } | null {
    const own = this.frame?.own;
    if (!own) return null;
    this.onScreen.x = this.painter.camera.sx(own.x);
    this.onScreen.y = this.painter.camera.sy(own.y);
    return this.onScreen;
  }

  /** What thumbs, hand and the top row cover. */
  private measure(): void {
    const isWide = window.innerWidth >= 900;
    const isLow = window.innerHeight <= 480;
    const reach = (id: string): number => {
      const box = element(id).getBoundingClientRect();
      return box.height > 0 ? window.innerHeight - box.top : 0;
    };
    const top = element("top").getBoundingClientRect().bottom;
    const thumbs = isWide || isLow ? 0 : reach("touch");
    const bottom = Math.max(14, thumbs, reach("dock") + 8);
    this.clear = { top: isWide || isLow ? 14 : top, right: 10, bottom, left: 10 };
    document.body.style.setProperty("--dock", `${Math.round(reach("dock"))}px`);
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
    const bare = ({ id, kind, seat, x, y, z, heading, fields }: Body): object => ({
      id, kind, seat, x, y, z, heading, fields,
    }); // prettier-ignore
    Object.assign(window, {
      roundtable: {
        stats: () => JSON.parse(this.net.ask((c) => c.stats(now())) ?? "null") as unknown,
        link: () => JSON.parse(this.net.ask((c) => c.link(now())) ?? "null") as unknown,
        welcome: () => this.welcome,
        roster: () => this.room.roster,
        round: () => this.room.round,
        shared: () => this.room.shared,
        areas: () => this.room.areas ?? [],
        bodies: () => this.frame?.bodies.map(bare) ?? [],
        /** Does an action; the number it got, or 0. */
        act: (action: string, args: object) => this.net.do(action, args),
        camera: () => ({ x: this.painter.camera.x, y: this.painter.camera.y, scale: this.painter.camera.scale }),
        screen: (x: number, y: number) => this.painter.camera.screen(x, y),
      },
    });
  }
}

const [, game = "", room = ""] = location.pathname.split("/");
// A page that is dragged, zoomed or selected under the thumbs is no game.
document.addEventListener("gesturestart", (event) => event.preventDefault());
document.addEventListener("dblclick", (event) => event.preventDefault());
// What was pressed by a pointer does not keep the focus: space is a control of the game.
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (event.detail > 0) button?.blur();
});
void new RoomPage(game, room).start();
