"""Relational datasets: several registered tables with keys, whose rows of one are the examples."""

from ._generated.api.relational_datasets import (
    delete_relational_dataset,
    get_relational_dataset,
    list_relational_datasets,
    rename_relational_dataset,
)
from ._generated.models import PageRelationalDatasetSummary, RelationalDataset, RelationalDatasetSummary
from .calls import awaitable, blocking
from .nouns import AsyncDeletable, Noun, SyncDeletable, rename_one

RELATIONAL_DATASETS: Noun[RelationalDataset] = Noun(
    RelationalDataset,
    PageRelationalDatasetSummary,
    "relational_dataset_id",
    get_relational_dataset,
    list_relational_datasets,
    delete_relational_dataset,
    rename_relational_dataset,
)


class RelationalDatasets(SyncDeletable[RelationalDataset, RelationalDataset, RelationalDatasetSummary]):
    """All relational datasets, newest first; lists yield summaries, and ``get`` takes one for the whole dataset."""

    noun = RELATIONAL_DATASETS
    rename = blocking(rename_one)


class AsyncRelationalDatasets(AsyncDeletable[RelationalDataset, RelationalDataset, RelationalDatasetSummary]):
    """All relational datasets, newest first; lists yield summaries, and ``get`` takes one for the whole dataset."""

    noun = RELATIONAL_DATASETS
    rename = awaitable(rename_one)
