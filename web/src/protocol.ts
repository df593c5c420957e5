// What the room and the wasm client hand to the page: the welcome's declarations and the client's own
// accounts. Twins of src/wire/server_message.rs and src/browser/mod.rs; docs/protocol.md explains each field.

export interface Welcome {
  game: string;
  room: string;
  /** Null: nothing moves by itself; the room steps when somebody acts. */
  hz: number | null;
  you: { seat: number; occ: number; back: boolean } | null;
  build: { id: string; at: number };
  inputs: InputInfo[];
  actions?: ActionInfo[];
  kinds: KindInfo[];
  sharedKinds?: SharedInfo[];
  map: MapInfo;
  camera?: CameraInfo;
  fx: EffectInfo[];
  roster: RosterRow[];
}

/** A value as the page holds it: an enum is its name, a vector a pair, a seat or a body its number or null. */
export type Value = number | boolean | string | null | Value[];

export interface TypeInfo {
  /** bool, int, real, vector, angle, enum, text, seat, body or list. */
  type: string;
  min?: number;
  max?: number;
  step?: number;
  names?: string[];
  chars?: number;
  of?: TypeInfo;
}

export interface FieldInfo extends TypeInfo {
  name: string;
  score?: boolean;
  private?: boolean;
  hud?: boolean;
}

export interface InputInfo {
  name: string;
  /** stick, aim, button, int or enum. */
  how: string;
  min?: number;
  max?: number;
  names?: string[];
}

export interface ArgInfo extends TypeInfo {
  name: string;
}

export interface ActionInfo {
  name: string;
  args: ArgInfo[];
}

export interface SharedInfo {
  name: string;
  fields: FieldInfo[];
}

export interface KindInfo extends SharedInfo {
  player: boolean;
  radius: number;
  look: string;
  label?: string | null;
  bar?: string | null;
  speed?: number;
  turn?: number;
}

export type CameraInfo =
  | { how: "whole" }
  | { how: "follow"; metres: number }
  | { how: "fixed"; at: [number, number]; metres: number };

export interface EffectInfo {
  name: string;
  look: string;
}

export type ShapeInfo =
  | { box: [x: number, y: number, halfWidth: number, halfHeight: number] }
  | { disc: [x: number, y: number, radius: number] }
  | { polygon: [number, number][] }
  | { block: [x: number, y: number, z: number, hx: number, hy: number, hz: number] }
  | { sphere: [x: number, y: number, z: number, radius: number] };

export interface MapInfo {
  size: [width: number, height: number] | [width: number, height: number, depth: number];
  ground: string;
  shapes: ShapeInfo[];
}

/** A disc on the ground for a while; `endsAt` is a tick. */
export type AreaRow = [id: number, name: string, x: number, y: number, radius: number, endsAt: number | null];

export interface RosterRow {
  seat: number;
  name: string;
  driver: string;
  away: boolean;
}

export interface RoomState {
  roster: RosterRow[];
  round: { n: number; live: number; endsAt: number | null; results?: [number, number, number][] };
  shared: Record<string, Record<string, Value>>;
  areas?: AreaRow[];
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
export type Output =
  | { do: "connect"; generation: number }
  | { do: "send"; generation: number; text: string }
  | { do: "close"; generation: number; code: number; reason: string }
  | { do: "store"; token: string }
  | { do: "session" }
  | { do: "reload" }
  | { do: "travel"; room: string }
  | { do: "notice"; notice: "back" | "new-seat" | "restored" | "new-build" }
  | { do: "say"; seat: number; text: string }
  | { do: "did"; id: number; ok: boolean; why: string | null; tick: number | null };

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
  /** The number it got, or 0 when there is no seat to act for. */
  act(action: string, args: string, now: number): number;
  leave(now: number): void;
  connectAgain(watch: boolean, now: number): void;
  frame(controls: Int16Array, now: number): Float64Array;
  poll(): string | undefined;
  details(): string;
  welcome(): string | undefined;
  room(): string;
  link(now: number): string;
  stats(now: number): string;
}

export interface ClientModule {
  default(init: { module_or_path: string }): Promise<unknown>;
  NetClient: new (hello: string, reloaded: boolean, seed: number, now: number) => NetClient;
}
