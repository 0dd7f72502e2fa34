"""Relational datasets: several tables with keys, registered together; the rows of one of them are the examples."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from .contract import OBJECT, Contract, CreatedAt, Name
from .datasets import OddCell
from .noun import Noun

MAX_TABLES = 64
_MAX_KEY_COLUMNS = 16
_MAX_LISTED_COLUMNS = 10_000

KeyColumns = Annotated[list[Name], Field(min_length=1, max_length=_MAX_KEY_COLUMNS)]


class ExamplesMetadata(Contract):
    """Which rows are the examples, what is to be predicted of them, and from when on they know nothing."""

    table: Name = Field(description="Name of the table whose rows are the examples.")
    target: Name | None = Field(
        default=None,
        description="Name of its column with the labels or values to predict, which may be missing; null: none. It is "
        "never tested, on any path.",
    )
    cutoff: Name | None = Field(
        default=None,
        description="Name of its column with the moment of the prediction: of tables with a `time`, an example sees "
        "only rows before it. Null: it sees all.",
    )


class ForeignKeyMetadata(Contract):
    """Columns whose values name rows of another table, or of the same one."""

    columns: KeyColumns = Field(description="Names of the columns, in the order of the primary key that they refer to.")
    references: Name = Field(description="Name of the table that they refer to; it has a primary key.")


class RelationalTableMetadata(Contract):
    """The keys of one table, and when its rows became known."""

    name: Name = Field(description="Name of the table: that of its file, without the suffix.")
    primary_key: KeyColumns | None = Field(
        default=None,
        description="Names of the columns that identify a row. Null: inferred where `infer_keys` is true, namely the "
        "column `id`, `<table>_id` or `<table>` (the first of these) if each row has a value of its own there; where "
        "no other table refers to that, a column that others share, as `infer_keys` says; of the examples also the "
        "only column in which each row has another value, as ids have; else none.",
    )
    foreign_keys: list[ForeignKeyMetadata] = Field(
        default=[],
        max_length=MAX_TABLES,
        description="Columns that name rows of other tables, beside those that are inferred.",
    )
    time: Name | None = Field(
        default=None,
        description="Name of the column with the moment at which a row became known, as numbers or as ISO 8601 dates "
        "or times (in UTC where they name no zone); null: its rows were always known.",
    )
    categories: list[Name] = Field(
        default=[],
        max_length=_MAX_LISTED_COLUMNS,
        description="Names of columns that hold codes, such as 7 for aromatic, and are read as categories even where "
        "all values are numbers.",
    )
    features: list[Name] = Field(
        default=[],
        max_length=_MAX_LISTED_COLUMNS,
        description="Names of columns that are tested even where nearly each row has another value, as ids have; no "
        "key is inferred from them.",
    )


class RelationalDatasetMetadata(Contract):
    """The tables of a relational dataset and how they refer to each other."""

    name: Name | None = Field(default=None, description="Name of the dataset, shown in lists; null: none.")
    examples: ExamplesMetadata = Field(description="The rows for which something is to be predicted.")
    tables: list[RelationalTableMetadata] = Field(
        min_length=1, max_length=MAX_TABLES, description="All tables, each with a file of its name."
    )
    infer_keys: bool = Field(
        default=True,
        description="Whether keys that are not declared are inferred: a column is taken for a foreign key if it is "
        "called as another table's primary key (unless that is called `id`) or `<table>_<key>`, is not itself the "
        "primary key of its table, and all its values occur there. Besides, a column that several tables share (by "
        "name, small or capital letters alike) refers to the table in which each row has another value of it, if all "
        "values occur there; to that of the examples, if it is one of several. Where several tables or several columns "
        "would do, nothing is inferred, and a warning `key_in_doubt` says so. What is inferred is marked as such; a "
        "declaration comes before it. Of texts, some may occur in the child alone, if more than these occur in both.",
    )


class RelationalColumn(Contract):
    """One column of a table."""

    name: str = Field(description="Name of the column in the uploaded file.")
    type: Literal["number", "category", "boolean"] = Field(
        description="Type of the column's values; of keys: category."
    )
    role: Literal["feature", "target", "key", "time", "id"] = Field(
        description="Use of the column. Keys, times (also the cutoff), the target and ids, whose values differ in "
        "nearly all rows, are never tested by value."
    )
    n_missing: int = Field(description="Number of missing values.")
    n_categories: int | None = Field(
        description="Number of distinct categories; null for numbers, booleans, keys and times."
    )
    categories: list[str] | None = Field(
        description="Distinct categories in alphabetical order; null for numbers, booleans, keys, times, and more than "
        "1,000 categories."
    )
    min: float | None = Field(description="Smallest number; null for other types and where all values are missing.")
    max: float | None = Field(description="Largest number; null for other types and where all values are missing.")
    category_because: OddCell | None = Field(
        default=None,
        description="First cell that is no number in a category column whose other values nearly all are numbers: most "
        "likely an oversight in the file. Null for all other columns.",
    )


class RelationalTable(Contract):
    """One table."""

    name: str = Field(description="Name of the table.")
    sha256: str = Field(description="SHA-256 of the uploaded file, in hexadecimal.")
    size_bytes: int = Field(description="Size of the uploaded file in bytes.")
    n_rows: int = Field(description="Number of rows; 0 for an empty table.")
    primary_key: list[str] = Field(description="Names of the columns that identify a row; empty: there are none.")
    is_key_inferred: bool = Field(
        default=False, description="Whether the primary key was inferred from names and values rather than declared."
    )
    time: str | None = Field(description="Name of the column with the moment at which a row became known; null: none.")
    columns: list[RelationalColumn] = Field(description="All columns, in the order of the file.")


class Relationship(Contract):
    """A foreign key, followed both ways: to the row that it names, and back to the rows that name it."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    name: str = Field(description="Name of the relationship: `<child>.<columns>`, the columns parted by commas.")
    from_: str = Field(alias="from", description="Name of the table with the foreign key: the child.")
    to: str = Field(description="Name of the table whose rows it names: the parent.")
    columns: list[str] = Field(description="Columns of the foreign key.")
    n_dangling: int = Field(description="Number of rows of the child whose key names no row of the parent.")
    n_without: int = Field(description="Number of rows of the parent that no row of the child names.")
    mean_rows: float = Field(
        description="Mean number of rows of the child that name a row of the parent; 0 if the parent is empty."
    )
    max_rows: int = Field(description="Largest number of rows of the child that name the same row of the parent.")
    inferred: bool = Field(description="Whether it was inferred from names and values rather than declared.")


class Examples(Contract):
    """Which rows are the examples, how many, and what is to be predicted of them."""

    table: str = Field(description="Name of their table.")
    target: str | None = Field(description="Name of the column to predict; null: none.")
    cutoff: str | None = Field(description="Name of the column with the moment of the prediction; null: none.")
    n: int = Field(description="Number of examples.")
    n_labelled: int = Field(description="Number of examples with a value of the target; 0 without a target.")
    classes: list[str] | None = Field(
        description="Distinct labels, in numeric order if all are numbers, else in alphabetical order. Null without a "
        "target, and where it holds more than 1,000 different numbers, which are values of a regression."
    )


RelationalWarningCode = Literal[
    "dates_without_time", "time_without_cutoff", "table_not_joined", "column_of_ids", "key_in_doubt"
]


class RelationalWarning(Contract):
    """A reason to look at the tables again."""

    code: RelationalWarningCode = Field(
        description="Stable, machine-readable name. `dates_without_time`: a table has a column of dates and no `time`; "
        "`time_without_cutoff`: it has a `time`, and the examples no `cutoff`. Either way its rows are seen whenever "
        "they were made, which may reveal the target. `table_not_joined`: no relationship leads from the examples to a "
        "table, so that nothing is learned from it. `column_of_ids`: nearly each row has another value, as ids have, "
        "which says nothing about other rows; the columns are not tested unless they are declared as `features`. "
        "`key_in_doubt`: columns may be a key, but several tables or columns would do, so that none was inferred."
    )
    table: str = Field(description="Name of the table.")
    columns: list[str] = Field(description="Names of the columns.")
    detail: str = Field(description="What may be wrong, and what to do.")


class RelationalDatasetSummary(Contract):
    """A relational dataset in a list: without its columns."""

    object: Annotated[Literal["relational_dataset"], OBJECT] = "relational_dataset"
    id: str = Field(description="Id of the dataset, derived from its files and metadata.")
    name: str | None = Field(description="Name from the metadata; null without one.")
    size_bytes: int = Field(description="Size of all uploaded files in bytes.")
    n_tables: int = Field(description="Number of tables.")
    n_rows: int = Field(description="Number of rows of all tables.")
    n_columns: int = Field(description="Number of columns of all tables.")
    n_examples: int = Field(description="Number of rows of the table of examples.")
    target: str | None = Field(description="Name of the target column; null without one.")
    created_at: CreatedAt


class RelationalDataset(RelationalDatasetSummary):
    """A registered relational dataset."""

    tables: list[RelationalTable] = Field(description="All tables, in the order of the metadata.")
    relationships: list[Relationship] = Field(
        description="All foreign keys, in the order of the tables: declared ones first, then inferred ones."
    )
    examples: Examples = Field(description="The rows for which something is to be predicted.")
    unused: list[str] = Field(description="Names of the tables that no relationship leads to from the examples.")
    warnings: list[RelationalWarning] = Field(description="Reasons to look at the tables again; empty: there are none.")


RELATIONAL_DATASETS = Noun(
    name="relational_datasets",
    singular="relational_dataset",
    position=30,
    id_prefix="rds_",
    description="Several tables with keys, whose rows of one are the examples.",
    making="at_once",
    request=RelationalDatasetMetadata,
    summary=RelationalDatasetSummary,
    view=RelationalDataset,
    mutable=("name",),
)
