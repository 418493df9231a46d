#!/usr/bin/env bash
# Builds the page for release and serves it on http://127.0.0.1:8080 (PORT chooses another).
set -euo pipefail
source "$(dirname "$0")/lib.sh"
ensure_build
build_page "$root/dist" --release
exec node scripts/serve.mjs dist --port "${PORT:-8080}"
