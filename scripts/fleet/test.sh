#!/usr/bin/env bash
# A run on a local Ray cluster of two nodes, one of which is killed in the middle, in a Python environment of its own (ray, and local stand-ins of S3 and Google Cloud Storage, from PyPI).
# The last line is `N passed, N failed`.
set -euo pipefail
source "$(dirname "$0")/../lib.sh"
have python3 || apt_install "Python, which runs Ray" python3 python3-venv
venv="$target/venv-fleet"
if ! "$venv/bin/python" -c 'import fsspec, gcp_storage_emulator, gcsfs, moto.server, ray, s3fs' 2>/dev/null; then
  note "making a Python environment with ray, s3fs, gcsfs and local object stores (600 MB): runs of many traces are merged on a cluster"
  rm -rf "$venv"
  python3 -m venv "$venv" 2>/dev/null || { apt_install "Python environments" python3-venv && python3 -m venv "$venv"; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check ray fsspec s3fs gcsfs 'moto[server,s3]' gcp-storage-emulator || die "ray could not be installed. Is PyPI reachable?"
fi
cargo build --locked --quiet --bin axonscope --example make_fleet
export RAY_DISABLE_IMPORT_WARNING=1 RAY_USAGE_STATS_ENABLED=0 RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO=0
timeout 600 "$venv/bin/python" scripts/fleet/test_ray.py "$target/debug/axonscope" "$target/debug/examples/make_fleet"
