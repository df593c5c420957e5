// What is known of a type of field or argument, and how a value of it reads.

import type { TypeInfo, Value } from "./protocol.ts";

/** A name for reading: `coins_left` is "coins left". */
export const readable = (name: string): string => name.replaceAll("_", " ");

/** A list that is held in the hand or laid on the table: of names or of whole numbers. */
export function isCards(type: TypeInfo): boolean {
  return type.type === "list" && (type.of?.type === "enum" || type.of?.type === "int");
}

/** The same values fit both. */
export function isSameType(a: TypeInfo, b: TypeInfo): boolean {
  return (
    a.type === b.type &&
    a.min === b.min &&
    a.max === b.max &&
    (a.names ?? []).join("\n") === (b.names ?? []).join("\n")
  );
}

/** A value as a player reads it. */
export function shown(value: Value | undefined, type: TypeInfo | undefined, names: Map<number, string>): string {
  if (value === undefined || value === null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) {
    return value.length === 0 ? "–" : value.map((one) => shown(one, type?.of, names)).join(", ");
  }
  if (typeof value === "string") return type?.type === "enum" ? readable(value) : value;
  if (type?.type === "seat") return names.get(value) ?? `Seat ${value + 1}`;
  if (type?.type === "angle") return `${Math.round((value * 180) / Math.PI)}°`;
  return whole(value);
}

const written = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

const whole = (value: number): string => written.format(value);

/** How far a number is from its type's least to its greatest, 0 to 1; none for what has no bounds. */
export function level(value: Value | undefined, type: TypeInfo | undefined): number | null {
  if (type?.max === undefined || typeof value !== "number") return null;
  const min = type.min ?? 0;
  return Math.min(Math.max((value - min) / Math.max(type.max - min, 1e-9), 0), 1);
}
