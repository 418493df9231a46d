"""A run on a Ray cluster of two nodes, one of which is killed in the middle, equals the local run byte for byte.

    python test_ray.py BINARY MAKE_FLEET
"""

import os
import shutil
import subprocess
import sys
import tempfile

# The package is on every node: workers are started with this environment.
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python")
sys.path.insert(0, PACKAGE)
os.environ["PYTHONPATH"] = PACKAGE

import object_stores

# Before Ray starts: its workers inherit the addresses of the stores.
STORES = object_stores.start()

import ray
from ray.cluster_utils import Cluster

import axonscope.ray

N_TRACES = 200


def main():
    binary, make_fleet = (os.path.abspath(path) for path in sys.argv[1:3])
    failed, n_checks = [], 0

    def check(what, is_right):
        nonlocal n_checks
        n_checks += 1
        print(("ok   " if is_right else "FAIL ") + what)
        if not is_right:
            failed.append(what)

    with tempfile.TemporaryDirectory() as place:
        traces = os.path.join(place, "traces")
        subprocess.run([make_fleet, "--ranks", str(N_TRACES), "--steps", "2", "--late", "7", traces], check=True)
        names = sorted(os.listdir(traces))
        # A rank twice, with the same and with other content; a file that is no trace.
        shutil.copy(os.path.join(traces, names[3]), os.path.join(traces, "copy_of_" + names[3]))
        subprocess.run([make_fleet, "--ranks", "4", "--steps", "2", "--seed", "9", os.path.join(traces, "again")], check=True)
        with open(os.path.join(traces, "cut.pt.trace.json"), "wb") as file:
            file.write(b"{\"traceEv")
        # Half a trace is read as far as it goes; a link that leads nowhere cannot be read.
        with open(os.path.join(traces, names[5]), "rb") as whole, open(os.path.join(traces, "half.pt.trace.json"), "wb") as half:
            half.write(whole.read()[:5000])
        os.symlink("/no/such/file", os.path.join(traces, "gone.pt.trace.json"))
        want = os.path.join(place, "local.axonrun")
        local = subprocess.run([binary, "run", traces, "-o", want], stderr=subprocess.DEVNULL, check=False).returncode

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        second = cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False)
        cluster.wait_for_nodes()
        check("the cluster has two cores", ray.cluster_resources().get("CPU") == 2)
        seen = []

        def on_part(n_done):
            seen.append(n_done)
            # Tasks run on it, and it holds parts that were made there: both are made again.
            if n_done == N_TRACES // 3:
                cluster.remove_node(second, allow_graceful=False)

        got = os.path.join(place, "ray.axonrun")
        code = axonscope.ray.run(binary, traces, got, on_part)
        check("the node was killed in the middle", not second.any_processes_alive() and max(seen) >= N_TRACES)
        check("the file that cannot be read is skipped (exit code 4), as locally", code == local == 4)
        with open(want, "rb") as one, open(got, "rb") as other:
            check("the result equals the local run", one.read() == other.read())
        again = os.path.join(place, "url.axonrun")
        code = axonscope.ray.run(binary, "file://" + os.path.join(traces, "again"), again)
        subprocess.run([binary, "run", os.path.join(traces, "again"), "-o", want], check=True)
        with open(want, "rb") as one, open(again, "rb") as other:
            check("traces at an address give the same bytes", code == 0 and one.read() == other.read())
        for kind, root in STORES.items():
            object_stores.put(root, os.path.join(traces, "again"))
            code = axonscope.ray.run(binary, f"{root}/again", again)
            with open(want, "rb") as one, open(again, "rb") as other:
                check(f"traces in {kind} give the same bytes", code == 0 and one.read() == other.read())
            os.remove(again)
            check(f"a bucket of {kind} that cannot be read is an error", axonscope.ray.run(binary, f"{root}-no-such/again", again) == 1 and not os.path.exists(again))
        missing = os.path.join(place, "missing.axonrun")
        check("a directory without traces is an error", axonscope.ray.run(binary, place + "/nothing", missing) == 1 and not os.path.exists(missing))
        check("no temporary file is left", not [n for n in os.listdir(place) if "partial" in n])
        ray.shutdown()
        cluster.shutdown()
        command = [binary, "run", os.path.join(traces, "again"), "-o", again, "--ray", "local"]
        done = subprocess.run(command, env={**os.environ, "AXONSCOPE_PYTHON": sys.executable}, capture_output=True, text=True)
        with open(want, "rb") as one:
            check("axonscope run --ray gives the same bytes", done.returncode == 0 and one.read() == open(again, "rb").read())
        done = subprocess.run(command, env={**os.environ, "AXONSCOPE_PYTHON": "no-such-python"}, capture_output=True, text=True)
        check("without Python there is a sentence", done.returncode == 1 and "no-such-python" in done.stderr)
    object_stores.stop()
    print(f"{n_checks - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
