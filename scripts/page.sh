# assemble_page CLIENT OUT: the page's files into the folder OUT, with the browser client of the folder CLIENT; sourced.

assemble_page() {
    mkdir -p "$2/assets"
    for page in web/*.html; do [ ! -f "$page" ] || cp "$page" "$2/"; done
    for file in web/*.css web/*.svg; do [ ! -f "$file" ] || cp "$file" "$2/assets/"; done
    # client.js stays a file of its own: after a trap the page imports it once more, for an instance with fresh memory.
    cp "$1/client_bg.wasm" "$1/client.js" "$2/assets/"
    for entry in web/src/home.ts web/src/room.ts; do
        [ -f "$entry" ] || continue
        bundle "$entry" "$2/assets"
    done
}

# bundle ENTRY FOLDER
bundle() {
    esbuild "$1" --bundle --format=esm --target=es2020 --minify --sourcemap --log-level=warning --outdir="$2"
}
