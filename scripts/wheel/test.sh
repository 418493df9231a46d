#!/usr/bin/env bash
# The Python package from a clean environment: built with the profile of the tests and without the page, installed with its extra `sql`, then
# scripts/wheel/check.py. The last line is `N passed, N failed`.
set -euo pipefail
source "$(dirname "$0")/../lib.sh"
wheels="$target/wheels"
WHEEL_PROFILE=dev WHEEL_PAGE=none WHEEL_OUT="$wheels" scripts/wheel/build.sh
venv="$target/venv-wheel"
rm -rf "$venv"
python3 -m venv "$venv"
wheel=$(ls "$wheels"/axonscope-*.whl)
"$venv/bin/pip" install --quiet --disable-pip-version-check "$wheel[sql]" || die "the package could not be installed. Is PyPI reachable?"
# Not from the repository's folder: the installed package is tested, not the sources.
cd "$venv"
env -u PYTHONPATH -u AXONSCOPE_BIN -u AXONSCOPE_PAGE -u AXONSCOPE_DIST "$venv/bin/python" "$root/scripts/wheel/check.py" "$root"
