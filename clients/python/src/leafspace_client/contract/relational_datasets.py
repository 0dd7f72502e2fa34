"""Models and operations of relational datasets.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..fields import UNSET, File, Unset
from ..operations import Request, segment
from ..records import Record
from .datasets import OddCell
from .literals import RelationalColumnRole, RelationalWarningCode, Type
from .models import Renaming


class BodyRegisterRelationalDataset(Record):
    """Form of an upload."""

    file: list[File]
    """One file for each table: CSV, Parquet or JSON rows, distinguished by content. The file's name without its suffix
    is the table's name; characters that forms or folders would change, such as quotes and slashes, are percent-encoded
    (`%22`, `%2F`).
    """
    metadata: str
    """JSON text, as `RelationalDatasetMetadata` describes it."""


class Examples(Record):
    """Which rows are the examples, how many, and what is to be predicted of them."""

    table: str
    """Name of their table."""
    target: str | None
    """Name of the column to predict; null: none."""
    cutoff: str | None
    """Name of the column with the moment of the prediction; null: none."""
    n: int
    """Number of examples."""
    n_labelled: int
    """Number of examples with a value of the target; 0 without a target."""
    classes: list[str] | None
    """Distinct labels, in numeric order if all are numbers, else in alphabetical order. Null without a target, and
    where it holds more than 1,000 different numbers, which are values of a regression.
    """


class PageRelationalDatasetSummary(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[RelationalDatasetSummary]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class RelationalColumn(Record):
    """One column of a table."""

    name: str
    """Name of the column in the uploaded file."""
    type_: Type | str
    """Type of the column's values; of keys: category."""
    role: RelationalColumnRole | str
    """Use of the column. Keys, times (also the cutoff), the target and ids, whose values differ in nearly all rows, are
    never tested by value.
    """
    n_missing: int
    """Number of missing values."""
    n_categories: int | None
    """Number of distinct categories; null for numbers, booleans, keys and times."""
    categories: list[str] | None
    """Distinct categories in alphabetical order; null for numbers, booleans, keys, times, and more than 1,000
    categories.
    """
    min_: float | None
    """Smallest number; null for other types and where all values are missing."""
    max_: float | None
    """Largest number; null for other types and where all values are missing."""
    category_because: OddCell | Unset | None = UNSET
    """First cell that is no number in a category column whose other values nearly all are numbers: most likely an
    oversight in the file. Null for all other columns.
    """


class RelationalDataset(Record):
    """A registered relational dataset."""

    object_: Literal["relational_dataset"] = "relational_dataset"
    """Type of this object."""
    id: str
    """Id of the dataset, derived from its files and metadata."""
    name: str | None
    """Name from the metadata; null without one."""
    size_bytes: int
    """Size of all uploaded files in bytes."""
    n_tables: int
    """Number of tables."""
    n_rows: int
    """Number of rows of all tables."""
    n_columns: int
    """Number of columns of all tables."""
    n_examples: int
    """Number of rows of the table of examples."""
    target: str | None
    """Name of the target column; null without one."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""
    tables: list[RelationalTable]
    """All tables, in the order of the metadata."""
    relationships: list[Relationship]
    """All foreign keys, in the order of the tables: declared ones first, then inferred ones."""
    examples: Examples
    """The rows for which something is to be predicted."""
    unused: list[str]
    """Names of the tables that no relationship leads to from the examples."""
    warnings: list[RelationalWarning]
    """Reasons to look at the tables again; empty: there are none."""


class RelationalDatasetSummary(Record):
    """A relational dataset in a list: without its columns."""

    object_: Literal["relational_dataset"] = "relational_dataset"
    """Type of this object."""
    id: str
    """Id of the dataset, derived from its files and metadata."""
    name: str | None
    """Name from the metadata; null without one."""
    size_bytes: int
    """Size of all uploaded files in bytes."""
    n_tables: int
    """Number of tables."""
    n_rows: int
    """Number of rows of all tables."""
    n_columns: int
    """Number of columns of all tables."""
    n_examples: int
    """Number of rows of the table of examples."""
    target: str | None
    """Name of the target column; null without one."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""


class RelationalTable(Record):
    """One table."""

    name: str
    """Name of the table."""
    sha256: str
    """SHA-256 of the uploaded file, in hexadecimal."""
    size_bytes: int
    """Size of the uploaded file in bytes."""
    n_rows: int
    """Number of rows; 0 for an empty table."""
    primary_key: list[str]
    """Names of the columns that identify a row; empty: there are none."""
    is_key_inferred: bool = False
    """Whether the primary key was inferred from names and values rather than declared."""
    time: str | None
    """Name of the column with the moment at which a row became known; null: none."""
    columns: list[RelationalColumn]
    """All columns, in the order of the file."""


class RelationalWarning(Record):
    """A reason to look at the tables again."""

    code: RelationalWarningCode | str
    """Stable, machine-readable name. `dates_without_time`: a table has a column of dates and no `time`;
    `time_without_cutoff`: it has a `time`, and the examples no `cutoff`. Either way its rows are seen whenever they
    were made, which may reveal the target. `table_not_joined`: no relationship leads from the examples to a table, so
    that nothing is learned from it. `column_of_ids`: nearly each row has another value, as ids have, which says nothing
    about other rows; the columns are not tested unless they are declared as `features`. `key_in_doubt`: columns may be
    a key, but several tables or columns would do, so that none was inferred.
    """
    table: str
    """Name of the table."""
    columns: list[str]
    """Names of the columns."""
    detail: str
    """What may be wrong, and what to do."""


class Relationship(Record):
    """A foreign key, followed both ways: to the row that it names, and back to the rows that name it."""

    name: str
    """Name of the relationship: `<child>.<columns>`, the columns parted by commas."""
    from_: str
    """Name of the table with the foreign key: the child."""
    to: str
    """Name of the table whose rows it names: the parent."""
    columns: list[str]
    """Columns of the foreign key."""
    n_dangling: int
    """Number of rows of the child whose key names no row of the parent."""
    n_without: int
    """Number of rows of the parent that no row of the child names."""
    mean_rows: float
    """Mean number of rows of the child that name a row of the parent; 0 if the parent is empty."""
    max_rows: int
    """Largest number of rows of the child that name the same row of the parent."""
    inferred: bool
    """Whether it was inferred from names and values rather than declared."""


class ExamplesMetadata(Record):
    """Which rows are the examples, what is to be predicted of them, and from when on they know nothing."""

    table: str
    """Name of the table whose rows are the examples."""
    target: str | Unset | None = UNSET
    """Name of its column with the labels or values to predict, which may be missing; null: none. It is never tested, on
    any path.
    """
    cutoff: str | Unset | None = UNSET
    """Name of its column with the moment of the prediction: of tables with a `time`, an example sees only rows before
    it. Null: it sees all.
    """


class ForeignKeyMetadata(Record):
    """Columns whose values name rows of another table, or of the same one."""

    columns: list[str]
    """Names of the columns, in the order of the primary key that they refer to."""
    references: str
    """Name of the table that they refer to; it has a primary key."""


class RelationalTableMetadata(Record):
    """The keys of one table, and when its rows became known."""

    name: str
    """Name of the table: that of its file, without the suffix."""
    primary_key: list[str] | Unset | None = UNSET
    """Names of the columns that identify a row. Null: inferred where `infer_keys` is true, namely the column `id`,
    `<table>_id` or `<table>` (the first of these) if each row has a value of its own there; where no other table refers
    to that, a column that others share, as `infer_keys` says; of the examples also the only column in which each row
    has another value, as ids have; else none.
    """
    foreign_keys: list[ForeignKeyMetadata] | Unset = UNSET
    """Columns that name rows of other tables, beside those that are inferred."""
    time: str | Unset | None = UNSET
    """Name of the column with the moment at which a row became known, as numbers or as ISO 8601 dates or times (in UTC
    where they name no zone); null: its rows were always known.
    """
    categories: list[str] | Unset = UNSET
    """Names of columns that hold codes, such as 7 for aromatic, and are read as categories even where all values are
    numbers.
    """
    features: list[str] | Unset = UNSET
    """Names of columns that are tested even where nearly each row has another value, as ids have; no key is inferred
    from them.
    """


class RelationalDatasetMetadata(Record):
    """The tables of a relational dataset and how they refer to each other."""

    name: str | Unset | None = UNSET
    """Name of the dataset, shown in lists; null: none."""
    examples: ExamplesMetadata
    """The rows for which something is to be predicted."""
    tables: list[RelationalTableMetadata]
    """All tables, each with a file of its name."""
    infer_keys: bool | Unset = UNSET
    """Whether keys that are not declared are inferred: a column is taken for a foreign key if it is called as another
    table's primary key (unless that is called `id`) or `<table>_<key>`, is not itself the primary key of its table, and
    all its values occur there. Besides, a column that several tables share (by name, small or capital letters alike)
    refers to the table in which each row has another value of it, if all values occur there; to that of the examples,
    if it is one of several. Where several tables or several columns would do, nothing is inferred, and a warning
    `key_in_doubt` says so. What is inferred is marked as such; a declaration comes before it. Of texts, some may occur
    in the child alone, if more than these occur in both.
    """


def register_relational_dataset(
    *, body: BodyRegisterRelationalDataset, idempotency_key: str | Unset | None = UNSET
) -> Request[RelationalDataset]:
    """Register a relational dataset: tables with keys, a part `file` for each, and `metadata` about them."""
    return Request(
        "POST",
        "/v1/relational-datasets",
        headers={"Idempotency-Key": idempotency_key},
        body=body,
        answer=RelationalDataset,
    )


def list_relational_datasets(
    *, limit: int | Unset = UNSET, cursor: str | Unset | None = UNSET, name: str | Unset | None = UNSET
) -> Request[PageRelationalDatasetSummary]:
    """List relational datasets, newest first, without their columns."""
    return Request(
        "GET",
        "/v1/relational-datasets",
        query={"limit": limit, "cursor": cursor, "name": name},
        answer=PageRelationalDatasetSummary,
    )


def get_relational_dataset(
    relational_dataset_id: str, *, if_none_match: str | Unset = UNSET
) -> Request[RelationalDataset]:
    """Read a relational dataset's tables, columns and relationships."""
    return Request(
        "GET",
        f"/v1/relational-datasets/{segment(relational_dataset_id)}",
        headers={"If-None-Match": if_none_match},
        answer=RelationalDataset,
    )


def rename_relational_dataset(relational_dataset_id: str, *, body: Renaming) -> Request[RelationalDataset]:
    """Rename a relational dataset: its id stays, and its entity tag changes."""
    return Request(
        "PATCH", f"/v1/relational-datasets/{segment(relational_dataset_id)}", body=body, answer=RelationalDataset
    )


def delete_relational_dataset(relational_dataset_id: str) -> Request[None]:
    """Delete a relational dataset that nothing depends on."""
    return Request("DELETE", f"/v1/relational-datasets/{segment(relational_dataset_id)}")
