// Fields as rows of name and value. It knows no game: whatever is there is shown.

import { cardRow } from "./cards.ts";
import { make } from "./dom.ts";
import type { FieldInfo, SharedInfo, Value, Welcome } from "./protocol.ts";
import { isCards, readable, shown } from "./values.ts";

/** Rows beyond these are not shown: a panel is no table. */
const ROWS_MAX = 8;
/** Cards that a row shows. */
const CARDS_MAX = 5;

export interface Fact {
  name: string;
  field: FieldInfo;
  value: Value;
}

/** The facts of shared state, `{kind: {field: value}}`; a kind is named where there are several. */
export function sharedFacts(welcome: Welcome, shared: Record<string, Record<string, Value>>): Fact[] {
  const kinds = Object.entries(shared).filter(([, fields]) => typeof fields === "object" && fields !== null);
  return kinds.flatMap(([kind, fields]) => {
    const of = kinds.length > 1 ? `${readable(kind)} ` : "";
    const info = welcome.sharedKinds?.find((one) => one.name === kind);
    // As the game declares them; what it does not, last.
    const order = new Set([...(info?.fields ?? []).map((field) => field.name), ...Object.keys(fields)]);
    return [...order].flatMap((name) => {
      const value = fields[name];
      return value === undefined ? [] : [{ name: of + readable(name), field: fieldOf(info, name, value), value }];
    });
  });
}

/** A field that the welcome does not declare is shown as what its value seems to be. */
function fieldOf(info: SharedInfo | undefined, name: string, value: Value): FieldInfo {
  const declared = info?.fields.find((field) => field.name === name);
  return declared ?? { name, type: typeof value === "number" ? "real" : "text" };
}

export function factList(facts: Fact[], names: Map<number, string>, most = ROWS_MAX): HTMLElement {
  const list = make("dl");
  list.hidden = facts.length === 0;
  for (const { name, field, value } of facts.slice(0, most)) {
    const detail = make("dd");
    if (isCards(field) && Array.isArray(value) && value.length > 0) {
      detail.append(cardRow(value, field.of, CARDS_MAX));
    } else {
      detail.textContent = shown(value, field, names);
    }
    list.append(make("dt", "", name), detail);
  }
  return list;
}
