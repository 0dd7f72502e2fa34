"""Models and operations of datasets.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..displays import DrawnRecord
from ..fields import UNSET, File, Unset
from ..operations import Request, segment
from ..records import Record
from .literals import ColumnRole, DatasetSeparator, Type
from .models import CellValue, Problem, Renaming


class BodyRegisterDataset(Record):
    """Form of an upload."""

    file: File
    """Content of the file; its name is ignored."""
    metadata: str | Unset | None = UNSET
    """JSON text, as `DatasetMetadata` describes it; default: all defaults."""


class Cell(Record):
    """One value of a row."""

    name: str
    """Name of the column."""
    value: CellValue | None
    """Value of the row in this column; null if it is missing; an infinite number is the text `Infinity` or `-Infinity`.
    """


class Column(Record):
    """One column of a dataset."""

    name: str
    """Name of the column in the uploaded file."""
    title: str | Unset | None = UNSET
    """Name to show instead: the label in the dictionary, or else the title in the metadata; null: the name itself."""
    unit: str | Unset | None = UNSET
    """Unit of its numbers, from either; null: none."""
    description: str | Unset | None = UNSET
    """What it means, from either; null: not given."""
    labels: list[ValueWords] | Unset = UNSET
    """What its values are called in the dictionary; of the target, its classes and the outcomes of decisions. Absent
    where they have no labels.
    """
    adverse: list[str] | Unset = UNSET
    """Of the target: the classes and outcomes that the dictionary declares adverse to the person concerned. Absent
    where it declares none.
    """
    plain_digits: bool | Unset = UNSET
    """Whether texts write its numbers without commas of thousands, as years and codes are: where the dictionary says so
    or, where it says nothing, all are whole numbers from 1500 to 2100. Absent otherwise.
    """
    type_: Type | str
    """Type of the column's values."""
    role: ColumnRole | str
    """Use of the column; `ignored` if the metadata name it nowhere."""
    n_missing: int
    """Number of missing values."""
    n_infinite: int = 0
    """Number of infinite numbers, which `min`, `max` and `quantiles` leave out."""
    n_categories: int | None
    """Number of distinct categories; null for numbers and booleans."""
    categories: list[str] | None
    """Distinct categories in alphabetical order; null for numbers and booleans, and for more than 1,000 categories."""
    min_: float | None
    """Smallest finite number; null for other types and where all values are missing or infinite."""
    max_: float | None
    """Largest finite number; null for other types and where all values are missing or infinite."""
    quantiles: list[float] | Unset | None = UNSET
    """Smallest number, then at equal steps those that each further share of the rows does not exceed, the last one
    being the largest: 101 numbers, one for each per cent; 21 where over 100 columns are numbers, 5 where over 480 are.
    Missing and infinite values are left out. Of over 4,000,000 numbers, those of a sample of rows. Null for other
    types, where all values are missing or infinite, and where over 2,020 columns are numbers.
    """
    decimals: int | Unset | None = UNSET
    """The most decimals of any number, 0 to 6, by which conditions are printed: 0 means whole numbers, even where the
    file holds them as floating-point numbers. Null where some number has more, for other types, and where all values
    are missing or infinite.
    """
    is_single_precision: bool = False
    """Whether the numbers have so few decimals only in single precision, which holds 0.1 as 0.10000000149."""
    category_counts: list[int] | Unset | None = UNSET
    """Number of rows of each of `categories`, in their order; null where these are."""
    category_because: OddCell | Unset | None = UNSET
    """First cell that is no number, such as `1_000`, in a category column whose other values nearly all are numbers:
    most likely an oversight in the file. Null for all other columns.
    """


class ColumnDescription(Record):
    """What a column means, for people."""

    name: str
    """Name of the column."""
    title: str | Unset | None = UNSET
    """Name to show instead; null: the name itself."""
    unit: str | Unset | None = UNSET
    """Unit of its numbers, such as `years`; null: none."""
    description: str | Unset | None = UNSET
    """What it means, in a sentence or two; null: not given."""


class Dataset(DrawnRecord):
    """A registered dataset."""

    object_: Literal["dataset"] = "dataset"
    """Type of this object."""
    id: str
    """Id of the dataset, derived from its file and metadata; by reference, from what its files are."""
    name: str | None
    """Name from the metadata; null without one."""
    sha256: str
    """SHA-256 of the uploaded file, in hexadecimal; by reference, of the list of files."""
    size_bytes: int
    """Size of the uploaded file, or of all files of the source, in bytes."""
    n_rows: int
    """Number of rows."""
    n_columns: int
    """Number of columns of any role."""
    n_features: int
    """Number of columns with the role `feature`."""
    target: str | None
    """Name of the target column; null without one."""
    row_id: str | None
    """Name of the column with the rows' ids; null without one."""
    feature_set: str | Unset | None = UNSET
    """Id of the feature set whose features the dataset's are; null for uploaded datasets."""
    source: DatasetSource | Unset | None = UNSET
    """Files that hold the rows of a dataset by reference; null where the service has them."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""
    columns: list[Column]
    """All columns, in the order of the file."""
    images: list[ImageColumns] | Unset = UNSET
    """Images that rows hold, as the metadata declare them."""
    held_out: bool = False
    """Whether the metadata declare that no model was trained on the rows."""
    ignored_columns: list[str] | Unset = UNSET
    """Names of columns of the file that are left out, because they hold lists, objects, bytes or durations: other than
    numbers, texts and booleans.
    """


class DatasetFiles(Record):
    """Where the files of a dataset by reference lie."""

    files: str
    """Address of Parquet, CSV or JSON files below a folder or bucket that the service may read:
    `s3://bucket/folder/*.parquet` or `file:///folder/*.parquet`. A star matches any characters of one segment, which
    may be a folder, too; at most 100,000 files have the address.
    """


class DatasetRow(Record):
    """One row with the values of its columns."""

    object_: Literal["row"] = "row"
    """Type of this object."""
    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    values: list[Cell]
    """Values of the row, in the order of the columns that were read."""


class DatasetSource(Record):
    """The files of a dataset by reference, as they were when it was registered."""

    files: str
    """Address of the files."""
    n_files: int
    """Number of files."""


class DatasetSummary(Record):
    """A registered dataset in a list: without its columns."""

    object_: Literal["dataset"] = "dataset"
    """Type of this object."""
    id: str
    """Id of the dataset, derived from its file and metadata; by reference, from what its files are."""
    name: str | None
    """Name from the metadata; null without one."""
    sha256: str
    """SHA-256 of the uploaded file, in hexadecimal; by reference, of the list of files."""
    size_bytes: int
    """Size of the uploaded file, or of all files of the source, in bytes."""
    n_rows: int
    """Number of rows."""
    n_columns: int
    """Number of columns of any role."""
    n_features: int
    """Number of columns with the role `feature`."""
    target: str | None
    """Name of the target column; null without one."""
    row_id: str | None
    """Name of the column with the rows' ids; null without one."""
    feature_set: str | Unset | None = UNSET
    """Id of the feature set whose features the dataset's are; null for uploaded datasets."""
    source: DatasetSource | Unset | None = UNSET
    """Files that hold the rows of a dataset by reference; null where the service has them."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""


class Dictionary(Record):
    """The dictionary of a dataset."""

    features: list[FeatureWords] | Unset = UNSET
    """Words for features."""
    outcomes: list[OutcomeWords] | Unset = UNSET
    """Words for classes, and for outcomes of decisions."""
    object_: Literal["dictionary"] = "dictionary"
    """Type of this object."""
    dataset: str
    """Id of the dataset."""
    revision: int
    """Grows with each change of the dictionary; in double quotes it is the entity tag, for `If-Match`."""
    saved_at: datetime
    """Time at which it was saved, in UTC (RFC 3339)."""
    key: str | None
    """Id of the API key that saved it; null where none was required, or where it is not known, as of those that were
    saved by version 0.1.0.
    """


class DictionaryRequest(Record):
    """The words for a dataset's features and outcomes; what is not listed is called by its name."""

    features: list[FeatureWords] | Unset = UNSET
    """Words for features."""
    outcomes: list[OutcomeWords] | Unset = UNSET
    """Words for classes, and for outcomes of decisions."""


class FeatureWords(Record):
    """What a feature is called, and how explanations may use it."""

    name: str
    """Name of the feature, as in the dataset."""
    label: str | Unset | None = UNSET
    """What texts say instead; null: the name itself."""
    description: str | Unset | None = UNSET
    """What it means, in a sentence or two; null: not given."""
    unit: str | Unset | None = UNSET
    """Unit of its numbers; null: none."""
    decimals: int | Unset | None = UNSET
    """Decimals to which texts round its values; null: none are cut off. Ends of conditions are never rounded by it."""
    plain_digits: bool | Unset | None = UNSET
    """Whether its numbers are written without commas of thousands, as years and codes are; null: where all are whole
    numbers from 1500 to 2100.
    """
    values: list[ValueWords] | Unset = UNSET
    """What its values are called; others are shown as they are."""
    group: str | Unset | None = UNSET
    """Group of features that count as one in effects, by this name; null: it counts by itself."""
    fixed: bool | Unset = UNSET
    """Whether no change of a row may change it."""
    only_up: bool | Unset = UNSET
    """Whether changes of a row may only raise it."""
    only_down: bool | Unset = UNSET
    """Whether changes of a row may only lower it."""
    hidden: bool | Unset = UNSET
    """Whether explanations show nothing of it: no name, no value, no effect."""
    protected: bool | Unset = UNSET
    """Whether it is never a principal reason, never changed, and never in a notice; effects show it."""
    reason_code: str | Unset | None = UNSET
    """Code of the principal reason that it is; null: none."""
    reason_text: str | Unset | None = UNSET
    """What a notice says where it is a principal reason; null: its label."""


class ImageColumns(Record):
    """Columns that are the pixels of an image."""

    columns: list[str]
    """Names of the columns, line by line from the top, the channels of a pixel side by side: `width` x `height` x
    `channels` of them.
    """
    width: int
    """Pixels of a line."""
    height: int
    """Lines."""
    channels: Literal[1, 3] | Unset = UNSET
    """Values of a pixel: 1 (grey) or 3 (red, green, blue)."""
    highest: float | Unset = UNSET
    """The value of white; 0 is black."""


class Job(DrawnRecord):
    """One piece of work; its row in the database is the truth."""

    object_: Literal["job"] = "job"
    """Type of this object."""
    id: str
    """Id of the job."""
    kind: str
    """Noun of the artefact that it makes, such as `rule_sets`; kinds may be added."""
    status: str
    """Status: queued, running, cancelling, succeeded, failed or cancelled; statuses may be added."""
    artefact: str
    """Id of the artefact that it makes. Of a dataset by reference, an id that only names the request until the job has
    succeeded; then the dataset's.
    """
    progress: Progress
    """How far it has come."""
    attempt: int
    """Number of times that a worker has begun it."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""
    started_at: datetime | None
    """Time when the last attempt began, in UTC; null before the first."""
    finished_at: datetime | None
    """Time when it ended, in UTC; null until then."""
    problem: Problem | None
    """Why it failed; null unless it did."""


class OddCell(Record):
    """A cell unlike the others of its column."""

    row: int
    """0-based index of the row in the dataset."""
    text: str
    """Content of the cell, cut after 60 characters."""


class OutcomeWords(Record):
    """What a class or an outcome is called."""

    name: str
    """The class or outcome, as the model has it."""
    label: str | Unset | None = UNSET
    """What texts say instead; null: the name itself."""
    adverse: bool | Unset = UNSET
    """Whether it is adverse to the person concerned: a notice gives reasons."""


class PageDatasetRow(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[DatasetRow]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PageDatasetSummary(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[DatasetSummary]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class Progress(Record):
    """How far a job has come."""

    fraction: float
    """Share of the work that is done."""
    stage: str
    """What the job does at the moment, in words."""
    message: str = ""
    """What the job waits for, in words: a worker, behind other jobs; storage; processor time, on a busy machine;
    another attempt. Empty when it waits for nothing.
    """


class SourceDatasetRequest(Record):
    """A dataset whose rows stay in files of a lake."""

    name: str | Unset | None = UNSET
    """Name of the dataset, shown in lists; null: none."""
    target: str | Unset | None = UNSET
    """Name of the column with the labels or values to predict; null: none."""
    row_id: str | Unset | None = UNSET
    """Name of the column with the rows' ids, which must be unique; default: each row's 0-based index as text."""
    features: list[str] | Unset | None = UNSET
    """Names of the feature columns in the model's order; default: all columns but target and row_id."""
    columns: list[ColumnDescription] | Unset = UNSET
    """What columns mean, for people; columns that are not listed have no description."""
    images: list[ImageColumns] | Unset = UNSET
    """Images that rows hold; nothing else is taken for an image, but columns called `pixel_0_0`, `pixel_0_1`, … (line,
    place) are shown as one.
    """
    held_out: bool | Unset = UNSET
    """Whether no model that is used with the rows was trained on them, as their owner declares. Figures that were
    measured on them say so.
    """
    settings: Literal["paper"] | Unset = UNSET
    """`paper`: the fields that are left out have the values of the method's paper, as docs/methods.md lists them,
    instead of these defaults, fields of fields included; what is given, null included, stands, but for `method: auto`,
    which leaves the method to the word, too. Answers show the fields that result, so that the id is that of the same
    request in full. Absent: the defaults.
    """
    source: DatasetFiles
    """The files, which need the same columns; rows are in the order of names."""


class ValueWords(Record):
    """What a value of a feature is called."""

    value: str
    """The value as text: a category, a number such as `3`, or `true` or `false`."""
    label: str
    """What texts say instead."""


class DatasetMetadata(Record):
    """The roles of a dataset's columns, what they mean, and how the file is read."""

    name: str | Unset | None = UNSET
    """Name of the dataset, shown in lists; null: none."""
    target: str | Unset | None = UNSET
    """Name of the column with the labels or values to predict; null: none."""
    row_id: str | Unset | None = UNSET
    """Name of the column with the rows' ids, which must be unique; default: each row's 0-based index as text."""
    features: list[str] | Unset | None = UNSET
    """Names of the feature columns in the model's order; default: all columns but target and row_id."""
    columns: list[ColumnDescription] | Unset = UNSET
    """What columns mean, for people; columns that are not listed have no description."""
    images: list[ImageColumns] | Unset = UNSET
    """Images that rows hold; nothing else is taken for an image, but columns called `pixel_0_0`, `pixel_0_1`, … (line,
    place) are shown as one.
    """
    held_out: bool | Unset = UNSET
    """Whether no model that is used with the rows was trained on them, as their owner declares. Figures that were
    measured on them say so.
    """
    categories: list[str] | Unset = UNSET
    """Names of columns whose values are texts, even where they look like numbers or truth values, as `01234` and
    `True`; they are kept as they are written. Needed in CSV, which does not say what a value is.
    """
    missing_values: list[str] | Unset = UNSET
    """What the file holds where a value is missing, such as `?` or `-999`, in all columns but the rows' ids; texts are
    compared without blanks around them, numbers by their value, so that `-999` is `-999.0`, too. Empty cells and null
    are missing in any case.
    """
    separator: DatasetSeparator | Unset | None = UNSET
    """What separates the cells of CSV; default: the comma, or, where the header has none, whichever of semicolon, tab
    and `|` it has most. Refused for Parquet and JSON.
    """


def register_dataset(
    *, body: BodyRegisterDataset | SourceDatasetRequest, idempotency_key: str | Unset | None = UNSET
) -> Request[Dataset | Job]:
    """Register a dataset: CSV, Parquet or JSON rows, distinguished by content; or JSON that names files of a lake."""
    return Request(
        "POST",
        "/v1/datasets",
        headers={"Idempotency-Key": idempotency_key},
        body=body,
        answer={201: Dataset, 200: Dataset, 202: Job},
    )


def list_datasets(
    *, limit: int | Unset = UNSET, cursor: str | Unset | None = UNSET, name: str | Unset | None = UNSET
) -> Request[PageDatasetSummary]:
    """List datasets, newest first, without their columns."""
    return Request(
        "GET", "/v1/datasets", query={"limit": limit, "cursor": cursor, "name": name}, answer=PageDatasetSummary
    )


def get_dataset(dataset_id: str, *, if_none_match: str | Unset = UNSET) -> Request[Dataset]:
    """Read a dataset's columns."""
    return Request(
        "GET", f"/v1/datasets/{segment(dataset_id)}", headers={"If-None-Match": if_none_match}, answer=Dataset
    )


def rename_dataset(dataset_id: str, *, body: Renaming) -> Request[Dataset]:
    """Rename a dataset: its id stays, and its entity tag changes."""
    return Request("PATCH", f"/v1/datasets/{segment(dataset_id)}", body=body, answer=Dataset)


def delete_dataset(dataset_id: str) -> Request[None]:
    """Delete a dataset that nothing depends on."""
    return Request("DELETE", f"/v1/datasets/{segment(dataset_id)}")


def list_rows(
    dataset_id: str,
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    columns: list[str] | Unset = UNSET,
    rows: str | Unset | None = UNSET,
    where: str | Unset | None = UNSET,
    value: str | Unset | None = UNSET,
    at_least: float | Unset | None = UNSET,
    at_most: float | Unset | None = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Request[PageDatasetRow]:
    """Read a dataset's rows in their order as JSON, page by page, or all as Parquet, as `Accept` says. With `where`,
    only those rows that have a value.
    """
    return Request(
        "GET",
        f"/v1/datasets/{segment(dataset_id)}/rows",
        query={
            "limit": limit,
            "cursor": cursor,
            "columns": columns,
            "rows": rows,
            "where": where,
            "value": value,
            "at_least": at_least,
            "at_most": at_most,
        },
        headers={"If-None-Match": if_none_match},
        answer=PageDatasetRow,
    )


def get_dictionary(dataset_id: str) -> Request[Dictionary]:
    """Read the words for a dataset's features and outcomes; `ETag` changes with them."""
    return Request("GET", f"/v1/datasets/{segment(dataset_id)}/dictionary", answer=Dictionary)


def put_dictionary(
    dataset_id: str,
    *,
    body: DictionaryRequest,
    if_match: str | Unset | None = UNSET,
    if_none_match: str | Unset | None = UNSET,
) -> Request[Dictionary]:
    """Replace the words for a dataset: its id stays, and every explanation uses them within two seconds."""
    return Request(
        "PUT",
        f"/v1/datasets/{segment(dataset_id)}/dictionary",
        headers={"If-Match": if_match, "If-None-Match": if_none_match},
        body=body,
        answer=Dictionary,
    )


def delete_dictionary(
    dataset_id: str, *, if_match: str | Unset | None = UNSET, if_none_match: str | Unset | None = UNSET
) -> Request[None]:
    """Delete the words for a dataset: its features are called by their names."""
    return Request(
        "DELETE",
        f"/v1/datasets/{segment(dataset_id)}/dictionary",
        headers={"If-Match": if_match, "If-None-Match": if_none_match},
    )
