"""Datasets: registered tables of reference rows."""

from typing import Annotated, Literal

from pydantic import Field

from .contract import OBJECT, Contract, CreatedAt, Many, Name, RowId, RowIndex


class DatasetMetadata(Contract):
    """The roles of a dataset's columns."""

    name: Name | None = Field(default=None, description="Name of the dataset, shown in lists; null: none.")
    target: Name | None = Field(
        default=None, description="Name of the column with the labels or values to predict; null: none."
    )
    row_id: Name | None = Field(
        default=None,
        description="Name of the column with the rows' ids, which must be unique; default: each row's 0-based index "
        "as text.",
    )
    features: Many[Name] | None = Field(
        default=None,
        description="Names of the feature columns in the model's order; default: all columns but target and row_id.",
    )


class OddCell(Contract):
    """A cell unlike the others of its column."""

    row: RowIndex
    text: str = Field(description="Content of the cell, cut after 60 characters.")


class Column(Contract):
    """One column of a dataset."""

    name: str = Field(description="Name of the column in the uploaded file.")
    type: Literal["number", "category", "boolean"] = Field(description="Type of the column's values.")
    role: Literal["feature", "target", "row_id", "ignored"] = Field(
        description="Use of the column; `ignored` if the metadata name it nowhere."
    )
    n_missing: int = Field(description="Number of missing values.")
    n_categories: int | None = Field(description="Number of distinct categories; null for numbers and booleans.")
    categories: list[str] | None = Field(
        description="Distinct categories in alphabetical order; null for numbers and booleans, and for more than "
        "1,000 categories."
    )
    min: float | None = Field(description="Smallest number; null for other types and where all values are missing.")
    max: float | None = Field(description="Largest number; null for other types and where all values are missing.")
    category_because: OddCell | None = Field(
        default=None,
        description="First cell that is no number, such as `1_000`, in a category column whose other values nearly all "
        "are numbers: most likely an oversight in the file. Null for all other columns.",
    )


class DatasetSummary(Contract):
    """A registered dataset in a list: without its columns."""

    object: Annotated[Literal["dataset"], OBJECT] = "dataset"
    id: str = Field(description="Id of the dataset, derived from its file and metadata.")
    name: str | None = Field(description="Name from the metadata; null without one.")
    sha256: str = Field(description="SHA-256 of the uploaded file, in hexadecimal.")
    size_bytes: int = Field(description="Size of the uploaded file in bytes.")
    n_rows: int = Field(description="Number of rows.")
    n_columns: int = Field(description="Number of columns of any role.")
    n_features: int = Field(description="Number of columns with the role `feature`.")
    target: str | None = Field(description="Name of the target column; null without one.")
    row_id: str | None = Field(description="Name of the column with the rows' ids; null without one.")
    feature_set: str | None = Field(
        default=None,
        description="Id of the feature set whose features the dataset's are; null for uploaded datasets.",
    )
    created_at: CreatedAt


class Dataset(DatasetSummary):
    """A registered dataset."""

    columns: list[Column] = Field(description="All columns, in the order of the file.")


class Cell(Contract):
    """One value of a row."""

    name: str = Field(description="Name of the column.")
    value: float | bool | str | None = Field(description="Value of the row in this column; null if it is missing.")


class DatasetRow(Contract):
    """One row with the values of its columns."""

    object: Annotated[Literal["row"], OBJECT] = "row"
    row: RowIndex
    row_id: RowId
    values: list[Cell] = Field(description="Values of the row, in the order of the columns that were read.")
