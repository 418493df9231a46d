"""A run on a Ray cluster of two nodes, one of which is killed in the middle, equals the local run byte for byte.

    python test_ray.py BINARY MAKE_FLEET
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import ray
from ray.cluster_utils import Cluster

import axonscope_ray

N_TRACES = 200


def main():
    binary, make_fleet = (os.path.abspath(path) for path in sys.argv[1:3])
    failed = []

    def check(what, is_right):
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
        want = os.path.join(place, "local.axonrun")
        subprocess.run([binary, "run", traces, "-o", want], check=True, stderr=subprocess.DEVNULL)

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        second = cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False)
        cluster.wait_for_nodes()
        check("the cluster has two cores", ray.cluster_resources().get("CPU") == 2)
        killed = []

        def kill():
            time.sleep(4)
            cluster.remove_node(second, allow_graceful=False)
            killed.append(time.monotonic())

        killer = threading.Thread(target=kill)
        killer.start()
        got = os.path.join(place, "ray.axonrun")
        code = axonscope_ray.run(binary, traces, got)
        ended = time.monotonic()
        killer.join()
        check("the node was killed while tasks ran", bool(killed) and killed[0] < ended)
        check("the broken file is skipped (exit code 4)", code == 4)
        with open(want, "rb") as one, open(got, "rb") as other:
            check("the result equals the local run", one.read() == other.read())
        check("no temporary file is left", not [n for n in os.listdir(place) if "partial" in n])
        ray.shutdown()
        cluster.shutdown()
    print(f"{5 - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
