"""/v1/prototype-sets: a handful of real rows that represent each class."""

import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from schemas.nouns import CSV, PROTOTYPE_SETS

from ..operations.prototype_sets import request_prototype_set
from .artefact_routes import add_whole_content, artefact_router
from .table_answers import csv_of


def write(result: bytes, media_type: str) -> bytes:
    """Return the prototypes as a table in CSV or Parquet."""
    rows = pa.Table.from_pylist([_flat(prototype) for prototype in json.loads(result)["prototypes"]])
    if media_type == CSV:
        return csv_of(rows)
    target = io.BytesIO()
    pyarrow.parquet.write_table(rows, target)
    return target.getvalue()


def _flat(prototype: dict[str, Any]) -> dict[str, Any]:
    plain = {name: value for name, value in prototype.items() if name not in {"coverage", "quality", "features"}}
    # Sets made by an earlier release have no measures of quality.
    measures = {part: prototype.get(part) or {} for part in ("coverage", "quality")}
    nested = {f"{part}_{name}": value for part, values in measures.items() for name, value in values.items()}
    return plain | nested | {f"feature:{cell['name']}": cell["value"] for cell in prototype["features"]}


router = artefact_router(
    PROTOTYPE_SETS, request_prototype_set, "Request a prototype set; a job makes it unless it is there."
)
add_whole_content(router, PROTOTYPE_SETS, write, "The whole result; CSV and Parquet have a row for each prototype.")
