"""/v1/rule-sets: a whole ensemble told in a few rules."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.concurrency import run_in_threadpool

from schemas.contract import Page
from schemas.nouns import RULE_SETS
from schemas.rule_sets import RuleExportFormat, RuleSet, RuleSetRequest, RuleSetResult

from ..dependencies import IdempotencyKey, PageDep, PartsDep, RoomDep
from ..operations import artefacts
from ..operations.rule_sets import ask_for_rule_set, export_rules
from ..request_class import StrictRoute
from . import rule_set_formats as formats
from .answers import asked_once, made_by_job, problems
from .media_types import JSON, Accept, choose, three_forms
from .streamed_answers import rewritten, stream_json, stream_kept_file

_PATH = "/v1/rule-sets"
_FORMS = three_forms("The whole result; CSV and Parquet have a row for each rule, and one for what no rule covers.")
_EXPORTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The rules; SQL is one expression, Python the source of one function, `predict(row)`.",
        "content": {
            media_type: {"schema": {} if media_type == JSON else {"type": "string"}}
            for media_type in formats.EXPORT_TYPES.values()
        },
    }
}
router = APIRouter(prefix=_PATH, tags=["rule sets"], route_class=StrictRoute)


@router.post("", status_code=202, response_model=RuleSet, responses=made_by_job(RuleSet))
def create_rule_set(request: RuleSetRequest, parts: PartsDep, idempotency_key: IdempotencyKey) -> Response:
    """Ask for an ensemble to be told in rules; a job finds them unless they are known."""
    ask, show = partial(ask_for_rule_set, parts, request), partial(artefacts.get_one, parts, RULE_SETS)
    return asked_once(parts, idempotency_key, _PATH, request, ask, show)


@router.get("", responses=problems(422, 503))
def list_rule_sets(parts: PartsDep, page: PageDep) -> Page[RuleSet]:
    """List rule sets, newest first, without what was found."""
    return artefacts.list_all(parts, RULE_SETS, page.limit, page.cursor)


@router.get("/{rule_set_id}", response_model=RuleSet, responses=problems(404, 503))
async def get_rule_set(rule_set_id: str, parts: PartsDep, room: RoomDep) -> Response:
    """Read a rule set, with its rules if it is ready."""
    written = partial(artefacts.write_one, parts, RULE_SETS, rule_set_id)
    return await stream_json(parts, room, written)


@router.get("/{rule_set_id}/content", response_model=RuleSetResult, responses=_FORMS | problems(404, 406, 409, 503))
async def get_rules(rule_set_id: str, parts: PartsDep, room: RoomDep, accept: Accept = JSON) -> Response:
    """Read the whole result as JSON, CSV or Parquet, as `Accept` says."""
    media_type = choose(accept)
    path = await run_in_threadpool(artefacts.result_path, parts, RULE_SETS, rule_set_id)
    if media_type == JSON:
        return await stream_kept_file(parts, room, lambda: path, JSON)
    return await rewritten(parts, room, path, lambda result: formats.write(result, media_type), media_type)


@router.get("/{rule_set_id}/export", response_class=Response, responses=_EXPORTS | problems(404, 409, 422, 503))
async def export_rule_set(
    rule_set_id: str,
    parts: PartsDep,
    room: RoomDep,
    form: Annotated[RuleExportFormat, Query(alias="format")] = "json",
) -> Response:
    """Export the rules as JSON, a table in Markdown, an SQL expression, or a Python function."""
    path = await run_in_threadpool(artefacts.result_path, parts, RULE_SETS, rule_set_id)
    media_type = formats.EXPORT_TYPES[form]
    return await rewritten(parts, room, path, lambda _: export_rules(parts, rule_set_id, form), media_type)


@router.delete("/{rule_set_id}", status_code=204, responses=problems(404, 409, 503))
def delete_rule_set(rule_set_id: str, parts: PartsDep) -> None:
    """Delete a rule set that no explainer uses."""
    artefacts.delete_one(parts, RULE_SETS, rule_set_id)
