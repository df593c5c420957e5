# Where every tool is and which version; sourced by the other scripts, from anywhere.
#
# A tool of the exact version on PATH is used first; scripts/setup.sh puts the others into the git-ignored .tools/.
# Absent: installing anything (setup.sh), building anything (build-*.sh).

ROOT=$(cd "$(dirname "$0")/.." && pwd)
TOOLS="$ROOT/.tools"

# worker-build unwinds panics with whatever rustup calls "nightly", so this date is put behind that name by a shim
# (.tools/shim). Another date needs the wasm target and rust-src to be installable: not every nightly has them.
NIGHTLY=nightly-2026-05-20
WORKER_BUILD_VERSION=0.8.7
# The command line must be exactly the library's version (workers-rs#881).
WASM_BINDGEN_VERSION=$(awk '/^name = "wasm-bindgen"$/ { getline; gsub(/version = |"/, ""); print; exit }' "$ROOT/Cargo.lock")
STABLE=$(awk -F '"' '/^channel/ { print $2; exit }' "$ROOT/rust-toolchain.toml")
# Oldest Node that npm and the npm package `node` run under; wrangler itself runs under that package's Node.
NODE_MAJOR_MIN=18

# rustup's default place, for a shell that has not read its profile since rustup was installed.
case ":$PATH:" in
    *":$HOME/.cargo/bin:"*) ;;
    *) PATH="$PATH:$HOME/.cargo/bin" ;;
esac
SYSTEM_PATH=$(printf '%s' "$PATH" | tr ':' '\n' | grep -v "^$TOOLS/" | grep -v "^$ROOT/node_modules/" | paste -sd: -)
PATH="$TOOLS/shim:$ROOT/node_modules/.bin:$SYSTEM_PATH:$TOOLS/bin"
export PATH

# wrangler asks nothing, reports nothing and keeps no log outside the repository.
export WRANGLER_SEND_METRICS=false WRANGLER_SEND_ERROR_REPORTS=false WRANGLER_HIDE_BANNER=true
export WRANGLER_NO_SKILLS_UPDATE_PROMPTS=true WRANGLER_WRITE_LOGS=false CLOUDFLARE_TELEMETRY_DISABLED=1

say() { printf '%s\n' "$*"; }
fail() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# has_version NAME VERSION: the first NAME on PATH is of that version.
has_version() {
    case " $("$1" --version 2>/dev/null) " in
        *" $2 "*) return 0 ;;
        *) return 1 ;;
    esac
}

# tool NAME VERSION: its path, PATH first, then .tools/bin.
tool() {
    if has_version "$1" "$2"; then command -v "$1"; return; fi
    if has_version "$TOOLS/bin/$1" "$2"; then say "$TOOLS/bin/$1"; return; fi
    return 1
}

# digest FILE...: a hash of names and contents, whatever the times on the files.
digest() {
    find "$@" -type f 2>/dev/null | LC_ALL=C sort | while IFS= read -r file; do
        printf '%s ' "$file"
        cksum < "$file"
    done | { if command -v sha256sum >/dev/null 2>&1; then sha256sum; else shasum -a 256; fi; } | cut -c1-12
}

# What is shipped as one build: the Rust package. Worker and browser client name it in welcome, hello and /health.
build_identity() {
    cd "$ROOT" || exit 1
    ROUNDTABLE_BUILD_ID=$(digest src macros Cargo.toml Cargo.lock)
    mkdir -p target
    # The time it was first built here: the same sources keep it, so that nothing is rebuilt for its sake.
    if [ "$(cut -d' ' -f1 target/build-identity 2>/dev/null)" != "$ROUNDTABLE_BUILD_ID" ]; then
        printf '%s %s000\n' "$ROUNDTABLE_BUILD_ID" "$(date +%s)" > target/build-identity
    fi
    ROUNDTABLE_BUILD_AT=$(cut -d' ' -f2 target/build-identity)
    export ROUNDTABLE_BUILD_ID ROUNDTABLE_BUILD_AT
}
