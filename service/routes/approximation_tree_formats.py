"""An approximation tree as JSON, or as a table with a row for each node in CSV or Parquet."""

import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from .media_types import CSV, JSON
from .table_answers import csv_of

_TYPES = {
    "id": pa.int64(),
    "depth": pa.int64(),
    "feature": pa.string(),
    "column": pa.string(),
    "operator": pa.string(),
    "value": pa.string(),
    "or_missing": pa.bool_(),
    "text": pa.string(),
    "left": pa.int64(),
    "right": pa.int64(),
    "n_samples": pa.int64(),
    "n_pseudo_samples": pa.int64(),
    "p_value": pa.float64(),
    "at_cap": pa.bool_(),
}


def write(result: bytes, media_type: str) -> bytes:
    """Return the result in this media type; of tables, ``value`` is a text, which is JSON where it is a list."""
    if media_type == JSON:
        return result
    lines = _table(json.loads(result))
    if media_type == CSV:
        return csv_of(lines)
    target = io.BytesIO()
    pyarrow.parquet.write_table(lines, target)
    return target.getvalue()


def _table(content: dict[str, Any]) -> pa.Table:
    classes, nodes = content["classes"], content["nodes"]
    fields = [*_TYPES.items(), ("prediction", pa.string() if classes else pa.float64())]
    rows = [{**node, "value": _told(node["value"])} for node in nodes]
    columns = {name: pa.array([row[name] for row in rows], kind) for name, kind in fields}
    for at, label in enumerate(classes):
        columns[f"score:{label}"] = pa.array([node["scores"][at]["value"] for node in nodes], pa.float64())
    return pa.table(columns)


def _told(value: float | str | list[str] | None) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
