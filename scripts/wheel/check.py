"""What the installed Python package does. python check.py REPOSITORY"""

import base64
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

import axonscope
from axonscope import _program, _show, _sql

ROOT = pathlib.Path(sys.argv[1])
TRACE = ROOT / "public" / "samples" / "gloo_ddp_rank0.pt.trace.json.gz"
NEURON = ROOT / "public" / "samples" / "synthetic-neuron.json"

results = []


def check(what, is_right, found=""):
    print(("ok   " if is_right else "FAIL ") + what + ("" if is_right else f": {found}"))
    results.append(is_right)


def error_of(action):
    try:
        action()
    except axonscope.AxonscopeError as error:
        return str(error)
    return "no error"


def test_program():
    check("the package is the installed one", ROOT not in pathlib.Path(axonscope.__file__).parents or "venv-wheel" in axonscope.__file__, axonscope.__file__)
    check("the program is beside Python", pathlib.Path(_program.program()).parent == pathlib.Path(sys.executable).parent, _program.program())
    help_text = subprocess.run([_program.program(), "--help"], capture_output=True, text=True).stdout
    check("the program has its commands", all(name in help_text for name in ["report", "compare", "view", "convert", "run"]), help_text)
    rows = axonscope.report(TRACE, "operators")["rows"]
    check("report gives the answer", any(row["name"] == "gloo:all_reduce" for row in rows))
    check("an error is a sentence", "nonsense" in error_of(lambda: axonscope.report(TRACE, "nonsense")))
    check("a file that is missing is an error", "does not exist" in error_of(lambda: axonscope.report("missing.json")))


def test_sql():
    n = axonscope.report(TRACE)["n_slices"]
    frame = axonscope.sql(TRACE, "select count(*) as n, sum(dur)::bigint as total from slice")
    check("sql returns a DataFrame", type(frame).__name__ == "DataFrame" and frame["n"][0] == n, frame)
    table = axonscope.sql(TRACE, "select count(*) as n from slice", returns="arrow")
    check("sql returns an Arrow table", type(table).__module__.startswith("pyarrow") and table["n"][0].as_py() == n, table)
    merged = axonscope.sql(TRACE, "select merged(ts, ts + dur) as m, overlap(0, 10, 5, 20) as o from slice where in_range(ts)")
    check("the functions of the page are there", merged["m"][0] > 0 and merged["o"][0] == 5, merged)
    both = axonscope.sql([TRACE, NEURON], 'select (select count(*) from "gloo_ddp_rank0".slice) as a, count(*) as b from "synthetic-neuron".Instruction')
    check("several profiles are schemas", both["a"][0] == n and both["b"][0] > 0, both)
    check("a table that is missing names those that are there", "slice" in error_of(lambda: axonscope.sql(TRACE, "select * from Instruction")))
    # One text in the page, the tests and the package.
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "scripts" / "tables" / "gallery.py")
    gallery = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gallery)
    check("functions are those of the page", gallery.macros() == _sql.MACROS, gallery.macros())
    engine = (ROOT / "src" / "views" / "sql" / "engine.rs").read_text()
    for text in (_sql.BUSY_ENGINE, _sql.BUSY_TRACK):
        check("busy is that of the page", text in engine, text)


def test_show():
    text = axonscope.show(TRACE, page="https://axonscope.example/app/", view="operators", time_range=(0, 5))._repr_html_()
    check("the frame is of the page", 'src="https://axonscope.example/app/open.html?embed=1"' in text, text[:300])
    files = json.loads(re.search(r"files = (\[.*?\])\.map", text).group(1))
    check("the file is in the output", base64.b64decode(files[0]["data"]) == TRACE.read_bytes() and files[0]["name"] == TRACE.name)
    check("the messages go to the page alone", '"https://axonscope.example"' in text and "'*'" not in text)
    check("view and range are sent", '{"view": "operators", "range": [0, 5]}' in text)
    with tempfile.TemporaryDirectory() as place:
        odd = pathlib.Path(place, "<img src=x>.json")
        odd.write_text("[]")
        check("a name of a file is no markup", "<img" not in axonscope.show(odd, page="https://axonscope.example/")._repr_html_())
        page = pathlib.Path(place, "page")
        page.mkdir()
        (page / "open.html").write_text("<html>page</html>")
        frame = axonscope.show(TRACE)
        with urllib.request.urlopen(frame.address) as answer:
            check("the page inside the program is served", b"Axonscope" in answer.read(), frame.address)
        base = frame.address.split("open.html")[0]
        with urllib.request.urlopen(f"{base}files/{TRACE.name}") as answer:
            check("with the file beside it", answer.read() == TRACE.read_bytes())
        _show.close()
        os.environ["AXONSCOPE_DIST"] = place
        check("a directory without a page is a sentence", "no `open.html`" in error_of(lambda: axonscope.show(TRACE)))
        os.environ["AXONSCOPE_DIST"] = str(page)
        most, _show.MOST_SENT = _show.MOST_SENT, 1
        try:
            frame = axonscope.show(TRACE, page="https://axonscope.example/")
        finally:
            _show.MOST_SENT = most
        check("a large file is served", frame.address.startswith("http://127.0.0.1:") and "url=./files/" in frame._repr_html_(), frame.address)
        base = frame.address.split("open.html")[0]
        with urllib.request.urlopen(f"{base}files/{TRACE.name}") as answer:
            check("its bytes are those of the file", answer.read() == TRACE.read_bytes())
        _show.close()
        check("the server ends", is_refused(base))
    check("an address that is no page is refused", "Expected the address" in error_of(lambda: axonscope.show(TRACE, page="file:///x")))


def is_refused(address):
    try:
        urllib.request.urlopen(address, timeout=5).close()
    except OSError:
        return True
    return False


def test_spark():
    """The recipe of docs/fleet.md, with a session that has the three methods that it calls: Spark itself needs Java."""
    import pandas

    code = re.search(r"## Spark.*?```python\n(.*?)```", (ROOT / "docs" / "fleet.md").read_text(), re.S).group(1)
    recipe = {}
    exec(compile(code, "docs/fleet.md", "exec"), recipe)

    class Rows:
        def __init__(self, frame):
            self.frame = frame

        def repartition(self, n):
            self.n = n
            return self

        def mapInPandas(self, function, schema):
            size = -(-len(self.frame) // self.n)
            frames = (self.frame[at:at + size] for at in range(0, len(self.frame), size))
            return Rows(pandas.concat(list(function(frames))))

        def toLocalIterator(self):
            return (row for _, row in self.frame.iterrows())

    class Spark:
        def createDataFrame(self, rows, schema):
            return Rows(pandas.DataFrame(rows, columns=["path", "root"]))

    with tempfile.TemporaryDirectory() as place:
        root = write_run(place, 20)
        recipe["run"](Spark(), str(root), f"{place}/spark.axonrun")
        _program.run("run", root, "-o", f"{place}/local.axonrun")
        same = pathlib.Path(place, "spark.axonrun").read_bytes() == pathlib.Path(place, "local.axonrun").read_bytes()
        check("the recipe for Spark gives the bytes of the local run", same)


def test_slurm():
    """The recipe of docs/fleet.md, a task after the other: the scheduler alone is missing."""
    text = re.search(r"## Slurm.*?(?=\n## )", (ROOT / "docs" / "fleet.md").read_text(), re.S).group(0)
    task, = re.findall(r"^axonscope part .*$", text, re.M)
    end, = re.findall(r"--wrap '(.*?)'", text)
    with tempfile.TemporaryDirectory() as place:
        root = write_run(place, 12)
        env = {**os.environ, "RUN": str(root), "SCRATCH": place}
        for rank in range(12):
            subprocess.run(["bash", "-ec", task], check=True, stdout=subprocess.DEVNULL, env={**env, "SLURM_ARRAY_TASK_ID": str(rank)})
        subprocess.run(["bash", "-ec", end], check=True, cwd=place, env=env)
        _program.run("run", root, "-o", f"{place}/local.axonrun")
        same = pathlib.Path(place, "run.axonrun").read_bytes() == pathlib.Path(place, "local.axonrun").read_bytes()
        check("the recipe for Slurm gives the bytes of the local run", same)


def write_run(place, n):
    """A run of n ranks, and the program on the PATH."""
    root = pathlib.Path(place, "traces")
    root.mkdir()
    for rank in range(n):
        event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 5 + rank}
        trace = {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": n}, "traceEvents": [event]}
        (root / f"node0_7.rank{rank}.pt.trace.json").write_text(json.dumps(trace))
    os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return root


for test in (test_program, test_sql, test_show, test_spark, test_slurm):
    test()
print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
sys.exit(0 if all(results) else 1)
