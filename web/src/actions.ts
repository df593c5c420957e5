// What a player does once: a button for each action, a form for its arguments, and what the room said of it.

import type { World } from "./args.ts";
import { cardName } from "./cards.ts";
import { button, element, make } from "./dom.ts";
import { handsOf, type PlayedCard } from "./hand.ts";
import { ACTION_KEYS, capOf } from "./keys.ts";
import type { ActionInfo, ArgInfo, TypeInfo, Welcome } from "./protocol.ts";
import { type Args, Sheet } from "./sheet.ts";
import { isSameType, readable } from "./values.ts";

/** Refusals that are the runtime's own, in words for a player. */
const WHY: Record<string, string> = { busy: "Too much at once. Try again in a moment." };

export interface ActionLink {
  /** The number that the action got, or 0 when it could not be sent. */
  act(action: string, args: Args): number;
  say(text: string): void;
}

export class Actions {
  readonly sheet: Sheet;
  private readonly bar = element("actions");
  private actions: ActionInfo[] = [];
  /** Types of cards that can be in the hand. */
  private hands: TypeInfo[] = [];
  private buttons: HTMLButtonElement[] = [];
  private readonly pending = new Map<number, HTMLElement | null>();
  private occupancy = -1;

  constructor(
    private readonly world: World,
    private readonly link: ActionLink,
  ) {
    this.sheet = new Sheet(world);
  }

  declare(welcome: Welcome): void {
    // What another stay asked for is answered to nobody.
    const occupancy = welcome.you?.occ ?? -1;
    if (occupancy !== this.occupancy) this.forget();
    this.occupancy = occupancy;
    this.actions = welcome.you ? (welcome.actions ?? []) : [];
    const players = welcome.kinds.filter((kind) => kind.player);
    this.hands = players.flatMap(handsOf).flatMap((field) => (field.of ? [field.of] : []));
    const shown = this.actions.filter((action) => !action.args.some((arg) => this.isOfHand(arg)));
    this.buttons = shown.map((action, i) => this.make(action, ACTION_KEYS[i]));
    this.bar.replaceChildren(...this.buttons);
    this.bar.hidden = shown.length === 0;
    if (this.sheet.isOpen) this.sheet.close();
  }

  /** Whether something can be done with cards of a type. */
  isPlayable(type: TypeInfo): boolean {
    return this.actions.some((action) => action.args.some((arg) => isSameType(arg, type)));
  }

  /** The key of an action. */
  once(code: string): boolean {
    const target = this.buttons[ACTION_KEYS.indexOf(code)];
    target?.click();
    return target !== undefined;
  }

  /** Does what can be done with a card; asks where there are several such things. */
  play({ value, type, element: card }: PlayedCard): void {
    const options = this.actions.flatMap((action) => {
      const arg = action.args.find((one) => isSameType(one, type));
      return arg ? [{ text: readable(action.name), run: () => this.begin(action, { [arg.name]: value }, card) }] : [];
    });
    if (options.length === 1) options[0]?.run();
    else this.sheet.menu(cardName(value, type), options, card);
  }

  /** The room's answer. Success is quiet: what it did can be seen. */
  did(n: number, ok: boolean, why: string | null): void {
    const from = this.pending.get(n);
    this.pending.delete(n);
    if (from) settle(from, ![...this.pending.values()].includes(from));
    if (!ok) this.link.say(WHY[why ?? ""] ?? sentence(why || "That was not possible."));
    if (!ok && from?.isConnected) refuse(from);
  }

  private forget(): void {
    for (const from of this.pending.values()) if (from) settle(from, true);
    this.pending.clear();
  }

  private isOfHand(arg: ArgInfo): boolean {
    return this.hands.some((type) => isSameType(type, arg));
  }

  private make(action: ActionInfo, key: string | undefined): HTMLButtonElement {
    const made = button("action", readable(action.name), () => {});
    if (key) {
      made.append(make("kbd", "", capOf(key)));
      made.setAttribute("aria-keyshortcuts", capOf(key));
    }
    made.addEventListener("click", (event) => {
      const only = action.args.length === 1 ? action.args[0] : undefined;
      // A finger goes on to tap what it means; keys and gamepads get a list.
      const isMap = only?.type === "body" || only?.type === "vector";
      if (only && isMap && event.detail > 0 && this.isTappable()) {
        const what = only.type === "body" ? "body" : "place";
        this.world.pick.start(what, (value) => this.send(action, { [only.name]: value }, made));
      } else {
        this.begin(action, {}, made);
      }
    });
    return made;
  }

  /** A board has no map to tap on. */
  private isTappable(): boolean {
    return !document.body.classList.contains("board");
  }

  private begin(action: ActionInfo, given: Args, from: HTMLElement): void {
    const isComplete = action.args.every((arg) => arg.name in given);
    if (isComplete) this.send(action, given, from);
    else this.sheet.open(action, given, from, (args) => this.send(action, args, from));
  }

  private send(action: ActionInfo, args: Args, from: HTMLElement): void {
    const n = this.link.act(action.name, args);
    if (n === 0) return this.link.say("Not now: there is no link to the room.");
    this.pending.set(n, from);
    from.classList.add("pending");
    from.setAttribute("aria-busy", "true");
  }
}

function settle(from: HTMLElement, isLast: boolean): void {
  if (!isLast) return;
  from.classList.remove("pending");
  from.removeAttribute("aria-busy");
}

/** A shake of what was refused. */
function refuse(from: HTMLElement): void {
  from.classList.remove("refused");
  void from.offsetWidth;
  from.classList.add("refused");
}

function sentence(text: string): string {
  const line = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}
