"""CSV cells: which type a column of text has, and the text turned into values of that type.

A cell that is empty or blank is missing, quoted or not. The words ``nan``, ``na``, ``n/a``, ``null`` and ``none``
(in any case) are missing where all other cells of the column are numbers, or all are booleans; in a column of
categories they are categories, so that a country ``NA`` stays one. A column is

- ``boolean`` when all its values are ``true`` or ``false`` (in any case),
- ``number`` when all its values are decimal numbers or infinities (``inf``, ``-Infinity``, in any case), and those
  written as integers are below 2^53 (``007`` is 7: a column in which zeros matter is sent as Parquet or JSON text, or
  is the row id), or at most as many as the others, among which one has a decimal point,
- ``category`` otherwise: integers from 2^53 on are identifiers, and rounding would make two of them one.

Where nearly all values of a category are numbers, the first that is not is kept to be shown: most likely it is an
oversight (``1_000``, ``-``).

A column without any value is a ``number``. Numbers beyond the range of double precision are refused where at least half
of a column's values are spelled as numbers; elsewhere they are text (``1e999`` can be a code).
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .layout import LARGEST_EXACT, ColumnType, OddCell, are_measured, is_oversight, odd_cell

_BLANKS = " \t\r\n\f\v"
_MISSING_WORDS = ("nan", "na", "n/a", "null", "none")
# Spellings that writers of CSV use, so that most columns need no lower-casing.
_USUAL_MISSING_WORDS = ("NaN", "nan", "NA", "N/A", "null", "NULL", "None")
_BOOLEANS = ("true", "false")
_INFINITIES = tuple(sign + word for sign in ("", "+", "-") for word in ("inf", "infinity"))
_NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$"
_INTEGER = r"^[+-]?\d+$"


@dataclass(slots=True)
class CellSurvey:
    """What was seen so far of one column; counts are of cells, missing ones left out."""

    n_booleans: int = 0
    n_numbers: int = 0
    n_long_integers: int = 0
    n_too_large: int = 0
    n_other: int = 0
    has_decimals: bool = False  # a number with a decimal point
    first_too_large: tuple[int, str] | None = None  # row and text
    first_long_integer: tuple[int, str] | None = None
    first_no_number: tuple[int, str] | None = None

    def add(self, cells: pa.Array, first_row: int) -> None:
        """Count one block of cells; null cells are empty ones."""
        n_values = len(cells) - cells.null_count
        if n_values == 0:
            return
        numbers = None if self.n_other or self.n_booleans else _usual_numbers(cells)
        if numbers is None:
            self._add_kinds(cells, first_row)
        else:
            self.n_numbers += len(numbers) - numbers.null_count
            self.has_decimals = self.has_decimals or bool(pc.any(pc.match_substring(cells, ".")).as_py())

    def _add_kinds(self, cells: pa.Array, first_row: int) -> None:
        encoded = cells.dictionary_encode()
        kinds = _Kinds(encoded.dictionary)
        indices = pc.drop_null(encoded.indices).to_numpy()
        n_cells = np.bincount(indices, minlength=len(encoded.dictionary))
        self.n_booleans += int(n_cells[kinds.boolean].sum())
        self.n_numbers += int(n_cells[kinds.number].sum())
        self.n_long_integers += int(n_cells[kinds.long_integer].sum())
        self.n_too_large += int(n_cells[kinds.too_large].sum())
        self.n_other += int(n_cells[kinds.other].sum())
        self.has_decimals = self.has_decimals or bool((kinds.number & kinds.decimal).any())
        no_number = kinds.boolean | kinds.too_large | kinds.other
        self.first_too_large = self.first_too_large or _first_of(kinds.too_large, encoded, first_row)
        self.first_long_integer = self.first_long_integer or _first_of(kinds.long_integer, encoded, first_row)
        self.first_no_number = self.first_no_number or _first_of(no_number, encoded, first_row)

    @property
    def holds_bad_numbers(self) -> bool:
        """Whether this is a column of numbers with some beyond double precision."""
        n_spelled = self.n_numbers + self.n_long_integers + self.n_too_large
        return self.n_too_large > 0 and 2 * n_spelled >= self._n_values

    @property
    def type(self) -> ColumnType:
        """The column's type, when all its cells have been added."""
        if self._n_as_numbers == self._n_values:
            return "number"
        return "boolean" if self.n_booleans == self._n_values else "category"

    @property
    def odd_cell(self) -> OddCell | None:
        """The first cell that keeps the column from being one of numbers, where nearly all cells are numbers."""
        n_odd = self._n_values - self._n_as_numbers
        if self.type != "category" or not is_oversight(n_odd, self._n_values):
            return None
        long_integer = self.first_long_integer if self._n_as_numbers == self.n_numbers else None
        row, text = min(each for each in (long_integer, self.first_no_number) if each is not None)
        return odd_cell(row, text)

    @property
    def _n_as_numbers(self) -> int:
        """How many cells are numbers in a column that has no others: long integers among decimals are."""
        count_too = are_measured(self.n_long_integers, self.n_numbers, has_decimals=self.has_decimals)
        return self.n_numbers + (self.n_long_integers if count_too else 0)

    @property
    def _n_values(self) -> int:
        return self.n_booleans + self.n_numbers + self.n_long_integers + self.n_too_large + self.n_other


def convert_cells(cells: pa.Array, column_type: ColumnType) -> pa.Array:
    """Return the cells as values of the type that the survey of the whole column found."""
    if column_type == "category":
        is_blank = pc.equal(pc.ascii_trim(cells, _BLANKS), "")
        return pc.if_else(is_blank, pa.scalar(None, pa.string()), cells) if pc.any(is_blank).as_py() else cells
    if column_type == "boolean":
        plain = _without_words(_plain(cells))
        return pc.equal(plain, "true")
    numbers = _usual_numbers(cells)
    if numbers is None:
        numbers = pc.cast(_without_words(_plain(cells)), pa.float64())
    return numbers


class _Kinds:
    """Of each distinct text, what it is: boolean arrays of the same length, exactly one of them true, or none.

    None is true for what is missing.
    """

    def __init__(self, texts: pa.Array) -> None:
        plain = _plain(texts)
        missing = _is_in(plain, ("", *_MISSING_WORDS))
        self.boolean = _is_in(plain, _BOOLEANS)
        # Texts that are not spelled as numbers have the value NaN.
        spelled = pc.match_substring_regex(plain, _NUMBER)
        numbers = pc.cast(pc.if_else(spelled, plain, pa.scalar(None, pa.string())), pa.float64())
        values = np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)
        integer = _flags(pc.match_substring_regex(plain, _INTEGER))
        self.too_large: NDArray[np.bool_] = np.isinf(values)
        self.long_integer: NDArray[np.bool_] = integer & np.isfinite(values) & (np.abs(values) > LARGEST_EXACT)
        self.decimal: NDArray[np.bool_] = _flags(pc.match_substring(plain, "."))
        self.number: NDArray[np.bool_] = np.isfinite(values) & ~self.long_integer | _is_in(plain, _INFINITIES)
        self.other: NDArray[np.bool_] = ~(missing | self.boolean | self.too_large | self.long_integer | self.number)


def _usual_numbers(cells: pa.Array) -> pa.Array | None:
    """Return the cells as numbers where all are spelled in the usual way and none needs a closer look."""
    numbers = _cast(cells)
    if numbers is None:
        is_word = pc.is_in(cells, pa.array(_USUAL_MISSING_WORDS))
        numbers = _cast(pc.if_else(is_word, pa.scalar(None, pa.string()), cells)) if pc.any(is_word).as_py() else None
    if numbers is None:
        return None
    numbers = pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
    largest = pc.max(pc.abs(numbers)).as_py()
    return None if largest is not None and largest > LARGEST_EXACT else numbers


def _cast(cells: pa.Array) -> pa.Array | None:
    try:
        return pc.cast(cells, pa.float64())
    except pa.ArrowInvalid:
        return None


def _plain(cells: pa.Array) -> pa.Array:
    return pc.ascii_lower(pc.ascii_trim(cells, _BLANKS))


def _without_words(plain: pa.Array) -> pa.Array:
    is_missing = pc.is_in(plain, pa.array(["", *_MISSING_WORDS]))
    return pc.if_else(is_missing, pa.scalar(None, pa.string()), plain)


def _flags(answers: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(answers.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _is_in(plain: pa.Array, words: tuple[str, ...]) -> NDArray[np.bool_]:
    return np.asarray(pc.is_in(plain, pa.array(words)).to_numpy(zero_copy_only=False), dtype=np.bool_)


def _first_of(chosen: NDArray[np.bool_], encoded: pa.DictionaryArray, first_row: int) -> tuple[int, str] | None:
    """Return the row and text of the first cell of a chosen kind."""
    if not chosen.any():
        return None
    row_indices = pc.fill_null(encoded.indices, -1).to_numpy()
    row = int(np.flatnonzero(np.isin(row_indices, np.flatnonzero(chosen)))[0])
    return first_row + row, encoded.dictionary[int(row_indices[row])].as_py()
