"""Relational datasets: several tables with keys, the rows of one of which are the examples."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from .arguments import json_text
from .calls import Connected, Program, Work, awaitable, blocking, create
from .contract.relational_datasets import (
    delete_relational_dataset,
    get_relational_dataset,
    list_relational_datasets,
    register_relational_dataset,
    rename_relational_dataset,
)
from .databases import catalogue_sources, is_database, opened
from .nouns import AsyncDeletable, Collection, Noun, SyncDeletable, View, load, refresh, rename, rename_one
from .records import Records
from .relational_tables import Declared, Names, Upload, sources_of, upload_of
from .relational_texts import describe_tables
from .types import (
    BodyRegisterRelationalDataset,
    Examples,
    File,
    RelationalDatasetSummary,
    RelationalTable,
    Relationship,
)
from .types import RelationalDataset as Details

RELATIONAL_DATASETS: Noun[Details] = Noun(
    get_relational_dataset, list_relational_datasets, delete_relational_dataset, rename_relational_dataset
)
Kept = TypeVar("Kept")


class RelationalDatasetView(View[Details | RelationalDatasetSummary]):
    """A registered relational dataset; ``details`` has all fields that the service sends, but of lists a summary.

    As text it is its tables, one a line, with their keys and what they refer to, and what the service warns of.
    """

    noun = RELATIONAL_DATASETS
    _figures: ClassVar[Mapping[str, str]] = {
        "n_tables": "tables",
        "n_rows": "rows",
        "n_examples": "examples",
        "target": "target",
    }

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
        assert isinstance(self.details, Details)  # loaded above
        return self.details

    def __str__(self) -> str:
        return describe_tables(self._whole())


class HasRelationalDatasets(Connected, Generic[Kept]):
    """A client, as far as it registers several tables."""

    relational_datasets: Collection[Details, Kept]


def register_tables(  # what may be declared of several tables
    self: HasRelationalDatasets[Kept],
    tables: Any,  # tables by name, or a database
    *,
    examples: str,
    target: str | None = None,
    cutoff: str | None = None,
    keys: Mapping[str, Names] | None = None,
    references: Mapping[str, str] | None = None,
    times: Mapping[str, str | None] | None = None,
    categories: Mapping[str, Names] | None = None,
    features: Mapping[str, Names] | None = None,
    infer_keys: bool = True,
    only: Sequence[str] | None = None,
    name: str | None = None,
) -> Program[Kept]:
    """Register several tables with keys; the same tables again give the same registration.

    Parameters
    ----------
    tables
        Data frames (pandas, Polars, pyarrow), lists of dicts, or paths of CSV, Parquet or JSON files, by the names of
        the tables. Or a DuckDB connection, or an SQLAlchemy engine or connection: tables, primary and foreign keys are
        read from its catalogue, and rows are streamed; columns that cannot be tested, such as those of bytes, are
        left out with a warning.
    examples
        The table whose rows are the examples.
    target
        Its column with the labels or values to predict, which may be missing; no query tests it.
    cutoff
        Its column with the moment of the prediction: an example sees only rows before it.
    keys
        Primary keys by table: ``{"customer": "id", "line": ["order_id", "number"]}``.
    references
        Foreign keys, and the tables whose primary keys they name: ``{"account.customer_id": "customer"}``; of several
        columns ``{"line.order_id,number": "order"}``.
    times
        By table the column that says when a row became known: ``{"transaction": "booked_at"}``. With a ``cutoff`` it is
        by itself the only column of moments or dates that a data frame or a database has in a table other than that of
        the examples, if it has one; ``None`` forbids that.
    categories
        Columns that hold codes, by table, though they look like numbers: ``{"bond": "type"}``.
    features
        Columns that are tested though nearly each row has another value there, as ids have: ``{"visit": "number"}``.
    infer_keys
        Whether the service infers keys that nobody names from names and values, and says so.
    only
        Names of a database's tables and views to send; default: those that foreign keys lead to from the examples.

    Raises
    ------
    Invalid
        With the code and the detail of what cannot be tables with keys.
    MissingExtra
        Naming the command that installs pyarrow, which databases and frames of Polars need.
    """
    declared = Declared(
        examples,
        target,
        cutoff,
        keys or {},
        references or {},
        times or {},
        categories or {},
        features or {},
        infer_keys=infer_keys,
    )
    upload = yield Work(partial(_upload, tables, only, declared))
    with upload.closing:
        details = yield from _sent(upload, name)
    return self.relational_datasets._wrapped(details)  # noqa: SLF001  # the same package


def _upload(tables: Any, only: Sequence[str] | None, declared: Declared) -> Upload:  # see above
    if not is_database(tables):
        return upload_of(sources_of(tables), declared)
    with opened(tables) as catalogue:
        return upload_of(catalogue_sources(catalogue, only, declared), declared)


def _sent(upload: Upload, name: str | None) -> Program[Details]:
    metadata = upload.metadata | ({} if name is None else {"name": name})
    files = [File(file.content, file_name, file.media_type) for file_name, file in upload.files.items()]
    body = BodyRegisterRelationalDataset(file=files, metadata=json_text(metadata))
    return (yield from create(register_relational_dataset(body=body)))


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
