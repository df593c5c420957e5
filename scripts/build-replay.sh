#!/bin/sh
# Builds the browser client with games' rules in it (tests/worker/src/lib.rs) into target/replay, for the test that runs
# golden replays in Chromium (F20): the compiler, flags and runtime of the page's client, which itself holds no game.
set -eu
. "$(dirname "$0")/toolchain.sh"

cd "$ROOT"
wasm_bindgen=$(tool wasm-bindgen "$WASM_BINDGEN_VERSION") || fail "wasm-bindgen is missing: run make build first"
cargo build --quiet -p roundtable-test-worker --lib --target wasm32-unknown-unknown --profile browser \
    --no-default-features --features replay
"$wasm_bindgen" --target web --no-typescript --out-dir target/replay --out-name client \
    target/wasm32-unknown-unknown/browser/roundtable_test_worker.wasm
