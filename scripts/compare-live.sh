#!/bin/sh
# What this build would do to the saves of the Worker at URL, by its /health: fails at a refusal, or at a dropped
# durable field that DROP (such as `walker.gold`, or a list of them) does not name.
set -eu
. "$(dirname "$0")/toolchain.sh"
cd "$ROOT"

[ -n "${URL:-}" ] || fail "URL is not set"
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
node scripts/health.mjs "$URL" > "$answer" || fail "$URL/health cannot be read; URL=none deploys without comparing"
cargo run --quiet --profile test --example check_save -- --live "$answer" || fail "live saves would be lost: nothing was deployed"
