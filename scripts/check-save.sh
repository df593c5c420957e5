#!/bin/sh
# `make check-save FILE=… [GAME=…]`: what this build would convert, drop or refuse of a save or a character.
set -eu
. "$(dirname "$0")/toolchain.sh"
cd "$ROOT"

[ -n "${FILE:-}" ] || fail "say which file: make check-save FILE=<a save, or a character as JSON> [GAME=<its game>]"
exec cargo run --quiet --profile test --example check_save -- "$FILE"
