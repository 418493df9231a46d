"""Queries that people run over Neuron Explorer's tables, on what `axonscope convert` writes, beside the figures of the device JSON.

Usage: queries.py AXONSCOPE CONFORMANCE. AXONSCOPE_UPDATE_FIXTURES=1 writes the expected answers of the gallery. Prints `N passed, N failed` last.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import gallery
import pyarrow.parquet as pq

RUNS = ["baseline", "fused"]
# A key of the JSON's instructions and the column that holds it.
INSTRUCTION = {
    "timestamp": "start_ts",
    "duration": "duration_ns",
    "subgroup": "engine",
    "opcode": "opcode",
    "operands": "operands",
    "pc": "pc",
    "evt_wait_time": "evt_wait_time_ns",
    "elements": "tensor_elements",
    "instruction_type": "tensor_instruction_type",
    "bir_instruction_name": "bir_instruction_name",
    "sbuf_read_bytes": "sbuf_read_bytes",
    "sbuf_write_bytes": "sbuf_write_bytes",
    "psum_read_bytes": "psum_read_bytes",
    "psum_write_bytes": "psum_write_bytes",
    "hbm_read_bytes": "hbm_read_bytes",
    "hbm_write_bytes": "hbm_write_bytes",
    "crc_in": "crc_in",
    "crc_out": "crc_out",
}
# Those that only the JSON records.
ONLY_JSON = {"id": "id", "bir_id": "bir_id", "penguin_id": "penguin_id", "raw_bir_id": "raw_bir_id", "raw_penguin_id": "raw_penguin_id"}

passed, failed = 0, 0


def check(name, found, expected, tolerance=0.0):
    """Counts a comparison; floats may differ by `tolerance` of their size."""
    global passed, failed
    is_close = isinstance(expected, (int, float)) and isinstance(found, (int, float))
    same = found == expected or (is_close and abs(found - expected) <= tolerance * max(abs(found), abs(expected)))
    if same:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {name}: found {str(found)[:400]}, expected {str(expected)[:400]}")


def union(spans):
    """Nanoseconds that spans cover."""
    total, last = 0, None
    for start, end in sorted(spans):
        if last is None or start > last:
            total += end - start
            last = end
        elif end > last:
            total += end - last
            last = end
    return total


def core(record):
    return int(record["subgraph"].removeprefix("sg"))


def convert(axonscope, inputs, out):
    subprocess.run([axonscope, "convert", *map(str, inputs), "-o", str(out)], check=True, stdout=subprocess.DEVNULL)


def sql(tables, query):
    """Rows of a query in which {NAME} is a table's file."""
    names = {path.stem: f"'{path}'" for path in tables.glob("*.parquet")}
    return duckdb.sql(query.format(**names)).fetchall()


def types(tables, schema):
    """Every written column of the schema has its name and type there."""
    arrow = {"integer (int64)": "int64", "integer (int32)": "int32", "number (float)": "float", "boolean": "bool"}
    for path in sorted(tables.glob("*.parquet")):
        rows = schema["tables"][path.stem]["rows"]
        found = {field.name: str(field.type) for field in pq.read_schema(path)}
        expected = {row[0].strip("`").replace("\\", ""): arrow.get(row[1].strip(), "string") for row in rows}
        if path.stem == "SchemaFields":
            expected = {name: kind for name, kind in expected.items() if name in found}
        check(f"{path.stem} types", {name: found.get(name) for name in expected}, expected)


def merged(tables, source):
    """Length of the union of a table's intervals: the query that people write with a window function."""
    return sql(
        tables,
        f"""with ends as (select start_ts, end_ts, max(end_ts) over (order by start_ts, end_ts rows between unbounded preceding and 1 preceding) as before
            from {source}) select coalesce(sum(greatest(0, end_ts - greatest(start_ts, coalesce(before, start_ts)))), 0)::bigint from ends""",
    )[0][0]


def near(found, expected):
    """Whether whole nanoseconds differ by at most 1, row by row."""
    same = lambda a, b: a == b if a is None or b is None else abs(a - b) <= 1
    return len(found) == len(expected) and all(map(same, found, expected))


def instructions(name, tables, data, columns, is_json):
    """All instructions, field by field, in the order of time."""
    rows = sql(tables, f"select pcore_idx, {', '.join(columns.values())} from {{Instruction}}")

    def value(record, key):
        found = record.get(key)
        return None if found in ("", "Unknown", "unknown") else found

    def of(record):
        out = [core(record)]
        for key in columns:
            found = value(record, key)
            # An id of 0 stands for none where the id with its subgraph is missing.
            if key in ("raw_bir_id", "raw_penguin_id") and found == 0 and not record.get(key.removeprefix("raw_")):
                found = None
            out.append(found)
        return tuple(out)

    expected = sorted((of(record) for record in data["instruction"]), key=repr)
    found = sorted(rows, key=repr)
    for at, column in enumerate(["pcore_idx", *columns.values()]):
        one, other = [row[at] for row in found], [row[at] for row in expected]
        if column == "evt_wait_time_ns" and not is_json:
            # A trace has the wait in cycles: docs/formats/ntff.md.
            check(f"{name} Instruction.{column} within 1 ns", near(one, other), True)
        else:
            check(f"{name} Instruction.{column}", one, other)


def queries(name, tables, data, truth, is_json):
    """What kernel engineers ask, beside the JSON's own figures."""
    dma = [record for record in data["dma"] if record["duplicate"] != "yes"]
    summary = data["summary"][0]
    check(f"{name} packets", sql(tables, "select count(*), sum(transfer_bytes)::bigint from {DmaPacket}")[0], (len(dma), sum(r["transfer_size"] for r in dma)))
    by_type = sql(tables, "select queue_type, count(*), sum(transfer_bytes)::bigint from {DmaPacket} group by 1 order by 1")
    kinds = sorted({r["queue_type"] for r in dma})
    expected = [(kind, sum(r["queue_type"] == kind for r in dma), sum(r["transfer_size"] for r in dma if r["queue_type"] == kind)) for kind in kinds]
    check(f"{name} bytes by queue type", by_type, expected)
    check(f"{name} opcodes", sql(tables, "select engine, opcode, count(*), sum(duration_ns)::bigint from {Instruction} group by 1, 2 order by 1, 2"),
          sorted((e, o, sum(1 for r in data["instruction"] if (r["subgroup"], r["opcode"]) == (e, o)),
                  sum(r["duration"] for r in data["instruction"] if (r["subgroup"], r["opcode"]) == (e, o)))
                 for e, o in {(r["subgroup"], r["opcode"]) for r in data["instruction"]}))
    active = sql(tables, "select engine, pcore_idx, sum(duration_ns)::bigint from {ActiveTime} group by 1, 2 order by 1, 2")
    keys = sorted({(r["engine"], r["pcore_idx"]) for r in data["active_time"]})
    # Whole nanoseconds of intervals that the profiler merged in picoseconds: one ns an interval.
    for engine, at in keys:
        spans = [r for r in data["active_time"] if (r["engine"], r["pcore_idx"]) == (engine, at)]
        found = next((row[2] for row in active if row[:2] == (engine, at)), None)
        is_near = found is not None and abs(found - sum(r["duration_ns"] for r in spans)) <= len(spans)
        check(f"{name} active {engine} {at}: {found}", is_near, True)
    if is_json:
        fields = ("engine", "pcore_idx", "start_ts", "end_ts", "duration_ns")
        found = sql(tables, "select engine, pcore_idx, start_ts, end_ts, duration_ns from {ActiveTime} order by all")
        check(f"{name} active intervals", found, sorted(tuple(r[field] for field in fields) for r in data["active_time"]))
    for at, told in truth["cores"].items():
        bounds = told["whole"]["bounds"]
        check(f"{name} memory bound {at}", merged(tables, f"{{DmaPacket}} where pcore_idx = {at}"), bounds["memory_bound"])
        # The truth is of the JSON's active intervals. Instructions are in whole ns, so a union of them is up to 1 ns shorter for each interval.
        n_active = sum((r["engine"], r["pcore_idx"]) == ("tensor", int(at)) for r in data["active_time"])
        active_tensor = merged(tables, f"{{ActiveTime}} where engine = 'tensor' and pcore_idx = {at}")
        ran = merged(tables, f"{{Instruction}} where engine = 'Tensor' and opcode <> 'EVENT_SEMAPHORE' and pcore_idx = {at}")
        if is_json:
            check(f"{name} compute bound {at}", active_tensor, bounds["compute_bound"])
        for kind, found in {"active": active_tensor, "instructions": ran}.items():
            check(f"{name} compute bound {at} of {kind}: {found}", abs(found - bounds["compute_bound"]) <= n_active, True)
        moved = f"select coalesce(sum(transfer_bytes), 0)::bigint from {{DmaPacket}} where pcore_idx = {at} and queue_type <> 'instruction' and transfer_bytes > 4"
        check(f"{name} moved bytes {at}", sql(tables, moved)[0][0], told["whole"]["moved_bytes"])
    flops = sql(tables, "select sum(raw_flops)::bigint, sum(flops_transpose)::bigint from {Instruction}")[0]
    check(f"{name} FLOPs", flops, (summary["hardware_flops"], summary["transpose_flops"]))
    waits = "select count(*), sum(evt_wait_time_ns)::bigint from {Instruction} where opcode = 'LDWEIGHTS' and evt_wait_time_ns > 0"
    told = [r["evt_wait_time"] for r in data["instruction"] if r["opcode"] == "LDWEIGHTS" and r.get("evt_wait_time", 0) > 0]
    n_waits, waited = sql(tables, waits)[0]
    check(f"{name} waits of LDWEIGHTS", n_waits, len(told))
    slack = 0 if is_json else len(told)
    check(f"{name} waiting of LDWEIGHTS: {waited}", abs((waited or 0) - sum(told)) <= slack, True)
    hardware = data["metadata"][0]
    row = sql(tables, "select dma_ddr_bandwidth, hbm_ddr_bandwidth, tensor_engine_num_rows, tensor_engine_num_cols, tensor_engine_clock_freq, last_hw_timestamp from {Metadata}")[0]
    for found, key in zip(row, ["dma_ddr_bandwidth", "hbm_ddr_bandwidth", "pe_num_rows", "pe_num_cols", "pe_clock_freq", "last_hw_timestamp"]):
        check(f"{name} Metadata {key}", found, hardware[key], 1e-7)
    semaphores = sql(tables, "select timestamp, value, pcore_idx from {SemaphoreUpdate} order by all")
    check(f"{name} semaphores", semaphores, sorted((r["timestamp"], r["value"], core(r)) for r in data["semaphore_update"]))
    limits = sql(tables, "select timestamp, k, n, pcore_idx from {Throttle} order by all")
    check(f"{name} throttling", limits, sorted((r["timestamp"], r["k"], r["n"], core(r)) for r in data["ham"]))
    tensors = sql(tables, "select variable_name, type, size from {TensorInfo} where type in ('IN', 'OUT') order by all")
    expected = [(r["variable_name"], r["type"], int(r["size"])) for r in data["neff_node"] if r["type"] in ("IN", "OUT")]
    check(f"{name} tensors", sorted(set(tensors)), sorted(set(expected)))
    if not is_json:
        return
    # Every metric of the summary under its own name, in single precision where the schema has it so.
    found = pq.read_table(tables / "Summary.parquet").to_pylist()[0]
    for metric, value in summary.items():
        check(f"{name} Summary.{metric}", found.get(metric), value, 1e-7)
    unknown = [metric for metric, value in found.items() if metric not in summary and value is not None]
    check(f"{name} metrics that the JSON has not are NULL", unknown, [])
    links = sum(len(r.get("predecessors", [])) for r in data["instruction"])
    check(f"{name} dependencies", sql(tables, "select count(*) from {Flow} f join {Instruction} a on a.id = f.in_id join {Instruction} b on b.id = f.out_id")[0][0], links)
    rate = sql(tables, "select timestamp, total_transfer_bytes, pcore_idx from {DmaUsage} order by all")
    check(f"{name} throughput", rate, sorted((r["timestamp"], r["total_transfer_bytes"], core(r)) for r in data["dma_throughput"]))
    usage = sql(tables, "select timestamp, pcore_idx, avg_util_percent from {SbufUsage} order by all")
    expected = sorted((r["timestamp"], core(r), r["usage_avg"]) for r in data["instruction_usage"] if r["type"] == "sb")
    check(f"{name} State Buffer", [row[:2] for row in usage], [row[:2] for row in expected])
    check(f"{name} State Buffer values", sum(row[2] for row in usage), sum(row[2] for row in expected), 1e-6)
    memory = sql(tables, "select usage_type, usage_bytes from {HbmUsageSummaryByType} order by all")
    check(f"{name} memory", memory, sorted((r["usage_type"], r["amount_bytes"]) for r in data["nc_mem_usage"]))


def same_answers(kind, found):
    """The gallery returns the same rows here as in the page: e2e/sql_queries.spec.js compares with the same files."""
    for name, answers in zip(("gallery_rows.json", "gallery_digests.json"), found):
        path = gallery.ROOT / "tests" / "fixtures" / "sql" / name
        expected = json.loads(path.read_text()) if path.exists() else {}
        if os.environ.get("AXONSCOPE_UPDATE_FIXTURES") == "1":
            expected[kind] = answers
            path.write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n")
        expected = expected.get(kind, {})
        check(f"{name} of {kind}", {title: n for title, n in answers.items() if expected.get(title) != n}, {})
        check(f"titles of {kind}", sorted(answers), sorted(expected))


def main(axonscope, conformance):
    folder = pathlib.Path(conformance) / "neuron"
    schema = json.loads((folder / "parquet-schema-7.4.0.json").read_text())
    with tempfile.TemporaryDirectory() as scratch:
        for run in RUNS:
            here = folder / f"{run}_attention"
            profile = here / f"{run}_exec_2_profile_full.json"
            data = json.loads(profile.read_text())
            truth = json.loads((folder / "bounds" / f"{run}_attention.truth.json").read_text())
            sources = {"json": [profile], "ntff": [here / f"{run}_exec_2.ntff", here / f"{run}.neff"]}
            for kind, inputs in sources.items():
                tables = pathlib.Path(scratch) / run / kind
                convert(axonscope, inputs, tables)
                name = f"{run} {kind}"
                types(tables, schema)
                instructions(name, tables, data, INSTRUCTION | (ONLY_JSON if kind == "json" else {}), kind == "json")
                queries(name, tables, data, truth, kind == "json")
                if (run, kind) == ("fused", "json"):
                    same_answers("device", gallery.answers(tables, "device", schema))
        trace = pathlib.Path(conformance) / "kineto" / "traces" / "tracelens-traces" / "h100" / "gaunernst_bert-small-uncased__1016001.json.gz"
        tables = pathlib.Path(scratch) / "trace"
        convert(axonscope, [trace], tables)
        for kind in ("torch", "trace"):
            same_answers(kind, gallery.answers(tables, kind))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
