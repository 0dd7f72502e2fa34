"""/v1/relational-datasets: several registered tables with keys, whose rows of one are the examples."""

from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, File, Form, Response, UploadFile
from fastapi.concurrency import run_in_threadpool

from schemas.contract import Page, Renaming
from schemas.relational_datasets import (
    RELATIONAL_DATASETS,
    RelationalDataset,
    RelationalDatasetMetadata,
    RelationalDatasetSummary,
)

from ..operations import relational_datasets as operations
from ..operations.idempotent_creation import idempotent_creation
from ..web.request_class import StrictRoute, parse_metadata
from .answers import created, fingerprint, problems, repeated, sha256_of
from .dependencies import ContextDep, IdempotencyKey, MemoryDep, PageDep
from .list_filters import filters_of
from .streamed_answers import whole_json

router = APIRouter(prefix=RELATIONAL_DATASETS.path, tags=[RELATIONAL_DATASETS.words], route_class=StrictRoute)
_Filters = Annotated[dict[str, str], Depends(filters_of(RELATIONAL_DATASETS))]
_Files = Annotated[
    list[UploadFile],
    File(
        description="One file for each table: CSV, Parquet or JSON rows, distinguished by content. The file's name "
        "without its suffix is the table's name; characters that forms or folders would change, such as quotes and "
        "slashes, are percent-encoded (`%22`, `%2F`).",
    ),
]
_Metadata = Annotated[
    str,
    Form(description="JSON: `RelationalDatasetMetadata`.", json_schema_extra={"contentMediaType": "application/json"}),
]


@router.post(
    "",
    status_code=201,
    response_model=RelationalDataset,
    responses=repeated(RelationalDataset, "It was registered before.")
    | problems(400, 408, 409, 413, 415, 422, 429, 503, 507),
)
def register_relational_dataset(
    context: ContextDep, file: _Files, metadata: _Metadata, idempotency_key: IdempotencyKey
) -> Response:
    """Register a relational dataset: tables with keys, a part `file` for each, and `metadata` about them."""
    hashes = None if idempotency_key is None else [[part.filename, sha256_of(part.file)] for part in file]
    request_hash = fingerprint(RELATIONAL_DATASETS.path, metadata, hashes)
    with idempotent_creation(
        context, idempotency_key, request_hash, lambda identifier: context.relational_datasets.get(identifier).view
    ) as creation:
        if creation.resource is None:
            described = parse_metadata(RelationalDatasetMetadata, metadata)
            files = [(part.filename or "", part.file) for part in file]
            dataset, is_new = operations.register_relational_dataset(context, files, described)
            creation.complete(201 if is_new else 200, dataset)
    return created(RELATIONAL_DATASETS.path, creation)


@router.get("", responses=problems(422, 503))
def list_relational_datasets(context: ContextDep, page: PageDep, filters: _Filters) -> Page[RelationalDatasetSummary]:
    """List relational datasets, newest first, without their columns."""
    return context.relational_datasets.list(page.limit, page.cursor, **filters)


@router.get("/{relational_dataset_id}", response_model=RelationalDataset, responses=problems(404, 503))
async def get_relational_dataset(relational_dataset_id: str, context: ContextDep, memory: MemoryDep) -> Response:
    """Read a relational dataset's tables, columns and relationships."""
    n_bytes = await run_in_threadpool(context.relational_datasets.n_bytes, relational_dataset_id)
    datasets = context.relational_datasets
    return await whole_json(context, memory, n_bytes, lambda: orjson.dumps(datasets.document(relational_dataset_id)))


@router.patch(
    "/{relational_dataset_id}",
    response_model=RelationalDataset,
    responses=problems(400, 404, 408, 413, 415, 422, 503, 507),
)
async def rename_relational_dataset(
    relational_dataset_id: str, request: Renaming, context: ContextDep, memory: MemoryDep
) -> Response:
    """Rename a relational dataset: its id stays, and its entity tag changes."""
    await run_in_threadpool(context.relational_datasets.rename, relational_dataset_id, request.name)
    return await get_relational_dataset(relational_dataset_id, context, memory)


@router.delete("/{relational_dataset_id}", status_code=204, responses=problems(404, 409, 503))
def delete_relational_dataset(relational_dataset_id: str, context: ContextDep) -> None:
    """Delete a relational dataset that nothing depends on."""
    operations.delete_relational_dataset(context, relational_dataset_id)
