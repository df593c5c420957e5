#!/bin/sh
# assemble_page CLIENT OUT: the page's files into the folder OUT, with the browser client of the folder CLIENT; sourced.

assemble_page() {
    mkdir -p "$2/assets/games"
    for page in web/*.html; do [ ! -f "$page" ] || cp "$page" "$2/"; done
    for file in web/*.css web/*.svg; do [ ! -f "$file" ] || cp "$file" "$2/assets/"; done
    # client.js stays a file of its own: after a trap the page imports it once more, for an instance with fresh memory.
    cp "$1/client_bg.wasm" "$1/client.js" "$2/assets/"
    for entry in web/src/home.ts web/src/room.ts; do
        [ ! -f "$entry" ] || bundle "$entry" "$2/assets"
    done
    assemble_games "$2/assets/games"
}

# What games bring along: files for their looks, and a drawing of their own. The page asks the manifest, so that it never
# asks for what is not there.
assemble_games() {
    for dir in web/games/*/; do
        [ -d "$dir" ] || continue
        files=$1/$(basename "$dir")
        mkdir -p "$files"
        find "$dir" -maxdepth 1 -type f ! -name '*.ts' -exec cp {} "$files/" \;
        [ ! -f "$dir/draw.ts" ] || bundle "$dir/draw.ts" "$files"
    done
    node -e 'const { readdirSync, statSync, writeFileSync } = require("node:fs");
const dir = process.argv[1];
const games = readdirSync(dir).filter((name) => statSync(`${dir}/${name}`).isDirectory());
const files = Object.fromEntries(games.map((game) => [game, readdirSync(`${dir}/${game}`).sort()]));
writeFileSync(`${dir}/manifest.json`, JSON.stringify(files));' "$1"
}

# bundle ENTRY FOLDER
bundle() {
    esbuild "$1" --bundle --format=esm --target=es2020 --minify --sourcemap --log-level=warning --outdir="$2"
}
