"""/v1/rule-sets: a whole ensemble described by a few rules."""

import json
from typing import Annotated, Any

import pyarrow as pa
from fastapi import Query, Response
from fastapi.concurrency import run_in_threadpool

from schemas.noun import CSV, JSON, PARQUET
from schemas.rule_sets import RULE_SETS, RuleExportFormat

from ..exports import RULE_MEDIA_TYPES
from ..operations import artefacts
from ..operations.rule_sets import export_rules, open_region_table, request_rule_set, shown_parameters
from .answers import SQL_GROWTH, SqlSourceParameter, problems
from .artefact_routes import add_whole_content, artefact_router
from .dependencies import ContextDep, MemoryDep
from .streamed_answers import drawn, rewritten, stream_file
from .table_answers import Accept, choose, chosen_rows_answer, table_answer, table_as

_PLAIN = ("rank", "text", "prediction", "coverage", "precision", "decided_precision", "n_rows", "support")
_TABLE_FORMS = {form: form for form in (CSV, PARQUET)} | {"*/*": CSV, "application/*": PARQUET, "text/*": CSV, "": CSV}
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
    """Return the rules as a table in CSV or Parquet; the last row is what no rule covers, without a rank.

    Rules with weights have these, too, and no such row: some rule covers every row.
    """
    content = json.loads(result)
    if content.get("combination") == "weighted_mean":
        weighted = [_flat(rule) | {"weight": rule["weight"]} for rule in content["rules"]]
        return table_as(pa.Table.from_pylist(weighted), media_type)
    default = {"text": "otherwise", "prediction": content["default_prediction"], "scores": content["default_scores"]}
    otherwise = dict.fromkeys(_PLAIN) | default | {"support": content["default_support"]}
    rows = [*map(_flat, content["rules"]), _flat(otherwise)]
    return table_as(pa.Table.from_pylist(rows), media_type)


def _flat(rule: dict[str, Any]) -> dict[str, Any]:
    plain = {name: rule.get(name) for name in _PLAIN}  # "otherwise" has fewer
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
    "The whole result; CSV and Parquet have a row for each rule, and one for what no rule covers; of rules with "
    "weights these, and no such row.",
)


@router.get("/{rule_set_id}/export", response_class=Response, responses=_EXPORTS | problems(404, 409, 422, 503))
async def export_rule_set(
    rule_set_id: str,
    context: ContextDep,
    memory: MemoryDep,
    form: Annotated[RuleExportFormat, Query(alias="format", description="Format of the exported rules.")] = "json",
    over: SqlSourceParameter = None,
) -> Response:
    """Export the rules as JSON, a table in Markdown, SQL, a Python function, or a drawing in HTML."""
    path = await run_in_threadpool(artefacts.result_path, context, RULE_SETS, rule_set_id)
    media_type = RULE_MEDIA_TYPES[form]
    if form == "html":
        return await drawn(context, memory, path, RULE_SETS, rule_set_id)
    write_in = lambda _: export_rules(context, rule_set_id, form, over)  # noqa: E731  # as others are written
    return await rewritten(context, memory, path, write_in, media_type, SQL_GROWTH if form == "sql" else 1)


def _table_route(description: str) -> dict[int | str, dict[str, Any]]:
    tables = {CSV: {"schema": {"type": "string"}}, PARQUET: {"schema": {"type": "string", "format": "binary"}}}
    return {200: {"description": description, "content": tables}} | problems(404, 406, 409, 422, 503)


@router.get(
    "/{rule_set_id}/parameters",
    response_class=Response,
    responses=_table_route(
        "A line for each statement, that is each different split of the model's trees: `operator` is `>` (the feature "
        "is above `value`), `is one of` (it is one of `categories`, a JSON list), `is missing` or `is not missing`; "
        "`true_for_missing` says whether it is true for a missing value. `eta:0`, `eta:1`, … are the shares of the "
        "regions for which it is true."
    ),
)
async def get_rule_set_parameters(
    rule_set_id: str, context: ContextDep, memory: MemoryDep, accept: Accept = CSV
) -> Response:
    """Read eta, the parameters of the regions of `fab` or `em` by statement, as CSV or Parquet, as `Accept` says."""
    media_type = choose(accept, _TABLE_FORMS)
    make = lambda: chosen_rows_answer(*shown_parameters(context, rule_set_id), media_type)  # noqa: E731
    return await stream_file(context, memory, make)


@router.get(
    "/{rule_set_id}/rows",
    response_class=Response,
    responses=_table_route(
        "A line for each row of the dataset: its 0-based index, its id, its most probable region and what that region "
        "predicts."
    ),
)
async def list_rule_set_rows(
    rule_set_id: str, context: ContextDep, memory: MemoryDep, accept: Accept = CSV
) -> Response:
    """Read the MAP predictions of the dataset's rows by the regions of `fab` or `em`, as CSV or Parquet."""
    media_type = choose(accept, _TABLE_FORMS)
    make = lambda: table_answer(open_region_table(context, rule_set_id, "rows"), media_type)  # noqa: E731
    return await stream_file(context, memory, make)
