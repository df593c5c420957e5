/**
 * Rooms of games that nobody wrote: between them they declare every control, type of field and argument, shape, camera
 * and effect that a welcome can declare.
 */

const field = (name, type, more = {}) => ({ name, type, ...more });
const HUD = { hud: true };
const LINE = [5, 4, 3, 2, 1];

function welcome(game, room, more) {
  return {
    t: "welcome", v: 1, rev: 1, schema: "0", game, room, hz: 20, e: 1, k: 1_000, st: 50_000,
    you: { seat: 1, occ: 7, token: "token", back: false },
    build: { id: "test", at: 0 },
    inputs: [], actions: [], kinds: [], sharedKinds: [], map: { size: [40, 24], ground: "grid #1b2330", shapes: [] },
    camera: { how: "whole" }, fx: [], areas: [], roster: [], round: { n: 3, live: 1, endsAt: 2_200 }, shared: {},
    bodies: [], ...more,
  };
}

const person = (seat, name) => ({ seat, name, driver: "person", away: false });

const GOODS = ["bread", "iron_sword", "fish"];

const RUNNER = {
  name: "runner", player: true, radius: 0.6, look: "disc #4af", bar: "hp", label: "title", speed: 6, turn: 3, solid: true,
  fields: [
    field("hp", "int", { min: 0, max: 100, ...HUD }),
    field("points", "int", { min: 0, max: 9_999, score: true }),
    field("title", "text", { chars: 12 }),
    field("armed", "bool", HUD),
    field("heat", "real", { min: 0, max: 10, step: 0.25, ...HUD }),
    field("stance", "enum", { names: ["calm", "ready"], ...HUD }),
    field("rival", "seat", HUD),
    field("target", "body"),
    field("facing", "angle"),
    field("wish", "vector", { max: 20 }),
    field("bag", "list", { max: 8, of: { type: "enum", names: GOODS }, ...HUD, private: true }),
    field("code", "int", { min: 0, max: 9, private: true, hud: true }),
  ],
};

const SHAPES = ["disc", "star", "box", "ring", "triangle", "diamond", "hex", "cross", "heart", "arrow"];
const COLOURS = ["#4af", "#ffd166", "#c77dff", "#7ae582", "#ff6b6b #fff", "#2dd4bf", "gold", "#ff9f5a", "hotpink", "white"];

function runner(id, seat, x, y, more = {}) {
  const f = {
    hp: 80, points: 7, title: "novice", armed: true, heat: 2.5, stance: "ready", rival: 2, target: 20, facing: 0, wish: [1, 2],
    ...more,
  };
  return { id, kind: "runner", seat, at: [x, y], heading: 0.8 * id, f };
}

/** A fair on which there is one of everything. */
export function fair() {
  const things = SHAPES.map((shape, i) => ({
    name: `thing_${shape}`, player: false, radius: 0.55, look: `${shape} ${COLOURS[i]}`, fields: [],
    ...(shape === "arrow" ? { speed: 9 } : {}),
  }));
  const own = { bag: ["fish", "bread", "iron_sword"], code: 4 };
  return welcome("fair", "square", {
    inputs: [
      { name: "move", how: "stick" }, { name: "look", how: "aim" }, { name: "fire", how: "button" },
      { name: "roll", how: "button" }, { name: "gear", how: "int", min: 1, max: 5 },
      { name: "stance", how: "enum", names: ["calm", "ready", "wild"] },
    ],
    actions: [
      { name: "wave", args: [] },
      { name: "sell", args: [field("good", "enum", { names: ["wool", "salt"] }), field("price", "int", { min: 1, max: 99 })] },
      { name: "greet", args: [field("who", "seat")] },
      { name: "mark", args: [field("what", "body")] },
      { name: "shout", args: [field("words", "text", { chars: 20 })] },
      { name: "vow", args: [field("aloud", "bool"), field("share", "real", { min: 0, max: 1, step: 0.1 }),
        field("towards", "angle"), field("spot", "vector", { max: 20 }),
        field("marks", "list", { max: 3, of: { type: "int", min: 0, max: 9 } })] },
      { name: "eat", args: [field("what", "enum", { names: GOODS })] },
    ],
    kinds: [RUNNER, ...things, { name: "ship", player: false, radius: 0.9, look: "sprite ship.svg", turn: 2, fields: [] }],
    sharedKinds: [{ name: "market", fields: [
      field("prices_up", "bool"), field("keeper", "seat"), field("motto", "text", { chars: 30 }),
      field("stock", "list", { max: 5, of: { type: "int", min: 0, max: 9 } }),
    ] }],
    shared: { market: { prices_up: true, keeper: 2, motto: "no refunds", stock: LINE } },
    map: { size: [40, 24], ground: "grid #1b2330", shapes: [
      { box: [-8, 4, 2, 1] }, { disc: [8, -4, 1.5] }, { polygon: [[2, 8], [6, 8.5], [5, 5.5]] },
    ] },
    fx: [
      { name: "bang", look: "burst #ff8a5c sound:thud" }, { name: "halo", look: "ring #7ae582 sound:chime" },
      { name: "ray", look: "beam #4cc9f0 sound:zap" }, { name: "glint", look: "spark #fff sound:blip" },
      { name: "dust", look: "puff #b8c4d6 sound:pop" }, { name: "gain", look: "text +5 #ffd166" },
      { name: "fire", look: "disc #ff5a3c" }, { name: "shield", look: "ring #4cc9f0" },
    ],
    areas: [[1, "fire", -12, -5, 3.2, 1_060], [2, "shield", 13, 6, 2.5, null]],
    roster: [person(0, "Grace"), person(1, "Ada"), { ...person(2, "Rob"), driver: "bot" }, { ...person(3, "Max"), driver: "ai" },
      { ...person(4, "Somebody With A Very Long Name"), away: true }],
    bodies: [
      runner(11, 0, -1, 0.6, { hp: 20 }), runner(12, 1, 0, 0, own), runner(13, 2, 0.9, 0.4, { title: "sage" }),
      runner(14, 3, 0.2, -0.9), runner(15, 4, 9, 8, { hp: 0 }),
      ...things.map((kind, i) => ({ id: 20 + i, kind: kind.name, seat: null, at: [-16 + i * 3.4, -9.5], heading: 0.6, f: {} })),
      { id: 40, kind: "ship", seat: null, at: [-15, 8], heading: 0.7, f: {} },
    ],
  });
}

const SUITS = ["spades", "hearts", "diamonds", "clubs"];
const RANKS = ["seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"];
export const DECK = SUITS.flatMap((suit) => RANKS.map((rank) => `${rank}_of_${suit}`));

/** A card table: nothing moves, everything is said. */
export function table(people = 4) {
  const card = { type: "enum", names: DECK };
  const names = ["Grace", "Ada", "Rob", "Max", "Lin", "Edsger", "Barbara", "Alan", "Tony", "Hedy", "Niklaus", "Radia"];
  const seats = names.slice(0, people);
  return welcome("tricks", "parlour", {
    hz: null,
    round: { n: 2, live: 1, endsAt: null },
    actions: [
      { name: "play", args: [{ name: "card", ...card }] },
      { name: "pass", args: [] },
      { name: "bid", args: [field("tricks", "int", { min: 0, max: 8 })] },
      { name: "give", args: [field("to", "seat")] },
    ],
    kinds: [{
      name: "player", player: true, radius: 0.5, look: "disc #4af", fields: [
        field("hand", "list", { max: 12, of: card, private: true }),
        field("cards", "int", { min: 0, max: 12 }), field("score", "int", { min: 0, max: 500, score: true }),
        field("passed", "bool"), field("bid", "int", { min: 0, max: 8, hud: true }),
      ],
    }],
    sharedKinds: [{ name: "round", fields: [
      field("turn", "seat"), field("trick", "list", { max: 12, of: card }), field("trump", "enum", { names: SUITS }),
      field("deck", "int", { min: 0, max: 52 }),
    ] }],
    shared: { round: { turn: 1, trick: ["king_of_hearts", "nine_of_clubs"], trump: "hearts", deck: 9 } },
    fx: [{ name: "won", look: "text trick taken #ffd166 sound:chime" }],
    roster: seats.map((name, seat) => ({ ...person(seat, name), driver: seat === 2 ? "bot" : "person" })),
    bodies: seats.map((_, seat) => ({
      id: seat + 1, kind: "player", seat, at: [0, 0], heading: 0,
      f: {
        cards: 6 - (seat % 2), score: 12 * seat, passed: seat === 3, bid: 2,
        ...(seat === 1
          ? {
            hand: ["seven_of_spades", "ace_of_hearts", "queen_of_diamonds",
              "ten_of_clubs", "king_of_spades", "jack_of_hearts"]
          }
          : {}),
      },
    })),
  });
}

/** A map with height, followed. */
export function deep() {
  const diver = { ...RUNNER, name: "diver", label: null, fields: RUNNER.fields.slice(0, 2) };
  const at = (id, seat, x, y, z) => ({ id, kind: "diver", seat, at: [x, y, z], heading: id, f: { hp: 60, points: id } });
  return welcome("reef", "lagoon", {
    inputs: [{ name: "swim", how: "stick" }, { name: "up", how: "button" }],
    kinds: [diver],
    map: { size: [60, 40, 12], ground: "grass #123a35", shapes: [
      { block: [-5, 3, 1, 2, 1.5, 1] }, { block: [6, 4, 4, 2, 2, 4] }, { sphere: [2, -5, 1, 2] }, { box: [-10, -4, 1, 3] },
    ] },
    camera: { how: "follow", metres: 24 },
    roster: [person(0, "Grace"), person(1, "Ada"), person(2, "Rob")],
    bodies: [at(1, 0, -3, -2, 9), at(2, 1, 0, 0, 0.5), at(3, 2, 4, 1, 5)],
  });
}

export const SHIP = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30" width="40" height="30">
<path d="M38 15 4 28l6-13L4 2z" fill="#e8edf5" stroke="#123"/></svg>`;
