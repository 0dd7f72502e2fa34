"""The page: its few files, and the views that it fetches as HTML.

Addresses inside the page are relative, so that it works below any path of a proxy. Its files hold no data and are
public; views require the scopes of what they show (``route_scopes``).
"""

from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from leafspace_drawings import style_sheet

from ..dependencies import ContextDep
from ..operations import drawn_views

router = APIRouter(include_in_schema=False)
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_DRAWINGS = "leafspace.css"  # of the drawings' own distribution
_CHANGED = "set."  # before the name of a feature that is changed
_MAX_CHANGED = 200


def _read_files() -> dict[str, bytes]:
    kept = (file for file in files("service.page").iterdir() if file.name.rpartition(".")[2] in _TYPES)
    own = {file.name: file.read_bytes() for file in kept}
    return own | {_DRAWINGS: style_sheet().encode()}


_FILES = _read_files()
_TAGS = {name: f'"{sha256(content).hexdigest()[:32]}"' for name, content in _FILES.items()}


@router.get("/")
@router.get("/ui")
async def go_to_page(request: Request) -> Response:
    """Send browsers to the page, by an address that any proxy leaves right."""
    return Response(status_code=307, headers={"Location": "ui/" if request.url.path.endswith("/") else "./ui/"})


@router.get("/ui/{name:path}")
async def page_file(name: str, request: Request) -> Response:
    """Answer one of the page's files."""
    name = name or "index.html"
    if name not in _FILES:
        raise HTTPException(404)
    headers = {"ETag": _TAGS[name], "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == _TAGS[name]:
        return Response(status_code=304, headers=headers)
    return Response(_FILES[name], headers=headers, media_type=_TYPES[name.rpartition(".")[2]])


def _add_view(path: str, draw: Callable[..., str]) -> None:
    async def view(context: ContextDep, artefact_id: str) -> Response:
        return _html(await run_in_threadpool(draw, context, artefact_id))

    router.get(f"/page/parts/{path}/{{artefact_id}}", name=f"draw_{draw.__name__}")(view)


_add_view("models", drawn_views.model)
_add_view("prototypes", drawn_views.prototype_set)
_add_view("rules", drawn_views.rule_set)
_add_view("audits", drawn_views.label_audit)


@router.get("/page/parts/overview")
async def draw_overview(context: ContextDep) -> Response:
    """Draw what is here, and what is being made."""
    return _html(await run_in_threadpool(drawn_views.overview, context))


@router.get("/page/parts/jobs")
async def draw_jobs(context: ContextDep) -> Response:
    """Draw jobs under way."""
    return _html(await run_in_threadpool(drawn_views.jobs_under_way, context))


@router.get("/page/parts/explainers/{explainer_id}/rows/{row_id:path}")
async def draw_explained_row(
    explainer_id: str, row_id: str, request: Request, context: ContextDep, k: Annotated[int, Query(ge=0, le=9)] = 0
) -> Response:
    """Draw why a row is predicted as it is; ``set.NAME`` changes the value of a feature."""
    return _html(await drawn_views.explained_row(context, explainer_id, row_id, k, _set_in(request)))


@router.get("/page/parts/trees/{artefact_id}")
async def draw_tree(artefact_id: str, request: Request, context: ContextDep) -> Response:
    """Draw a tree and its next question; ``set.NAME`` answers for a feature."""
    return _html(await run_in_threadpool(drawn_views.approximation_tree, context, artefact_id, _set_in(request)))


def _set_in(request: Request) -> dict[str, str]:
    """Return the values that the address sets, by feature."""
    query = [(name, value) for name, value in request.query_params.multi_items() if name.startswith(_CHANGED)]
    return {name.removeprefix(_CHANGED): value for name, value in query[:_MAX_CHANGED]}


def _html(drawing: str) -> Response:
    return Response(drawing, media_type="text/html")
