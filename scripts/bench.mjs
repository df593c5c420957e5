// Times in wasm, in the engine that workerd and Chromium have: a step of the crowd, and a tick that spends all its fuel on
// one sort of call. Each the best of several runs: what else the machine does only adds.
import { readFileSync } from "node:fs";

const WALKERS = 1_000;
/** Of src/limits.rs, and the part of it that is spent: no handler may be stopped, which here is a trap. */
const FUEL_PER_TICK = 50_000;
const SPENT = 0.98;
const HANDLERS = 5;
/** Ticks in which the room gets its bodies, 20 in each, and some more. */
const warm = (bodies) => step(bodies / 20 + 5);

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]));
const { setup_crowd, setup_calls, name_at, name_length, step, units, memory } = instance.exports;

/** Milliseconds of a tick. */
function time(ticks, runs) {
  let best = Infinity;
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    step(ticks);
    best = Math.min(best, (performance.now() - start) / ticks);
  }
  return best;
}

/** The most units a tick uses with so many calls of a sort in each handler. */
function used(sort, times, bodies) {
  setup_calls(sort, times, bodies);
  warm(bodies);
  return units();
}

/** A tick full of one sort of call. */
function full(sort, bodies) {
  const base = used(0, 0, bodies);
  let [times, spent] = [1, 0];
  // The first counts say little of what a call uses: each is nearer than the one before.
  for (let round = 0; round < 12 && spent < FUEL_PER_TICK * SPENT * 0.98; round++) {
    spent = used(sort, times, bodies);
    const ratio = (FUEL_PER_TICK * SPENT - base) / Math.max(spent - base, 1);
    if (spent < FUEL_PER_TICK * SPENT * 0.98) times = Math.max(times + 1, Math.floor(times * Math.min(ratio, 4)));
  }
  return { spent, ms: time(10, 8) };
}

setup_crowd();
step(200);
console.log(`    wasm: ${Math.round(time(100, 8) * 1_000)} µs a tick of ${WALKERS} bodies`);
const sorts = [];
for (let sort = 1; name_length(sort) > 0; sort++) sorts.push(sort);
const nameOf = (sort) => new TextDecoder().decode(new Uint8Array(memory.buffer, name_at(sort), name_length(sort)));
for (const bodies of [100, 1_000]) {
  setup_calls(0, 0, bodies);
  warm(bodies);
  console.log(`    wasm: ${time(10, 8).toFixed(1)} ms a tick of ${bodies} bodies that do nothing`);
  for (const sort of sorts) {
    const { spent, ms } = full(sort, bodies);
    console.log(`${nameOf(sort).padStart(8)}: ${ms.toFixed(1)} ms a tick of ${spent} units, ${bodies} bodies`);
  }
}
