"""Runs the queries of the SQL view on converted tables: `answers` gives the number of rows and a digest of the values of each query.

The page's own functions are made here as in src/views/sql/engine.rs. A table without rows has no file: it is made empty, with the columns of docs/sql.md.
"""

import json
import pathlib
import re

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[2]
GALLERY = json.loads((ROOT / "public" / "sql" / "gallery.json").read_text())


def macros():
    """The definitions in the page's source: one text, whichever runs it."""
    source = (ROOT / "src" / "views" / "sql" / "engine.rs").read_text()
    listed = source.split("const MACROS")[1].split("];")[0]
    return [re.sub(r"\\\n\s*", "", text) for text in re.findall(r'"((?:[^"\\]|\\.|\\\n)*)"', listed, re.S)]


def empty_columns():
    """Columns of each table, as the docs list them."""
    lines = re.findall(r"^\| `(\w+)` \| (.*) \|$", (ROOT / "docs" / "sql.md").read_text(), re.M)
    return {name: re.findall(r"`(\w+)`", columns) for name, columns in lines}


def connect(tables, schema=None):
    """A database with a view for each file."""
    db = duckdb.connect()
    for macro in macros():
        db.execute(macro)
    db.execute("create macro in_range(ts) as true")
    for path in tables.glob("*.parquet"):
        db.execute(f"create view \"{path.stem}\" as select * from '{path}'")
    known = {path.stem.lower() for path in tables.glob("*.parquet")}
    wanted = dict(empty_columns())
    if schema:
        wanted = {name: [row[0].strip("`").replace("\\", "") for row in table["rows"]] for name, table in schema["tables"].items()}
    for name, columns in wanted.items():
        if name.lower() not in known:
            # BIGINT fits sums and comparisons; no row has a value.
            db.execute(f'create table "{name}" ({", ".join(f"{chr(34)}{c}{chr(34)} bigint" for c in dict.fromkeys(columns))})')
    return db


def digest(db, query):
    """What a result holds as one word, whatever the order of its rows; as `digest` of e2e/sql_support.js. Floats to nine digits."""
    cells = []
    for name, kind, *_ in db.execute(f"describe {query}").fetchall():
        quoted = '"' + name.replace('"', '""') + '"'
        is_float = re.match("FLOAT|DOUBLE|DECIMAL", kind)
        value = f"format('{{:.9g}}', {quoted}::double)" if is_float else f"{quoted}::varchar"
        cells.append(f"coalesce({value}, '∅')")
    line = f"concat_ws('|', {', '.join(cells)})"
    return db.execute(f"select md5(string_agg(line, chr(10) order by line)) from (select {line} as line from ({query}))").fetchone()[0]


def answers(tables, kind, schema=None):
    """Of every query of a kind of profile by its title: the number of rows, and a digest of its values."""
    db = connect(tables, schema)
    n_rows = {title: len(db.execute(query).fetchall()) for title, _, query in GALLERY[kind]}
    return n_rows, {title: digest(db, query) for title, _, query in GALLERY[kind]}
