"""Relational datasets: several tables with keys, the rows of one of which are the examples."""

import json
from typing import Any

from ._generated.api.relational_datasets import (
    delete_relational_dataset,
    get_relational_dataset,
    list_relational_datasets,
    register_relational_dataset,
    rename_relational_dataset,
)
from ._generated.models import (
    BodyRegisterRelationalDataset,
    Examples,
    PageRelationalDatasetSummary,
    RelationalDatasetSummary,
    RelationalTable,
    Relationship,
)
from ._generated.models import RelationalDataset as Details
from ._generated.types import File
from .calls import Program, awaitable, blocking, create
from .databases import catalogue_sources, is_database, opened
from .nouns import AsyncDeletable, Noun, SyncDeletable, View, load, refresh, rename, rename_one
from .records import Records
from .relational_tables import Declared, Upload, sources_of, upload_of
from .texts import describe_tables

RELATIONAL_DATASETS: Noun[Details] = Noun(
    Details,
    PageRelationalDatasetSummary,
    "relational_dataset_id",
    get_relational_dataset,
    list_relational_datasets,
    delete_relational_dataset,
    rename_relational_dataset,
)


class RelationalDatasetView(View[Details | RelationalDatasetSummary]):
    """A registered relational dataset; ``details`` has all fields that the service sends, but of lists a summary.

    As text it is its tables, one a line, with their keys and what they refer to, and what the service warns of.
    """

    noun = RELATIONAL_DATASETS

    @property
    def name(self) -> str | None:
        """Its name for people; ``rename`` changes it."""
        return self.details.name

    @property
    def tables(self) -> list[RelationalTable]:
        """The tables with their columns and keys."""
        return Records(self._whole().tables)

    @property
    def relationships(self) -> list[Relationship]:
        """The foreign keys, declared and inferred."""
        return Records(self._whole().relationships)

    @property
    def examples(self) -> Examples:
        """The rows of which something is to be predicted."""
        return self._whole().examples

    def _whole(self) -> Details:
        if not isinstance(self.details, Details):
            self._load_now()
        assert isinstance(self.details, Details)  # noqa: S101  # loaded above
        return self.details

    def __str__(self) -> str:
        return describe_tables(self._whole())

    def __repr__(self) -> str:
        found = self._details
        size = "" if found is None else f" {found.n_tables} tables, {found.n_rows:,} rows"
        warnings = [f"Warning: {each.detail}" for each in found.warnings] if isinstance(found, Details) else []
        return "\n".join([f"<{type(self).__name__} {self.id}{size}>", *warnings])


def upload_tables(tables: Any, only: Any, declared: Declared) -> Upload:  # noqa: ANN401  # see register_relational_dataset
    """Return the files of a caller's tables, of a dict of them or of a database."""
    if not is_database(tables):
        return upload_of(sources_of(tables), declared)
    with opened(tables) as catalogue:
        return upload_of(catalogue_sources(catalogue, only, declared), declared)


def register(upload: Upload, name: str | None) -> Program[Details]:
    """Send several tables."""
    metadata = upload.metadata | ({} if name is None else {"name": name})
    files = [File(file.content, file_name, file.media_type) for file_name, file in upload.files.items()]
    body = BodyRegisterRelationalDataset(file=files, metadata=json.dumps(metadata))
    return (yield from create(register_relational_dataset, Details, body=body))


class RelationalDataset(RelationalDatasetView):
    """A relational dataset, for the blocking client."""

    refresh = blocking(refresh)
    load = blocking(load)
    rename = blocking(rename)


class AsyncRelationalDataset(RelationalDatasetView):
    """A relational dataset, for the async client."""

    refresh = awaitable(refresh)
    load = awaitable(load)
    rename = awaitable(rename)


class RelationalDatasets(SyncDeletable[Details, RelationalDataset, RelationalDataset]):
    """All relational datasets, newest first."""

    noun = RELATIONAL_DATASETS
    view = RelationalDataset
    rename = blocking(rename_one)


class AsyncRelationalDatasets(AsyncDeletable[Details, AsyncRelationalDataset, AsyncRelationalDataset]):
    """All relational datasets, newest first."""

    noun = RELATIONAL_DATASETS
    view = AsyncRelationalDataset
    rename = awaitable(rename_one)
