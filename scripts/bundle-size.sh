#!/bin/sh
# What `wrangler deploy` would upload: prints its size and fails over the limit.
set -eu
. "$(dirname "$0")/toolchain.sh"
cd "$ROOT"

# Kilobytes of gzip: a third of what the free plan takes, so that a game maker's rules have room (design §9).
BUNDLE_GZIP_KIB_MAX=700

output=$(CI=1 wrangler deploy --dry-run --outdir target/deploy 2>&1) || { say "$output"; fail "wrangler deploy --dry-run failed"; }
line=$(say "$output" | grep "Total Upload") || { say "$output"; fail "wrangler printed no size"; }
gzip=$(say "$line" | sed -n 's/.*gzip: \([0-9]*\).*/\1/p')
say "bundle: $line (limit: gzip $BUNDLE_GZIP_KIB_MAX KiB)"
[ "$gzip" -le "$BUNDLE_GZIP_KIB_MAX" ] || fail "the bundle is over $BUNDLE_GZIP_KIB_MAX KiB"
