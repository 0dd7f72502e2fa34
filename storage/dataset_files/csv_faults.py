"""Where a CSV file is at fault, found by an exact but slow walk once the fast reader has given up."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, TextIO

from ..errors import DatasetRefused
from .limits import DatasetLimits, refuse_field

MAX_ROW_BYTES = 16 * 1024**2
"""A longer row does not fit into one block of the fast reader."""


def read_header(path: Path, limits: DatasetLimits) -> tuple[str, ...]:
    """Return the names in the first line that is not blank."""
    for _line, cells in _records(path, limits, quotes_are_odd=False):
        return tuple(cells)
    raise DatasetRefused("dataset_empty", "the file is empty; send a header line and at least one row")


def refuse_csv(path: Path, n_columns: int, limits: DatasetLimits, *, quotes_are_odd: bool) -> None:
    """Raise for the first row that cannot be read, naming its line; return where there is none."""
    for line, cells in _records(path, limits, quotes_are_odd=quotes_are_odd):
        if len(cells) != n_columns:
            detail = f"line {line} has {_cells(len(cells))}, but the header has {n_columns}"
            _refuse(f"{detail}; check for missing or unquoted commas")


def line_of_row(path: Path, row: int, limits: DatasetLimits) -> int:
    """Return the line on which the 0-based row begins (the header is line 1 where no blank line precedes it)."""
    records = _records(path, limits, quotes_are_odd=False)
    return next(line for index, (line, _cells) in enumerate(records) if index == row + 1)


def refuse_unnamed_fault() -> NoReturn:
    """Refuse a file in which the walk found no fault to name."""
    _refuse("the file cannot be read as CSV: use commas, a header line, and double quotes around text")


def _records(path: Path, limits: DatasetLimits, *, quotes_are_odd: bool) -> Iterator[tuple[int, list[str]]]:
    with path.open(encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(_lines(text), strict=True)
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


def _cells(n_cells: int) -> str:
    return f"{n_cells} cell" if n_cells == 1 else f"{n_cells} cells"


def _refuse(detail: str) -> NoReturn:
    raise DatasetRefused("dataset_parse_error", detail)
