// Reads the flat array of an animation frame. The layout is that of src/client/frame.rs, and checked by its number.
//
// A body is the same object from frame to frame, and so are its values where they did not change: nothing is allocated
// for what stands there already.

import type { KindInfo, TypeInfo, Value, Welcome } from "./protocol.ts";

const LAYOUT = 1;
const HEADER = 16;
/** Numbers of a body before its fields. */
const POSE = 6;

export interface Body {
  id: number;
  kind: string;
  seat: number | null;
  x: number;
  y: number;
  /** 0 on a flat map. */
  z: number;
  heading: number;
  /** By name; a field that was not sent is not there. */
  fields: Record<string, Value>;
  info: KindInfo;
}

export interface Effect {
  name: string;
  look: string;
  x: number;
  y: number;
  z: number;
}

export interface Frame {
  link: number;
  welcomeVersion: number;
  linkVersion: number;
  roomVersion: number;
  outputs: number;
  seat: number | null;
  round: number;
  live: boolean;
  endsIn: number | null;
  tick: number;
  starved: boolean;
  retryIn: number | null;
  /** Rises when the details of bodies should be read again. */
  detailsVersion: number;
  bodies: Body[];
  effects: Effect[];
  own: Body | null;
}

export const ONLINE = 2;

/** Numbers that a field of a type takes; what has none here is among the details. */
const NUMBERS: Partial<Record<string, number>> = { bool: 1, int: 1, real: 1, angle: 1, enum: 1, seat: 1, body: 1, vector: 2 };

/** An effect whose name the welcome does not declare. */
const PLAIN_EFFECT = { name: "", look: "burst #cfd8e3" };

const known = (value: number): number | null => (value < 0 ? null : value);

/** Values that are no numbers, by body and field. */
export type Details = Record<string, Record<string, Value>>;

/** A body, with the numbers its values were read from. */
interface Kept extends Body {
  seen: number;
  runs: number[][];
}

export class FrameReader {
  readonly frame: Frame = {
    link: 0, welcomeVersion: 0, linkVersion: 0, roomVersion: 0, outputs: 0, seat: null, round: 0, live: false,
    endsIn: null, tick: 0, starved: false, retryIn: null, detailsVersion: 0, bodies: [], effects: [], own: null,
  }; // prettier-ignore
  private readonly kept = new Map<number, Kept>();
  private count = 0;
  /** Numbers that a body and an effect end with on a map with height. */
  private height = 0;
  private details: Details = {};
  private flat: Float64Array = new Float64Array(HEADER);
  private next = 0;

  /** Another welcome: bodies are other bodies. */
  reset(): void {
    this.kept.clear();
    this.frame.bodies.length = this.frame.effects.length = 0;
    this.frame.own = null;
  }

  /** The numbers before the bodies, for which no welcome is needed. */
  readHeader(flat: Float64Array): Frame {
    const at = (index: number): number => flat[index] ?? 0;
    if (at(0) !== LAYOUT) throw new Error(`frame layout ${at(0)} is not ${LAYOUT}`);
    this.flat = flat;
    const frame = this.frame;
    frame.link = at(1);
    frame.welcomeVersion = at(2);
    frame.linkVersion = at(3);
    frame.roomVersion = at(4);
    frame.outputs = at(5);
    frame.seat = known(at(6));
    frame.round = at(7);
    frame.live = at(8) === 1;
    frame.endsIn = known(at(9));
    frame.tick = at(10);
    frame.starved = at(11) === 1;
    frame.retryIn = known(at(12));
    frame.detailsVersion = at(15);
    return frame;
  }

  /** Texts and lists of bodies, as they are from now on. */
  setDetails(details: Details): void {
    this.details = details;
  }

  /** Bodies and effects of the array whose header was read last. */
  readBodies(welcome: Welcome): void {
    const { flat, frame } = this;
    this.height = welcome.map.size.length > 2 ? 1 : 0;
    this.count += 1;
    this.next = HEADER;
    frame.bodies.length = frame.effects.length = 0;
    frame.own = null;
    for (let n = flat[13] ?? 0; n > 0; n--) {
      const info = welcome.kinds[flat[this.next + 1] ?? -1];
      // A welcome that is newer than the one the page has read: the next frame has both.
      if (!info) return;
      const body = this.readBody(info);
      frame.bodies.push(body);
      if (body.seat !== null && body.seat === frame.seat && !frame.own) frame.own = body;
    }
    const numbers = 3 + this.height;
    for (let n = flat[14] ?? 0; n > 0; n--, this.next += numbers) {
      const [index = -1, x = 0, y = 0, z = 0] = flat.subarray(this.next, this.next + numbers);
      const { name, look } = welcome.fx[index] ?? PLAIN_EFFECT;
      frame.effects.push({ name, look, x, y, z });
    }
    if (this.kept.size === frame.bodies.length) return;
    for (const [id, body] of this.kept) if (body.seen !== this.count) this.kept.delete(id);
  }

  private readBody(info: KindInfo): Kept {
    const { flat, next } = this;
    const id = flat[next] ?? 0;
    let body = this.kept.get(id);
    if (!body || body.info !== info) {
      const none = { seat: null, x: 0, y: 0, z: 0, heading: 0 };
      body = { id, kind: info.name, ...none, fields: {}, info, seen: 0, runs: info.fields.map(() => []) };
      this.kept.set(id, body);
    }
    body.seen = this.count;
    body.seat = known(flat[next + 2] ?? -1);
    body.x = flat[next + 3] ?? 0;
    body.y = flat[next + 4] ?? 0;
    body.heading = flat[next + 5] ?? 0;
    this.next += POSE;
    const details = this.details[id];
    for (let i = 0; i < info.fields.length; i++) this.readField(body, i, details);
    body.z = this.height ? (flat[this.next] ?? 0) : 0;
    this.next += this.height;
    return body;
  }

  private readField(body: Kept, index: number, details: Record<string, Value> | undefined): void {
    const field = body.info.fields[index];
    const run = body.runs[index];
    if (!field || !run) return;
    const numbers = NUMBERS[field.type];
    if (numbers === undefined) {
      const value = details?.[field.name];
      if (value !== undefined) body.fields[field.name] = value;
      else if (field.name in body.fields) delete body.fields[field.name];
      return;
    }
    const from = this.next;
    if (Number.isNaN(this.flat[from] ?? NaN)) {
      this.next += numbers;
      run.length = 0;
      if (field.name in body.fields) delete body.fields[field.name];
      return;
    }
    this.next += numbers;
    if (this.isSame(run, from)) return;
    run.length = 0;
    for (let i = from; i < this.next; i++) run.push(this.flat[i] ?? 0);
    body.fields[field.name] = valueOf(field, run);
  }

  private isSame(run: number[], from: number): boolean {
    if (run.length !== this.next - from) return false;
    for (let i = 0; i < run.length; i++) if (run[i] !== this.flat[from + i]) return false;
    return true;
  }
}

/** The value of a field that is numbers. */
function valueOf(type: TypeInfo, [number = 0, second = 0]: number[]): Value {
  switch (type.type) {
    case "bool":
      return number === 1;
    case "vector":
      return [number, second];
    case "enum":
      return type.names?.[number] ?? `${number}`;
    case "seat":
    case "body":
      return known(number);
    default:
      return number;
  }
}
