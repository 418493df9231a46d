#!/usr/bin/env bash
# Builds the page for release into dist/, ready for any static host.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
ensure_build
build_page "$root/dist" --release
printf '\ndone: the site is in dist/ (%s); copy it to any static host\n' "$(du -sh dist | cut -f 1)"
