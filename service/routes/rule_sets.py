"""/v1/rule-sets: a whole ensemble described by a few rules."""

import json
from typing import Annotated, Any

import pyarrow as pa
from fastapi import Query, Response
from fastapi.concurrency import run_in_threadpool

from schemas.nouns import JSON, RULE_SETS
from schemas.rule_sets import RuleExportFormat

from ..dependencies import ContextDep, RoomDep
from ..exports import RULE_MEDIA_TYPES
from ..operations import artefacts
from ..operations.rule_sets import export_rules, request_rule_set
from .answers import SQL_GROWTH, SqlSourceParameter, problems
from .artefact_routes import add_whole_content, artefact_router
from .streamed_answers import rewritten
from .table_answers import table_as

_PLAIN = ("rank", "text", "prediction", "coverage", "precision", "n_rows", "support")
_EXPORTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The rules; SQL is one expression over the features, or one SELECT over tables; "
        "Python the source of one function, `predict(row)`.",
        "content": {
            media_type: {"schema": {} if media_type == JSON else {"type": "string"}}
            for media_type in RULE_MEDIA_TYPES.values()
        },
    }
}


def write(result: bytes, media_type: str) -> bytes:
    """Return the rules as a table in CSV or Parquet; the last row is what no rule covers, without a rank."""
    content = json.loads(result)
    rows = [*map(_flat, content["rules"]), _flat(_otherwise(content))]
    return table_as(pa.Table.from_pylist(rows), media_type)


def _otherwise(content: dict[str, Any]) -> dict[str, Any]:
    default = {"text": "otherwise", "prediction": content["default_prediction"], "scores": content["default_scores"]}
    return dict.fromkeys(_PLAIN) | default | {"support": content["default_support"]}


def _flat(rule: dict[str, Any]) -> dict[str, Any]:
    plain = {name: rule[name] for name in _PLAIN}
    return plain | {f"score:{score['label']}": score["value"] for score in rule["scores"]}


router = artefact_router(
    RULE_SETS,
    request_rule_set,
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
    context: ContextDep,
    room: RoomDep,
    form: Annotated[RuleExportFormat, Query(alias="format", description="Format of the exported rules.")] = "json",
    over: SqlSourceParameter = None,
) -> Response:
    """Export the rules as JSON, a table in Markdown, SQL, or a Python function."""
    path = await run_in_threadpool(artefacts.result_path, context, RULE_SETS, rule_set_id)
    media_type = RULE_MEDIA_TYPES[form]
    write_in = lambda _: export_rules(context, rule_set_id, form, over)  # noqa: E731  # as others are written
    return await rewritten(context, room, path, write_in, media_type, SQL_GROWTH if form == "sql" else 1)
