"""SQL over the tables of a profile: `axonscope convert` writes them, DuckDB runs the query. docs/sql.md has the tables and functions."""

import os
import pathlib
import tempfile

from ._program import AxonscopeError, paths_of, run

# As in the page (src/views/sql/engine.rs); scripts/wheel/test.sh compares both.
MACROS = [
    "CREATE OR REPLACE MACRO main.intervals(starts, ends) AS list({'start_ts': starts::BIGINT, 'end_ts': ends::BIGINT})",
    "CREATE OR REPLACE MACRO main.merged(intervals) AS coalesce(list_reduce(list_prepend({'s': -9000000000000000000, 'e': -9000000000000000000, "
    "'n': 0::BIGINT}, list_sort(list_transform(intervals, lambda i: {'s': i.start_ts, 'e': i.end_ts, 'n': 0::BIGINT}))), "
    "lambda a, x: {'s': x.s, 'e': greatest(a.e, x.e), 'n': a.n + greatest(0, x.e - greatest(x.s, a.e))}).n, 0), "
    "(starts, ends) AS coalesce(list_reduce(list_prepend({'s': -9000000000000000000, 'e': -9000000000000000000, "
    "'n': 0::BIGINT}, list_sort(list({'s': starts::BIGINT, 'e': ends::BIGINT, 'n': 0::BIGINT}))), lambda a, x: {'s': x.s, 'e': greatest(a.e, x.e), "
    "'n': a.n + greatest(0, x.e - greatest(x.s, a.e))}).n, 0)",
    "CREATE OR REPLACE MACRO main.overlap(a, b) AS main.merged(a) + main.merged(b) - main.merged(list_concat(a, b)), "
    "(start_a, end_a, start_b, end_b) AS greatest(0, least(end_a, end_b) - greatest(start_a, start_b))",
]
BUSY_ENGINE = (
    "CREATE OR REPLACE MACRO {in_schema}.busy(engine_name, t0, t1) AS (SELECT coalesce(sum(least(a.end_ts, t1) - greatest(a.start_ts, t0)), 0)::BIGINT "
    "FROM {of}.ActiveTime a WHERE lower(a.engine) = lower(engine_name) AND a.start_ts < t1 AND a.end_ts > t0)"
)
BUSY_TRACK = (
    "CREATE OR REPLACE MACRO {in_schema}.busy(track, t0, t1) AS (SELECT main.merged(greatest(a.ts, t0), least(a.ts + a.dur, t1)) "
    "FROM {of}.slice a WHERE a.track_id = track AND a.depth = 0 AND a.ts < t1 AND a.ts + a.dur > t0)"
)


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def sql(path, query, returns="pandas"):
    """The result of a query: a pandas DataFrame, or with returns="arrow" a pyarrow Table.

    path: a profile, or a list: files that belong together (NTFF and NEFF), or several profiles, each a schema named after its file.
    """
    try:
        import duckdb
    except ImportError:
        raise AxonscopeError("axonscope.sql needs duckdb: pip install 'axonscope[sql]'.") from None
    if returns not in ("pandas", "arrow"):
        raise AxonscopeError(f"Expected returns to be pandas or arrow, found {returns!r}.")
    with tempfile.TemporaryDirectory() as place:
        tables = pathlib.Path(place, "tables")
        run("convert", "-o", tables, "--", *paths_of(path))
        database = duckdb.connect()
        try:
            for macro in [*MACROS, "CREATE OR REPLACE MACRO main.in_range(ts) AS true"]:
                database.execute(macro)
            directories = sorted(one for one in tables.iterdir() if one.is_dir())
            for directory in directories or [tables]:
                _views(database, directory, directory.name if directories else "main")
            if directories:
                database.execute(f"SET schema = {_quoted(directories[0].name)}")
            result = _result(database, duckdb, query)
            if result is None:
                raise AxonscopeError("Expected a query with a result.")
            return result.df() if returns == "pandas" else result.to_arrow_table()
        finally:
            database.close()


def _result(database, duckdb, query):
    try:
        return database.sql(query)
    except duckdb.CatalogException as error:
        names = [row[0] for row in database.execute("SELECT DISTINCT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1").fetchall()]
        raise AxonscopeError(f"{error}\nTables with rows in this profile: {', '.join(names)}.") from error


def _views(database, directory, schema):
    quoted = _quoted(schema)
    database.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted}")
    names = set()
    for file in sorted(directory.glob("*.parquet")):
        names.add(file.stem)
        path = os.fspath(file).replace("'", "''")
        database.execute(f"CREATE VIEW {quoted}.{_quoted(file.stem)} AS SELECT * FROM read_parquet('{path}')")
    if "ActiveTime" in names:
        database.execute(BUSY_ENGINE.format(in_schema=quoted, of=quoted))
    elif "slice" in names:
        database.execute(BUSY_TRACK.format(in_schema=quoted, of=quoted))
