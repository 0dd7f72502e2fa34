"""/v1/rule-sets: a whole ensemble described by a few rules."""

import io
import json
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.parquet
from fastapi import Query, Response
from fastapi.concurrency import run_in_threadpool

from schemas.nouns import CSV, JSON, RULE_SETS
from schemas.rule_sets import RuleExportFormat

from ..dependencies import PartsDep, RoomDep
from ..operations import artefacts
from ..operations.rule_sets import ask_for_rule_set, export_rules
from .answers import problems
from .artefact_routes import add_whole_content, artefact_router
from .streamed_answers import rewritten
from .table_answers import csv_of

EXPORT_TYPES: dict[RuleExportFormat, str] = {
    "json": JSON,
    "markdown": "text/markdown",
    "sql": "application/sql",
    "python": "text/x-python",
}
_PLAIN = ("rank", "text", "prediction", "coverage", "precision", "n_rows", "support")
_EXPORTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The rules; SQL is one expression, Python the source of one function, `predict(row)`.",
        "content": {
            media_type: {"schema": {} if media_type == JSON else {"type": "string"}}
            for media_type in EXPORT_TYPES.values()
        },
    }
}


def write(result: bytes, media_type: str) -> bytes:
    """Return the rules as a table in CSV or Parquet; the last row is what no rule covers, without a rank."""
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


router = artefact_router(
    RULE_SETS,
    ask_for_rule_set,
    "Request rules that describe an ensemble; a job finds them unless they are known.",
)
add_whole_content(
    router,
    RULE_SETS,
    write,
    "The whole result; CSV and Parquet have a row for each rule, and one for what no rule covers.",
)


@router.get("/{rule_set_id}/export", response_class=Response, responses=_EXPORTS | problems(404, 409, 422, 503))
async def export_rule_set(
    rule_set_id: str,
    parts: PartsDep,
    room: RoomDep,
    form: Annotated[RuleExportFormat, Query(alias="format", description="Format of the exported rules.")] = "json",
) -> Response:
    """Export the rules as JSON, a table in Markdown, an SQL expression, or a Python function."""
    path = await run_in_threadpool(artefacts.result_path, parts, RULE_SETS, rule_set_id)
    media_type = EXPORT_TYPES[form]
    return await rewritten(parts, room, path, lambda _: export_rules(parts, rule_set_id, form), media_type)
