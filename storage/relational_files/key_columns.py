"""Key columns: which row of a table the values of another table's columns name, and whether each row has its own.

Values are compared as texts: numbers are spelled without a decimal point that says nothing (CSV holds ``7.0`` where a
column of integers had gaps).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..dataset_files.layout import ColumnType, shown

NO_ROW = -1
_WHOLE = r"^[+-]?\d+(\.0+)?$"
_MAX_ID_CHARACTERS = 255  # as callers name rows to be explained


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """The values of one column of a key."""

    name: str
    values: pa.Array  # of large_string, null for what is missing
    natural_type: ColumnType | None  # by the file itself; None where it does not say

    @classmethod
    def of(cls, name: str, texts: pa.ChunkedArray, natural_type: ColumnType | None) -> "KeyColumn":
        """Return the column, whole numbers in CSV spelled as such."""
        values = texts.cast(pa.large_string()).combine_chunks()
        if natural_type is None and pc.any(pc.ends_with(values, ".0")).as_py() and _matches_all(values, _WHOLE):
            values = pc.replace_substring_regex(values, r"\.0+$", "")
        return cls(name, values, natural_type)

    @property
    def has_values(self) -> bool:
        """Whether a row has a value."""
        return bool(self.values.null_count < len(self.values))

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have none, (n_rows,)."""
        return np.asarray(self.values.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)

    @property
    def spells_numbers(self) -> bool:
        """Whether all values look like whole numbers."""
        return _matches_all(self.values, _WHOLE)


@dataclass(frozen=True, slots=True)
class Match:
    """Which row of the parent each row of a child names."""

    parents: NDArray[np.int32]  # (n_child_rows,) NO_ROW where it names none
    n_dangling: int  # rows that have a value in each column, and yet name none

    @property
    def n_matched(self) -> int:
        """How many rows of the child name a row."""
        return int((self.parents != NO_ROW).sum())


def match_rows(child: Sequence[KeyColumn], parent: Sequence[KeyColumn]) -> Match:
    """Return which row of the parent, whose key is unique, each row of the child names.

    A child with a missing value in any column of its key names none, and dangles not.
    """
    columns = [_positions(first.values, second.values) for first, second in zip(child, parent, strict=True)]
    named, rows = columns[0]
    for more_named, more_rows in columns[1:]:
        named, rows = _pairs((named, more_named), (rows, more_rows))
    row_of_position = np.full(int(rows.max(initial=-1)) + 1, NO_ROW, dtype=np.int32)
    row_of_position[rows] = np.arange(len(rows), dtype=np.int32)
    parents = np.full(len(named), NO_ROW, dtype=np.int32)
    is_named = named >= 0
    parents[is_named] = row_of_position[named[is_named]]
    has_key = np.ones(len(named), dtype=np.bool_)
    for column in child:
        has_key &= ~column.missing
    return Match(parents, int((has_key & (parents == NO_ROW)).sum()))


def why_unfit(columns: Sequence[KeyColumn], *, are_row_ids: bool) -> str | None:
    """Return why the columns are no primary key: the first value that is missing, repeated or too long; None if fit."""
    for column in columns:
        if column.values.null_count:
            row = pc.index(column.values.is_null(), value=True).as_py()
            return f"row {row} (counted from 0) has no value in {shown(column.name)}"
    positions = np.zeros(len(columns[0].values), dtype=np.int64)
    for column in columns:
        codes = column.values.dictionary_encode().indices.to_numpy().astype(np.int64)
        pairs = pa.array(positions * (int(codes.max(initial=0)) + 1) + codes)
        positions = np.asarray(pairs.dictionary_encode().indices.to_numpy(), dtype=np.int64)
    if repeat := _first_repeat(positions):
        text = ", ".join(shown(column.values[repeat[1]].as_py()) for column in columns)
        return f"{text} is in row {repeat[0]} and again in row {repeat[1]} (counted from 0)"
    if are_row_ids and len(columns[0].values):
        n_characters = _id_lengths(columns)
        if int(n_characters.max()) > _MAX_ID_CHARACTERS:
            return f"row {int(n_characters.argmax())} has a key of more than {_MAX_ID_CHARACTERS} characters"
    return None


def _id_lengths(columns: Sequence[KeyColumn]) -> NDArray[np.int64]:
    """Return how many characters the ids of rows have, (n_rows,): parts of a key are joined by commas, and escaped."""
    lengths = np.sum([pc.utf8_length(column.values).to_numpy() for column in columns], axis=0, dtype=np.int64)
    if len(columns) > 1:
        lengths += len(columns) - 1
        for column in columns:
            lengths += pc.count_substring_regex(column.values, r"[\\,]").to_numpy()
    return np.asarray(lengths)


def differ_in_type(child: Sequence[KeyColumn], parent: Sequence[KeyColumn]) -> tuple[str, str] | None:
    """Return the first two columns whose files give them different types; None where all are alike, or do not say."""
    for first, second in zip(child, parent, strict=True):
        types = {first.natural_type, second.natural_type}
        if None not in types and len(types) > 1 and first.has_values and second.has_values:
            return first.name, second.name
    return None


def look_different(child: Sequence[KeyColumn], parent: Sequence[KeyColumn]) -> bool:
    """Return whether one key holds numbers where the other holds texts; one without values looks like any."""
    pairs = [pair for pair in zip(child, parent, strict=True) if all(column.has_values for column in pair)]
    return any(first.spells_numbers != second.spells_numbers for first, second in pairs)


def _positions(child: pa.Array, parent: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the position of each value among the parent's distinct values, of the child (-1: not there) and parent."""
    distinct = pc.unique(parent)
    if len(distinct) == len(parent):
        return _index_in(child, parent), np.arange(len(parent), dtype=np.int64)
    return _index_in(child, distinct), _index_in(parent, distinct)


def _pairs(
    named: tuple[NDArray[np.int64], NDArray[np.int64]], rows: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return positions of pairs of values, as of single ones; -1 where there is no such pair."""
    n_second = int(rows[1].max(initial=0)) + 1
    pairs = pa.array(rows[0] * n_second + rows[1])
    wanted = np.where((named[0] < 0) | (named[1] < 0), -1, named[0] * n_second + named[1])
    return _positions(pa.array(wanted), pairs)


def _index_in(values: pa.Array, distinct: pa.Array) -> NDArray[np.int64]:
    indices = pc.index_in(values, value_set=distinct, skip_nulls=True)
    return np.asarray(pc.fill_null(indices, -1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _first_repeat(positions: NDArray[np.int64]) -> tuple[int, int] | None:
    """Return the first row whose value an earlier row has, after that row."""
    first_rows = np.unique(positions, return_index=True)[1]
    if len(first_rows) == len(positions):
        return None
    row = int(np.flatnonzero(first_rows[positions] != np.arange(len(positions)))[0])
    return int(first_rows[positions[row]]), row


def _matches_all(values: pa.Array, pattern: str) -> bool:
    return pc.all(pc.match_substring_regex(values, pattern)).as_py() is not False
