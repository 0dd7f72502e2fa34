"""/v1/explainer-names: what applications call, and which explainer answers them."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response

from schemas.contract import Page
from schemas.explainer_names import (
    EXPLAINER_NAMES,
    CallableName,
    ExplainerName,
    ExplainerNameChange,
    ExplainerNameRequest,
)

from ..operations import explainer_names as operations
from ..web.request_class import StrictRoute
from .answers import problems
from .dependencies import ContextDep, PageDep
from .list_filters import filters_of
from .preconditions import PreconditionDep

router = APIRouter(prefix=EXPLAINER_NAMES.path, tags=[EXPLAINER_NAMES.words], route_class=StrictRoute)
_Filters = Annotated[dict[str, str], Depends(filters_of(EXPLAINER_NAMES))]
_Name = Annotated[str, Path(description="The name.")]
_NewName = Annotated[
    CallableName,
    Path(description="The name: lower-case letters, digits and hyphens, at most 63, a letter first."),
]
_CREATED, _CHANGED = 201, 200
_CREATION: dict[int | str, dict[str, Any]] = {_CREATED: {"model": ExplainerName, "description": "The name is new."}}


@router.get("", responses=problems(422, 503))
def list_explainer_names(context: ContextDep, page: PageDep, filters: _Filters) -> Page[ExplainerName]:
    """List names, newest first."""
    return context.explainer_names.list(page.limit, page.cursor, **filters)


@router.get("/{name}", responses=problems(404, 503))
def get_explainer_name(name: _Name, context: ContextDep, response: Response) -> ExplainerName:
    """Read which explainer a name means; `ETag` changes with it."""
    return _tagged(context.explainer_names.get(name), response)


@router.put(
    "/{name}",
    status_code=_CHANGED,
    responses=_CREATION | problems(400, 404, 408, 409, 412, 413, 415, 422, 503, 507),
)
def put_explainer_name(
    name: _NewName,
    request: ExplainerNameRequest,
    context: ContextDep,
    precondition: PreconditionDep,
    response: Response,
) -> ExplainerName:
    """Give an explainer a name, or a name another explainer: within two seconds every process answers by that one."""
    named, is_new = operations.put_explainer_name(context, name, request, precondition)
    response.status_code = _CREATED if is_new else _CHANGED
    return _tagged(named, response)


@router.delete("/{name}", status_code=204, responses=problems(404, 412, 503))
def delete_explainer_name(name: _Name, context: ContextDep, precondition: PreconditionDep) -> None:
    """Delete a name; its explainer and its history stay."""
    operations.delete_explainer_name(context, name, precondition)


@router.get("/{name}/history", responses=problems(404, 422, 503))
def list_explainer_name_changes(name: _Name, context: ContextDep, page: PageDep) -> Page[ExplainerNameChange]:
    """List who changed what a name means, and when, newest first; also of a name that was deleted."""
    return context.explainer_names.history(name, page.limit, page.cursor)


def _tagged(named: ExplainerName, response: Response) -> ExplainerName:
    response.headers["ETag"] = f'"{named.last_change}"'
    return named
