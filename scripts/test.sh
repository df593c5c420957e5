#!/bin/sh
# `make test`: everything that CI checks, cheapest first. Stops at the first failure.
set -eu
here=$(dirname "$0")
sh "$here/setup.sh"
. "$here/toolchain.sh"
cd "$ROOT"

step() { say "== $*"; "$@"; }

say "== $(rustc --version); $(rustc +nightly --version)"
step sh scripts/lint.sh
# The kitchen is played at random 500 times (tests/native/sync.rs).
export SYNC_RUNS=500
# The simulation runs so many seeds (tests/sim), and with the mutations it must find builds that are wrong on purpose.
export SIM_RUNS=2000
step cargo test -p roundtable -p roundtable-macros --features roundtable/mutations
step cargo run --quiet --profile tool -p roundtable-bench --bin replay
step node --test "tests/tools/*.test.mjs"
BENCH=check
export BENCH
step sh scripts/bench.sh
step sh scripts/build.sh
step sh scripts/bundle-size.sh
step sh scripts/build-worker.sh tests/worker
step sh scripts/build-replay.sh
step node --test --test-concurrency=1 "tests/workerd/*.test.mjs"
CHROMIUM=$(sh scripts/chromium.sh)
if [ -n "$CHROMIUM" ]; then
    export CHROMIUM
    step node --test --test-concurrency=1 "tests/browser/*.test.mjs"
fi
say "== make test: all passed"
