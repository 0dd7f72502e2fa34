"""/v1/datasets: registered tables of reference rows."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Query, Response
from fastapi.concurrency import run_in_threadpool

from schemas.contract import Page, Renaming
from schemas.datasets import DATASETS, Dataset, DatasetMetadata, DatasetRow, DatasetSummary, SourceDatasetRequest
from schemas.jobs import JOBS, Job
from schemas.noun import JSON, PARQUET
from storage.errors import StorageError

from ..operations import dataset_sources as sources
from ..operations import datasets as operations
from ..operations.idempotent_creation import idempotent_creation
from ..operations.row_search import Wanted, list_found_rows
from ..web.request_class import JsonBodyRoute, StrictRoute, parse_metadata
from .answers import MetadataField, Upload, created, fingerprint, problems, repeated, sha256_of
from .dependencies import ContextDep, IdempotencyKey, MemoryDep, PageDep, RowPageDep
from .list_filters import filters_of
from .streamed_answers import PageSize, page_json, stream_stored_file, whole_json
from .table_answers import Accept, choose

_WRITTEN = {JSON: JSON, PARQUET: PARQUET, "*/*": JSON, "application/*": JSON, "": JSON}
_FORMS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "JSON: one page of rows, as `limit` and `cursor` say; a page ends at 4 MiB, if need be with "
        "fewer rows than `limit`, and a row that is larger is refused. Parquet: all rows and columns, as numbers, "
        "texts and booleans.",
        "content": {PARQUET: {"schema": {"type": "string", "format": "binary"}}},
    }
}

_BY_REFERENCE: dict[int | str, dict[str, Any]] = {
    202: {
        "model": Job,
        "description": "A job registers the files of a `source`; its `artefact` is the dataset once it has succeeded.",
    }
}
_JSON_BODY = {"required": True, "content": {JSON: {"schema": {"$ref": "#/components/schemas/SourceDatasetRequest"}}}}

router = APIRouter(prefix=DATASETS.path, tags=[DATASETS.words], route_class=StrictRoute)
_Filters = Annotated[dict[str, str], Depends(filters_of(DATASETS))]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The part of a dataset's rows that is requested."""

    columns: list[str]
    rows: list[int] | None
    wanted: Wanted | None


async def _wanted(
    where: Annotated[
        str | None,
        Query(
            max_length=255,
            description="Column whose value is searched: only rows that have `value` in it, or a number within "
            "`at_least` and `at_most`. A search goes on for about a second; a page may then hold few rows or none, and "
            "`next_cursor` goes on from there. JSON alone.",
            examples=["age"],
        ),
    ] = None,
    value: Annotated[
        str | None,
        Query(max_length=10_000, description="Value of the column `where`: a category, a number, `true` or `false`."),
    ] = None,
    at_least: Annotated[float | None, Query(allow_inf_nan=False, description="Lowest number in `where`.")] = None,
    at_most: Annotated[float | None, Query(allow_inf_nan=False, description="Highest number in `where`.")] = None,
) -> Wanted | None:
    if where is None and (value, at_least, at_most) != (None, None, None):
        detail = "say in which column the value is searched: `where`"
        raise StorageError("validation_failed", detail, "/where")
    return None if where is None else Wanted(where, value, at_least, at_most)


_WantedDep = Annotated[Wanted | None, Depends(_wanted)]


async def _chosen(
    wanted: _WantedDep,
    columns: Annotated[
        list[str],
        Query(max_length=10_000, description="Names of the columns to read, one each (default: all). JSON alone."),
    ] = [],  # noqa: B006  # as FastAPI has defaults
    rows: Annotated[
        str | None,
        Query(
            pattern=r"^[0-9]{1,9}(,[0-9]{1,9}){0,99}$",
            description="Numbers of the rows to read, counted from 0 and separated by commas, in any order (1 to 100; "
            "default: all rows, page by page). `cursor` is then a place among these. JSON alone.",
            examples=["6,83"],
        ),
    ] = None,
) -> _Chosen:
    if wanted is not None and rows is not None:
        detail = "rows are named by their numbers or searched by a value: leave out `rows` or `where`"
        raise StorageError("validation_failed", detail, "/rows")
    return _Chosen(columns, None if rows is None else [int(row) for row in rows.split(",")], wanted)


_ChosenDep = Annotated[_Chosen, Depends(_chosen)]


def register_source(request: SourceDatasetRequest, context: ContextDep, idempotency_key: IdempotencyKey) -> Response:
    """Register a dataset by reference: its rows stay in the files that are named, at which a job looks."""
    request_hash = fingerprint(DATASETS.path, request.model_dump(mode="json"))
    with idempotent_creation(context, idempotency_key, request_hash, context.jobs.get) as creation:
        if creation.resource is None:
            creation.complete(202, sources.register_source(context, request))
    job = creation.result
    headers = {"Location": f"{JOBS.path}/{job.id}", "Retry-After": "1"}
    return Response(job.model_dump_json(), 202, headers, JSON)


# Before the route for uploads, which has the same path and describes both in the contract.
router.add_api_route(
    "",
    register_source,
    methods=["POST"],
    status_code=202,
    response_model=Job,
    responses=problems(400, 408, 409, 413, 415, 422, 503),
    route_class_override=JsonBodyRoute,
)


@router.post(
    "",
    status_code=201,
    response_model=Dataset,
    responses=repeated(Dataset, "It was registered before.")
    | _BY_REFERENCE
    | problems(400, 408, 409, 413, 415, 422, 429, 503, 507),
    openapi_extra={"requestBody": _JSON_BODY},
)
def register_dataset(
    context: ContextDep, file: Upload, idempotency_key: IdempotencyKey, metadata: MetadataField = None
) -> Response:
    """Register a dataset: CSV, Parquet or JSON rows, distinguished by content; or JSON that names files of a lake."""
    sha256 = None if idempotency_key is None else sha256_of(file.file)
    request_hash = fingerprint(DATASETS.path, metadata, sha256)
    with idempotent_creation(
        context, idempotency_key, request_hash, lambda identifier: context.datasets.get(identifier).view
    ) as creation:
        if creation.resource is None:
            described = parse_metadata(DatasetMetadata, metadata)
            dataset, is_new = operations.register_dataset(context, file.file, described, sha256)
            creation.complete(201 if is_new else 200, dataset)
    return created(DATASETS.path, creation)


@router.get("", responses=problems(422, 503))
def list_datasets(context: ContextDep, page: PageDep, filters: _Filters) -> Page[DatasetSummary]:
    """List datasets, newest first, without their columns."""
    return context.datasets.list(page.limit, page.cursor, **filters)


@router.get("/{dataset_id}", response_model=Dataset, responses=problems(404, 503))
async def get_dataset(dataset_id: str, context: ContextDep, memory: MemoryDep) -> Response:
    """Read a dataset's columns."""
    n_bytes = await run_in_threadpool(context.datasets.n_bytes, dataset_id)
    return await whole_json(context, memory, n_bytes, lambda: orjson.dumps(context.datasets.document(dataset_id)))


@router.get("/{dataset_id}/rows", response_model=Page[DatasetRow], responses=_FORMS | problems(404, 406, 413, 422, 503))
async def list_rows(
    dataset_id: str,
    context: ContextDep,
    memory: MemoryDep,
    page: RowPageDep,
    chosen: _ChosenDep,
    accept: Accept = JSON,
) -> Response:
    """Read a dataset's rows in their order as JSON, page by page, or all as Parquet, as `Accept` says.

    With `where`, only those rows that have a value.
    """
    if choose(accept, _WRITTEN) == PARQUET:
        return await stream_stored_file(context, memory, lambda: operations.open_content(context, dataset_id), PARQUET)
    read = partial(operations.list_rows, context, dataset_id, chosen.columns, page.limit, page.cursor)
    if chosen.wanted is not None:
        read = partial(list_found_rows, context, dataset_id, chosen.columns, chosen.wanted, page.limit, page.cursor)
    elif chosen.rows is not None:
        read = partial(operations.list_numbered_rows, context, dataset_id, chosen.columns, chosen.rows, page.cursor)
    n_rows = page.limit if chosen.rows is None else len(chosen.rows)
    row_bytes, n_columns = await run_in_threadpool(operations.row_sizes, context, dataset_id)
    return await page_json(context, memory, read, PageSize.of(n_rows, row_bytes, n_columns))


@router.patch("/{dataset_id}", response_model=Dataset, responses=problems(400, 404, 408, 413, 415, 422, 503, 507))
async def rename_dataset(dataset_id: str, request: Renaming, context: ContextDep, memory: MemoryDep) -> Response:
    """Rename a dataset: its id stays, and its entity tag changes."""
    await run_in_threadpool(context.datasets.rename, dataset_id, request.name)
    return await get_dataset(dataset_id, context, memory)


@router.delete("/{dataset_id}", status_code=204, responses=problems(404, 409, 503))
def delete_dataset(dataset_id: str, context: ContextDep) -> None:
    """Delete a dataset that nothing depends on."""
    operations.delete_dataset(context, dataset_id)
