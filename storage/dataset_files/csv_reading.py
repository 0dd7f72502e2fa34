"""CSV: read twice in blocks, first to find the columns' types over the whole file, then for the values."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TextIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from ..errors import DatasetRefused
from .csv_cells import CellSurvey, convert_cells
from .layout import (
    ColumnDeclaration,
    ColumnType,
    DatasetLimits,
    OddCell,
    check_declaration,
    check_names,
    refuse_field,
    refuse_many_columns,
    refuse_many_rows,
    shown,
)
from .missing_values import MissingValues
from .sniffing import survey_text

MAX_ROW_BYTES = 16 * 1024**2
"""A longer row does not fit into one block of the fast reader."""
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_QUOTED = re.compile(r'"[^"]*"')
_STACK_BYTES = 8 * 1024**2
# Arrow starts two threads while it reads up to three blocks, and waits for good for one that gets no stack.
_BYTES_TO_START = 2 * _STACK_BYTES + 3 * MAX_ROW_BYTES


@dataclass(frozen=True, slots=True)
class CsvSource:
    """A CSV file without faults, whose columns' types are known."""

    path: Path
    names: tuple[str, ...]
    types: tuple[ColumnType, ...]
    has_quotes: bool
    separator: str
    odd_cells: dict[str, OddCell]
    missing: "_DeclaredMissing"

    @property
    def ignored(self) -> tuple[str, ...]:
        """Cells of CSV are texts; none is left out."""
        return ()

    @property
    def natural_types(self) -> tuple[None, ...]:
        """CSV does not say what a value is."""
        return (None,) * len(self.names)

    def blocks(self) -> Iterator[list[pa.Array]]:
        """Yield blocks of rows, one array of values per column."""
        for batch in _text_blocks(self.path, self.names, self.separator, has_quotes=self.has_quotes):
            columns = zip(self.names, batch.columns, self.types, strict=True)
            yield [convert_cells(self.missing.removed(name, cells), kind) for name, cells, kind in columns]


@dataclass(frozen=True, slots=True)
class _DeclaredMissing:
    """Cells that stand for a missing value, in the columns where they do."""

    values: MissingValues
    texts: frozenset[str]  # columns in which -999 and -999.0 are two texts
    row_id: str | None

    @classmethod
    def of(cls, declared: ColumnDeclaration) -> "_DeclaredMissing":
        return cls(MissingValues.of(declared.missing_values or ()), frozenset(declared.texts), declared.row_id)

    def removed(self, name: str, cells: pa.Array) -> pa.Array:
        """Return the cells of a column, null where one stands for a missing value."""
        if not self.values or name == self.row_id:
            return cells
        return self.values.removed(cells) if name in self.texts else self.values.removed_by_value(cells)


def open_csv(path: Path, declared: ColumnDeclaration, limits: DatasetLimits) -> CsvSource:
    """Read the file once and return it with its names and types.

    Raises
    ------
    DatasetRefused
        With the line of the first fault: text that is not UTF-8, a quote left open, a row with too many or too few
        cells, a number beyond double precision, ...
    """
    text = survey_text(path)
    separator = declared.separator or separator_of(path)
    names = read_header(path, limits, separator)
    refuse_many_columns(len(names), limits)
    check_names(names)
    check_declaration(names, declared)
    quotes_are_odd = text.n_quotes % 2 == 1
    if quotes_are_odd:
        # Arrow takes a quote left open in the last row for closed.
        refuse_csv(path, len(names), limits, separator, quotes_are_odd=True)
    try:
        surveys = _survey_cells(path, names, declared, limits, separator, has_quotes=text.n_quotes > 0)
    except pa.ArrowInvalid:
        refuse_csv(path, len(names), limits, separator, quotes_are_odd=quotes_are_odd)
        refuse_unnamed_fault()
    types: tuple[ColumnType, ...] = tuple(
        "category" if name in declared.texts else survey.type for name, survey in zip(names, surveys, strict=True)
    )
    odd_cells = {name: survey.odd_cell for name, survey in zip(names, surveys, strict=True)}
    odd = {name: cell for name, cell in odd_cells.items() if cell is not None}
    return CsvSource(path, names, types, text.n_quotes > 0, separator, odd, _DeclaredMissing.of(declared))


def _survey_cells(
    path: Path,
    names: tuple[str, ...],
    declared: ColumnDeclaration,
    limits: DatasetLimits,
    separator: str,
    *,
    has_quotes: bool,
) -> list[CellSurvey]:
    surveys, missing = [CellSurvey() for _ in names], _DeclaredMissing.of(declared)
    n_rows = 0
    for batch in _text_blocks(path, names, separator, has_quotes=has_quotes):
        for index, (survey, cells) in enumerate(zip(surveys, batch.columns, strict=True)):
            lengths = pc.binary_length(cells)
            if (pc.max(lengths).as_py() or 0) > limits.max_field_bytes:
                row = n_rows + pc.index(pc.greater(lengths, limits.max_field_bytes), value=True).as_py()
                refuse_field(f"the value in row {row} (counted from 0) of column {shown(names[index])}", limits)
            if names[index] not in declared.texts:
                survey.add(missing.removed(names[index], cells), n_rows)
        n_rows += batch.num_rows
        refuse_many_rows(n_rows, len(names), limits)
    for name, survey in zip(names, surveys, strict=True):
        _refuse_bad_number(path, name, survey, declared, limits, separator)
    return surveys


def _text_blocks(path: Path, names: tuple[str, ...], separator: str, *, has_quotes: bool) -> Iterator[pa.RecordBatch]:
    bytes(_BYTES_TO_START)  # a MemoryError here, where there is too little; zeros that nobody reads take no memory
    reader = arrow_csv.open_csv(
        str(path),
        # One thread: the sandbox that reads callers' files allows no more.
        read_options=arrow_csv.ReadOptions(use_threads=False, block_size=MAX_ROW_BYTES),
        parse_options=arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=has_quotes),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), null_values=[""], strings_can_be_null=True
        ),
    )
    if tuple(reader.schema.names) != names:
        refuse_unnamed_fault()
    with reader:
        yield from reader


def _refuse_bad_number(
    path: Path, name: str, survey: CellSurvey, declared: ColumnDeclaration, limits: DatasetLimits, separator: str
) -> None:
    if survey.holds_bad_numbers and survey.first_too_large is not None:
        row, text = survey.first_too_large
        # The header is the first record; it is line 1 where no blank line precedes it.
        records = _records(path, limits, separator, quotes_are_odd=False)
        line = next(number for index, (number, _cells) in enumerate(records) if index == row + 1)
        detail = (
            f"row {row} (line {line}) of column {shown(name)} holds {shown(text)}, which is beyond the range of double "
            "precision; leave the cell empty where the value is missing, or write inf where it is infinite"
        )
        if declared.missing_values is not None:
            detail += f", or declare missing_values=[{shown(text.strip())}]"
        raise DatasetRefused("dataset_bad_number", detail)


def separator_of(path: Path) -> str:
    """Return what separates the names of the header: the comma, or, without any, the most frequent other separator."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as text:
        header = next((line for line in _lines(text) if line.strip()), "")
    counts = Counter(_QUOTED.sub("", header))
    return "," if counts[","] else max(_SEPARATORS, key=counts.__getitem__)


def read_header(path: Path, limits: DatasetLimits, separator: str) -> tuple[str, ...]:
    """Return the names in the first line that is not blank."""
    for _line, cells in _records(path, limits, separator, quotes_are_odd=False):
        return tuple(cells)
    raise DatasetRefused("dataset_empty", "the file is empty; send a header line and at least one row")


def refuse_csv(path: Path, n_columns: int, limits: DatasetLimits, separator: str, *, quotes_are_odd: bool) -> None:
    """Raise for the first row that cannot be read, naming its line; return where there is none."""
    for line, cells in _records(path, limits, separator, quotes_are_odd=quotes_are_odd):
        if len(cells) != n_columns:
            n_cells = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
            detail = f"line {line} has {n_cells}, but the header has {n_columns}"
            _refuse(f"{detail}; check for missing or unquoted {_SEPARATORS[separator]}")


def refuse_unnamed_fault() -> NoReturn:
    """Refuse a file in which the walk found no fault to name."""
    _refuse("the file cannot be read as CSV: use one separator, a header line, and double quotes around text")


def _records(
    path: Path, limits: DatasetLimits, separator: str, *, quotes_are_odd: bool
) -> Iterator[tuple[int, list[str]]]:
    with path.open(encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(_lines(text), delimiter=separator, strict=True)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                _refuse_fault(line, str(error), limits, quotes_are_odd=quotes_are_odd)
            if cells:
                _refuse_large_fields(line, cells, limits)
                yield line, cells


def _lines(text: TextIO) -> Iterator[str]:
    number = 0
    while line := text.readline(MAX_ROW_BYTES + 1):
        number += 1
        if len(line) > MAX_ROW_BYTES:
            detail = f"line {number} is longer than {MAX_ROW_BYTES:,} characters; does the file have line ends?"
            raise DatasetRefused("dataset_field_too_large", detail)
        yield line


def _refuse_large_fields(line: int, cells: list[str], limits: DatasetLimits) -> None:
    # Four bytes a character at most: most rows need no encoding.
    if sum(map(len, cells)) * 4 <= limits.max_field_bytes:
        return
    for index, cell in enumerate(cells):
        if len(cell.encode()) > limits.max_field_bytes:
            refuse_field(f"the value in line {line}, column {index + 1},", limits)


def _refuse_fault(line: int, message: str, limits: DatasetLimits, *, quotes_are_odd: bool) -> NoReturn:
    is_too_large = message.startswith("field larger")
    if message == "unexpected end of data" or (is_too_large and quotes_are_odd):
        _refuse(f"a quote is opened in line {line} and never closed; close it, or double it inside text")
    if is_too_large:
        refuse_field(f"a value in line {line}", limits)
    if "expected after" in message:
        _refuse(f"in line {line} text follows a closing quote; double a quote that is inside text")
    _refuse(f"line {line} cannot be read as CSV")


def _refuse(detail: str) -> NoReturn:
    raise DatasetRefused("dataset_parse_error", detail)
