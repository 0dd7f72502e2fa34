"""JSON rows: read twice, first to find the columns and their types over the whole file, then for the values.

JSON says what a value is, so nothing is guessed: a column holds numbers, texts or booleans, and null or an absent
field is missing. A column that mixes texts with others is one of categories, as in CSV, and of numbers with booleans
one of numbers; a column that holds nested values is left out. The texts ``Infinity`` and ``-Infinity`` are numbers
unless there are other texts in their column. Integers from 2^53 on make their column one of categories, unless it has
decimals.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NoReturn

import orjson
import pyarrow as pa

from schemas.json_numbers import is_infinity

from ..errors import DatasetRefused
from .layout import (
    ARROW_TYPES,
    LARGEST_EXACT,
    ColumnDeclaration,
    ColumnType,
    DatasetLimits,
    OddCell,
    are_measured,
    check_declaration,
    check_names,
    is_oversight,
    may_leave_out,
    odd_cell,
    refuse_columns,
    refuse_field,
    refuse_many_columns,
    refuse_many_rows,
    shown,
)
from .missing_values import MissingValues
from .sniffing import survey_text

JsonForm = Literal["json_array", "json_lines"]

_TYPE_OF: dict[type, ColumnType] = {bool: "boolean", int: "number", float: "number", str: "category"}

Row = dict[str, Any]
_N_CHUNK_BYTES = 8 * 1024**2
_MAX_ROW_BYTES = 16 * 1024**2
_MAX_CUTS_TRIED = 20
_BETWEEN_ROWS = re.compile(rb"\}\s*,\s*(?=\{)")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ROWS_WANTED = (
    "the first object holds lists or objects instead of values: send an array of rows, each an object by column "
    "(pandas writes it so: df.to_json(orient='records'))"
)


@dataclass(frozen=True, slots=True)
class JsonSource:
    """A JSON file without faults, whose columns are known."""

    path: Path
    form: JsonForm
    names: tuple[str, ...]
    types: tuple[ColumnType, ...]
    natural_types: tuple[ColumnType | None, ...]
    odd_cells: dict[str, OddCell]
    ignored: tuple[str, ...]
    missing: dict[str, MissingValues]

    def blocks(self) -> Iterator[list[pa.Array]]:
        """Yield blocks of rows, one array of values per column."""
        for rows in row_chunks(self.path, self.form):
            yield [
                _to_arrow(rows, name, kind, self.missing[name])
                for name, kind in zip(self.names, self.types, strict=True)
            ]


@dataclass(slots=True)
class _ValueSurvey:
    """What was seen so far of one column."""

    kinds: set[ColumnType] = field(default_factory=set)  # without that of infinities, which is seen last
    has_infinities: bool = False
    n_numbers: int = 0
    n_texts: int = 0
    n_long_integers: int = 0
    has_decimals: bool = False
    first_long_integer: OddCell | None = None
    first_text: OddCell | None = None
    first_nested: int | None = None  # its row

    @property
    def type(self) -> ColumnType:
        if self.is_mixed:
            return "category" if self.n_texts else "number"
        n_short = self.n_numbers - self.n_long_integers
        if self.n_long_integers and not are_measured(self.n_long_integers, n_short, has_decimals=self.has_decimals):
            return "category"
        return next(iter(self.all_kinds), "number")

    @property
    def is_mixed(self) -> bool:
        """Whether values are of several types."""
        return len(self.all_kinds) > 1

    @property
    def natural_type(self) -> ColumnType | None:
        """What the values are to JSON; None without any, and where they are of several types."""
        return next(iter(self.all_kinds)) if len(self.all_kinds) == 1 else None

    @property
    def all_kinds(self) -> set[ColumnType]:
        """The types of all values so far: infinities are texts where there are others."""
        is_number = self.has_infinities and "category" not in self.kinds
        return self.kinds | {"number"} if is_number else self.kinds

    @property
    def odd_cell(self) -> OddCell | None:
        """The first text, or else the first long integer, where nearly all values are numbers that are none."""
        if self.is_mixed:
            return self.first_text if is_oversight(self.n_texts, self.n_texts + self.n_numbers) else None
        return self.first_long_integer if is_oversight(self.n_long_integers, self.n_numbers) else None


def open_json(path: Path, form: JsonForm, declared: ColumnDeclaration, limits: DatasetLimits) -> JsonSource:
    """Read the file once and return it with its names and types.

    Raises
    ------
    DatasetRefused
        With the row of the first fault: what is not JSON, a text that is too long, ...
    """
    survey_text(path)
    seen = _survey(path, form, declared, limits)
    surveys = {name: survey for name, survey in seen.items() if survey.first_nested is None}
    names, ignored = tuple(surveys), tuple(name for name in seen if name not in surveys)
    if ignored and not names:
        refuse_columns(_ROWS_WANTED)
    check_names(names)
    check_declaration(names, declared)
    types: tuple[ColumnType, ...] = tuple(
        "category" if name in declared.texts else survey.type for name, survey in surveys.items()
    )
    odd_cells = {
        name: survey.odd_cell
        for (name, survey), kind in zip(surveys.items(), types, strict=True)
        if kind == "category" and name not in declared.texts
    }
    odd = {name: cell for name, cell in odd_cells.items() if cell is not None}
    missing = {name: _missing_values(name, declared) for name in names}
    return JsonSource(
        path, form, names, types, tuple(survey.natural_type for survey in surveys.values()), odd, ignored, missing
    )


def _survey(path: Path, form: JsonForm, declared: ColumnDeclaration, limits: DatasetLimits) -> dict[str, _ValueSurvey]:
    surveys: dict[str, _ValueSurvey] = {}
    n_rows = 0
    for rows in row_chunks(path, form):
        for name in dict.fromkeys(chain.from_iterable(rows)):
            survey = surveys.setdefault(name, _ValueSurvey())
            refuse_many_columns(len(surveys), limits)
            _add(survey, _values(rows, name, _missing_values(name, declared)), name, n_rows, limits)
            if survey.first_nested is not None and not may_leave_out(name, declared):
                _refuse_nested(rows[0], _cell(name, survey.first_nested))
            if survey.is_mixed and name not in declared.texts and not declared.may_leave_out:
                mixed = " and ".join(sorted(survey.all_kinds))
                refuse_columns(f"column {shown(name)} mixes values of the types {mixed}; use one type in a column")
        n_rows += len(rows)
        refuse_many_rows(n_rows, len(surveys), limits)
    if n_rows == 0 and not declared.may_be_empty:
        raise DatasetRefused("dataset_empty", "there is no row; send a dataset with at least one")
    return surveys


def _missing_values(name: str, declared: ColumnDeclaration) -> MissingValues:
    return MissingValues.of(() if name == declared.row_id else declared.missing_values or ())


def _values(rows: list[Row], name: str, missing: MissingValues) -> list[Any]:
    values = [row.get(name) for row in rows]
    return [None if missing.holds(value) else value for value in values] if missing else values


def _add(survey: _ValueSurvey, values: list[Any], name: str, first_row: int, limits: DatasetLimits) -> None:
    infinite = [is_infinity(value) for value in values]
    survey.has_infinities |= any(infinite)
    types = {type(value) for value, is_one in zip(values, infinite, strict=True) if not is_one} - {type(None)}
    if not types <= _TYPE_OF.keys():
        row = next(index for index, value in enumerate(values) if isinstance(value, (dict, list)))
        survey.first_nested = first_row + row if survey.first_nested is None else survey.first_nested
        return
    survey.kinds |= {_TYPE_OF[kind] for kind in types}
    if str in types:
        _check_texts(values, name, first_row, limits)
        if survey.first_text is None:
            texts = ((row, value) for row, value in enumerate(values) if isinstance(value, str))
            row, text = next((row, value) for row, value in texts if not infinite[row])
            survey.first_text = odd_cell(first_row + row, text)
    if float in types and not survey.has_decimals:
        # Integers from 2^64 on are read as floats, too.
        survey.has_decimals = any(type(value) is float and abs(value) <= LARGEST_EXACT for value in values)
    if int in types:
        _count_long_integers(survey, values, first_row)
    n_infinite = sum(infinite)
    survey.n_numbers += sum(type(value) in {int, float} for value in values) + n_infinite
    survey.n_texts += sum(type(value) is str for value in values) - n_infinite


def _refuse_nested(row: Row, cell: str) -> NoReturn:
    if all(isinstance(value, (dict, list)) for value in row.values()):
        refuse_columns(_ROWS_WANTED)
    refuse_columns(f"{cell} is nested; columns hold numbers, texts and booleans only")


def _count_long_integers(survey: _ValueSurvey, values: list[Any], first_row: int) -> None:
    long_rows = [row for row, value in enumerate(values) if type(value) is int and abs(value) > LARGEST_EXACT]
    survey.n_long_integers += len(long_rows)
    if long_rows and survey.first_long_integer is None:
        survey.first_long_integer = odd_cell(first_row + long_rows[0], str(values[long_rows[0]]))


def _check_texts(values: list[Any], name: str, first_row: int, limits: DatasetLimits) -> None:
    for index, value in enumerate(values):
        if isinstance(value, str):
            if "\0" in value:
                detail = f"{_cell(name, first_row + index)} holds a NUL character; remove it"
                raise DatasetRefused("dataset_parse_error", detail)
            # Four bytes a character at most: most texts need no encoding.
            if len(value) * 4 > limits.max_field_bytes and len(value.encode()) > limits.max_field_bytes:
                refuse_field(_cell(name, first_row + index), limits)


def _to_arrow(rows: list[Row], name: str, kind: ColumnType, missing: MissingValues) -> pa.Array:
    values = _values(rows, name, missing)
    if kind == "category":
        values = [value if value is None else spelled(value) for value in values]
    elif kind == "number":
        values = [value if value is None else float(value) for value in values]
    return pa.array(values, ARROW_TYPES[kind])


def spelled(value: str | float) -> str:
    """Return a value as the text that it is in CSV: ``true``, ``7`` (also for 7.0), ``7.5``."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if float(value).is_integer() else repr(value)


def _cell(name: str, row: int) -> str:
    return f"row {row} (counted from 0) of column {shown(name)}"


def row_chunks(path: Path, form: Literal["json_array", "json_lines"]) -> Iterator[list[Row]]:
    """Yield the rows in lists of some thousands, in the file's order."""
    n_rows = 0
    for chunk in _array_chunks(path) if form == "json_array" else _line_chunks(path):
        for index, row in enumerate(chunk):
            if not isinstance(row, dict):
                _refuse(f"row {n_rows + index} (counted from 0) is not an object; send rows as {{column: value}}")
        n_rows += len(chunk)
        yield chunk


def _line_chunks(path: Path) -> Iterator[list[Any]]:
    rows: list[Any] = []
    n_bytes = 0
    with path.open("rb") as file:
        for number, line in enumerate(_lines(file.readline), start=1):
            text = line.removeprefix(_BYTE_ORDER_MARK).strip()
            if text:
                rows.append(_loads(text, f"line {number}"))
            n_bytes += len(line)
            if n_bytes >= _N_CHUNK_BYTES:
                yield rows
                rows, n_bytes = [], 0
    yield rows


def _lines(readline: Callable[[int], bytes]) -> Iterator[bytes]:
    number = 0
    while line := readline(_MAX_ROW_BYTES + 1):
        number += 1
        if len(line) > _MAX_ROW_BYTES:
            _refuse_long_row(f"line {number}")
        yield line


def _array_chunks(path: Path) -> Iterator[list[Any]]:
    """Cut the array between rows; a cut inside a text or a nested value leaves both sides unreadable, and is moved."""
    with path.open("rb") as file:
        rest = file.read(_N_CHUNK_BYTES).removeprefix(_BYTE_ORDER_MARK).lstrip().removeprefix(b"[")
        n_rows = 0
        while more := file.read(_N_CHUNK_BYTES):
            rows, rest = _cut(rest + more, n_rows)
            n_rows += len(rows)
            yield rows
    yield _loads(b"[" + rest, f"the part after row {n_rows}")


def _cut(text: bytes, n_rows: int) -> tuple[list[Any], bytes]:
    """Return the whole rows that ``text`` begins with, and what follows them."""
    ends = [match.span() for match in _BETWEEN_ROWS.finditer(text)][-_MAX_CUTS_TRIED:]
    for row_end, next_row in reversed(ends):
        try:
            return orjson.loads(b"[" + text[: row_end + 1] + b"]"), text[next_row:]
        except orjson.JSONDecodeError:
            continue
    if len(text) > _MAX_ROW_BYTES + _N_CHUNK_BYTES:
        where = f"the part after row {n_rows}"
        _loads(b"[" + text + b"]", where)
        _refuse_long_row(where)
    return [], text


def _loads(text: bytes, where: str) -> Any:  # JSON is of any type
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if "infinity" in error.msg:
            detail = f"{where}: a number is beyond the range of double precision; send null where a value is missing"
            raise DatasetRefused("dataset_bad_number", detail) from None
        reason = error.msg.partition(": line")[0]  # without the position, which is in a part of the file
        _refuse(f"{where} is not JSON: {reason}; send an array of objects, or one object a line")


def _refuse_long_row(where: str) -> NoReturn:
    detail = f"{where}: a row is longer than {_MAX_ROW_BYTES:,} bytes; shorten it"
    raise DatasetRefused("dataset_field_too_large", detail)


def _refuse(detail: str) -> NoReturn:
    raise DatasetRefused("dataset_parse_error", detail)
