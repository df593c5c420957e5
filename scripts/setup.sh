#!/bin/sh
# Puts every tool in its place: toolchains by rustup, worker-build and wasm-bindgen into .tools/, npm packages.
#
# Says in one line what it cannot install itself. Idempotent, and quick when there is nothing to do. Absent: building.
set -eu
. "$(dirname "$0")/toolchain.sh"

missing=""
# Not by the shims in .tools, which outlive what they stand for.
need() { (PATH="$SYSTEM_PATH"; command -v "$1") >/dev/null 2>&1 || missing="$missing${missing:+, }$2"; }
need rustup rustup
need cc "a C compiler (cc)"
need npm npm
node_major=$(PATH="$SYSTEM_PATH" node --version 2>/dev/null | sed -n 's/^v\([0-9]*\).*/\1/p')
[ "${node_major:-0}" -ge "$NODE_MAJOR_MIN" ] || missing="$missing${missing:+, }Node >= $NODE_MAJOR_MIN"
[ -z "$missing" ] || fail "missing: $missing"

# ---- Toolchains ----

# toolchain NAME COMPONENT...: with the wasm target.
toolchain() {
    name=$1; shift
    have=$(rustup component list --installed --toolchain "$name" 2>/dev/null) || have=""
    for component in rust-std-wasm32-unknown-unknown "$@"; do
        case "$have" in
            *"$component"*) ;;
            *)
                say "setup: installing Rust $name"
                options=""
                for c in "$@"; do options="$options --component $c"; done
                # shellcheck disable=SC2086  # a list of options
                rustup toolchain install "$name" --no-self-update --profile minimal --target wasm32-unknown-unknown $options
                return ;;
        esac
    done
}

# shim NAME: the real NAME, with "nightly" meaning the pinned one.
shim() {
    real=$(PATH="$SYSTEM_PATH" command -v "$1")
    cat > "$TOOLS/shim/$1.new" <<SHIM
#!/bin/sh
# Made by scripts/setup.sh: "nightly" is $NIGHTLY, and has flags of its own (scripts/build-worker.sh).
for arg; do
    shift
    case "\$arg" in
        +nightly)
            set -- "\$@" +$NIGHTLY
            [ -z "\${NIGHTLY_RUSTFLAGS:-}" ] || export RUSTFLAGS="\${RUSTFLAGS:-} \$NIGHTLY_RUSTFLAGS"
            ;;
        nightly) set -- "\$@" $NIGHTLY ;;
        *) set -- "\$@" "\$arg" ;;
    esac
done
exec "$real" "\$@"
SHIM
    chmod +x "$TOOLS/shim/$1.new"
    mv "$TOOLS/shim/$1.new" "$TOOLS/shim/$1"
}

mkdir -p "$TOOLS/shim"
toolchain "$STABLE" clippy rustfmt
toolchain "$NIGHTLY" rust-src
for name in cargo rustc rustup; do shim "$name"; done

# ---- Commands from crates.io ----

# worker-build links the system's TLS on Linux, for downloads that are not needed here.
need_tls_headers() {
    [ "$(uname)" = Linux ] || return 0
    pkg-config --exists openssl 2>/dev/null && return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        say "setup: installing libssl-dev and pkg-config"
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libssl-dev pkg-config >/dev/null
        return 0
    fi
    fail "missing: OpenSSL headers and pkg-config (libssl-dev pkg-config), to build worker-build once"
}

# install COMMAND CRATE VERSION [OPTION...]
install() {
    tool "$1" "$3" >/dev/null && return 0
    [ "$1" != worker-build ] || need_tls_headers
    say "setup: building $2 $3 (a few minutes, once)"
    command=$1; crate=$2; version=$3; shift 3
    # Tools that run for seconds: what counts is how soon they are built.
    RUSTFLAGS="" CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        CARGO_PROFILE_RELEASE_DEBUG=0 cargo "+$STABLE" install "$crate@$version" "$@" --root "$TOOLS" --target-dir "$TOOLS/build" --quiet
    has_version "$TOOLS/bin/$command" "$version" || fail "$crate $version was built but does not run"
}

install worker-build worker-build "$WORKER_BUILD_VERSION" --locked
install wasm-bindgen wasm-bindgen-cli "$WASM_BINDGEN_VERSION"
# Only the two commands are kept: their object files are half a gigabyte.
rm -rf "$TOOLS/build"

# ---- npm packages ----

cd "$ROOT"
stamp=node_modules/.installed
lock=$(digest package.json package-lock.json)
if [ "$(cat "$stamp" 2>/dev/null)" != "$lock" ] || [ ! -x node_modules/.bin/wrangler ]; then
    say "setup: installing npm packages"
    PATH="$SYSTEM_PATH" npm ci --loglevel=error
    printf '%s\n' "$lock" > "$stamp"
fi
node_modules/.bin/node --version >/dev/null 2>&1 || fail "the npm package 'node' holds no Node: run npm with its install scripts"
say "setup: Rust $STABLE and $NIGHTLY, worker-build $WORKER_BUILD_VERSION, wasm-bindgen $WASM_BINDGEN_VERSION," \
    "Node $(node_modules/.bin/node --version), wrangler $(sed -n 's/^  "version": "\(.*\)",/\1/p' node_modules/wrangler/package.json)"
