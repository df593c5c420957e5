#!/bin/sh
# `make crash-long`: kill -9 of the Worker in play, a hundred times (CRASH_KILLS) under players and fifty (CRASH_TRAVELS)
# under travellers, D1 away for half a minute, a break by force, tabs left open for a minute. About half an hour.
set -eu
. "$(dirname "$0")/toolchain.sh"
cd "$ROOT"
CRASH_KILLS=${CRASH_KILLS:-100}
CRASH_TRAVELS=${CRASH_TRAVELS:-50}
export CRASH_KILLS CRASH_TRAVELS BREAK_LONG=1 D1_AWAY_MS=30000 TABS_MS=60000
node --test --test-concurrency=1 tests/workerd/isle-crash.test.mjs tests/workerd/travel-crash.test.mjs \
    tests/workerd/break.test.mjs tests/workerd/isle.test.mjs
CHROMIUM=$(sh scripts/chromium.sh)
[ -n "$CHROMIUM" ] || exit 0
export CHROMIUM
exec node --test tests/browser/tabs.test.mjs
