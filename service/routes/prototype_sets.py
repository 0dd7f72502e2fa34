"""/v1/prototype-sets: a handful of real rows that stand for each class."""

from functools import partial

from fastapi import APIRouter, Response
from fastapi.concurrency import run_in_threadpool

from schemas.contract import Page
from schemas.nouns import PROTOTYPE_SETS
from schemas.prototype_sets import PrototypeSet, PrototypeSetRequest, PrototypeSetResult

from ..dependencies import IdempotencyKey, PageDep, PartsDep, RoomDep
from ..operations import artefacts
from ..operations.prototype_sets import ask_for_prototype_set
from ..request_class import StrictRoute
from . import prototype_set_formats as formats
from .answers import asked_once, made_by_job, problems
from .media_types import JSON, Accept, choose, three_forms
from .streamed_answers import rewritten, stream_json, stream_kept_file

_PATH = "/v1/prototype-sets"
_FORMS = three_forms("The whole result; CSV and Parquet have a row for each prototype.")
router = APIRouter(prefix=_PATH, tags=["prototype sets"], route_class=StrictRoute)


@router.post("", status_code=202, response_model=PrototypeSet, responses=made_by_job(PrototypeSet))
def create_prototype_set(request: PrototypeSetRequest, parts: PartsDep, idempotency_key: IdempotencyKey) -> Response:
    """Ask for a prototype set; a job makes it unless it is there."""
    ask, show = partial(ask_for_prototype_set, parts, request), partial(artefacts.get_one, parts, PROTOTYPE_SETS)
    return asked_once(parts, idempotency_key, _PATH, request, ask, show)


@router.get("", responses=problems(422, 503))
def list_prototype_sets(parts: PartsDep, page: PageDep) -> Page[PrototypeSet]:
    """List prototype sets, newest first, without what was found."""
    return artefacts.list_all(parts, PROTOTYPE_SETS, page.limit, page.cursor)


@router.get("/{prototype_set_id}", response_model=PrototypeSet, responses=problems(404, 503))
async def get_prototype_set(prototype_set_id: str, parts: PartsDep, room: RoomDep) -> Response:
    """Read a prototype set, with what was found if it is ready."""
    written = partial(artefacts.write_one, parts, PROTOTYPE_SETS, prototype_set_id)
    return await stream_json(parts, room, written)


@router.get(
    "/{prototype_set_id}/content",
    response_model=PrototypeSetResult,
    responses=_FORMS | problems(404, 406, 409, 503),
)
async def get_content(prototype_set_id: str, parts: PartsDep, room: RoomDep, accept: Accept = JSON) -> Response:
    """Read the whole result as JSON, CSV or Parquet, as `Accept` says."""
    media_type = choose(accept)
    path = await run_in_threadpool(artefacts.result_path, parts, PROTOTYPE_SETS, prototype_set_id)
    if media_type == JSON:
        return await stream_kept_file(parts, room, lambda: path, JSON)
    return await rewritten(parts, room, path, lambda result: formats.write(result, media_type), media_type)


@router.delete("/{prototype_set_id}", status_code=204, responses=problems(404, 409, 503))
def delete_prototype_set(prototype_set_id: str, parts: PartsDep) -> None:
    """Delete a prototype set that no explainer uses."""
    artefacts.delete_one(parts, PROTOTYPE_SETS, prototype_set_id)
