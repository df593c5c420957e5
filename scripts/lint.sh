#!/bin/sh
# Format, clippy on every target that is built, and TypeScript. Warnings fail.
set -eu
. "$(dirname "$0")/toolchain.sh"
cd "$ROOT"

step() { say "== $*"; "$@"; }

wasm="--target wasm32-unknown-unknown"
# As worker-build sets it: which of two futures crates the bindings' macros use.
export WASM_BINDGEN_USE_JS_SYS=1
step cargo fmt --all --check
step cargo clippy -p roundtable -p roundtable-macros --all-targets --features roundtable/mutations -- -D warnings
# shellcheck disable=SC2086  # two words
step cargo clippy $wasm -- -D warnings
# shellcheck disable=SC2086
step cargo clippy $wasm -p roundtable-test-worker -- -D warnings
# shellcheck disable=SC2086
step cargo clippy $wasm --no-default-features --features browser -- -D warnings
for config in web/tsconfig.json tests/tsconfig.json; do
    [ ! -f "$config" ] || step tsc --noEmit -p "$config"
done
