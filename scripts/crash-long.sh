#!/bin/sh
# `make crash-long`: kill -9 of the Worker in play, a hundred times (CRASH_KILLS). About ten minutes.
set -eu
. "$(dirname "$0")/toolchain.sh"
cd "$ROOT"
CRASH_KILLS=${CRASH_KILLS:-100}
export CRASH_KILLS BREAK_LONG=1
exec node --test --test-concurrency=1 tests/workerd/isle-crash.test.mjs tests/workerd/break.test.mjs
