#!/usr/bin/env bash
# Builds the page for release into dist/, ready for any static host.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
ensure_build
# Page and worker of two releases must not meet: see `build_id` in src/worker/protocol.rs.
AXONSCOPE_BUILD=${AXONSCOPE_BUILD:-$(git -C "$root" describe --always --dirty 2>/dev/null || date -u +%Y-%m-%dT%H:%M)}
export AXONSCOPE_BUILD
# The site holds no path of this machine, and is the same wherever a commit is built. cargo adds these to the flags of .cargo/config.toml.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo --remap-path-prefix=$root="
build_page "$root/dist" --release
printf '\ndone: the site is in dist/ (%s); copy it to any static host\n' "$(du -sh dist | cut -f 1)"
