#!/bin/sh
# `make test-loop`: `make dev` in a copy of the checkout, and a game that changes under an open page. Builds the quick
# profile from nothing in there, which takes some minutes.
set -eu
here=$(dirname "$0")
. "$here/toolchain.sh"
cd "$ROOT"
CHROMIUM=$(sh scripts/chromium.sh)
[ -n "$CHROMIUM" ] || exit 0
export CHROMIUM
node --test "tests/loop/*.test.mjs"
