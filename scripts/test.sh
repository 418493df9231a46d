#!/usr/bin/env bash
# Runs every suite and counts: native tests, tests inside Chromium (wasm-pack), end to end in Chromium, a smoke test in Firefox.
# A suite that fails does not stop the others. The last line is `N passed, N failed` over all of them.
# SUITES="native web e2e firefox" chooses some; AXONSCOPE_LINT=1 puts formatting and lints in front.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
source "$root/scripts/tally.sh"
suites=" ${SUITES:-native web e2e firefox} "
wants() { [[ "$suites" == *" $1 "* ]]; }
lints() { [ "${AXONSCOPE_LINT:-}" = 1 ]; }

ensure_build
if lints && have rustup && ! { have cargo-clippy && have rustfmt; }; then
  say "adding rustfmt and clippy with rustup: .ci/run checks formatting and lints"
  rustup component add rustfmt clippy || die "rustup could not add rustfmt and clippy."
fi

web=()
for file in tests/web*.rs; do
  if [ -e "$file" ]; then web+=(--test "$(basename "$file" .rs)"); fi
done
wasm=(--locked --features page --target wasm32-unknown-unknown)

# Half of the time the compiler keeps one processor busy, so what is compiled to WebAssembly is compiled beside what is native, in a folder of cargo's own.
# No test that measures time runs in the meantime.
web_target=$target/web
build_for_browsers() {
  export CARGO_TARGET_DIR=$web_target
  if wants e2e || wants firefox; then ahead page build_page "$target/e2e-dist" --cargo-profile fast; fi
  if lints; then ahead lints cargo clippy "${wasm[@]}" --lib --bins "${web[@]}" -- -D warnings; fi
  if wants web; then ahead web cargo build "${wasm[@]}" "${web[@]}"; fi
}
core=(--locked --no-fail-fast --test native --test tidy)
library=(--locked --no-fail-fast --features page --lib)

apart build_for_browsers
lane=$!
# A background job does not hear Ctrl+C.
trap 'trap - INT; kill -TERM 0' INT

# Tools that no build needs are built beside the page, where they are missing.
ensure_test
if lints; then
  ensure_machete
  ensure_deny
fi

if lints; then
  suite "formatting" count_step cargo fmt --check || true
  suite "dependencies that nothing uses" count_step cargo-machete . || true
  suite "licences and sources of dependencies" count_step cargo deny --locked check --hide-inclusion-graph licenses bans sources || true
  # Databases of known weaknesses are elsewhere; where they cannot be had, that is said and not counted.
  if cargo deny --locked fetch db >/dev/null 2>&1; then
    suite "known weaknesses of crates" count_step cargo deny --locked check --disable-fetch advisories || true
  else
    note "not checked: known weaknesses of crates (the RustSec database cannot be had here)"
  fi
  if npm audit --json 2>/dev/null | grep -q '"auditReportVersion"'; then
    suite "known weaknesses of npm packages" count_step npm audit --audit-level=high || true
  else
    note "not checked: known weaknesses of npm packages (the registry answers no audits here)"
  fi
  suite "lints, native" count_step cargo clippy --locked --features page --all-targets -- -D warnings || true
fi
if wants native; then
  suite "the core's tests are compiled" count_step cargo test "${core[@]}" --no-run || true
  suite "the library's tests are compiled" count_step cargo test "${library[@]}" --no-run || true
fi
# What `axonscope view` shows is opened in the browser.
if wants e2e; then cargo build --locked --quiet --bin axonscope || true; fi

# The other lane is longer. These suites measure no time, so they need not wait for it.
if wants native; then
  suite "converted tables in DuckDB" count_line scripts/tables/test.sh || true
  suite "runs on a Ray cluster" count_line scripts/fleet/test.sh || true
  suite "Python package" count_line scripts/wheel/test.sh || true
fi

if lints; then suite "lints, wasm32" count_step joined lints || true; fi
if wants web; then suite "the tests for Chromium are compiled" count_step joined web || true; fi
has_page=
if wants e2e || wants firefox; then suite "page for the browser tests" count_step joined page && has_page=1 || true; fi

if wants native; then
  # Two programs: the tests of the core's answers on files, and the unit tests of the library with the page.
  suite "native tests of the core" count_cargo cargo test "${core[@]}" || true
  # One thread, as the page has: signals of all tests are in one arena, and two threads that use it can wait for each other for ever.
  suite "native tests of the library with the page" count_cargo cargo test "${library[@]}" -- --test-threads=1 || true
fi

if wants web; then
  suite "tests inside Chromium" count_cargo env CARGO_TARGET_DIR="$web_target" \
    wasm-pack test --headless --chrome --chromedriver "$CHROMEDRIVER" --mode no-install -- --locked --features page "${web[@]}" || true
fi

if [ -n "$has_page" ]; then
  export AXONSCOPE_DIST="$target/e2e-dist" CARGO_TARGET_DIR=$target
  playwright=(npx --no-install playwright test --config e2e/playwright.config.js)
  if wants e2e; then
    suite "end to end in Chromium" count_playwright "${playwright[@]}" --project 'side by side' || true
    suite "the same, what is measured" count_playwright "${playwright[@]}" --project alone --workers 1 || true
  fi
  if wants firefox; then suite "smoke test in Firefox" count_line node e2e/firefox.mjs || true; fi
fi

tally_end
