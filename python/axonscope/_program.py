"""Calls the program `axonscope` that was installed with this package."""

import json
import os
import shutil
import subprocess
import sysconfig


class AxonscopeError(RuntimeError):
    """The program's sentence about what went wrong."""


def program():
    """Path of the program: `AXONSCOPE_BIN`, else beside this Python, else on the PATH."""
    name = "axonscope.exe" if os.name == "nt" else "axonscope"
    beside = os.path.join(sysconfig.get_path("scripts"), name)
    found = os.environ.get("AXONSCOPE_BIN") or (beside if os.path.exists(beside) else shutil.which(name))
    if not found:
        raise AxonscopeError("The program `axonscope` was not found. Install this package with pip, or set AXONSCOPE_BIN.")
    return found


def run(*arguments):
    """Standard output of the program."""
    done = subprocess.run([program(), *map(os.fspath, arguments)], capture_output=True, text=True, encoding="utf-8")
    if done.returncode != 0:
        raise AxonscopeError(done.stderr.strip() or f"axonscope ended with code {done.returncode}.")
    return done.stdout


def paths_of(path):
    """One path or several, as a list of existing ones."""
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    for one in paths:
        if not os.path.exists(one):
            raise AxonscopeError(f"`{os.fspath(one)}` does not exist.")
    return paths


def report(path, query="import", **arguments):
    """The answer of a query, as `axonscope report --query` prints it; arguments are those of `--arg`."""
    given = [text for key, value in arguments.items() for text in ("--arg", f"{key}={value}")]
    return json.loads(run("report", "--query", query, *given, "--", *paths_of(path)))["answer"]
