"""The page: its few files, and the views that it fetches as HTML.

Addresses inside the page are relative, so that it works below any path of a proxy. Its files hold no data and are
public; views require the scopes of what they show (``route_scopes``).
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request, Response
from leafspace_drawings import draw_registration, pictures, style_sheet
from pydantic import Field

from schemas.contract import Contract
from storage.errors import EveryRowFailed

from ..app_context import AppContext
from ..callers import ANY_CALLER
from ..drawings import new_rows, row_reports, views
from ..drawings.documents import VIEWS, Draw
from ..drawings.explanations import Beside, RowToExplain
from ..drawings.found import search
from ..drawings.jobs import jobs_view
from ..drawings.new_rows import RowsToDecide
from ..drawings.operation import operation
from ..drawings.pasted_rows import MAX_PASTED_BYTES
from ..drawings.regions import RegionsToExplain
from ..drawings.represented import represented
from ..drawings.typed_values import CHANGED, OWN, texts_in
from ..middleware.protocol.compression import GZIP_SUFFIX
from ..operations.explanations import explain
from .dependencies import ContextDep, MemoryDep, RequestMemory

router = APIRouter(include_in_schema=False)
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_DRAWINGS = "leafspace.css"  # of the drawings' own distribution
_PARTS = "parts.js"  # first parts of the addresses of views, by the beginning of ids
_DRAWN_BYTES = 2 << 20  # of a view
_MAKING_BYTES = 24 << 20  # of the documents that it is drawn from, as objects
_JOBS_BYTES = 512 << 10
_EMPTY_ROW = "write one value at least: nothing is decided of a row without any"
LetterTitle = Annotated[str | None, Query(max_length=200)]


def _read_files() -> dict[str, bytes]:
    served = (file for file in files("service.page").iterdir() if file.name.rpartition(".")[2] in _TYPES)
    contents = {file.name: file.read_bytes() for file in served}
    parts = {picture.ids: picture.part for picture in pictures().values() if picture.part}
    return contents | {_DRAWINGS: style_sheet().encode(), _PARTS: f"export const PARTS = {json.dumps(parts)};".encode()}


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
    if request.headers.get("if-none-match", "").replace(GZIP_SUFFIX, "") == _TAGS[name]:
        return Response(status_code=304, headers=headers)
    return Response(_FILES[name], headers=headers, media_type=_TYPES[name.rpartition(".")[2]])


class Redeemed(Contract):
    """A code to be redeemed."""

    code: str


@router.post("/page/codes")
async def make_code(context: ContextDep, request: Request) -> dict[str, str | None]:
    """Return a code that opens the page once, within 30 seconds, with the caller's key; null where none is needed."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    is_needed = context.settings.keys_required and scheme.lower() == "bearer"
    return {"code": context.page_codes.make(key.strip()) if is_needed else None}


@router.post("/page/codes/redeem")
async def redeem_code(context: ContextDep, request: Redeemed) -> dict[str, str]:
    """Return the key of a code, once."""
    key = context.page_codes.redeem(request.code)
    if key is None:
        raise HTTPException(404)
    return {"key": key}


def _add_view(part: str, draw: Draw) -> None:
    async def view(context: ContextDep, memory: MemoryDep, thing_id: str, request: Request) -> Response:
        parameters = dict(request.query_params)
        return await _drawn(context, memory, lambda: draw(context, thing_id, parameters))

    router.get(f"/page/parts/{part}/{{thing_id}}", name=f"draw_{part}")(view)


for _part, _draw in VIEWS.items():
    _add_view(_part, _draw)


@router.get("/page/parts/overview")
async def draw_overview(context: ContextDep, memory: MemoryDep) -> Response:
    """Draw what is here, and what is being made."""
    return await _drawn(context, memory, lambda: views.overview(context))


@router.get("/page/parts/jobs")
async def draw_jobs(context: ContextDep, memory: MemoryDep) -> Response:
    """Draw jobs under way."""
    draw = lambda: jobs_view(context).encode()  # noqa: E731  # as others are made
    return _html(await memory.make_whole(context.small_response_memory, _JOBS_BYTES, _JOBS_BYTES, draw))


@router.get("/page/parts/operation")
async def draw_operation(context: ContextDep, memory: MemoryDep, request: Request) -> Response:
    """Draw how the service does."""
    caller = request.scope.get("caller", ANY_CALLER)
    return await _drawn(context, memory, lambda: operation(context, caller))


@router.get("/page/parts/register")
async def draw_register(context: ContextDep, memory: MemoryDep) -> Response:
    """Draw the forms that register a model or rows."""
    return await _drawn(context, memory, draw_registration)


@router.get("/page/parts/found")
async def draw_found(
    context: ContextDep, memory: MemoryDep, name: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Draw what has a name."""
    return await _drawn(context, memory, lambda: search(context, name))


@router.get("/page/parts/represented/{artefact_id}/{rank}")
async def draw_represented(
    artefact_id: str, rank: Annotated[int, Path(ge=1)], context: ContextDep, memory: MemoryDep
) -> Response:
    """Draw the rows that a prototype represents."""
    return await _drawn(context, memory, lambda: represented(context, artefact_id, rank))


@dataclass(frozen=True, slots=True)
class _Shown:
    """How an address has a row shown."""

    k: Annotated[int, Query(ge=0, le=9)] = 0  # the prototype that it is compared with
    outcome: str | None = None  # that changes aim at
    letter: LetterTitle = None
    dataset: str | None = None  # that a row is of; default: the explainer's own
    pairs: bool = False  # changes of several features of a wide model are searched, too


_ShownDep = Annotated[_Shown, Depends()]


@router.get("/page/parts/explainers/{explainer_id}/rows/{row_id:path}")
async def draw_explained_row(
    explainer_id: str, row_id: str, request: Request, context: ContextDep, memory: MemoryDep, shown: _ShownDep
) -> Response:
    """Draw why a row is predicted as it is; ``set.NAME`` changes the value of a feature, ``outcome`` is wished.

    With ``letter``, its heading, which may be empty, the letter about the decision is drawn. With ``pairs``, changes of
    several features are searched of wide models, too. With ``dataset``, an id,
    the row is one of this dataset.
    """
    changed = texts_in(request.query_params, CHANGED)
    aim = shown.outcome, shown.dataset
    find = partial(RowToExplain.find, context, explainer_id, row_id, changed, *aim, with_pairs=shown.pairs)
    row = await memory.make_early(context.response_memory, _DRAWN_BYTES, _MAKING_BYTES, find)
    answer = await explain(context, explainer_id, row.request)
    alone = await _each_alone(context, row)
    return await _drawn(context, memory, lambda: row.draw(answer, alone, shown.k, shown.letter))


async def _each_alone(context: AppContext, row: RowToExplain) -> bytes | None:
    """Return the answer about a row with each of its changes alone; None where there are none, or none is a row."""
    try:
        return None if row.alone is None else await explain(context, row.beside.explainer_id, row.alone)
    except EveryRowFailed:
        return None


@router.get("/page/parts/explainers/{explainer_id}/new-row")
async def draw_new_row(
    explainer_id: str, request: Request, context: ContextDep, memory: MemoryDep, shown: _ShownDep
) -> Response:
    """Draw why a row that is not in the data is predicted as it is: ``of.NAME`` are its values, ``set.NAME`` changes.

    Where it has a value that cannot be one, its form is drawn, and says so. ``letter`` is as of other rows.
    """
    own, changed = (texts_in(request.query_params, beginning) for beginning in (OWN, CHANGED))
    find = partial(RowToExplain.find_new, context, explainer_id, own, changed, shown.outcome, with_pairs=shown.pairs)
    row = await memory.make_early(context.response_memory, _DRAWN_BYTES, _MAKING_BYTES, find)
    form = partial(new_rows.form, context, row.beside, own)
    if row.own.refused:
        return await _drawn(context, memory, lambda: form(row.own.refused))
    if not (own or changed):
        return await _drawn(context, memory, lambda: form({}, _EMPTY_ROW))
    try:
        answer = await explain(context, explainer_id, row.request)
    except EveryRowFailed as failure:
        problem = failure.errors[0].detail
        return await _drawn(context, memory, lambda: form({}, f"The model cannot read this row: {problem}"))
    alone = await _each_alone(context, row)
    return await _drawn(context, memory, lambda: row.draw(answer, alone, shown.k, shown.letter))


@router.get("/page/parts/explainers/{explainer_id}/report")
async def draw_row_report(  # a row of the reference data or of ``dataset``, or else a new one
    explainer_id: str,
    request: Request,
    context: ContextDep,
    memory: MemoryDep,
    row: str | None = None,
    dataset: str | None = None,
) -> Response:
    """Draw the form of a report on a row: of the one with the id ``row``, or else a new one, as ``draw_new_row``."""
    own, changed = (texts_in(request.query_params, beginning) for beginning in (OWN, CHANGED))

    def draw() -> str:
        if row is None:
            return row_reports.form(context, RowToExplain.find_new(context, explainer_id, own, changed))
        return row_reports.form(context, RowToExplain.find(context, explainer_id, row, changed, None, dataset))

    return await _drawn(context, memory, draw)


@router.get("/page/parts/explainers/{explainer_id}/form")
async def draw_form(explainer_id: str, request: Request, context: ContextDep, memory: MemoryDep) -> Response:
    """Draw the form of a row that is not in the data; ``of.NAME`` are the values that its fields begin with."""
    own = texts_in(request.query_params, OWN)
    return await _drawn(context, memory, lambda: new_rows.form(context, Beside.of(context, explainer_id), own))


class Pasted(Contract):
    """Rows as text."""

    text: str = Field(max_length=MAX_PASTED_BYTES)


@router.post("/page/parts/explainers/{explainer_id}/pasted")
async def draw_pasted(explainer_id: str, pasted: Pasted, context: ContextDep, memory: MemoryDep) -> Response:
    """Draw what is decided of rows that were pasted, each with its address."""
    find = partial(RowsToDecide.find, context, explainer_id, pasted.text)
    rows = await memory.make_early(context.response_memory, _DRAWN_BYTES, _MAKING_BYTES, find)
    if rows.request is None:
        return await _drawn(context, memory, lambda: rows.draw(None))
    try:
        answer = await explain(context, explainer_id, rows.request)
    except EveryRowFailed as failure:
        failed = [each.detail for each in failure.errors]
        return await _drawn(context, memory, lambda: rows.draw(None, failed))
    return await _drawn(context, memory, lambda: rows.draw(answer))


@router.get("/page/parts/regions/{explainer_id}")
async def draw_regions(explainer_id: str, request: Request, context: ContextDep, memory: MemoryDep) -> Response:
    """Draw what an explainer's model, rules and tree say over two features: ``x`` and ``y``."""
    find = partial(RegionsToExplain.find, context, explainer_id, dict(request.query_params))
    regions = await memory.make_early(context.response_memory, _DRAWN_BYTES, _MAKING_BYTES, find)
    answer = await explain(context, explainer_id, regions.request)
    return await _drawn(context, memory, lambda: regions.draw(answer))


async def _drawn(context: AppContext, memory: RequestMemory, draw: Callable[[], str]) -> Response:
    """Return a view that is drawn in a thread, once there is room for it and for what it is drawn from."""
    drawn_bytes = lambda: draw().encode()  # noqa: E731  # as others are made
    return _html(await memory.make_whole(context.response_memory, _DRAWN_BYTES, _MAKING_BYTES, drawn_bytes))


def _html(drawing: bytes) -> Response:
    return Response(drawing, media_type="text/html")
