#!/bin/sh
# `make rows-long`: the isle at 20 Hz with sixteen who pick up coins (ROWS_SEATS), for ten minutes (ROWS_SECONDS), against
# its budget of rows.
set -eu
. "$(dirname "$0")/toolchain.sh"
cd "$ROOT"
ROWS_SECONDS=${ROWS_SECONDS:-600}
ROWS_SEATS=${ROWS_SEATS:-16}
export ROWS_SECONDS ROWS_SEATS
exec node --test --test-concurrency=1 --test-name-pattern="busy isle" tests/workerd/rows.test.mjs
