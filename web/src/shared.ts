// What a room shares with everyone, as rows of name and value. It knows no game: whatever is there is shown.

/** Rows beyond these are not shown: the panel is no table. */
const ROWS_MAX = 6;

export type SharedRow = [name: string, value: string];

/** The rows of shared state, `{kind: {field: value}}`; a kind is named where there are several. */
export function sharedRows(shared: Record<string, unknown>): SharedRow[] {
  const rows: SharedRow[] = [];
  const kinds = Object.entries(shared);
  for (const [kind, value] of kinds) {
    const of = kinds.length > 1 ? `${readable(kind)} ` : "";
    const fields = typeof value === "object" && value !== null ? Object.entries(value) : [];
    for (const [field, what] of fields) rows.push([of + readable(field), shown(what)]);
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
