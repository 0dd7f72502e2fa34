"""Datasets: registered tables of reference rows."""

import json
from collections.abc import Sequence

from ._generated.api.datasets import (
    delete_dataset,
    get_dataset,
    list_datasets,
    list_rows,
    register_dataset,
    rename_dataset,
)
from ._generated.models import (
    BodyRegisterDataset,
    Dataset,
    DatasetRow,
    DatasetSummary,
    PageDatasetRow,
    PageDatasetSummary,
)
from ._generated.types import UNSET, File
from .calls import Connected, Program, awaitable, blocking, create, fetch
from .nouns import AsyncDeletable, Identified, Noun, SyncDeletable, id_of, rename_one
from .records import Records
from .tables import TableFile, TableNames

DATASETS: Noun[Dataset] = Noun(
    Dataset, PageDatasetSummary, "dataset_id", get_dataset, list_datasets, delete_dataset, rename_dataset
)
_ROWS_A_PAGE = 1000


def register(file: TableFile, name: str | None, names: TableNames) -> Program[Dataset]:
    """Send a table."""
    known = {
        "name": name,
        "target": names.target,
        "row_id": names.row_id,
        "features": None if names.features is None else [str(feature) for feature in names.features],
    }
    metadata = json.dumps({key: value for key, value in known.items() if value is not None})
    body = BodyRegisterDataset(file=File(file.content, "dataset", file.media_type), metadata=metadata)
    return (yield from create(register_dataset, Dataset, body=body))


def _rows(
    self: Connected,  # noqa: ARG001  # a method
    dataset: Identified,
    *,
    limit: int | None = None,
    columns: Sequence[str] = (),
) -> Program[list[DatasetRow]]:
    """Return the rows of a dataset in their order, page by page.

    Parameters
    ----------
    dataset
        What registering returned, or its id.
    limit
        How many of the first rows; default: all.
    columns
        Names of the columns to read; default: all. A row that is larger than a page can be read column by column only.
    """
    rows: list[DatasetRow] = Records()
    cursor: str | None = None
    while limit is None or len(rows) < limit:
        size = _ROWS_A_PAGE if limit is None else min(_ROWS_A_PAGE, limit - len(rows))
        query = {"limit": size, "cursor": cursor, "columns": list(columns) or UNSET}
        page = yield from fetch(list_rows, PageDatasetRow, dataset_id=id_of(dataset), **query)
        rows += page.data
        cursor = page.next_cursor or None
        if cursor is None:
            break
    return rows


class Datasets(SyncDeletable[Dataset, Dataset, DatasetSummary]):
    """All datasets, newest first; lists yield summaries, and ``get`` takes one for the whole dataset."""

    noun = DATASETS
    rename = blocking(rename_one)
    rows = blocking(_rows)


class AsyncDatasets(AsyncDeletable[Dataset, Dataset, DatasetSummary]):
    """All datasets, newest first; lists yield summaries, and ``get`` takes one for the whole dataset."""

    noun = DATASETS
    rename = awaitable(rename_one)
    rows = awaitable(_rows)
