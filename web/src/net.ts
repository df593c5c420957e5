// The pump between sockets and the wasm client: it carries events in and does what comes out, and decides
// nothing.
//
// The wasm aborts on a panic. Such an instance is thrown away with its socket, and a new one joins with the
// token of this tab, so the player is back in the same seat; after a few times within a minute the page asks
// for a reload.

import type { ClientModule, NetClient, Output } from "./protocol.ts";
import { keptSession, newSession, renewSession } from "./session.ts";
import { read, write } from "./storage.ts";

const TRAPS_MAX = 3;
const TRAP_WINDOW_MS = 60_000;
/** Milliseconds without an animation frame after which a timer keeps the link alive instead. */
const STALLED_MS = 400;

export interface NetEvents {
  notice(notice: "back" | "new-seat" | "restored" | "new-build" | "new-account" | "trapped"): void;
  say(seat: number, text: string): void;
  /** The room's answer to an action. */
  did(n: number, ok: boolean, why: string | null): void;
  /** The seat goes on in another room. */
  travel(room: string): void;
  /** The client cannot be run; only a reload may help. */
  failed(message: string): void;
}

export interface Room {
  game: string;
  room: string;
  /** As the player goes by it now. */
  name: string;
  watch: boolean;
  /** Seats to be filled up with bots, if asked for. */
  bots: number | null;
}

/** Own clock: never steps, and close to the real time. */
export const now = (): number => performance.timeOrigin + performance.now();

export class Net {
  private client: NetClient | null = null;
  private socket: { generation: number; ws: WebSocket } | null = null;
  /** How many instances of the wasm there were: versions in frames count from zero in each. */
  instances = 0;
  private traps: number[] = [];
  private drawnAt = 0;
  /** What the last hello carried, and whether another one is on its way. */
  private session: string | null = null;
  private isAsking = false;

  constructor(
    private readonly room: Room,
    private readonly events: NetEvents,
  ) {
    window.addEventListener("online", () => this.use((client) => client.online(now())));
    document.addEventListener("visibilitychange", () => {
      this.use((client) => client.hidden(document.hidden, now()));
    });
    setInterval(() => {
      if (now() - this.drawnAt > STALLED_MS) this.use((client) => client.tick(now()));
    }, 250);
  }

  /** Loads the wasm, or a fresh instance of it, and begins to dial. */
  async start(): Promise<void> {
    // Another query is another module, with memory of its own. Computed, so that the bundler leaves it alone.
    const url = `/assets/client.js${this.instances === 0 ? "" : `?instance=${this.instances}`}`;
    this.instances += 1;
    try {
      const module = (await import(url)) as ClientModule;
      await module.default({ module_or_path: "/assets/client_bg.wasm" });
      const reloaded = this.kept("reloaded") !== null;
      this.client = new module.NetClient(JSON.stringify(this.hello()), reloaded, Math.random(), now());
    } catch (error) {
      this.events.failed(`The game client could not be loaded (${String(error)}).`);
      return;
    }
    this.use((client) => {
      client.hidden(document.hidden, now());
      client.tick(now());
    });
  }

  /** The one call of an animation frame. None while there is no instance. */
  frame(controls: Int16Array): Float64Array | null {
    this.drawnAt = now();
    return this.run((client) => client.frame(controls, this.drawnAt));
  }

  /** Asks the client something. */
  ask(question: (client: NetClient) => string | undefined): string | null {
    return this.run(question) ?? null;
  }

  /** Tells the client something, and does what comes of it. */
  use(tell: (client: NetClient) => void): void {
    this.run(tell);
    this.pump();
  }

  /** The player's name from the next seat on. */
  rename(name: string): void {
    this.room.name = name;
    this.use((client) => client.setName(name));
  }

  /** Does something once; the number it got, or 0 when it could not be sent. */
  do(action: string, args: object): number {
    const n = this.run((client) => client.act(action, JSON.stringify(args), now())) ?? 0;
    this.pump();
    return n;
  }

  /** Does all that the client wants done. */
  pump(): void {
    for (let text = this.ask((c) => c.poll()); text; text = this.ask((c) => c.poll())) {
      this.act(JSON.parse(text) as Output);
    }
  }

  private hello(): object {
    const { game, name, watch, bots } = this.room;
    const device = matchMedia("(pointer: coarse)").matches ? "touch" : "desktop";
    this.session = keptSession();
    // The one that is said now stays good; the next hello has the fresh one.
    void renewSession();
    const hello = { v: 1, game, name, token: this.kept("token"), session: this.session, watch, device };
    return bots === null ? hello : { ...hello, bots };
  }

  private act(action: Output): void {
    switch (action.do) {
      case "connect":
        return this.connect(action.generation);
      case "send":
        if (this.socket?.generation === action.generation) this.socket.ws.send(action.text);
        return;
      case "close":
        if (this.socket?.generation === action.generation) this.drop(action.code, action.reason);
        return;
      case "store":
        this.keep("token", action.token);
        // A welcome: the reload that may have come before it has done its work.
        return this.keep("reloaded", null);
      case "session":
        return void this.renew();
      case "reload":
        this.keep("reloaded", "1");
        return location.reload();
      case "travel":
        return this.travel(action.room);
      case "notice":
        return this.events.notice(action.notice);
      case "say":
        return this.events.say(action.seat, action.text);
      case "did":
        return this.events.did(action.id, action.ok, action.why);
    }
  }

  private async renew(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    const token = await newSession(this.session);
    this.isAsking = false;
    if (token !== null && this.session !== null) this.events.notice("new-account");
    this.session = token ?? this.session;
    this.use((client) => client.session(token ?? undefined, now()));
  }

  private connect(generation: number): void {
    this.drop(4000, "replaced");
    const { game, room } = this.room;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const ws = new WebSocket(`${scheme}://${location.host}/ws/${game}/${room}?format=json`);
    this.socket = { generation, ws };
    ws.onopen = () => this.use((c) => c.opened(generation, now()));
    ws.onmessage = (event) => {
      if (typeof event.data === "string") this.use((c) => c.text(generation, event.data as string, now()));
    };
    ws.onerror = () => this.use((c) => c.failed(generation, now()));
    ws.onclose = (event) => this.use((c) => c.closed(generation, event.code, event.reason, now()));
  }

  /** Closes the socket; none of its handlers runs again. */
  private drop(code: number, reason: string): void {
    const ws = this.socket?.ws;
    this.socket = null;
    if (!ws) return;
    ws.onopen = ws.onmessage = ws.onerror = ws.onclose = null;
    ws.close(code, reason);
  }

  private travel(room: string): void {
    if (!/^[a-z0-9-]{1,32}$/.test(room)) return this.events.failed("The room sent you on to a place that is none.");
    this.events.travel(room);
    // The name in the address goes along; what was asked of this room does not.
    const name = new URLSearchParams(location.search).get("name");
    location.assign(`/${this.room.game}/${room}${name === null ? "" : `?name=${encodeURIComponent(name)}`}`);
  }

  private run<T>(call: (client: NetClient) => T): T | null {
    if (!this.client) return null;
    try {
      return call(this.client);
    } catch (error) {
      this.trapped(error);
      return null;
    }
  }

  private trapped(error: unknown): void {
    console.error("the client trapped and is made anew", error);
    this.client = null;
    this.drop(4000, "trapped");
    const at = now();
    this.traps = this.traps.filter((then) => at - then < TRAP_WINDOW_MS);
    this.traps.push(at);
    if (this.traps.length > TRAPS_MAX) {
      this.events.failed("The game client keeps failing.");
      return;
    }
    this.events.notice("trapped");
    void this.start();
  }

  // Kept per tab and room: two tabs are two players.
  private kept(what: string): string | null {
    return read("sessionStorage", `roundtable:${this.room.game}/${this.room.room}:${what}`);
  }

  private keep(what: string, value: string | null): void {
    write("sessionStorage", `roundtable:${this.room.game}/${this.room.room}:${what}`, value);
  }
}
