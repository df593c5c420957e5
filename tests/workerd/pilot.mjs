/** Steering a fighter by what its own snapshots show: walk to another body, turn to it, fire. */

/** Metres a body must come on within `STUCK_TICKS`, or it goes round what stands in its way. */
const STUCK_METRES = 0.3;
const STUCK_TICKS = 10;
const DETOUR_TICKS = 14;
/** How far off its target a fighter may look and still hit it. */
const AIM_RADIANS = 0.15;

/** From one body to another: metres and radians. */
export function between(from, to) {
  const [dx, dy] = [to.at[0] - from.at[0], to.at[1] - from.at[1]];
  return { metres: Math.hypot(dx, dy), angle: Math.atan2(dy, dx) };
}

/** Points looked at between two bodies for what stands in the way. */
const LOOKS = 40;

const covers = (shape, x, y) => {
  if (shape.disc) {
    const [cx, cy, radius] = shape.disc;
    return Math.hypot(x - cx, y - cy) <= radius;
  }
  const [cx, cy, halfWidth, halfHeight] = shape.box;
  return Math.abs(x - cx) <= halfWidth && Math.abs(y - cy) <= halfHeight;
};

/** Whether nothing of the map stands between two bodies. */
function inSight({ welcome }, from, to) {
  for (let look = 0; look <= LOOKS; look++) {
    const [x, y] = [0, 1].map((axis) => from.at[axis] + ((to.at[axis] - from.at[axis]) * look) / LOOKS);
    if (welcome.map.shapes.some((shape) => covers(shape, x, y))) {
      return false;
    }
  }
  return true;
}

const stick = (angle, size = 1) => [Math.cos(angle) * size, Math.sin(angle) * size];

/**
 * Walks a player to the body of another seat, until it is `metres` away and in sight.
 * @param {import("./player.mjs").Player} player
 */
export async function walkTo(player, seat, metres, patienceMs = 30_000) {
  const deadline = performance.now() + patienceMs;
  let [detour, mark, side] = [0, { k: -1, metres: Infinity }, 1];
  while (performance.now() < deadline) {
    const [own, other] = [player.body(), player.body(seat)];
    if (own && other) {
      const way = between(own, other);
      if (way.metres <= metres && inSight(player, own, other)) {
        player.input({ move: [0, 0] });
        return;
      }
      const { k } = player.snap;
      if (k >= mark.k + STUCK_TICKS) {
        if (mark.metres - way.metres < STUCK_METRES && mark.k >= 0 && k > detour) {
          [detour, side] = [k + DETOUR_TICKS, -side];
        }
        mark = { k, metres: way.metres };
      }
      player.input({ move: stick(k < detour ? way.angle + side * (Math.PI / 2) : way.angle) });
    }
    await player.tick(player.snap.k + 2);
  }
  throw new Error(`${player.options.name} did not come within ${metres} m of seat ${seat}`);
}

/**
 * Follows another seat's body and fires at it, pressing anew each time, until `done` gives something.
 * @template T
 * @param {import("./player.mjs").Player} player
 * @param {() => T} done
 * @returns {Promise<T>}
 */
export async function fireAt(player, seat, metres, done, patienceMs = 40_000) {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const value = done();
    if (value) {
      player.input({ move: [0, 0] });
      return value;
    }
    const [own, other] = [player.body(), player.body(seat)];
    if (own && other) {
      const way = between(own, other);
      if (way.metres > metres || !inSight(player, own, other)) {
        await walkTo(player, seat, metres);
        continue;
      }
      // A nudge turns the fighter to its target; without need it would walk through it, shot by shot.
      const off = Math.abs(Math.atan2(Math.sin(way.angle - own.heading), Math.cos(way.angle - own.heading)));
      const first = player.input({ move: off > AIM_RADIANS ? stick(way.angle, 0.2) : [0, 0] });
      player.entries([[first + 1, { move: [0, 0], fire: true }], [first + 3, { move: [0, 0] }]]);
      await player.tick(first + 4);
    } else {
      await player.tick(player.snap.k + 2);
    }
  }
  throw new Error(`${player.options.name} fired at seat ${seat} to no effect`);
}
