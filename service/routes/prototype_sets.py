"""/v1/prototype-sets: a handful of real rows that stand for each class."""

from typing import Annotated

from fastapi import APIRouter, Header, Response

from schemas.contract import Page
from schemas.prototype_sets import PrototypeSet, PrototypeSetContent, PrototypeSetRequest

from ..dependencies import IdempotencyKey, PageDep, PartsDep
from ..operations import prototype_sets as operations
from ..request_class import StrictRoute
from . import prototype_set_formats as formats
from .answers import accepted, create_once, fingerprint, problems, repeated

router = APIRouter(prefix="/v1/prototype-sets", tags=["prototype sets"], route_class=StrictRoute)


@router.post(
    "",
    status_code=202,
    response_model=PrototypeSet,
    responses=repeated(PrototypeSet, "It had been made before.")
    | problems(400, 404, 408, 409, 413, 415, 422, 503, 507),
)
def create_prototype_set(
    request: PrototypeSetRequest, parts: PartsDep, idempotency_key: IdempotencyKey = None
) -> Response:
    """Ask for a prototype set; a job makes it unless it is there."""

    def ask() -> tuple[int, PrototypeSet]:
        prototype_set = operations.ask_for_prototype_set(parts, request)
        return (200 if prototype_set.status == "ready" else 202), prototype_set

    asked = lambda: fingerprint("/v1/prototype-sets", request.model_dump(mode="json"))  # noqa: E731  # only with a key
    status, body = create_once(parts, idempotency_key, asked, ask)
    return accepted(status, body, f"/v1/prototype-sets/{body['id']}")


@router.get("", responses=problems(422, 503))
def list_prototype_sets(parts: PartsDep, page: PageDep) -> Page[PrototypeSet]:
    """List prototype sets, newest first, without what was found."""
    return operations.list_prototype_sets(parts, page.limit, page.cursor)


@router.get("/{prototype_set_id}", responses=problems(404, 503))
def get_prototype_set(prototype_set_id: str, parts: PartsDep) -> PrototypeSet:
    """Read a prototype set, with what was found if it is ready."""
    return operations.get_prototype_set(parts, prototype_set_id)


@router.get(
    "/{prototype_set_id}/content",
    response_model=PrototypeSetContent,
    responses=formats.CONTRACT | problems(404, 406, 409, 503),
)
def get_content(
    prototype_set_id: str, parts: PartsDep, accept: Annotated[str, Header(include_in_schema=False)] = formats.JSON
) -> Response:
    """Read the whole result as JSON, CSV or Parquet, as `Accept` says."""
    media_type = formats.choose(accept)
    return Response(formats.write(operations.get_content(parts, prototype_set_id), media_type), media_type=media_type)


@router.delete("/{prototype_set_id}", status_code=204, responses=problems(404, 409, 503))
def delete_prototype_set(prototype_set_id: str, parts: PartsDep) -> None:
    """Delete a prototype set that no explainer uses."""
    operations.delete_prototype_set(parts, prototype_set_id)
