"""The page: its few files, and the views that it fetches as HTML.

Addresses inside the page are relative, so that it works below any path of a proxy. Its files hold no data and are
public; views require the scopes of what they show (``route_scopes``).
"""

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response
from leafspace_drawings import style_sheet

from ..app_context import AppContext
from ..dependencies import ContextDep, Room, RoomDep
from ..operations import drawn_views
from ..operations.explanations import explain

router = APIRouter(include_in_schema=False)
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_DRAWINGS = "leafspace.css"  # of the drawings' own distribution
_CHANGED = "set."  # before the name of a feature that is changed
_DRAWN_BYTES = 2 << 20  # of a view
_MAKING_BYTES = 24 << 20  # of the documents that it is drawn from, as objects
_JOBS_BYTES = 256 << 10


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


def _add_view(path: str, draw: Callable[[AppContext, str], str]) -> None:
    async def view(context: ContextDep, room: RoomDep, artefact_id: str) -> Response:
        return await _drawn(context, room, lambda: draw(context, artefact_id))

    router.get(f"/page/parts/{path}/{{artefact_id}}", name=f"draw_{draw.__name__}")(view)


_add_view("models", drawn_views.model)
_add_view("prototypes", drawn_views.prototype_set)
_add_view("rules", drawn_views.rule_set)
_add_view("trees", drawn_views.approximation_tree)
_add_view("audits", drawn_views.label_audit)


@router.get("/page/parts/overview")
async def draw_overview(context: ContextDep, room: RoomDep) -> Response:
    """Draw what is here, and what is being made."""
    return await _drawn(context, room, lambda: drawn_views.overview(context))


@router.get("/page/parts/jobs")
async def draw_jobs(context: ContextDep, room: RoomDep) -> Response:
    """Draw jobs under way."""
    made = lambda: drawn_views.jobs_under_way(context).encode()  # noqa: E731  # as others are made
    return _html(await room.make_whole(context.small_room, _JOBS_BYTES, _JOBS_BYTES, made))


@router.get("/page/parts/explainers/{explainer_id}/rows/{row_id:path}")
async def draw_explained_row(  # what the address names
    explainer_id: str,
    row_id: str,
    request: Request,
    context: ContextDep,
    room: RoomDep,
    k: Annotated[int, Query(ge=0, le=9)] = 0,
) -> Response:
    """Draw why a row is predicted as it is; ``set.NAME`` changes the value of a feature."""
    find = partial(drawn_views.RowToExplain.find, context, explainer_id, row_id, _set_in(request))
    row = await room.make(context.answer_room, _MAKING_BYTES, find)
    answer = await explain(context, explainer_id, row.request)
    return _html(await room.make(context.answer_room, _DRAWN_BYTES, lambda: row.draw(answer, k).encode()))


@router.get("/page/parts/questions/{artefact_id}")
async def draw_question(artefact_id: str, request: Request, context: ContextDep, room: RoomDep) -> Response:
    """Draw a tree and its next question; ``set.NAME`` answers for a feature."""
    answers = _set_in(request)
    return await _drawn(context, room, lambda: drawn_views.questionnaire(context, artefact_id, answers))


def _set_in(request: Request) -> dict[str, str]:
    """Return the values that the address sets, by feature."""
    query = request.query_params.multi_items()
    return {name.removeprefix(_CHANGED): value for name, value in query if name.startswith(_CHANGED)}


async def _drawn(context: AppContext, room: Room, draw: Callable[[], str]) -> Response:
    """Return a view that is drawn in a thread, once there is room for it and for what it is drawn from."""
    made = lambda: draw().encode()  # noqa: E731  # as others are made
    return _html(await room.make_whole(context.answer_room, _DRAWN_BYTES, _MAKING_BYTES, made))


def _html(drawing: bytes) -> Response:
    return Response(drawing, media_type="text/html")
