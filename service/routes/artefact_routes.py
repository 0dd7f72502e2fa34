"""Routes that are the same for every noun that jobs make: request one, list, read, download its content, delete.

``artefact_router`` makes the first four and the last. The content of a noun is either its whole result
(``add_whole_content``) or a table that is read page by page (``add_table_content``); what only one noun has is a route
in that noun's own file.
"""

from collections.abc import Callable, Generator
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Path, Response
from fastapi.concurrency import run_in_threadpool

from schemas.artefacts import ArtefactView
from schemas.contract import Page
from schemas.noun import JSON, Noun

from ..app_context import AppContext
from ..operations import artefacts
from ..operations.artefact_tables import open_table
from ..operations.idempotent_creation import idempotent_creation
from ..operations.model_requirements import require_leaves
from ..web.request_class import StrictRoute
from .answers import accepted, fingerprint, made_at_once, made_by_job, problems
from .dependencies import ContextDep, IdempotencyKey, MemoryDep, PageDep, RequestMemory, RowPageDep
from .list_filters import filters_of
from .streamed_answers import page_json, rewritten, stream_file, stream_json, stream_stored_file, whole_json
from .table_answers import Accept, choose, table_answer, three_forms

View = TypeVar("View", bound=ArtefactView)
RequestArtefact = Callable[[AppContext, Any], View]
WriteResult = Callable[[bytes, str], bytes]
"""Writes a result, as it is kept in JSON, in another media type."""
ListRows = Callable[[AppContext, str, int, str | None], Generator[bytes]]
"""Returns one page of rows: of an artefact with this id, at most this number, from this cursor on."""


def artefact_router(
    noun: Noun[View], request_artefact: RequestArtefact[View], description: str, *, with_delete: bool = True
) -> APIRouter:
    """Return a router with the routes that all artefacts have.

    Parameters
    ----------
    noun
        Its declaration.
    request_artefact
        Checks a request, and returns the artefact that exists or that a job now makes.
    description
        What requesting one means, for the contract.
    with_delete
        False: the noun deletes by a route of its own.
    """
    router = APIRouter(prefix=noun.path, tags=[noun.words], route_class=StrictRoute)
    _add_create(router, noun, request_artefact, description)
    _add_list(router, noun)
    _add_get(router, noun)
    if with_delete:
        _add_delete(router, noun)
    return router


def plain_router(noun: Noun[View], request_artefact: RequestArtefact[View]) -> APIRouter:
    """Return the router of a noun without a file of routes: those of all artefacts, and its content as it is kept."""
    router = artefact_router(noun, request_artefact, f"Request {_one(noun)}; a job makes it unless it is there.")

    async def get_content(artefact_id: str, context: ContextDep, memory: MemoryDep) -> Response:
        return await _whole_content(context, memory, noun, artefact_id)

    router.get(
        f"/{{{noun.id_name}}}/content",
        name=f"get_{noun.singular}_content",
        description="Read the whole result as JSON.",
        response_model=noun.result,
        responses=problems(404, 409, 503),
    )(_of(noun, get_content))
    return router


def _add_create(router: APIRouter, noun: Noun[View], request_artefact: RequestArtefact[View], description: str) -> None:
    def create(request: Any, context: ContextDep, idempotency_key: IdempotencyKey) -> Response:  # below
        request_hash = fingerprint(noun.path, request.model_dump(mode="json"))
        show = partial(artefacts.get_one, context, noun)
        with idempotent_creation(context, idempotency_key, request_hash, show) as creation:
            if creation.resource is None:
                require_leaves(context, noun, request)
                view = request_artefact(context, request)
                creation.complete(200 if view.reused else 202 if view.job else 201, view)
        return accepted(noun.path, creation)

    create.__annotations__["request"] = noun.request
    router.post(
        "",
        name=f"create_{noun.singular}",
        description=description,
        status_code=202,
        response_model=noun.view,
        responses=made_by_job(noun.view) | (made_at_once(noun.view) if noun.making == "either" else {}),
    )(create)


def _add_list(router: APIRouter, noun: Noun[Any]) -> None:
    def list_all(
        context: ContextDep, page: PageDep, filters: Annotated[dict[str, str], Depends(filters_of(noun))]
    ) -> Page[Any]:
        return artefacts.list_all(context, noun, page.limit, page.cursor, **filters)

    router.get(
        "",
        name=f"list_{noun.name}",
        description=f"List {noun.words}, newest first, without their results.",
        response_model=Page[noun.summary],  # type: ignore[name-defined]  # a type that is made here
        responses=problems(422, 503),
    )(list_all)


def _add_get(router: APIRouter, noun: Noun[Any]) -> None:
    async def get_one(artefact_id: str, context: ContextDep, memory: MemoryDep) -> Response:
        write = partial(artefacts.write_one, context, noun, artefact_id)
        if n_bytes := await run_in_threadpool(artefacts.worded_bytes, context, noun, artefact_id):
            return await whole_json(context, memory, n_bytes, lambda: b"".join(write()))
        return await stream_json(context, memory, write)

    router.get(
        f"/{{{noun.id_name}}}",
        name=f"get_{noun.singular}",
        description=f"Read {_one(noun)}: its status and, once it is ready, its result.",
        response_model=noun.view,
        responses=problems(404, 503),
    )(_of(noun, get_one))


def _add_delete(router: APIRouter, noun: Noun[Any]) -> None:
    def delete_one(artefact_id: str, context: ContextDep) -> None:
        artefacts.delete_one(context, noun, artefact_id)

    router.delete(
        f"/{{{noun.id_name}}}",
        name=f"delete_{noun.singular}",
        description=f"Delete {_one(noun)}; refused while others use it or a job makes it.",
        status_code=204,
        responses=problems(404, 409, 503),
    )(_of(noun, delete_one))


def add_whole_content(router: APIRouter, noun: Noun[Any], write: WriteResult, forms: str) -> None:
    """Add the route that downloads the whole result; ``forms`` describes its media types for the contract."""

    async def get_content(artefact_id: str, context: ContextDep, memory: MemoryDep, accept: Accept = JSON) -> Response:
        media_type = choose(accept)
        if media_type == JSON:
            return await _whole_content(context, memory, noun, artefact_id)
        path = await run_in_threadpool(artefacts.result_path, context, noun, artefact_id)
        write_in = lambda _: write(b"".join(artefacts.shown_blocks(context, noun, artefact_id)), media_type)  # noqa: E731
        return await rewritten(context, memory, path, write_in, media_type)

    router.get(
        f"/{{{noun.id_name}}}/content",
        name=f"get_{noun.singular}_content",
        description="Read the whole result as JSON, CSV or Parquet, as `Accept` says.",
        response_model=noun.result,
        responses=three_forms(forms) | problems(404, 406, 409, 503),
    )(_of(noun, get_content))


def add_table_content(router: APIRouter, noun: Noun[Any], list_rows: ListRows, forms: str) -> None:
    """Add the route that downloads the table of an artefact, as pages of JSON or whole."""
    (row,) = (product.row for product in noun.products if product.name == "content")

    async def get_content(
        artefact_id: str, context: ContextDep, memory: MemoryDep, page: RowPageDep, accept: Accept = JSON
    ) -> Response:
        media_type = choose(accept)
        if media_type == JSON:
            return await page_json(context, memory, lambda: list_rows(context, artefact_id, page.limit, page.cursor))
        return await stream_file(
            context, memory, lambda: table_answer(open_table(context, noun, artefact_id)[1], media_type)
        )

    router.get(
        f"/{{{noun.id_name}}}/content",
        name=f"get_{noun.singular}_content",
        description="Read all rows as JSON, page by page, or at once as CSV or Parquet, as `Accept` says.",
        response_model=Page[row],  # type: ignore[valid-type]  # a type that is made here
        responses=three_forms(forms) | problems(404, 406, 409, 413, 422, 503),
    )(_of(noun, get_content))


async def _whole_content(context: AppContext, memory: RequestMemory, noun: Noun[Any], artefact_id: str) -> Response:
    """Return the answer that is the whole result as JSON."""
    if n_bytes := await run_in_threadpool(artefacts.worded_bytes, context, noun, artefact_id):
        shown = lambda: b"".join(artefacts.shown_blocks(context, noun, artefact_id))  # noqa: E731  # as others are shown
        return await whole_json(context, memory, n_bytes, shown)
    return await stream_stored_file(context, memory, lambda: artefacts.result_path(context, noun, artefact_id), JSON)


def _of(noun: Noun[Any], endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """Return the endpoint with the noun's own name for ``artefact_id`` in its path."""
    endpoint.__annotations__["artefact_id"] = Annotated[str, Path(alias=noun.id_name)]
    return endpoint


def _one(noun: Noun[Any]) -> str:
    """Return the noun's singular with its article."""
    words = noun.singular.replace("_", " ")
    if words.endswith("ies"):
        return words
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"
