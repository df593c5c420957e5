// How long a step of the crowd takes in wasm, in the engine that workerd and Chromium have.
import { readFileSync } from "node:fs";

const WALKERS = 1_000;
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]));
const { setup, step } = instance.exports;
setup(WALKERS);
step(200);
const start = performance.now();
step(400);
console.log(`    wasm: ${Math.round(((performance.now() - start) / 400) * 1_000)} µs a tick of ${WALKERS} bodies`);
