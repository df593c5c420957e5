#!/bin/sh
# What a step costs: natively, in wasm under Node, and in counted instructions. BENCH=check holds the counts against
# benches/expected.json, BENCH=write writes it.
set -eu
cd "$(dirname "$0")/.."
. scripts/toolchain.sh

cargo build --quiet -p roundtable-bench --lib --target wasm32-unknown-unknown --profile browser
cargo build --quiet -p roundtable-bench --bin bench --profile tool
wasm=target/wasm32-unknown-unknown/browser/roundtable_bench.wasm
target/tool/bench "$wasm"
node_modules/.bin/node scripts/bench.mjs "$wasm"
