#!/bin/sh
# `make dev`: sets up, builds, serves on 127.0.0.1 until Ctrl-C, and takes up every change of the sources.
#
# Environment: PORT (8787), STATE (.wrangler/state), ADMIN_TOKEN and SESSION_SECRET (generated into .dev.vars once).
set -eu
here=$(dirname "$0")
sh "$here/setup.sh"
. "$here/toolchain.sh"
cd "$ROOT"
exec node scripts/dev.mjs
