#!/bin/sh
# Builds the page into web/dist: the browser's wasm, the TypeScript bundles, html and css. Skips what is unchanged.
#
# The wasm is made by the stable toolchain and aborts on a panic: phones some years old do not load the exceptions that
# today's compilers emit. The page makes a new instance after a trap.
set -eu
. "$(dirname "$0")/toolchain.sh"
. "$(dirname "$0")/page.sh"

cd "$ROOT"
wasm_bindgen=$(tool wasm-bindgen "$WASM_BINDGEN_VERSION") || fail "wasm-bindgen is missing: run make build first"
[ -x node_modules/.bin/esbuild ] || fail "npm packages are missing: run make build first"

dist=web/dist
# Not in there: what is in there is deployed.
stamp=target/web-inputs
inputs=$(digest src macros Cargo.toml Cargo.lock scripts/toolchain.sh scripts/page.sh scripts/build-web.sh \
    web/src web/games web/*.html web/*.css web/*.svg)
if [ "$(cat "$stamp" 2>/dev/null)" = "$inputs" ] && [ -d "$dist/assets" ]; then
    say "build-web: $dist is up to date"
    exit 0
fi

build_identity
started=$(date +%s)
rm -f "$stamp"
cargo build --quiet --lib --target wasm32-unknown-unknown --profile browser --no-default-features --features browser
out=target/browser-client
rm -rf "$out"
"$wasm_bindgen" --target web --no-typescript --out-dir "$out/raw" --out-name client \
    target/wasm32-unknown-unknown/browser/roundtable.wasm
mkdir -p "$out/client" "$dist"
wasm-opt -Os --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals \
    --enable-reference-types --enable-multivalue -o "$out/client/client_bg.wasm" "$out/raw/client_bg.wasm"
cp "$out/raw/client.js" "$out/client/client.js"

# The old files go only once the new ones are made: a server may be serving them.
next=$out/dist
assemble_page "$out/client" "$next"
find "$dist" -mindepth 1 -delete
cp -R "$next/." "$dist/"
printf '%s\n' "$inputs" > "$stamp"

size() { say "$1 $(wc -c < "$1") bytes, $(gzip -9 -c "$1" | wc -c) gzip"; }
say "build-web: $dist in $(($(date +%s) - started)) s:"
for file in "$dist"/*.html "$dist"/assets/*.css "$dist"/assets/*.js "$dist"/assets/*.wasm; do
    [ ! -f "$file" ] || say "  $(size "$file")"
done
