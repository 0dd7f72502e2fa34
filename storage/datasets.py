"""Registered datasets: their rows in the registry, and where their content is."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson
from sqlalchemy import Connection, RowMapping, String, cast, delete, select, update

from schemas.datasets import Dataset, DatasetSummary

from .errors import DatasetRefused
from .leaf_tables import forget_leaf_tables
from .records import add_record, find_record, first_record, moment, require
from .registry import Row, UploadRegistry, listed_values
from .tables import USES_OF_DATASETS, datasets, dictionaries, leaf_tables

_FACTS = ("id", "name", "sha256", "size_bytes", "feature_set", "source")
_YEARS = 1500, 2100  # the first and the last that whole numbers are taken for
_NOT_SAID = {"title": None, "unit": None, "description": None}  # of columns that the metadata say nothing of

_DEFAULTS: dict[str, Any] = {"images": [], "held_out": False, "ignored_columns": []}  # what summaries leave out


@dataclass(frozen=True, slots=True)
class NewDataset:
    """A dataset that was read, ready to be kept."""

    id: str
    name: str | None
    sha256: str  # object: the uploaded bytes, or the manifest
    size_bytes: int
    content: str  # object: the same rows as normalised Parquet, or the manifest
    summary: dict[str, Any]
    metadata: dict[str, Any]
    feature_set: str | None = None  # whose features its columns are
    source: dict[str, Any] | None = None  # address and number of files of a dataset by reference


@dataclass(frozen=True, slots=True)
class StoredDataset:
    """What it takes to read a dataset's rows."""

    view: Dataset
    content: str

    @property
    def features(self) -> tuple[str, ...]:
        """Feature columns in the model's order."""
        return tuple(column.name for column in self.view.columns if column.role == "feature")


@dataclass(frozen=True, slots=True)
class DatasetShape:
    """How large a dataset's columns are; 0 where that is not known."""

    n_columns: int
    n_summary_bytes: int  # of what is kept of its columns, as JSON
    has_texts: bool  # or a column that is called "category"


class DatasetStore(UploadRegistry[NewDataset, Dataset, StoredDataset, DatasetSummary]):
    """Rows of datasets."""

    table = datasets
    listed_columns = (*_FACTS, "listed", "created_at")
    uses = USES_OF_DATASETS

    def shape(self, dataset_id: str) -> "DatasetShape":
        """Return how large the dataset's columns are, without reading more."""
        listed, summary = datasets.c.listed, cast(datasets.c.summary, String)
        query = select(
            listed["n_columns"].as_integer().label("n_columns"),
            listed["n_bytes"].as_integer().label("n_bytes"),
            summary.contains('"category"').label("has_texts"),
        ).where(datasets.c.id == dataset_id)
        with self._database.reading() as connection:
            row = require(first_record(connection, query), "datasets", dataset_id)
        return DatasetShape(row["n_columns"] or 0, row["n_bytes"] or 0, bool(row["has_texts"]))

    def content(self, dataset_id: str) -> str:
        """Return the object that holds the dataset's rows, and nothing that grows with its columns."""
        query = select(datasets.c.content).where(datasets.c.id == dataset_id)
        with self._database.reading() as connection:
            content: str = require(first_record(connection, query), "datasets", dataset_id)["content"]
        return content

    def _insert(self, connection: Connection, new: NewDataset) -> tuple[str, bool]:
        return new.id, add_dataset(connection, new)

    def _view(self, row: Row) -> Dataset:
        summary = row["summary"]
        columns = [_with_digits(column) for column in summary["columns"]]
        return Dataset(**_facts(row), columns=columns, **_facts_about_rows(summary))

    def _stored(self, row: Row) -> StoredDataset:
        return StoredDataset(self._view(row), row["content"])

    def _summary(self, row: Row) -> DatasetSummary:
        return DatasetSummary(**_facts(row))

    def _document(self, row: Row) -> dict[str, Any]:
        return {
            **self._summary(row).model_dump(mode="json"),
            "columns": [{**_NOT_SAID, **_with_digits(column)} for column in row["summary"]["columns"]],
            **_facts_about_rows(row["summary"]),
        }

    def _completed(self, connection: Connection, row: RowMapping) -> Row:
        """Return the row with the words of its dictionary, which come before those of the metadata."""
        dictionary = find_record(connection, dictionaries, row["id"])
        if dictionary is None or dictionary["words"] is None:
            return row
        words = {feature["name"]: feature for feature in dictionary["words"].get("features", ())}
        outcomes = dictionary["words"].get("outcomes", ())
        columns = [
            {**column, **_said(words.get(column["name"], {})), **_labels(column, words, outcomes)}
            for column in row["summary"]["columns"]
        ]
        return {**row, "summary": {**row["summary"], "columns": columns}}

    def _forget_parts(self, connection: Connection, row: Row) -> tuple[str, ...]:
        tables = forget_leaf_tables(connection, leaf_tables.c.dataset == row["id"])
        _forget_words(connection, row["id"])
        return (row["sha256"], row["content"], *tables)


def _forget_words(connection: Connection, dataset: str) -> None:
    """Forget a dataset's dictionary; which features it hid stays known, for what was made before they were hidden."""
    row, is_meant = find_record(connection, dictionaries, dataset), dictionaries.c.id == dataset
    if row is not None and row["hidden_since"]:
        connection.execute(update(dictionaries).where(is_meant).values(words=None, n_bytes=0))
    else:
        connection.execute(delete(dictionaries).where(is_meant))


def _labels(column: Row, words: Mapping[str, Any], outcomes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a column's ``labels``: of its values, and of the target those of outcomes with those that are adverse."""
    if column["role"] != "target":
        labels = words.get(column["name"], {}).get("values", [])
        return {"labels": labels} if labels else {}
    labels = [{"value": each["name"], "label": each["label"]} for each in outcomes if each.get("label")]
    adverse = [each["name"] for each in outcomes if each.get("adverse")]
    return ({"labels": labels} if labels else {}) | ({"adverse": adverse} if adverse else {})


def _with_digits(column: Row) -> Row:
    """Return a column with ``plain_digits`` where its numbers are written without commas; see ``Column``."""
    is_whole = column["type"] == "number" and column.get("decimals") == 0 and not column.get("n_infinite")
    ends = [column[name] for name in ("min", "max") if column.get(name) is not None]
    are_years = is_whole and len(ends) == 2 and _YEARS[0] <= ends[0] <= ends[1] <= _YEARS[1]
    is_plain = column["type"] == "number" and column.get("plain_digits", are_years)
    rest = {name: value for name, value in column.items() if name != "plain_digits"}
    return rest | {"plain_digits": True} if is_plain else rest


def _said(words: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a column's dictionary entry says of it, by the fields of ``Column``."""
    said = {"title": words.get("label"), "unit": words.get("unit"), "description": words.get("description")}
    said["plain_digits"] = words.get("plain_digits")
    return {name: text for name, text in said.items() if text is not None}


def add_dataset(connection: Connection, dataset: NewDataset) -> bool:
    """Keep the dataset, unless it is there; return whether it is new."""
    values = {field: getattr(dataset, field) for field in NewDataset.__dataclass_fields__}
    listed = _listed(dataset.summary, dataset.metadata)
    return add_record(connection, datasets, {**values, "listed": listed, "created_at": time.time()})


def described(summary: dict[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the summary of a dataset's columns with the names and roles that the metadata give them.

    Raises
    ------
    DatasetRefused
        ``dataset_bad_columns`` where they name a column that there is not, or an image of other than number columns.
    """
    about = {each["name"]: each for each in metadata.get("columns") or ()}
    images: list[dict[str, Any]] = list(metadata.get("images") or ())
    types = {column["name"]: column["type"] for column in summary["columns"]}
    if unknown := [name for name in about if name not in types]:
        _refuse(f"`columns` describe {unknown[0]!r}, which the dataset does not have")
    for image in images:
        n_values = image["width"] * image["height"] * image["channels"]
        if len(image["columns"]) != n_values:
            _refuse(f"an image of {n_values:,} values names {len(image['columns']):,} columns; name one for each")
        if others := [name for name in image["columns"] if types.get(name) != "number"]:
            _refuse(f"`images` name {others[0]!r}, which is no column of numbers")
    columns = [{**column, **about.get(column["name"], {})} for column in summary["columns"]]
    declared = {"images": images, "held_out": bool(metadata.get("held_out"))}
    return {**summary, "columns": columns, **{name: value for name, value in declared.items() if value}}


def _facts_about_rows(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a summary says of a dataset's rows beside its columns."""
    return {name: summary.get(name, default) for name, default in _DEFAULTS.items()}


def _refuse(detail: str) -> NoReturn:
    raise DatasetRefused("dataset_bad_columns", detail)


def _listed(summary: dict[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a summary that lists show, and how long the whole is."""
    columns = summary["columns"]
    return {
        "n_rows": summary["n_rows"],
        "n_columns": len(columns),
        "n_features": sum(column["role"] == "feature" for column in columns),
        "target": metadata.get("target"),
        "row_id": metadata.get("row_id"),
        "n_bytes": len(orjson.dumps(summary)),
    }


def _facts(row: Row) -> dict[str, Any]:
    columns = {name: row[name] for name in _FACTS}
    return {**columns, **listed_values(row), "created_at": moment(row["created_at"])}
