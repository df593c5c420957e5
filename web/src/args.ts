// The widget of an argument, by its type.

import { button, make, write } from "./dom.ts";
import type { Body, Frame } from "./frame.ts";
import { seatColour } from "./looks.ts";
import type { Pick } from "./pick.ts";
import type { RosterRow, TypeInfo, Value } from "./protocol.ts";
import { readable, shown } from "./values.ts";
import { choice, type Option, stepper, toggle } from "./widgets.ts";

/** Bodies that are listed to be chosen without pointing at them. */
const BODIES_MAX = 8;
/** Degrees of a circle's half. */
const HALF = 180;

/** What there is to choose from. */
export interface World {
  roster(): RosterRow[];
  names(): Map<number, string>;
  frame(): Frame | null;
  pick: Pick;
}

export interface ArgWidget {
  element: HTMLElement;
  /** None as long as nothing is chosen. */
  value(): Value | undefined;
  set(value: Value): void;
  /** One touch chooses it: an action with this argument alone needs no other. */
  isQuick: boolean;
}

export function argWidget(label: string, type: TypeInfo, world: World, chosen: () => void): ArgWidget {
  const { min = 0, max = 0, step = 1 } = type;
  switch (type.type) {
    case "bool": {
      const made = toggle(label, false);
      return { ...made, isQuick: false, value: () => made.value, set: (v) => made.set(v === true) };
    }
    case "int":
    case "real": {
      // One of something is asked for more often than none.
      const start = Math.min(Math.max(type.type === "int" ? 1 : 0, min), max);
      const made = stepper(label, min, max, start, () => {}, type.type === "int" ? 1 : step);
      return { element: made.element, isQuick: false, value: () => made.value, set: (v) => made.set(Number(v)) };
    }
    case "angle":
      return angle(label);
    case "enum": {
      const options = (type.names ?? []).map((name) => ({ value: name, text: readable(name) }));
      return chooser(label, options, chosen);
    }
    case "seat":
      return chooser(label, seats(world), chosen);
    case "body":
      return body(label, world, chosen);
    case "vector":
      return place(label, world, chosen);
    case "list":
      return list(label, type, world);
    default:
      return text(label, type);
  }
}

function chooser(label: string, options: Option<Value>[], chosen: () => void): ArgWidget {
  const made = choice<Value>(label, options, null, chosen);
  return { element: made.element, isQuick: true, value: () => made.value ?? undefined, set: (v) => made.set(v) };
}

/** Everyone at the table, others first. */
function seats(world: World): Option<Value>[] {
  const own = world.frame()?.seat ?? null;
  return [...world.roster()]
    .sort((a, b) => Number(a.seat === own) - Number(b.seat === own) || a.seat - b.seat)
    .map(({ seat, name }) => ({
      value: seat,
      text: seat === own ? `${name} (you)` : name,
      colour: seatColour(seat),
    }));
}

function angle(label: string): ArgWidget {
  const box = make("div", "slider");
  const [field, out] = [make("input"), make("output")];
  Object.assign(field, { type: "range", min: `${-HALF}`, max: `${HALF}`, step: "5", value: "0" });
  field.setAttribute("aria-label", label);
  const show = (): void => write(out, `${field.value}°`);
  field.addEventListener("input", show);
  show();
  box.append(field, out);
  const set = (v: Value): void => {
    field.value = `${(Number(v) * HALF) / Math.PI}`;
    show();
  };
  return { element: box, isQuick: false, value: () => (field.valueAsNumber * Math.PI) / HALF, set };
}

/** Tapped on the map, or one of the nearest from a list: keys and gamepads have nothing to tap with. */
function body(label: string, world: World, chosen: () => void): ArgWidget {
  const frame = world.frame();
  const near = [...(frame?.bodies ?? [])].filter((one) => one !== frame?.own);
  const off = (one: Body): number => Math.hypot(one.x - (frame?.own?.x ?? 0), one.y - (frame?.own?.y ?? 0));
  near.sort((a, b) => off(a) - off(b));
  const options = near.slice(0, BODIES_MAX).map((one) => ({
    value: one.id as Value,
    text: bodyName(one, world.names()),
    ...(one.seat === null ? {} : { colour: seatColour(one.seat) }),
  }));
  const listed = chooser(label, options, chosen);
  const box = make("div", "body-arg");
  const tap = button("quiet", "Tap it on the map", () => {
    world.pick.start("body", (id) => {
      listed.set(id);
      chosen();
    });
  });
  box.append(listed.element, tap);
  return { ...listed, element: box };
}

export function bodyName(body: Body, names: Map<number, string>): string {
  if (body.seat !== null) return names.get(body.seat) ?? `Seat ${body.seat + 1}`;
  const type = body.info.fields.find((field) => field.name === body.info.label);
  const said = type ? shown(body.fields[type.name], type, names) : "";
  return said && said !== "–" ? `${readable(body.kind)} ${said}` : readable(body.kind);
}

function place(label: string, world: World, chosen: () => void): ArgWidget {
  let at: Value | undefined;
  const made = button("quiet", "Tap a place", () => world.pick.start("place", (v) => (set(v), chosen())));
  made.setAttribute("aria-label", label);
  const set = (v: Value): void => {
    at = v;
    if (Array.isArray(v)) write(made, v.map((n) => Number(n).toFixed(1)).join(", "));
  };
  return { element: made, isQuick: true, value: () => at, set };
}

function text(label: string, type: TypeInfo): ArgWidget {
  const field = make("input");
  Object.assign(field, { type: "text", maxLength: type.chars ?? 64, autocomplete: "off", enterKeyHint: "done" });
  field.setAttribute("aria-label", label);
  return { element: field, isQuick: false, value: () => field.value, set: (v) => (field.value = String(v)) };
}

/** Values of one type, added one by one; a touch takes one out again. */
function list(label: string, type: TypeInfo, world: World): ArgWidget {
  const box = make("div", "list-arg");
  const row = make("div", "chips");
  const of = type.of ?? { type: "int" };
  const values: Value[] = [];
  const draw = (): void => {
    const chip = (value: Value, i: number): HTMLElement => {
      const made = button("chip", `${shown(value, of, world.names())} ×`, () => (values.splice(i, 1), draw()));
      made.setAttribute("aria-label", `take out ${shown(value, of, world.names())}`);
      return made;
    };
    row.replaceChildren(...values.map(chip));
  };
  const add = (): void => {
    const value = inner.value();
    if (value === undefined || values.length >= (type.max ?? 64)) return;
    values.push(value);
    draw();
  };
  const inner = argWidget(label, of, world, () => add());
  box.append(row, inner.element);
  if (!inner.isQuick) box.append(button("quiet", "Add", add));
  const set = (v: Value): void => {
    values.splice(0, values.length, ...(Array.isArray(v) ? v : []));
    draw();
  };
  return { element: box, isQuick: false, value: () => [...values], set };
}
