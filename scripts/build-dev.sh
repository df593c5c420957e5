#!/bin/sh
# build-dev.sh OUT: what `make dev` plays into the new folder OUT: worker/, site/ and, once all is there, `id`.
#
# By the `loop` profiles, which are built anew within seconds, and with web/src/dev.ts in every page. What is tested and
# deployed is made by build-worker.sh and build-web.sh. Environment: DEV_EVENTS, the address that web/src/dev.ts asks.
set -eu
. "$(dirname "$0")/toolchain.sh"
. "$(dirname "$0")/page.sh"

out=$1
cd "$ROOT"
worker_build=$(tool worker-build "$WORKER_BUILD_VERSION") || fail "worker-build is missing: run make setup first"
wasm_bindgen=$(tool wasm-bindgen "$WASM_BINDGEN_VERSION") || fail "wasm-bindgen is missing: run make setup first"

build_client() {
    cargo build --lib --target wasm32-unknown-unknown --profile loop-browser --no-default-features --features browser
    "$wasm_bindgen" --target web --no-typescript --out-dir "$kept/client" --out-name client \
        target/wasm32-unknown-unknown/loop-browser/roundtable.wasm
}

build_identity
kept=target/dev
mkdir -p "$kept"
stamp=$kept/rust-inputs
inputs="$ROUNDTABLE_BUILD_ID $(digest scripts/toolchain.sh scripts/build-dev.sh)"
if [ "$(cat "$stamp" 2>/dev/null)" != "$inputs" ]; then
    rm -f "$stamp"
    # Side by side: they share no lock. What the compiler says of the one it says of the other, so it is shown once.
    build_client > "$kept/client.log" 2>&1 &
    client=$!
    # By environment: worker-build would fetch each from the network and does not look at PATH (workers-rs#857).
    WASM_BINDGEN_BIN="$wasm_bindgen" ESBUILD_BIN="$ROOT/node_modules/.bin/esbuild" \
        "$worker_build" --profile loop --no-opt --panic-unwind --out-dir "$kept/worker" || {
        wait "$client" || true
        exit 1
    }
    wait "$client" || { cat "$kept/client.log" >&2; exit 1; }
    printf '%s\n' "$inputs" > "$stamp"
fi

mkdir -p "$out/worker"
cp "$kept/worker/index.js" "$kept/worker/index_bg.wasm" "$out/worker/"
assemble_page "$kept/client" "$out/site"
bundle web/src/dev.ts "$out/site/assets"
id="$ROUNDTABLE_BUILD_ID-$(digest web/src web/games web/*.html web/*.css web/*.svg scripts/page.sh wrangler.toml)"
for page in "$out/site"/*.html; do
    sed "s#</head>#<script type=\"module\" src=\"/assets/dev.js?build=$id\&events=$DEV_EVENTS\"></script></head>#" \
        "$page" > "$page.new"
    mv "$page.new" "$page"
done
printf '%s\n' "$id" > "$out/id"
