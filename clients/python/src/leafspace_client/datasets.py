"""Datasets: registered tables of reference rows."""

import json

from ._generated.api.datasets import delete_dataset, get_dataset, list_datasets, list_rows, register_dataset
from ._generated.models import BodyRegisterDataset, Dataset, DatasetRow, PageDataset, PageDatasetRow
from ._generated.types import File
from .calls import Connected, Program, awaitable, blocking
from .endpoints import ask, create
from .nouns import AsyncDeletable, Identified, Noun, SyncDeletable, id_of
from .tables import TableAsked, TableFile

DATASETS: Noun[Dataset] = Noun(Dataset, PageDataset, "dataset_id", get_dataset, list_datasets, delete_dataset)
_ROWS_A_PAGE = 1000


def register(file: TableFile, name: str | None, asked: TableAsked) -> Program[Dataset]:
    """Send a table."""
    known = {
        "name": name,
        "target": asked.target,
        "row_id": asked.row_id,
        "features": None if asked.features is None else [str(feature) for feature in asked.features],
    }
    metadata = json.dumps({key: value for key, value in known.items() if value is not None})
    body = BodyRegisterDataset(file=File(file.content, "dataset", file.media_type), metadata=metadata)
    return (yield from create(register_dataset, Dataset, body=body))


def _rows(
    self: Connected,  # noqa: ARG001  # a method
    dataset: Identified,
    *,
    limit: int | None = None,
) -> Program[list[DatasetRow]]:
    """Return the rows of a dataset in their order, the first ``limit`` ones where that is given."""
    rows: list[DatasetRow] = []
    cursor: str | None = None
    while limit is None or len(rows) < limit:
        size = _ROWS_A_PAGE if limit is None else min(_ROWS_A_PAGE, limit - len(rows))
        page = yield from ask(list_rows, PageDatasetRow, dataset_id=id_of(dataset), limit=size, cursor=cursor)
        rows += page.data
        cursor = page.next_cursor or None
        if cursor is None:
            break
    return rows


class Datasets(SyncDeletable[Dataset, Dataset]):
    """All datasets, newest first."""

    rows = blocking(_rows)


class AsyncDatasets(AsyncDeletable[Dataset, Dataset]):
    """All datasets, newest first."""

    rows = awaitable(_rows)
