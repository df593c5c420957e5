#!/bin/sh
# `make deploy`: uploads the Worker to the account wrangler is logged in to, then applies the migrations.
#
# Refuses TEST_KEY anywhere: with it bound, whoever knows it can break any room. Compares with the live Worker at URL
# first, and stops when saves would be lost; URL=none leaves that out. Refuses a game with characters without the secret that
# signs sessions: nobody could play it.
set -eu
. "$(dirname "$0")/toolchain.sh"
cd "$ROOT"

if sed 's/#.*//' wrangler.toml | grep -q TEST_KEY; then
    fail "wrangler.toml binds TEST_KEY, which wakes the fault hooks: refused"
fi
# A Worker that was never deployed has no secrets to list.
if secrets=$(wrangler secret list 2>/dev/null); then deployed=yes; else deployed=no; fi
case "$secrets" in
    *TEST_KEY*) fail "the deployed Worker has a secret TEST_KEY, which wakes the fault hooks: refused" ;;
esac
case "$secrets" in
    *'"SESSION_SECRET"'*) ;;
    *)
        if cat src/games/*.rs | sed 's|//.*||' | grep -q '\.characters()'; then
            fail "a game has characters, and there is no SESSION_SECRET: run npx wrangler secret put SESSION_SECRET first"
        fi
        ;;
esac
case "$deployed ${URL:-}" in
    "no ") say "deploy: never deployed, so there are no saves to compare with" ;;
    "yes ") fail "say where it is live: make deploy URL=https://… (URL=none deploys without comparing its saves)" ;;
    *" none") say "deploy: URL=none, so saves are not compared with the live Worker's" ;;
    *) sh scripts/compare-live.sh ;;
esac
wrangler deploy "$@"
wrangler d1 migrations apply DB --remote
