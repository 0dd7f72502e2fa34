"""Table files: one table of several, read from its upload into a normalised file, and columns read back from there."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..dataset_files.layout import ColumnLayout, ColumnRole, ColumnType, DatasetLimits, shown
from ..dataset_files.normalising import ColumnSummary, refuse_infinite, write_normalised
from ..dataset_files.reading import open_source, read_names
from ..dataset_files.sniffing import FileForm, sniff
from ..errors import DatasetRefused, TooManyRows
from .declaration import RelationalDeclaration, TableDeclaration, check_columns
from .key_columns import KeyColumn
from .times import are_moments

_FEWEST_KEYS = 2  # rows of a table whose primary key is inferred from values
_FEWEST_IDS = 20  # values of a column that is taken for ids
_SHARE_OF_IDS = 0.95  # distinct values among all
_SPREAD_OF_IDS = 2  # largest range of numbers that run on, in multiples of their number
_NAME_OF_IDS = re.compile(
    r"(^|[^a-z])(ids?|no|nr|num|number|key|code|ref|uuid|guid)$|[a-z](Id|ID|No|Nr|Key)$", re.ASCII
)
_DIGIT = re.compile(r"\d")

_UNTOLD = frozenset(
    {"quantiles", "category_counts", "n_infinite", "decimals", "is_single_precision"}
)  # of columns of tables


@dataclass(frozen=True, slots=True)
class UploadedTable:
    """A table's file whose columns' names are known."""

    declared: TableDeclaration
    upload: Path
    form: FileForm
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColumnUses:
    """The uses of a table's columns, for the readers of files: which are kept as texts, and the role of each."""

    texts: frozenset[str]
    roles: dict[str, ColumnRole]
    target: None = None
    row_id: None = None
    features: None = None
    missing_values: None = None
    separator: None = None
    may_be_empty: bool = True
    may_leave_out: bool = False

    @classmethod
    def of(cls, declared: RelationalDeclaration, table: TableDeclaration, keys: Collection[str]) -> "ColumnUses":
        """Return the uses where these columns are of keys."""
        roles: dict[str, ColumnRole] = {}
        if table.name == declared.examples:
            roles |= {name: "target" for name in (declared.target,) if name is not None}
            roles |= {name: "time" for name in (declared.cutoff,) if name is not None}
        if table.time is not None:
            roles[table.time] = "time"
        roles |= dict.fromkeys(keys, "key")
        return cls(frozenset(keys) | frozenset(table.categories), roles)


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table in its normalised file, whose columns are in the order of the upload."""

    uploaded: UploadedTable
    uses: ColumnUses
    content: Path
    n_rows: int
    natural_types: dict[str, ColumnType | None]
    columns: tuple[ColumnSummary, ...]

    @property
    def declared(self) -> TableDeclaration:
        """Its declaration in the metadata."""
        return self.uploaded.declared

    @property
    def name(self) -> str:
        """Name of the table."""
        return self.declared.name

    def column(self, name: str) -> ColumnSummary:
        """Return what is known of a column."""
        return {column.name: column for column in self.columns}[name]

    def key(self, columns: Sequence[str]) -> list[KeyColumn]:
        """Return the values of the columns of a key, which were kept as texts."""
        return [KeyColumn.of(name, read_column(self.content, name), self.natural_types[name]) for name in columns]

    def columns_of_dates(self) -> list[str]:
        """Return the names of the features that hold dates or times alone."""
        return [column.name for column in self.columns if column.role == "feature" and self._holds_dates(column)]

    def columns_of_ids(self, *, are_rows_shared: bool) -> list[str]:
        """Return the names of the features that identify rows rather than describe them, but for declared features.

        ``are_rows_shared``: several rows of another table refer to each row, so that words say what these have in
        common, such as the names of products that many customers bought.
        """
        return [
            column.name
            for column in self.columns
            if column.role == "feature"
            and column.name not in self.declared.features
            and self._holds_ids(column, are_rows_shared=are_rows_shared)
        ]

    def may_identify_rows(self, name: str) -> bool:
        """Return whether each row has a value of its own in a column, which is no measurement and no date.

        Of a column that was read as texts, which are not counted, this is not known: it may.
        """
        column = self.column(name)
        if column.role == "key":
            return True
        if column.n_missing or self.n_rows < _FEWEST_KEYS:
            return False
        if column.type == "category":
            return column.n_categories == self.n_rows and not self._holds_dates(column)
        return column.type == "number" and self._n_ids(column) == self.n_rows

    def _holds_ids(self, column: ColumnSummary, *, are_rows_shared: bool) -> bool:
        """Return whether nearly each row has another whole number, or another text."""
        n_values = self.n_rows - column.n_missing
        if n_values < _FEWEST_IDS:
            return False
        if column.type == "number":
            return self._n_ids(column) >= _SHARE_OF_IDS * n_values
        if column.type == "boolean" or (column.n_categories or 0) < _SHARE_OF_IDS * n_values:
            return False
        return not are_rows_shared or all(_DIGIT.search(level) for level in column.categories or ())

    def _n_ids(self, column: ColumnSummary) -> int:
        """Return how many different numbers there are; 0 if they may be measured.

        Ids are whole; they run on, or their column is called an id.
        """
        if column.min is None or column.max is None:
            return 0
        runs_on = column.max - column.min < _SPREAD_OF_IDS * (self.n_rows - column.n_missing)
        if not runs_on and _NAME_OF_IDS.search(column.name) is None:
            return 0
        distinct = pc.drop_null(pc.unique(read_column(self.content, column.name))).to_numpy()
        return len(distinct) if np.all(distinct % 1 == 0) else 0

    def _holds_dates(self, column: ColumnSummary) -> bool:
        if column.type != "category" or column.n_missing == self.n_rows:
            return False
        if column.categories is not None:
            return are_moments(pa.array(column.categories, pa.string()))
        return are_moments(pc.unique(read_column(self.content, column.name)))


def survey_table(
    declared: RelationalDeclaration, table: TableDeclaration, upload: Path, limits: DatasetLimits
) -> UploadedTable:
    """Return a table's names.

    Raises
    ------
    DatasetRefused
        Where the file cannot be read, or lacks a column that the metadata name.
    """
    with _naming(table):
        form = sniff(upload, None)
        names = read_names(form, upload, limits)
    check_columns(declared, table, names)
    return UploadedTable(table, upload, form, names)


def read_table(uploaded: UploadedTable, uses: ColumnUses, limits: DatasetLimits, into: Path) -> ReadTable:
    """Read a table and write it to ``into``; raise ``DatasetRefused`` where it cannot be read, or is too large."""
    with _naming(uploaded.declared):
        source = open_source(uploaded.form, uploaded.upload, uses, limits)
        layout = [
            ColumnLayout(name, kind, uses.roles.get(name, "feature"), index)
            for index, (name, kind) in enumerate(zip(source.names, source.types, strict=True))
        ]
        n_rows, columns = write_normalised(source, layout, into, limits)
        for column in columns:
            if column.n_infinite:
                refuse_infinite(column.name, "feature", column.n_infinite)
    odd_cells = source.odd_cells
    columns = tuple(replace(column, category_because=odd_cells.get(column.name)) for column in columns)
    natural_types = dict(zip(source.names, source.natural_types, strict=True))
    return ReadTable(uploaded, uses, into, n_rows, natural_types, columns)


def described(columns: Sequence[ColumnSummary], ids: Collection[str]) -> list[dict[str, Any]]:
    """Return the columns as JSON; nothing is counted or listed of keys and times.

    ``ids`` are names of columns whose role is that of ids.
    """
    shown = [{name: value for name, value in asdict(column).items() if name not in _UNTOLD} for column in columns]
    return [column | ({"role": "id"} if column["name"] in ids else {}) for column in shown]


def read_column(content: Path, name: str) -> pa.ChunkedArray:
    """Return a column of a normalised file: doubles, texts or booleans, null for what is missing."""
    with pq.ParquetFile(content) as file:
        # A name with a dot in it selects its neighbours too.
        return file.read(columns=[name], use_threads=False).column(name)


@contextmanager
def _naming(table: TableDeclaration) -> Iterator[None]:
    """Have refusals of a file say which table it is of."""
    try:
        yield
    except DatasetRefused as refusal:
        code = "too_many_rows" if isinstance(refusal, TooManyRows) else refusal.code
        detail = f"table {shown(table.name)}: {refusal.detail}"
        raise DatasetRefused(code, detail, refusal.pointer or table.pointer) from refusal
