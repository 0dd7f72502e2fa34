"""The layout of a dataset: its columns, their types and roles, its limits, and what readers of all formats share."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, NoReturn, Protocol

import pyarrow as pa

from schemas.contract import UNSEEN_IN_NAMES

from ..errors import DatasetRefused, TooManyRows

ColumnType = Literal["number", "category", "boolean"]
ColumnRole = Literal["feature", "target", "row_id", "ignored", "key", "time"]

LARGEST_EXACT = 2**53 - 1  # 2^53 is also what 2^53 + 1 is rounded to
_N_BLOCK_ROWS = 65_536
ARROW_TYPES: dict[ColumnType, pa.DataType] = {
    "number": pa.float64(),
    "category": pa.string(),
    "boolean": pa.bool_(),
}
_N_BLOCK_CELLS = 2**23  # 64 MiB of numbers
_UNSEEN = re.compile(f"[{UNSEEN_IN_NAMES}]")
_INDEX = re.compile(r"__index_level_\d+__")
_MAX_NAME_CHARACTERS = 255
_MAX_NAMES_BYTES = 1 << 20
_N_NAMES_SHOWN = 20
_N_COMPARED_CHARACTERS = 100  # of a name that is not there, with those that are
_N_CHARACTERS_SHOWN = 60
_MOST_ODD = 0.1  # share of cells that are not numbers, in a column of numbers


class ColumnDeclaration(Protocol):
    """What the sender says about the columns."""

    @property
    def target(self) -> str | None:
        """Column with the labels or values to predict."""

    @property
    def row_id(self) -> str | None:
        """Column with the rows' identifiers; default: the 0-based row number as a string."""

    @property
    def features(self) -> Sequence[str] | None:
        """Columns in the model's order; default: all but target and row_id, in the file's order."""

    @property
    def texts(self) -> Collection[str]:
        """Columns whose values are kept as they are written, and never become numbers or booleans."""

    @property
    def missing_values(self) -> Collection[str] | None:
        """Texts and numbers that stand for a missing value in all columns but the row ids; None: cannot be declared."""

    @property
    def separator(self) -> str | None:
        """What separates the cells of CSV; None: what its header shows."""

    @property
    def may_be_empty(self) -> bool:
        """Whether a file without rows is accepted."""

    @property
    def may_leave_out(self) -> bool:
        """Whether undeclared columns may hold values other than numbers, texts and booleans."""


@dataclass(frozen=True, slots=True)
class DeclaredColumns:
    """What is declared of a dataset in one file."""

    target: str | None = None
    row_id: str | None = None
    features: tuple[str, ...] | None = None
    categories: tuple[str, ...] = ()  # columns of texts, whatever their values look like
    missing_values: tuple[str, ...] = ()
    separator: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The rows' identifiers and the categories."""
        return self.categories if self.row_id is None else (self.row_id, *self.categories)

    @property
    def may_be_empty(self) -> bool:
        """A dataset has a row at least."""
        return False

    @property
    def may_leave_out(self) -> bool:
        """Models do not read such columns."""
        return True


@dataclass(frozen=True, slots=True)
class DatasetLimits:
    """What is refused before it is decoded; each one is a setting."""

    max_file_bytes: int = 2 * 1024**3
    max_rows: int = 10_000_000
    max_columns: int = 10_000
    max_cells: int = 2_000_000_000
    max_field_bytes: int = 128 * 1024
    max_decoded_bytes: int = 8 * 1024**3  # a small Parquet file can hold very much text


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """One column of the normalised file."""

    name: str
    type: ColumnType
    role: ColumnRole
    source: int  # its 0-based index in the uploaded file


@dataclass(frozen=True, slots=True)
class OddCell:
    """A cell that is unlike the others of its column."""

    row: int  # counted from 0
    text: str  # short


class ColumnSource(Protocol):
    """A file whose names and types are known, ready to be read from its beginning."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the file's order."""

    @property
    def types(self) -> tuple[ColumnType, ...]:
        """Types in the same order."""

    @property
    def natural_types(self) -> tuple[ColumnType | None, ...]:
        """Types that the file itself gives to the values, texts or not; None where it does not say, as CSV."""

    @property
    def odd_cells(self) -> dict[str, OddCell]:
        """By name, of columns that are categories because of a few cells: the first of these."""

    @property
    def ignored(self) -> tuple[str, ...]:
        """Names of columns that are left out: they hold other than numbers, texts and booleans."""

    def blocks(self) -> Iterator[list[pa.Array]]:
        """Yield blocks of rows: one array per column, of the type in ``ARROW_TYPES``, missing values null."""


def odd_cell(row: int, text: str) -> OddCell:
    """Return the cell with its text as it may be shown: cut short."""
    clipped = text if len(text) <= _N_CHARACTERS_SHOWN else text[:_N_CHARACTERS_SHOWN] + "…"
    return OddCell(row, clipped)


def are_measured(n_long_integers: int, n_numbers: int, *, has_decimals: bool) -> bool:
    """Whether a column's integers beyond ``LARGEST_EXACT`` are numbers like its others, rather than identifiers."""
    return has_decimals and n_long_integers <= n_numbers


def is_oversight(n_odd: int, n_values: int) -> bool:
    """Whether so few of a column's values are no numbers that they are most likely mistakes."""
    return 2 * n_odd < n_values and n_odd <= max(1, _MOST_ODD * n_values)


def lay_out(names: Sequence[str], types: Sequence[ColumnType], declared: ColumnDeclaration) -> tuple[ColumnLayout, ...]:
    """Return the columns in the order in which they are kept.

    That is the file's order, or, where ``declared.features`` is given, the features in that order before the others:
    features are in the model's order either way.
    """
    features = _features(names, declared)
    ordered = list(names)
    if declared.features is not None:
        ordered = [*declared.features, *(name for name in names if name not in features)]
    sources = {name: index for index, name in enumerate(names)}
    return tuple(
        ColumnLayout(name, types[sources[name]], _role(name, declared, features), sources[name]) for name in ordered
    )


def check_declaration(names: Sequence[str], declared: ColumnDeclaration) -> None:
    """Refuse a declaration that names columns which are absent, named twice, or have two roles."""
    features = declared.features
    if features is not None:
        _refuse_repeats(features, "features")
        _refuse_absent(names, features, "features")
    for role, name in (("target", declared.target), ("row_id", declared.row_id)):
        if name is not None:
            _refuse_absent(names, [name], role)
            if features is not None and name in features:
                refuse_columns(f"column {shown(name)} is both {role} and a feature; leave it out of features")
    _refuse_absent(names, sorted(declared.texts), "categories")
    if declared.target is not None and declared.target == declared.row_id:
        refuse_columns(f"column {shown(declared.target)} is both target and row_id; name two columns")
    if not _features(names, declared):
        refuse_columns("no column is left as a feature; a dataset needs at least one")


def may_leave_out(name: str, declared: ColumnDeclaration) -> bool:
    """Return whether a column may be left out where it holds other than numbers, texts and booleans."""
    named = {declared.target, declared.row_id, *(declared.features or ()), *declared.texts}
    return declared.may_leave_out and name not in named


def check_names(names: Sequence[str]) -> None:
    """Refuse names that are empty, repeated, too long, or hold control characters."""
    for index, name in enumerate(names):
        if not name.strip():
            refuse_columns(f"column {index + 1} has no name; {_advice_on_name(index, names)}")
        if len(name) > _MAX_NAME_CHARACTERS:
            refuse_columns(
                f"the name of column {index + 1}, {shown(name)}, is longer than {_MAX_NAME_CHARACTERS} characters; "
                "shorten it"
            )
        if _UNSEEN.search(name):
            refuse_columns(
                f"the name of column {index + 1} holds a control character, such as a tab or a line break: "
                f"{shown(name)}; rename the column"
            )
    _refuse_repeats(names, "the columns' names")
    if (n_bytes := sum(len(name.encode("utf-8", "surrogatepass")) for name in names)) > _MAX_NAMES_BYTES:
        refuse_columns(f"the columns' names have {n_bytes:,} bytes in all; at most {_MAX_NAMES_BYTES:,} are kept")


def _advice_on_name(index: int, names: Sequence[str]) -> str:
    if index == 0:
        return "name each column (pandas writes its index so: use index=False)"
    if not any(name.strip() for name in names[index:]):
        return "name each column (in CSV, leave out the separator at the lines' ends)"
    return "name each column"


def shown(text: str) -> str:
    """Return a stranger's text as it may appear in a message: short, and with anything odd escaped."""
    clipped = text if len(text) <= _N_CHARACTERS_SHOWN else text[:_N_CHARACTERS_SHOWN] + "..."
    return ascii(clipped)


def refuse_columns(detail: str) -> NoReturn:
    """Refuse columns that cannot be used."""
    raise DatasetRefused("dataset_bad_columns", detail)


def _features(names: Sequence[str], declared: ColumnDeclaration) -> frozenset[str]:
    if declared.features is not None:
        return frozenset(declared.features)
    # pandas writes an index without a name so into Parquet.
    return frozenset(name for name in names if not _INDEX.fullmatch(name)) - {declared.target, declared.row_id}


def _role(name: str, declared: ColumnDeclaration, features: frozenset[str]) -> ColumnRole:
    if name == declared.target:
        return "target"
    if name == declared.row_id:
        return "row_id"
    return "feature" if name in features else "ignored"


def _refuse_repeats(names: Sequence[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            refuse_columns(f"{what} hold {shown(name)} more than once; names must differ")
        seen.add(name)


def near_name(name: str, names: Collection[str]) -> str | None:
    """Return the name that somebody may have meant; None where none is near."""
    return next(iter(get_close_matches(name[:_N_COMPARED_CHARACTERS], names, 1)), None)


def _refuse_absent(names: Sequence[str], wanted: Sequence[str], role: str) -> None:
    present = set(names)
    absent = [name for name in wanted if name not in present]
    if absent:
        existing = ", ".join(shown(name) for name in names[:_N_NAMES_SHOWN])
        more = ", ..." if len(names) > _N_NAMES_SHOWN else ""
        near = near_name(absent[0], names)
        has = f"did you mean {shown(near)}? It has {existing}" if near else f"the file has {existing or 'none'}"
        refuse_columns(f"{role}: there is no column {shown(absent[0])}; {has}{more}")


def refuse_large_file(n_bytes: int, limits: DatasetLimits) -> None:
    """Refuse a file with too many bytes."""
    if n_bytes > limits.max_file_bytes:
        refuse_size(f"the file has {n_bytes:,} bytes; at most {limits.max_file_bytes:,} are read")


def refuse_many_columns(n_columns: int, limits: DatasetLimits) -> None:
    """Refuse a table with too many columns."""
    if n_columns > limits.max_columns:
        refuse_size(f"there are {n_columns:,} columns; at most {limits.max_columns:,} are read")


def refuse_many_rows(n_rows: int, n_columns: int, limits: DatasetLimits) -> None:
    """Refuse a table with too many rows or cells."""
    if n_rows > limits.max_rows:
        raise TooManyRows("dataset_too_large", f"there are more than {limits.max_rows:,} rows; send fewer rows")
    if n_rows * n_columns > limits.max_cells:
        refuse_size(f"there are more than {limits.max_cells:,} cells; send fewer rows or columns")


def refuse_size(detail: str) -> NoReturn:
    """Refuse a dataset that is over a limit."""
    raise DatasetRefused("dataset_too_large", detail)


def refuse_field(where: str, limits: DatasetLimits) -> NoReturn:
    """Refuse a single value that is over the limit; ``where`` begins the sentence."""
    detail = f"{where} is larger than {limits.max_field_bytes:,} bytes, the limit of a single value; shorten it"
    raise DatasetRefused("dataset_field_too_large", detail)


def rows_per_block(n_columns: int) -> int:
    """Return how many rows are held at once: fewer where there are many columns."""
    return max(64, min(_N_BLOCK_ROWS, _N_BLOCK_CELLS // max(1, n_columns)))
