#!/bin/sh
# Prints the path of a Chromium for the browser tests: $CHROMIUM, PATH, or Debian's if this is root.
#
# Without one it prints nothing and succeeds, so that a developer's tests go on without a browser; with CI set it fails.
set -eu

for candidate in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$candidate" ] && command -v "$candidate" && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } >/dev/null 2>&1 || true
    command -v chromium && exit 0
fi
if [ -n "${CI:-}" ]; then
    echo "chromium.sh: missing: a Chromium, and CI must run the browser tests" >&2
    exit 1
fi
echo "chromium.sh: NO CHROMIUM FOUND, THE BROWSER TESTS ARE SKIPPED (set CHROMIUM to one)" >&2
