"""Datasets: registered tables of reference rows."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from .contract import Contract, Many, Name, RowId, RowIndex


class DatasetMetadata(Contract):
    """What the columns are for."""

    name: Name | None = None
    target: Name | None = Field(default=None, description="The column with the labels or values to predict.")
    row_id: Name | None = Field(
        default=None,
        description="The column with the rows' ids, each another one; default: each row's 0-based index as text.",
    )
    features: Many[Name] | None = Field(
        default=None, description="Column names in the model's order; default: all but target and row_id."
    )


class OddCell(Contract):
    """A cell unlike the others of its column."""

    row: RowIndex
    text: str = Field(description="What the cell holds, cut after 60 characters.")


class Column(Contract):
    """One column of a dataset."""

    name: str
    type: Literal["number", "category", "boolean"]
    role: Literal["feature", "target", "row_id", "ignored"]
    n_missing: int
    n_categories: int | None
    categories: list[str] | None = Field(description="Sorted; null for numbers, and where there are over 1,000.")
    min: float | None
    max: float | None
    category_because: OddCell | None = Field(
        default=None,
        description="Where nearly all values of a category are numbers: the first cell that is none, such as `1_000`. "
        "It is most likely an oversight; correct it and register the dataset again.",
    )


class DatasetSummary(Contract):
    """A registered dataset in a list: without its columns."""

    object: Literal["dataset"] = "dataset"
    id: str
    name: str | None
    sha256: str
    size_bytes: int
    n_rows: int
    n_columns: int = Field(description="Number of columns of any role.")
    n_features: int = Field(description="Number of columns with the role `feature`.")
    target: str | None
    row_id: str | None
    created_at: datetime


class Dataset(DatasetSummary):
    """A registered dataset."""

    columns: list[Column]


class Cell(Contract):
    """One value of a row."""

    name: str
    value: float | bool | str | None


class DatasetRow(Contract):
    """One row, all columns."""

    object: Literal["row"] = "row"
    row: RowIndex
    row_id: RowId
    values: list[Cell]
