#!/bin/sh
# Builds a Worker into DIR/build (DIR: `.`, the default, or `tests/worker`); does nothing if its sources are unchanged.
#
# Needs scripts/setup.sh to have run; wrangler calls this too ([build] in wrangler.toml). Panics unwind: a panic in one
# room must not end the instance that all rooms of the isolate share, so the pinned nightly builds std anew.
set -eu
. "$(dirname "$0")/toolchain.sh"

dir=${1:-.}
cd "$ROOT"
worker_build=$(tool worker-build "$WORKER_BUILD_VERSION") || fail "worker-build is missing: run make build first"
wasm_bindgen=$(tool wasm-bindgen "$WASM_BINDGEN_VERSION") || fail "wasm-bindgen is missing: run make build first"
[ -x node_modules/.bin/wasm-opt ] || fail "npm packages are missing: run make build first"

sources="src macros Cargo.toml Cargo.lock scripts/toolchain.sh scripts/build-worker.sh"
[ "$dir" = . ] || sources="$sources $dir/src $dir/newcomer.rs $dir/Cargo.toml tests/native/kitchen.rs tests/native/sky.rs"
# shellcheck disable=SC2086  # a list of paths
inputs=$(digest $sources)
stamp="$dir/build/.inputs"
if [ "$(cat "$stamp" 2>/dev/null)" = "$inputs" ] && [ -f "$dir/build/index.js" ]; then
    say "build-worker: $dir is up to date"
    exit 0
fi

build_identity
rm -f "$stamp"
# By environment: worker-build would fetch each from the network and does not look at PATH (workers-rs#857).
export WASM_BINDGEN_BIN="$wasm_bindgen" ESBUILD_BIN="$ROOT/node_modules/.bin/esbuild"
# Where in our sources each check lies would be a part of the Worker that nobody reads there: a fault is named by its
# handler and message, and `make dev` builds with places.
export NIGHTLY_RUSTFLAGS="-Zlocation-detail=none"
started=$(date +%s)
# Made small by a call of our own: worker-build's leaves a tenth more (gzip), and a Worker has 700 kB.
(cd "$dir" && "$worker_build" --release --no-opt --panic-unwind)
wasm-opt --all-features -Oz -o "$dir/build/small.wasm" "$dir/build/index_bg.wasm"
mv "$dir/build/small.wasm" "$dir/build/index_bg.wasm"
printf '%s\n' "$inputs" > "$stamp"
say "build-worker: $dir/build in $(($(date +%s) - started)) s:" \
    "$(wc -c < "$dir/build/index_bg.wasm") bytes of wasm, $(gzip -9 -c "$dir/build/index_bg.wasm" | wc -c) gzip"
