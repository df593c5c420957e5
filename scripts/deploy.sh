#!/bin/sh
# `make deploy`: uploads the Worker to the account wrangler is logged in to, then applies the migrations.
#
# Refuses TEST_KEY anywhere: with it bound, whoever knows it can break any room.
set -eu
. "$(dirname "$0")/toolchain.sh"
cd "$ROOT"

if sed 's/#.*//' wrangler.toml | grep -q TEST_KEY; then
    fail "wrangler.toml binds TEST_KEY, which wakes the fault hooks: refused"
fi
# A Worker that was never deployed has no secrets to list.
if wrangler secret list 2>/dev/null | grep -q TEST_KEY; then
    fail "the deployed Worker has a secret TEST_KEY, which wakes the fault hooks: refused"
fi
wrangler deploy "$@"
wrangler d1 migrations apply DB --remote
