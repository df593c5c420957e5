// What the room and the wasm client hand to the page: the welcome's declarations and the client's own
// accounts. Twins of src/wire/server_message.rs and src/browser/mod.rs; docs/protocol.md explains each field.

export interface Welcome {
  game: string;
  room: string;
  hz: number | null;
  you: { seat: number; occ: number; back: boolean } | null;
  build: { id: string; at: number };
  inputs: InputInfo[];
  kinds: KindInfo[];
  map: MapInfo;
  fx: { name: string; look: string }[];
  roster: RosterRow[];
}

export interface InputInfo {
  name: string;
  how: string;
}

export interface KindInfo {
  name: string;
  player: boolean;
  radius: number;
  look: string;
  bar?: string;
  fields: { name: string; type: string; min?: number; max?: number; score?: boolean }[];
}

export interface MapInfo {
  size: [number, number];
  ground: string;
  shapes: ({ box: [number, number, number, number] } | { disc: [number, number, number] })[];
}

export interface RosterRow {
  seat: number;
  name: string;
  driver: string;
  away: boolean;
}

export interface RoomState {
  roster: RosterRow[];
  round: { n: number; live: number; endsAt: number | null; results?: [number, number, number][] };
  shared: Record<string, unknown>;
}

export interface LinkAccount {
  state: "connecting" | "joining" | "online" | "waiting" | "ended";
  why: string | null;
  code: number | null;
  name: string | null;
  reason: string | null;
  retryInMs: number | null;
  watch: boolean;
  wasUp: boolean;
  lastDisconnect: object | null;
}

/** What the wasm client asks for; see `Output` in src/client/mod.rs. */
export type Action =
  | { do: "connect"; generation: number }
  | { do: "send"; generation: number; text: string }
  | { do: "close"; generation: number; code: number; reason: string }
  | { do: "store"; token: string }
  | { do: "session" }
  | { do: "reload" }
  | { do: "travel"; room: string }
  | { do: "notice"; notice: "back" | "new-seat" | "restored" | "new-build" }
  | { do: "say"; seat: number; text: string };

/** The class that wasm-bindgen makes of src/browser/mod.rs. */
export interface NetClient {
  opened(generation: number, now: number): void;
  text(generation: number, text: string, now: number): void;
  closed(generation: number, code: number, reason: string, now: number): void;
  failed(generation: number, now: number): void;
  online(now: number): void;
  hidden(hidden: boolean, now: number): void;
  tick(now: number): void;
  session(token: string | undefined, now: number): void;
  setName(name: string): void;
  say(text: string, now: number): void;
  leave(now: number): void;
  connectAgain(watch: boolean, now: number): void;
  frame(controls: Int16Array, now: number): Float64Array;
  poll(): string | undefined;
  welcome(): string | undefined;
  room(): string;
  link(now: number): string;
  stats(now: number): string;
}

export interface ClientModule {
  default(init: { module_or_path: string }): Promise<unknown>;
  NetClient: new (hello: string, reloaded: boolean, seed: number, now: number) => NetClient;
}
