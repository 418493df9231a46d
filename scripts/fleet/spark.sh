#!/usr/bin/env bash
# The recipe for Spark in docs/fleet.md on a real Spark session of two local cores: needs Java 17 and installs pyspark (850 MB) in an environment of its
# own, so it is run by hand. `make test` runs the recipe with a stand-in for the session (scripts/wheel/check.py).
set -euo pipefail
source "$(dirname "$0")/../lib.sh"
have java || die "Java 17 is needed: Spark runs on it."
venv="${SPARK_VENV:-$target/venv-spark}"
if ! "$venv/bin/python" -c 'import pandas, pyarrow, pyspark' 2>/dev/null; then
  note "making a Python environment with pyspark (850 MB)"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check pyspark pandas pyarrow || die "pyspark could not be installed. Is PyPI reachable?"
fi
binary=${AXONSCOPE_BIN:-$target/debug/axonscope}
[ -x "$binary" ] || cargo build --locked --quiet --bin axonscope
timeout 600 "$venv/bin/python" scripts/fleet/test_spark.py "$binary"
