"""Tables of a test as files that callers may send, in each form, with the metadata that describe them."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.raw_tables import RawTables
from tree_explainers.relational.schema import Schema, TableSchema

Form = Literal["csv", "json", "parquet"]


def metadata_of_schema(schema: Schema) -> dict[str, Any]:
    """Return the metadata that declare this schema."""
    examples = {"table": schema.examples, "target": schema.target, "cutoff": schema.cutoff}
    tables = [_table_metadata(schema, name, table) for name, table in schema.tables.items()]
    return {"examples": examples, "tables": tables, "infer_keys": False}


def _table_metadata(schema: Schema, name: str, table: TableSchema) -> dict[str, Any]:
    keys = [
        {"columns": list(key.columns), "references": key.parent}
        for key in schema.relationships.values()
        if key.child == name
    ]
    categories = [column for column, of in table.columns.items() if of.kind == "category"]
    primary_key = list(table.primary_key) or None
    return {
        "name": name, "primary_key": primary_key, "foreign_keys": keys, "time": table.time, "categories": categories
    }  # fmt: skip


def file_of(raw: RawTables, table: str, form: Form) -> bytes:
    """Return the file of one table; JSON without rows would have no columns, and becomes CSV."""
    columns = raw.columns[table]
    if form == "parquet":
        return _parquet(raw, table)
    if form == "json" and raw.n_rows(table):
        return json.dumps(raw.rows(table)).encode()
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in zip(*columns.values(), strict=True))
    # A blank line would be no row: a single column is quoted where it is missing.
    return target.getvalue().encode()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return value


def _parquet(raw: RawTables, table: str) -> bytes:
    target = io.BytesIO()
    columns = raw.columns[table]
    pq.write_table(pa.table({name: pa.array(_plain(values)) for name, values in columns.items()}), target)
    return target.getvalue()


def _plain(values: Sequence[Any]) -> list[Any]:
    return list(values)
