"""/v1/relational-forests: trees learned from several tables."""

import json

import pyarrow as pa

from schemas.relational_forests import RELATIONAL_FORESTS

from ..operations.relational_forests import request_relational_forest
from .artefact_routes import add_whole_content, artefact_router
from .table_answers import table_as


def write(result: bytes, media_type: str) -> bytes:
    """Return the trees as a table in CSV or Parquet."""
    return table_as(pa.Table.from_pylist(json.loads(result)["trees"]), media_type)


router = artefact_router(
    RELATIONAL_FORESTS,
    request_relational_forest,
    "Request trees learned from several tables; a job grows them unless they are known, and publishes their tests as a "
    "feature set, and the trees over these as an ordinary model with an ordinary dataset.",
)
add_whole_content(router, RELATIONAL_FORESTS, write, "The whole result; CSV and Parquet have a row for each tree.")
