"""A rule set as JSON, or as a table with a row for each rule in CSV or Parquet; the media types of its exports."""

import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from schemas.rule_sets import RuleExportFormat

from .media_types import CSV, JSON
from .table_answers import csv_of

EXPORT_TYPES: dict[RuleExportFormat, str] = {
    "json": JSON,
    "markdown": "text/markdown",
    "sql": "application/sql",
    "python": "text/x-python",
}
_PLAIN = ("rank", "text", "prediction", "coverage", "precision", "n_rows", "support")


def write(result: bytes, media_type: str) -> bytes:
    """Return the result in this media type; the last row of a table is what no rule covers, without a rank."""
    if media_type == JSON:
        return result
    content = json.loads(result)
    lines = pa.Table.from_pylist([*map(_flat, content["rules"]), _flat(_otherwise(content))])
    if media_type == CSV:
        return csv_of(lines)
    target = io.BytesIO()
    pyarrow.parquet.write_table(lines, target)
    return target.getvalue()


def _otherwise(content: dict[str, Any]) -> dict[str, Any]:
    told = {"text": "otherwise", "prediction": content["default_prediction"], "scores": content["default_scores"]}
    return dict.fromkeys(_PLAIN) | told | {"support": content["default_support"]}


def _flat(rule: dict[str, Any]) -> dict[str, Any]:
    plain = {name: rule[name] for name in _PLAIN}
    return plain | {f"score:{score['label']}": score["value"] for score in rule["scores"]}
