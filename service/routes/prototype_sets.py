"""/v1/prototype-sets: a handful of real rows that represent each class."""

import json
from typing import Any

import pyarrow as pa

from schemas.nouns import PROTOTYPE_SETS

from ..operations.prototype_sets import request_prototype_set
from .artefact_routes import add_whole_content, artefact_router
from .table_answers import table_as


def write(result: bytes, media_type: str) -> bytes:
    """Return the prototypes as a table in CSV or Parquet."""
    rows = [_flat(prototype) for prototype in json.loads(result)["prototypes"]]
    return table_as(pa.Table.from_pylist(rows), media_type)


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
