"""Relational datasets of a running service, made of tables as tests have them."""

import csv
import io
from collections.abc import Mapping
from typing import Any

from tests.support.api import Api, Json
from tests.support.raw_tables import RawTables, Values


def csv_of_columns(columns: Mapping[str, Values]) -> str:
    """Return columns as CSV, booleans as true and false, missing values empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in zip(*columns.values(), strict=True))
    return buffer.getvalue()


def _cell(value: Any) -> Any:  # what cells hold
    return str(value).lower() if isinstance(value, bool) else "" if value is None else value


def metadata_of(raw: RawTables, name: str) -> Json:
    """Return the metadata that describe the tables' schema, all keys declared."""
    schema = raw.schema
    keys = schema.relationships.values()
    return {
        "name": name,
        "examples": {"table": schema.examples, "target": schema.target, "cutoff": schema.cutoff},
        "infer_keys": False,
        "tables": [
            {
                "name": table,
                "primary_key": list(of.primary_key) or None,
                "time": of.time,
                "categories": [column for column, kind in of.columns.items() if kind.kind == "category"],
                "foreign_keys": [
                    {"columns": list(key.columns), "references": key.parent} for key in keys if key.child == table
                ],
            }
            for table, of in schema.tables.items()
        ],
    }


def register_tables(api: Api, raw: RawTables, name: str = "tables") -> Json:
    """Register the tables as a relational dataset."""
    files = {f"{table}.csv": csv_of_columns(raw.columns[table]) for table in raw.schema.tables}
    answer = api.upload_tables("/v1/relational-datasets", files, metadata_of(raw, name))
    assert answer.is_success, answer.text
    found: Json = answer.json()
    return found


def nested_instance(raw: RawTables, example: int) -> Json:
    """Return one example with the rows that its relationships lead to, as a request has it; for schemas like a tree."""
    schema = raw.schema
    rows: Json = {schema.examples: [raw.rows(schema.examples)[example]]}
    while True:
        found = {
            key.child: _children(raw, key, rows[key.parent])
            for key in schema.relationships.values()
            if key.parent in rows and key.child not in rows
        }
        if not found:
            return rows
        rows |= found


def _children(raw: RawTables, key: Any, parents: list[Json]) -> list[Json]:  # a relationship
    known = {tuple(row[column] for column in key.parent_columns) for row in parents}
    return [row for row in raw.rows(key.child) if tuple(row[column] for column in key.columns) in known]
