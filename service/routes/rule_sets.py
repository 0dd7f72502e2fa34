"""/v1/rule-sets: a whole ensemble told in a few rules."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from schemas.contract import Page
from schemas.rule_sets import RuleExportFormat, RuleSet, RuleSetContent, RuleSetRequest

from ..dependencies import IdempotencyKey, PageDep, PartsDep
from ..operations import artefacts
from ..operations.rule_sets import RULE_SETS, ask_for_rule_set, export_rules
from ..request_class import StrictRoute
from . import rule_set_formats as formats
from .answers import asked_once, made_by_job, problems
from .media_types import JSON, Accept, choose, three_forms

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


@router.get("/{rule_set_id}", responses=problems(404, 503))
def get_rule_set(rule_set_id: str, parts: PartsDep) -> RuleSet:
    """Read a rule set, with its rules if it is ready."""
    return artefacts.get_one(parts, RULE_SETS, rule_set_id)


@router.get("/{rule_set_id}/content", response_model=RuleSetContent, responses=_FORMS | problems(404, 406, 409, 503))
def get_rules(rule_set_id: str, parts: PartsDep, accept: Accept = JSON) -> Response:
    """Read the whole result as JSON, CSV or Parquet, as `Accept` says."""
    media_type = choose(accept)
    result = artefacts.get_result(parts, RULE_SETS, rule_set_id)
    return Response(formats.write(result, media_type), media_type=media_type)


@router.get("/{rule_set_id}/export", response_class=Response, responses=_EXPORTS | problems(404, 409, 422, 503))
def export_rule_set(
    rule_set_id: str, parts: PartsDep, form: Annotated[RuleExportFormat, Query(alias="format")] = "json"
) -> Response:
    """Export the rules as JSON, a table in Markdown, an SQL expression, or a Python function."""
    return Response(export_rules(parts, rule_set_id, form), media_type=formats.EXPORT_TYPES[form])


@router.delete("/{rule_set_id}", status_code=204, responses=problems(404, 409, 503))
def delete_rule_set(rule_set_id: str, parts: PartsDep) -> None:
    """Delete a rule set that no explainer uses."""
    artefacts.delete_one(parts, RULE_SETS, rule_set_id)
