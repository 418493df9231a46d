"""A run summary on a Ray cluster: a task for each trace calls `axonscope part` next to the data, a tree of tasks merges the parts.

    axonscope run traces/ -o run.axonrun --ray [ADDRESS]
    python -m axonscope.ray traces/ -o run.axonrun [--address auto] [--binary axonscope]

The result is that of `axonscope run traces/`, byte for byte. Traces are on a file system that all nodes share, or at an address that fsspec reads
(s3://bucket/run/ with s3fs, gs://bucket/run/ with gcsfs); this package is on every node. Ray retries the tasks of a lost node. Exit codes are those of
`axonscope run`.
"""

import argparse
import json
import os
import posixpath
import subprocess
import sys
import tempfile
import time

import ray

# Parts and runs that one task merges.
FAN_IN = 32
# Tasks that wait or run for each core of the cluster: enough to keep it busy, few enough to bound the memory of the driver.
TASKS_PER_CORE = 4


@ray.remote(max_retries=5, num_returns=2)
def part(binary, path, root):
    """What a trace contributes: (description, part as bytes), or (why it was skipped, None)."""
    with tempfile.TemporaryDirectory() as directory:
        if is_remote(root):
            try:
                path, root = copied(path, root, os.path.join(directory, "copy"))
            except Exception as error:  # Every file system of fsspec has errors of its own.
                return {"skipped": f"`{path}` could not be read: {error}.", "is_trace": True}, None
        done = subprocess.run([binary, "part", path, "-o", os.path.join(directory, "parts"), "--root", root], capture_output=True, text=True)
        about = json.loads((done.stdout.splitlines() or ["{}"])[0])
        if "part" not in about:
            return about or {"skipped": done.stderr.strip(), "is_trace": True}, None
        with open(about["part"], "rb") as file:
            return about, file.read()


@ray.remote(max_retries=5)
def merge(binary, kind, *items):
    """Parts, or runs of other parts, as one run."""
    with tempfile.TemporaryDirectory() as directory:
        names = []
        for at, item in enumerate(items):
            names.append(os.path.join(directory, f"{at}.{kind}"))
            with open(names[-1], "wb") as file:
                file.write(item)
        target = os.path.join(directory, "merged.axonrun")
        done = subprocess.run([binary, "merge", *names, "-o", target], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        with open(target, "rb") as file:
            return file.read()


def is_remote(root):
    return "://" in root


def copied(path, root, directory):
    """A copy of a remote file on this node, with the name that it has in the run; with it the root of the copy."""
    import fsspec

    files, base = fsspec.core.url_to_fs(root)
    base = base.rstrip("/")
    target = os.path.join(directory, posixpath.basename(base))
    inside = os.path.join(target, *posixpath.relpath(path, base).split("/"))
    os.makedirs(os.path.dirname(inside))
    files.get_file(path, inside)
    return inside, target


def files_below(root):
    """Paths of all files; an OSError, or one of the file system's own, where they cannot be listed."""
    if is_remote(root):
        import fsspec

        files, base = fsspec.core.url_to_fs(root)
        return sorted(files.find(base))

    def refuse(error):
        raise error

    found = []
    for directory, _, names in os.walk(root, onerror=refuse):
        found.extend(os.path.join(directory, name) for name in names)
    return sorted(found)


def parts_of(binary, root, paths, on_part):
    """Parts by content, each once: of copies the one with the first name. With them what was skipped, and why."""
    limit = max(2, int(ray.cluster_resources().get("CPU", 1)) * TASKS_PER_CORE)
    waiting, running, found, left_out = list(reversed(paths)), {}, {}, []
    n_done, began = 0, time.monotonic()
    while waiting or running:
        while waiting and len(running) < limit:
            about, data = part.remote(binary, waiting.pop(), root)
            running[about] = data
        ready, _ = ray.wait(list(running), num_returns=1)
        for reference in ready:
            data, about = running.pop(reference), ray.get(reference)
            n_done += 1
            on_part(n_done)
            if "skipped" in about:
                left_out.append(about)
                continue
            known = found.get(about["id"])
            if known is None or about["trace"] < known[0]:
                found[about["id"]] = (about["trace"], data)
        if sys.stderr.isatty():
            rate = n_done / max(time.monotonic() - began, 1e-3)
            left = (len(paths) - n_done) / rate
            print(f"\rparts {n_done}/{len(paths)}, {rate:.1f} per s, {left:.0f} s left ", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return [data for _, data in found.values()], left_out


def merged(binary, items):
    """A tree of tasks over references; the driver sees the last result alone."""
    kind = "part.parquet"
    while len(items) > 1 or kind != "axonrun":
        items = [merge.remote(binary, kind, *items[at:at + FAN_IN]) for at in range(0, len(items), FAN_IN)]
        kind = "axonrun"
    return ray.get(items[0])


def run(binary, root, output, on_part=lambda n_done: None):
    """Writes the run; the exit code. `on_part` is called after each trace with their number so far."""
    root = root if is_remote(root) else os.path.abspath(root)
    try:
        paths = files_below(root)
    except Exception as error:  # Every file system of fsspec has errors of its own.
        return failed(f"`{root}` could not be listed: {error}.")
    items, left_out = parts_of(binary, root, paths, on_part)
    for one in sorted(left_out, key=lambda one: one["skipped"]):
        print(one["skipped"], file=sys.stderr)
    if not items:
        return failed("No PyTorch trace could be read.")
    data = merged(binary, items)
    try:
        write(output, data)
    except OSError as error:
        return failed(f"`{output}` could not be written: {error}.")
    # As the program: files that are no traces may be beside them.
    return 4 if any(one["is_trace"] for one in left_out) else 0


def write(output, data):
    """A file that appears whole or not at all."""
    temporary = f"{output}.partial-{os.getpid()}"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, output)
    except OSError:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


def failed(sentence):
    print(sentence, file=sys.stderr)
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", help="directory of the traces on every node, or an address that fsspec reads")
    parser.add_argument("-o", "--output", required=True, help="file to write")
    parser.add_argument("--address", default="auto", help="address of the cluster; `local` starts one on this machine")
    parser.add_argument("--binary", default="axonscope", help="the program on every node")
    arguments = parser.parse_args()
    try:
        ray.init(address=None if arguments.address == "local" else arguments.address, log_to_driver=False)
    except (ConnectionError, ValueError) as error:
        sys.exit(failed(f"No Ray cluster answers at `{arguments.address}`: {error}"))
    sys.exit(run(arguments.binary, arguments.root, arguments.output))


if __name__ == "__main__":
    main()
