// Reads the flat array of an animation frame. The layout is that of src/client/frame.rs, and checked by its
// number.

import type { KindInfo, Welcome } from "./protocol.ts";

const LAYOUT = 1;
const HEADER = 16;

export interface Body {
  id: number;
  kind: string;
  seat: number | null;
  x: number;
  y: number;
  heading: number;
  /** By name; a field that was not sent is not there. */
  fields: Record<string, number>;
  info: KindInfo;
}

export interface Effect {
  look: string;
  x: number;
  y: number;
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
  starved: boolean;
  retryIn: number | null;
  bodies: Body[];
  effects: Effect[];
}

export const ONLINE = 2;

/** Looks of effects whose name the welcome does not declare. */
const PLAIN_EFFECT = "burst #cfd8e3";

const known = (value: number | undefined): number | null => (value === undefined || value < 0 ? null : value);

/** Without a welcome there is nothing to draw, and the header alone is read. */
export function readFrame(flat: Float64Array, welcome: Welcome | null): Frame {
  const at = (index: number): number => flat[index] ?? 0;
  if (at(0) !== LAYOUT) throw new Error(`frame layout ${at(0)} is not ${LAYOUT}`);
  const frame: Frame = {
    link: at(1),
    welcomeVersion: at(2),
    linkVersion: at(3),
    roomVersion: at(4),
    outputs: at(5),
    seat: known(at(6)),
    round: at(7),
    live: at(8) === 1,
    endsIn: known(at(9)),
    starved: at(11) === 1,
    retryIn: known(at(12)),
    bodies: [],
    effects: [],
  };
  if (!welcome) return frame;
  let next = HEADER;
  for (let n = at(13); n > 0; n--) {
    const info = welcome.kinds[at(next + 1)];
    // A welcome that is newer than the one the page has read: the next frame has both.
    if (!info) return frame;
    const fields: Record<string, number> = {};
    info.fields.forEach((field, i) => {
      const value = at(next + 6 + i);
      if (!Number.isNaN(value)) fields[field.name] = value;
    });
    frame.bodies.push({
      id: at(next),
      kind: info.name,
      seat: known(at(next + 2)),
      x: at(next + 3),
      y: at(next + 4),
      heading: at(next + 5),
      fields,
      info,
    });
    next += 6 + info.fields.length;
  }
  for (let n = at(14); n > 0; n--, next += 3) {
    const look = welcome.fx[at(next)]?.look ?? PLAIN_EFFECT;
    frame.effects.push({ look, x: at(next + 1), y: at(next + 2) });
  }
  return frame;
}
