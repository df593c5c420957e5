// What a room shares with everyone, as rows of name and value. It knows no game: whatever is there is shown.

/** Rows beyond these are not shown: the panel is no table. */
const ROWS_MAX = 6;

export type SharedRow = [name: string, value: string];

/** The rows of shared state; values of an object in it are rows of their own. */
export function sharedRows(shared: Record<string, unknown>): SharedRow[] {
  const rows: SharedRow[] = [];
  for (const [name, value] of Object.entries(shared)) {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const [inner, what] of Object.entries(value)) rows.push([readable(inner), shown(what)]);
    } else {
      rows.push([readable(name), shown(value)]);
    }
  }
  return rows.slice(0, ROWS_MAX);
}

export function sharedList(rows: SharedRow[]): HTMLElement {
  const list = document.createElement("dl");
  list.hidden = rows.length === 0;
  for (const [name, value] of rows) {
    const [term, detail] = [document.createElement("dt"), document.createElement("dd")];
    [term.textContent, detail.textContent] = [name, value];
    list.append(term, detail);
  }
  return list;
}

/** A field's name for reading: `coins_left` is "coins left". */
export function readable(name: string): string {
  return name.replaceAll("_", " ");
}

function shown(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en", { maximumFractionDigits: 2 });
  if (typeof value === "string") return value;
  return value === null ? "–" : JSON.stringify(value);
}
