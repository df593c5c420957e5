#!/bin/sh
# `make bench-leases`: joins of characters a second, beside bare requests. Under a minute; its last line is JSON.
set -eu
. "$(dirname "$0")/toolchain.sh"
cd "$ROOT"
exec node tests/workerd/bench-leases.mjs
