"""Datasets: registered tables of reference rows."""

from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from .contract import OBJECT, Contract, CreatedAt, Many, Name, RowId, RowIndex, absent
from .dictionaries import ValueWords
from .json_numbers import INFINITE
from .noun import JSON, PARQUET, Noun, Product
from .paper_settings import MethodRequest


class ColumnDescription(Contract):
    """What a column means, for people."""

    name: Name = Field(description="Name of the column.")
    title: Name | None = Field(default=None, description="Name to show instead; null: the name itself.")
    unit: Name | None = Field(default=None, description="Unit of its numbers, such as `years`; null: none.")
    description: Annotated[str, Field(min_length=1, max_length=2000)] | None = Field(
        default=None, description="What it means, in a sentence or two; null: not given."
    )


class ImageColumns(Contract):
    """Columns that are the pixels of an image."""

    columns: Many[Name] = Field(
        description="Names of the columns, line by line from the top, the channels of a pixel side by side: `width` x "
        "`height` x `channels` of them."
    )
    width: int = Field(strict=True, ge=1, le=1024, description="Pixels of a line.")
    height: int = Field(strict=True, ge=1, le=1024, description="Lines.")
    channels: Literal[1, 3] = Field(default=1, description="Values of a pixel: 1 (grey) or 3 (red, green, blue).")
    highest: float = Field(default=255.0, gt=0, description="The value of white; 0 is black.")


class DatasetColumns(Contract):
    """The roles of a dataset's columns, and what they mean."""

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
    columns: Many[ColumnDescription] = Field(
        default=[], description="What columns mean, for people; columns that are not listed have no description."
    )
    images: list[ImageColumns] = Field(
        default=[],
        max_length=16,
        description="Images that rows hold; nothing else is taken for an image, but columns called `pixel_0_0`, "
        "`pixel_0_1`, … (line, place) are shown as one.",
    )
    held_out: bool = Field(
        default=False,
        strict=True,
        description="Whether no model that is used with the rows was trained on them, as their owner declares. Figures "
        "that were measured on them say so.",
    )


class DatasetMetadata(DatasetColumns):
    """The roles of a dataset's columns, what they mean, and how the file is read."""

    categories: Many[Name] = Field(
        default=[],
        description="Names of columns whose values are texts, even where they look like numbers or truth values, as "
        "`01234` and `True`; they are kept as they are written. Needed in CSV, which does not say what a value is.",
    )
    missing_values: list[Annotated[str, Field(min_length=1, max_length=255)]] = Field(
        default=[],
        max_length=100,
        description="What the file holds where a value is missing, such as `?` or `-999`, in all columns but the rows' "
        "ids; texts are compared without blanks around them, numbers by their value, so that `-999` is `-999.0`, too. "
        "Empty cells and null are missing in any case.",
    )
    separator: Literal[",", ";", "\t", "|"] | None = Field(
        default=None,
        description="What separates the cells of CSV; default: the comma, or, where the header has none, whichever of "
        "semicolon, tab and `|` it has most. Refused for Parquet and JSON.",
    )


class DatasetFiles(Contract):
    """Where the files of a dataset by reference lie."""

    files: str = Field(
        min_length=1,
        max_length=1024,
        description="Address of Parquet, CSV or JSON files below a folder or bucket that the service may read: "
        "`s3://bucket/folder/*.parquet` or `file:///folder/*.parquet`. A star matches any characters of one "
        "segment, which may be a folder, too; at most 100,000 files have the address.",
    )


class SourceDatasetRequest(MethodRequest, DatasetColumns):
    """A dataset whose rows stay in files of a lake."""

    source: DatasetFiles = Field(description="The files, which need the same columns; rows are in the order of names.")


class DatasetSource(DatasetFiles):
    """The files of a dataset by reference, as they were when it was registered."""

    files: str = Field(description="Address of the files.")
    n_files: int = Field(description="Number of files.")


class OddCell(Contract):
    """A cell unlike the others of its column."""

    row: RowIndex
    text: str = Field(description="Content of the cell, cut after 60 characters.")


class Column(Contract):
    """One column of a dataset."""

    name: str = Field(description="Name of the column in the uploaded file.")
    title: str | None = Field(
        default=None,
        description="Name to show instead: the label in the dictionary, or else the title in the metadata; null: the "
        "name itself.",
    )
    unit: str | None = Field(default=None, description="Unit of its numbers, from either; null: none.")
    description: str | None = Field(default=None, description="What it means, from either; null: not given.")
    labels: list[ValueWords] | SkipJsonSchema[None] = absent(
        "What its values are called in the dictionary; of the target, its classes and the outcomes of decisions. "
        "Absent where they have no labels."
    )
    adverse: list[str] | SkipJsonSchema[None] = absent(
        "Of the target: the classes and outcomes that the dictionary declares adverse to the person concerned. Absent "
        "where it declares none."
    )
    plain_digits: bool | SkipJsonSchema[None] = absent(
        "Whether texts write its numbers without commas of thousands, as years and codes are: where the dictionary "
        "says so or, where it says nothing, all are whole numbers from 1500 to 2100. Absent otherwise."
    )
    type: Literal["number", "category", "boolean"] = Field(description="Type of the column's values.")
    role: Literal["feature", "target", "row_id", "ignored"] = Field(
        description="Use of the column; `ignored` if the metadata name it nowhere."
    )
    n_missing: int = Field(description="Number of missing values.")
    n_infinite: int = Field(
        default=0, description="Number of infinite numbers, which `min`, `max` and `quantiles` leave out."
    )
    n_categories: int | None = Field(description="Number of distinct categories; null for numbers and booleans.")
    categories: list[str] | None = Field(
        description="Distinct categories in alphabetical order; null for numbers and booleans, and for more than "
        "1,000 categories."
    )
    min: float | None = Field(
        description="Smallest finite number; null for other types and where all values are missing or infinite."
    )
    max: float | None = Field(
        description="Largest finite number; null for other types and where all values are missing or infinite."
    )
    quantiles: list[float] | None = Field(
        default=None,
        description="Smallest number, then at equal steps those that each further share of the rows does not exceed, "
        "the last one being the largest: 101 numbers, one for each per cent; 21 where over 100 columns are numbers, 5 "
        "where over 480 are. Missing and infinite values are left out. Of over 4,000,000 numbers, those of a sample of "
        "rows. Null for other types, where all values are missing or infinite, and where over 2,020 columns are "
        "numbers.",
    )
    decimals: int | None = Field(
        default=None,
        description="The most decimals of any number, 0 to 6, by which conditions are printed: 0 means whole numbers, "
        "even where the file holds them as floating-point numbers. Null where some number has more, for other types, "
        "and where all values are missing or infinite.",
    )
    is_single_precision: bool = Field(
        default=False,
        description="Whether the numbers have so few decimals only in single precision, which holds 0.1 as "
        "0.10000000149.",
    )
    category_counts: list[int] | None = Field(
        default=None,
        description="Number of rows of each of `categories`, in their order; null where these are.",
    )
    category_because: OddCell | None = Field(
        default=None,
        description="First cell that is no number, such as `1_000`, in a category column whose other values nearly all "
        "are numbers: most likely an oversight in the file. Null for all other columns.",
    )


class DatasetSummary(Contract):
    """A registered dataset in a list: without its columns."""

    object: Annotated[Literal["dataset"], OBJECT] = "dataset"
    id: str = Field(
        description="Id of the dataset, derived from its file and metadata; by reference, from what its files are."
    )
    name: str | None = Field(description="Name from the metadata; null without one.")
    sha256: str = Field(description="SHA-256 of the uploaded file, in hexadecimal; by reference, of the list of files.")
    size_bytes: int = Field(description="Size of the uploaded file, or of all files of the source, in bytes.")
    n_rows: int = Field(description="Number of rows.")
    n_columns: int = Field(description="Number of columns of any role.")
    n_features: int = Field(description="Number of columns with the role `feature`.")
    target: str | None = Field(description="Name of the target column; null without one.")
    row_id: str | None = Field(description="Name of the column with the rows' ids; null without one.")
    feature_set: str | None = Field(
        default=None,
        description="Id of the feature set whose features the dataset's are; null for uploaded datasets.",
    )
    source: DatasetSource | None = Field(
        default=None, description="Files that hold the rows of a dataset by reference; null where the service has them."
    )
    created_at: CreatedAt


class Dataset(DatasetSummary):
    """A registered dataset."""

    columns: list[Column] = Field(description="All columns, in the order of the file.")
    images: list[ImageColumns] = Field(default=[], description="Images that rows hold, as the metadata declare them.")
    held_out: bool = Field(
        default=False, description="Whether the metadata declare that no model was trained on the rows."
    )
    ignored_columns: list[str] = Field(
        default=[],
        description="Names of columns of the file that are left out, because they hold lists, objects, bytes or "
        "durations: other than numbers, texts and booleans.",
    )


class Cell(Contract):
    """One value of a row."""

    name: str = Field(description="Name of the column.")
    value: float | bool | str | None = Field(
        description=f"Value of the row in this column; null if it is missing; {INFINITE}."
    )


class DatasetRow(Contract):
    """One row with the values of its columns."""

    object: Annotated[Literal["row"], OBJECT] = "row"
    row: RowIndex
    row_id: RowId
    values: list[Cell] = Field(description="Values of the row, in the order of the columns that were read.")


DATASETS = Noun(
    name="datasets",
    singular="dataset",
    position=20,
    id_prefix="ds_",
    description="Tables of reference rows.",
    making="at_once",
    request=DatasetMetadata,
    summary=DatasetSummary,
    view=Dataset,
    has_jobs=True,
    mutable=("name",),
    changing=("dictionary",),
    products=(Product(name="rows", media_types=(JSON, PARQUET), row=DatasetRow),),
)
