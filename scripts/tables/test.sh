#!/usr/bin/env bash
# Runs the queries of scripts/tables/queries.py in a Python environment of its own (pyarrow and duckdb from PyPI), on tables that
# `axonscope convert` writes from the conformance data. The last line is `N passed, N failed`.
set -euo pipefail
source "$(dirname "$0")/../lib.sh"
conformance=${AXONSCOPE_CONFORMANCE:-../shared/conformance}

if [ ! -d "$conformance" ]; then
  [ "${AXONSCOPE_CONFORMANCE_REQUIRED:-}" != 1 ] || die "no conformance data in $conformance, but they are required."
  note "skipped: no conformance data"
  echo "1 passed, 0 failed"
  exit 0
fi
have python3 || apt_install "Python, which runs the queries over Parquet tables" python3 python3-venv
venv="$target/venv-tables"
if ! "$venv/bin/python" -c 'import duckdb, pyarrow' 2>/dev/null; then
  note "making a Python environment with pyarrow and duckdb: the queries of Neuron's users run on them"
  rm -rf "$venv"
  python3 -m venv "$venv" 2>/dev/null || { apt_install "Python environments" python3-venv && python3 -m venv "$venv"; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check pyarrow duckdb || die "pyarrow and duckdb could not be installed. Is PyPI reachable?"
fi
cargo build --locked --quiet --bin axonscope
"$venv/bin/python" scripts/tables/queries.py "$target/debug/axonscope" "$conformance"
