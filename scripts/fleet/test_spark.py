"""The recipe for Spark in docs/fleet.md, on a local Spark session. python test_spark.py BINARY"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from pyspark.sql import SparkSession

ROOT = pathlib.Path(__file__).resolve().parents[2]
N_TRACES = 40


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    os.environ["PATH"] = f"{binary.parent}{os.pathsep}{os.environ['PATH']}"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    code = re.search(r"## Spark.*?```python\n(.*?)```", (ROOT / "docs" / "fleet.md").read_text(), re.S).group(1)
    with tempfile.TemporaryDirectory() as place:
        # A module, so that executors import what they run.
        (pathlib.Path(place) / "recipe.py").write_text(code)
        sys.path.insert(0, place)
        os.environ["PYTHONPATH"] = place
        import recipe

        traces = pathlib.Path(place, "traces")
        traces.mkdir()
        for rank in range(N_TRACES):
            event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 5 + rank}
            trace = {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": N_TRACES}, "traceEvents": [event]}
            (traces / f"rank{rank}.pt.trace.json").write_text(json.dumps(trace))
        (traces / "cut.pt.trace.json").write_text('{"traceEv')
        spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
        try:
            recipe.run(spark, str(traces), f"{place}/spark.axonrun")
        finally:
            spark.stop()
        subprocess.run([binary, "run", traces, "-o", f"{place}/local.axonrun"], stderr=subprocess.DEVNULL, check=False)
        is_same = pathlib.Path(place, "spark.axonrun").read_bytes() == pathlib.Path(place, "local.axonrun").read_bytes()
    print("ok   the recipe gives the bytes of the local run" if is_same else "FAIL the recipe gives other bytes than the local run")
    print("1 passed, 0 failed" if is_same else "0 passed, 1 failed")
    sys.exit(0 if is_same else 1)


if __name__ == "__main__":
    main()
