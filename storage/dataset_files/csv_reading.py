"""CSV: read twice in blocks, first to find the columns' types over the whole file, then for the values."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from ..errors import DatasetRefused
from .csv_cells import CellSurvey, convert_cells
from .csv_faults import MAX_ROW_BYTES, line_of_row, read_header, refuse_csv, refuse_unnamed_fault
from .layout import ColumnDeclaration, ColumnType, OddCell, check_declaration, check_names, refuse_columns, shown
from .limits import DatasetLimits, refuse_field, refuse_many_columns, refuse_many_rows
from .text_survey import survey_text


@dataclass(frozen=True, slots=True)
class CsvSource:
    """A CSV file without faults, whose columns' types are known."""

    path: Path
    names: tuple[str, ...]
    types: tuple[ColumnType, ...]
    has_quotes: bool
    odd_cells: dict[str, OddCell]

    def blocks(self) -> Iterator[list[pa.Array]]:
        """Yield blocks of rows, one array of values per column."""
        for batch in _text_blocks(self.path, self.names, has_quotes=self.has_quotes):
            yield [convert_cells(cells, kind) for cells, kind in zip(batch.columns, self.types, strict=True)]


def open_csv(path: Path, declared: ColumnDeclaration, limits: DatasetLimits) -> CsvSource:
    """Read the file once and return it with its names and types.

    Raises
    ------
    DatasetRefused
        With the line of the first fault: text that is not UTF-8, a quote left open, a row with too many or too few
        cells, an infinite number, ...
    """
    text = survey_text(path)
    names = read_header(path, limits)
    refuse_many_columns(len(names), limits)
    check_names(names)
    _refuse_other_separators(names)
    check_declaration(names, declared)
    quotes_are_odd = text.n_quotes % 2 == 1
    if quotes_are_odd:
        # Arrow takes a quote left open in the last row for closed.
        refuse_csv(path, len(names), limits, quotes_are_odd=True)
    try:
        surveys = _survey_cells(path, names, declared, limits, has_quotes=text.n_quotes > 0)
    except pa.ArrowInvalid:
        refuse_csv(path, len(names), limits, quotes_are_odd=quotes_are_odd)
        refuse_unnamed_fault()
    types: tuple[ColumnType, ...] = tuple(
        "category" if name == declared.row_id else survey.type for name, survey in zip(names, surveys, strict=True)
    )
    odd_cells = {name: survey.odd_cell for name, survey in zip(names, surveys, strict=True)}
    odd = {name: cell for name, cell in odd_cells.items() if cell is not None}
    return CsvSource(path, names, types, text.n_quotes > 0, odd)


def _refuse_other_separators(names: tuple[str, ...]) -> None:
    if len(names) == 1 and any(separator in names[0] for separator in ";\t|"):
        refuse_columns(f"the header is read as one column, {shown(names[0])}; separate columns by commas")


def _survey_cells(
    path: Path, names: tuple[str, ...], declared: ColumnDeclaration, limits: DatasetLimits, *, has_quotes: bool
) -> list[CellSurvey]:
    surveys = [CellSurvey() for _ in names]
    n_rows = 0
    for batch in _text_blocks(path, names, has_quotes=has_quotes):
        for index, (survey, cells) in enumerate(zip(surveys, batch.columns, strict=True)):
            _refuse_large_field(cells, n_rows, names[index], limits)
            if names[index] != declared.row_id:
                survey.add(cells, n_rows)
        n_rows += batch.num_rows
        refuse_many_rows(n_rows, len(names), limits)
    for name, survey in zip(names, surveys, strict=True):
        _refuse_bad_number(path, name, survey, limits)
    return surveys


def _text_blocks(path: Path, names: tuple[str, ...], *, has_quotes: bool) -> Iterator[pa.RecordBatch]:
    reader = arrow_csv.open_csv(
        str(path),
        # One thread: whoever reads strangers' files is held to one.
        read_options=arrow_csv.ReadOptions(use_threads=False, block_size=MAX_ROW_BYTES),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=has_quotes),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), null_values=[""], strings_can_be_null=True
        ),
    )
    if tuple(reader.schema.names) != names:
        refuse_unnamed_fault()
    with reader:
        yield from reader


def _refuse_large_field(cells: pa.Array, first_row: int, name: str, limits: DatasetLimits) -> None:
    lengths = pc.binary_length(cells)
    if (pc.max(lengths).as_py() or 0) > limits.max_field_bytes:
        row = first_row + pc.index(pc.greater(lengths, limits.max_field_bytes), value=True).as_py()
        refuse_field(f"the value in row {row} (counted from 0) of column {shown(name)}", limits)


def _refuse_bad_number(path: Path, name: str, survey: CellSurvey, limits: DatasetLimits) -> None:
    if survey.holds_bad_numbers and survey.first_infinite is not None:
        row, text = survey.first_infinite
        line = line_of_row(path, row, limits)
        detail = (
            f"row {row} (line {line}) of column {shown(name)} holds {shown(text)}, which is not a finite number; "
            "leave the cell empty where the value is missing"
        )
        raise DatasetRefused("dataset_bad_number", detail)
