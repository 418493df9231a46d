#!/usr/bin/env bash
# The Python package from a clean environment: built with the profile of the tests and a page of two files inside (a real one takes minutes; WHEEL_PAGE
# names one), installed with its extra `sql`, then scripts/wheel/check.py. The last line is `N passed, N failed`.
set -euo pipefail
source "$(dirname "$0")/../lib.sh"
wheels="$target/wheels"
page=${WHEEL_PAGE:-$target/wheel-test-page}
if [ -z "${WHEEL_PAGE:-}" ]; then
  mkdir -p "$page/deep"
  echo '<!doctype html><title>Axonscope</title><p>embedded page' > "$page/open.html"
  echo 'export {};' > "$page/deep/worker.js"
fi
WHEEL_PROFILE=dev WHEEL_PAGE="$page" WHEEL_OUT="$wheels" scripts/wheel/build.sh
venv="$target/venv-wheel"
rm -rf "$venv"
python3 -m venv "$venv"
wheel=$(ls "$wheels"/axonscope-*.whl)
"$venv/bin/pip" install --quiet --disable-pip-version-check "$wheel[sql]" || die "the package could not be installed. Is PyPI reachable?"
# Not from the repository's folder: the installed package is tested, not the sources.
cd "$venv"
env -u PYTHONPATH -u AXONSCOPE_BIN -u AXONSCOPE_PAGE -u AXONSCOPE_DIST "$venv/bin/python" "$root/scripts/wheel/check.py" "$root"
