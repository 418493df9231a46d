#!/usr/bin/env bash
# Measures the page in a real browser: speed, memory, frame times, sizes. One JSON line per case on standard output.
# BENCH_LARGE=1 adds the 2.5 GB trace; BENCH_CASES=100,500 chooses sizes in MB; benches/browser/run.mjs names the others.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
{
  ensure_build
  ensure_browsers
  build_page "$root/dist" --release
  say "measuring"
} >&2
exec node benches/browser/run.mjs
