#!/usr/bin/env bash
# Builds the Python package into wheels/: the program with the page of dist/ inside, and the module for notebooks.
# WHEEL_PROFILE=dev builds quickly; WHEEL_PAGE names another built page, `none` leaves it out; WHEEL_OUT names another directory.
set -euo pipefail
source "$(dirname "$0")/../lib.sh"
profile=${WHEEL_PROFILE:-release}
out=${WHEEL_OUT:-$root/wheels}
ensure_base
have python3 || apt_install "Python, which the package is for" python3 python3-venv
venv="$target/venv-maturin"
if ! "$venv/bin/maturin" --version >/dev/null 2>&1; then
  note "making a Python environment with maturin: it builds the package"
  rm -rf "$venv"
  python3 -m venv "$venv" 2>/dev/null || { apt_install "Python environments" python3-venv && python3 -m venv "$venv"; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.7,<2' || die "maturin could not be installed. Is PyPI reachable?"
fi
arguments=(--locked --profile "$profile" --out "$out")
if [ "${WHEEL_PAGE:-}" != none ]; then
  page=${WHEEL_PAGE:-$root/dist}
  [ -f "$page/open.html" ] || { [ "$page" = "$root/dist" ] && scripts/dist.sh; } || die "There is no built page in $page: open.html is missing."
  # Without the compressed companions: the program sends the files as they are.
  export AXONSCOPE_DIST="$target/wheel-page"
  rm -rf "$AXONSCOPE_DIST"
  cp -R "$page" "$AXONSCOPE_DIST"
  find "$AXONSCOPE_DIST" -type f \( -name '*.br' -o -name '*.gz' \) | while read -r file; do
    if [ -e "${file%.*}" ]; then rm "$file"; fi
  done
  arguments+=(--features embedded_page)
  # Cargo does not see that the files of the page changed.
  touch src/bin/axonscope/view/page.rs
fi
say "building the Python package with the profile $profile"
rm -f "$out"/axonscope-*.whl
(cd python && "$venv/bin/maturin" build "${arguments[@]}") || die "maturin could not build the package; the lines above say why."
say "ready: $(ls "$out"/axonscope-*.whl)"
