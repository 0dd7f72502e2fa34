"""/v1/datasets: registered tables of reference rows."""

from functools import partial

from fastapi import APIRouter, Response

from schemas.contract import Page
from schemas.datasets import Dataset, DatasetMetadata, DatasetRow

from ..dependencies import IdempotencyKey, PageDep, PartsDep
from ..operations import datasets as operations
from ..request_class import StrictRoute, parse_metadata
from .answers import MetadataField, Upload, create_once, created, problems, repeated, upload_fingerprint

router = APIRouter(prefix="/v1/datasets", tags=["datasets"], route_class=StrictRoute)


@router.post(
    "",
    status_code=201,
    response_model=Dataset,
    responses=repeated(Dataset, "It was registered before.") | problems(400, 408, 409, 413, 415, 422, 429, 503, 507),
)
def register_dataset(
    parts: PartsDep, file: Upload, idempotency_key: IdempotencyKey, metadata: MetadataField = None
) -> Response:
    """Register a dataset: CSV, Parquet or JSON rows, told apart by content."""

    def register() -> tuple[int, Dataset]:
        dataset, is_new = operations.register_dataset(parts, file.file, parse_metadata(DatasetMetadata, metadata))
        return (201 if is_new else 200), dataset

    asked = lambda: upload_fingerprint("/v1/datasets", metadata, file.file)  # noqa: E731  # called only with a key
    show = partial(operations.get_dataset, parts)
    status, dataset = create_once(parts, idempotency_key, asked, register, show)
    return created(status, dataset, f"/v1/datasets/{dataset.id}")


@router.get("", responses=problems(422, 503))
def list_datasets(parts: PartsDep, page: PageDep) -> Page[Dataset]:
    """List datasets, newest first."""
    return operations.list_datasets(parts, page.limit, page.cursor)


@router.get("/{dataset_id}", responses=problems(404, 503))
def get_dataset(dataset_id: str, parts: PartsDep) -> Dataset:
    """Read a dataset's columns."""
    return operations.get_dataset(parts, dataset_id)


@router.get("/{dataset_id}/rows", responses=problems(404, 422, 503))
def list_rows(dataset_id: str, parts: PartsDep, page: PageDep) -> Page[DatasetRow]:
    """Read a dataset's rows in their order."""
    return operations.list_rows(parts, dataset_id, page.limit, page.cursor)


@router.delete("/{dataset_id}", status_code=204, responses=problems(404, 409, 503))
def delete_dataset(dataset_id: str, parts: PartsDep) -> None:
    """Delete a dataset that nothing is built on."""
    operations.delete_dataset(parts, dataset_id)
