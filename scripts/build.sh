#!/bin/sh
# The Worker and the page, each only if its sources have changed. wrangler's [build] command.
set -eu
here=$(dirname "$0")
sh "$here/build-worker.sh"
sh "$here/build-web.sh"
