#!/bin/sh
# `make test-loop`: drives `make dev` through changes of a game, in a copy of this checkout. Some minutes, the first time
# more: that is why `make test` leaves it out.
set -eu
here=$(dirname "$0")
sh "$here/setup.sh"
. "$here/toolchain.sh"
cd "$ROOT"

CHROMIUM=$(sh scripts/chromium.sh)
[ -n "$CHROMIUM" ] || exit 0
export CHROMIUM
node --test --test-concurrency=1 "tests/loop/*.test.mjs"
