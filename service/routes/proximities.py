"""/v1/proximities: the nearest rows of every row of a dataset."""

from functools import partial

from fastapi import APIRouter, Response

from schemas.contract import Page
from schemas.nouns import PROXIMITIES
from schemas.proximities import NeighborsOfRow, Proximities, ProximitiesRequest

from ..dependencies import IdempotencyKey, PageDep, PartsDep, RoomDep, RowPageDep
from ..operations import artefacts
from ..operations.artefact_tables import open_table
from ..operations.proximities import ask_for_proximities, list_neighbors
from ..request_class import StrictRoute
from .answers import asked_once, made_by_job, problems
from .media_types import JSON, Accept, choose, three_forms
from .streamed_answers import page_json, stream_file, stream_json
from .table_answers import table_answer

_PATH = "/v1/proximities"
_FORMS = three_forms(
    "JSON: one page of rows, each with its neighbours, as `limit` and `cursor` say. CSV and Parquet: the whole table, "
    "with a line for each row and neighbour; their distance is 1 - proximity."
)
router = APIRouter(prefix=_PATH, tags=["proximities"], route_class=StrictRoute)


@router.post("", status_code=202, response_model=Proximities, responses=made_by_job(Proximities))
def create_proximities(request: ProximitiesRequest, parts: PartsDep, idempotency_key: IdempotencyKey) -> Response:
    """Ask for the nearest rows of every row; a job finds them unless they are there."""
    ask, show = partial(ask_for_proximities, parts, request), partial(artefacts.get_one, parts, PROXIMITIES)
    return asked_once(parts, idempotency_key, _PATH, request, ask, show)


@router.get("", responses=problems(422, 503))
def list_proximities(parts: PartsDep, page: PageDep) -> Page[Proximities]:
    """List proximities, newest first, without what was found."""
    return artefacts.list_all(parts, PROXIMITIES, page.limit, page.cursor)


@router.get("/{proximities_id}", response_model=Proximities, responses=problems(404, 503))
async def get_proximities(proximities_id: str, parts: PartsDep, room: RoomDep) -> Response:
    """Read what is known of all rows together."""
    written = partial(artefacts.write_one, parts, PROXIMITIES, proximities_id)
    return await stream_json(parts, room, written)


@router.get(
    "/{proximities_id}/content",
    response_model=Page[NeighborsOfRow],
    responses=_FORMS | problems(404, 406, 409, 413, 422, 503),
)
async def get_neighbors(
    proximities_id: str, parts: PartsDep, room: RoomDep, page: RowPageDep, accept: Accept = JSON
) -> Response:
    """Read the neighbours of each row as JSON, page by page, or all as CSV or Parquet, as `Accept` says."""
    media_type = choose(accept)
    if media_type == JSON:
        return await page_json(parts, room, lambda: list_neighbors(parts, proximities_id, page.limit, page.cursor))
    return await stream_file(
        parts, room, lambda: table_answer(open_table(parts, PROXIMITIES, proximities_id)[1], media_type)
    )


@router.delete("/{proximities_id}", status_code=204, responses=problems(404, 409, 503))
def delete_proximities(proximities_id: str, parts: PartsDep) -> None:
    """Delete proximities."""
    artefacts.delete_one(parts, PROXIMITIES, proximities_id)
