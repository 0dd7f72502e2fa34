"""A prototype set's result as JSON, or as a table with a row for each prototype in CSV or Parquet."""

import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from .media_types import CSV, JSON
from .table_answers import csv_of


def write(result: bytes, media_type: str) -> bytes:
    """Return the result in this media type."""
    if media_type == JSON:
        return result
    lines = pa.Table.from_pylist([_flat(prototype) for prototype in json.loads(result)["prototypes"]])
    if media_type == CSV:
        return csv_of(lines)
    target = io.BytesIO()
    pyarrow.parquet.write_table(lines, target)
    return target.getvalue()


def _flat(prototype: dict[str, Any]) -> dict[str, Any]:
    plain = {name: value for name, value in prototype.items() if name not in {"coverage", "quality", "features"}}
    # Sets made by an earlier release have no measures of quality.
    parts = {part: prototype.get(part) or {} for part in ("coverage", "quality")}
    nested = {f"{part}_{name}": value for part, measures in parts.items() for name, value in measures.items()}
    return plain | nested | {f"feature:{cell['name']}": cell["value"] for cell in prototype["features"]}
