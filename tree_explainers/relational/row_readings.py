"""The values that a program of queries reads for one row: its own columns, its parents', and aggregates of children.

The data are pools, one array after the other, so that compiled loops take one of each type.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import inlined, inlined_reader
from .query_program import FUNCTIONS, OPERATORS, DataUsed, Program
from .tables import MISSING, RelationalRows, decimals_of

_SHARE_OF_SIZES = 1e-9  # sums are rounded to it, or a sum of 0 becomes noise that trees split on
_NUMBERS, _CODES, _DECIMALS = range(3)  # pools
_IS, _AT_MOST, _ABOVE, _IS_MISSING = range(len(OPERATORS))
_COLUMN, _COUNT, _SHARE, _MEAN, _SUM, _MIN, _MAX, _MODE, _N_DISTINCT = range(len(FUNCTIONS))
OF_LEVELS = _MODE  # functions from here on need all values at once


class Pools(NamedTuple):
    """The data that a program reads; columns and relationships are numbered as in ``DataUsed``."""

    codes: NDArray[np.int32]  # all columns; numbers are stored by their bits
    numbers: NDArray[np.float32]  # the same memory
    decimals: NDArray[np.float64]  # of those numbers that are added
    readings: NDArray[np.int64]  # (n_readings, 4): start of the column, which pool, first and last + 1 parent
    links: NDArray[np.int32]  # of each relationship the parents of its rows, then the rows of its parents
    starts: NDArray[np.int64]  # of each relationship, where the rows of each parent begin
    ways: NDArray[np.int64]  # (n_relationships, 5): of parents, rows, starts, times of the child and of the parent
    times: NDArray[np.float64]
    cutoffs: NDArray[np.float64]  # (n_examples,)

    @classmethod
    def of(cls, rows: RelationalRows, used: DataUsed, readings: NDArray[np.int32]) -> "Pools":
        """Return what is used of the rows, copied, for the readings of a program."""
        columns = [rows.tables[table].columns[name] for table, name in used.columns]
        codes, column_starts = _joined([column.view(np.int32) for column in columns], np.int32)
        added = dict.fromkeys(readings[readings[:, 1] == 1, 0].tolist())
        decimals, decimal_starts = _joined([decimals_of(columns[column]) for column in added], np.float64)
        starts_of = dict(zip(added, decimal_starts, strict=True))
        located = [
            (starts_of[column], _DECIMALS, first, last)
            if adds
            else (column_starts[column], _CODES if columns[column].dtype == np.int32 else _NUMBERS, first, last)
            for column, adds, first, last in readings.tolist()
        ]
        relationships = [rows.relationships[name] for name in used.relationships]
        links, link_starts = _joined([part for of in relationships for part in (of.parents, of.child_rows)], np.int32)
        starts, list_starts = _joined([of.starts for of in relationships], np.int64)
        times, times_of = _times(rows, used)
        ends = [rows.schema.relationships[name] for name in used.relationships]
        of_ends = [(times_of[end.child], times_of[end.parent]) for end in ends]
        ways = np.column_stack([link_starts[::2], link_starts[1::2], list_starts, np.reshape(of_ends, (-1, 2))])
        return cls(
            codes,
            codes.view(np.float32),
            decimals,
            np.array(located, np.int64).reshape(-1, 4),
            links,
            starts,
            np.ascontiguousarray(ways, np.int64),
            times,
            np.full(rows.n_examples, np.inf) if rows.cutoffs is None else np.array(rows.cutoffs, np.float64),
        )


def _joined(arrays: list[Any], dtype: type[np.generic]) -> tuple[NDArray[Any], list[int]]:
    starts = np.cumsum([0, *(len(array) for array in arrays)]).tolist()
    return np.concatenate([np.empty(0, dtype), *arrays]), starts[:-1]


def _times(rows: RelationalRows, used: DataUsed) -> tuple[NDArray[np.float64], dict[str, int]]:
    """Return the times of tables that cutoffs restrict, and where each table's begin; -1: nothing restricts it."""
    ends = [rows.schema.relationships[name] for name in used.relationships]
    tables = dict.fromkeys(table for end in ends for table in (end.child, end.parent))
    timed = [table for table in tables if rows.cutoffs is not None and rows.tables[table].times is not None]
    pool, starts = _joined([rows.tables[table].times for table in timed], np.float64)
    return pool, dict.fromkeys(tables, -1) | dict(zip(timed, starts, strict=True))


_Row: TypeAlias = Any  # an integer
# Readers take tuples of arrays; loops that make arrays would count references to all of them at each use of a tuple.


@inlined_reader
def parent_of(pools: Pools, way: int, row: _Row, cutoff: float) -> _Row:
    """Return the parent of a row, if it is seen before the cutoff; else MISSING."""
    parent = np.int64(pools.links[pools.ways[way, 0] + row])
    start = pools.ways[way, 4]
    is_seen = parent >= 0 and (start < 0 or pools.times[start + parent] < cutoff)
    return parent if is_seen else np.int64(MISSING)


@inlined_reader
def children_of(pools: Pools, way: int, row: _Row, cutoff: float) -> tuple[_Row, _Row]:
    """Return where in ``links`` the children of a row that are seen before the cutoff begin and end."""
    starts, ways = pools.starts, pools.ways
    at = ways[way, 2] + row
    first, end = ways[way, 1] + starts[at], ways[way, 1] + starts[at + 1]
    start = ways[way, 3]
    if start < 0:
        return first, end
    seen = first
    while seen < end:  # in order of time, rows without a time last
        middle = (seen + end) // 2
        if pools.times[start + pools.links[middle]] < cutoff:
            seen = middle + 1
        else:
            end = middle
    return first, end


@inlined_reader
def read(program: Program, pools: Pools, reading: int, row: _Row, cutoff: float) -> float:
    """Return the number or the code in a column of a row, or of the parent that the reading names; NaN if missing."""
    readings = pools.readings
    for index in range(readings[reading, 2], readings[reading, 3]):
        if row >= 0:
            row = parent_of(pools, program.parents[index], row, cutoff)
    value = np.nan
    if row >= 0:
        at = readings[reading, 0] + row
        if readings[reading, 1] == _NUMBERS:
            value = np.float64(pools.numbers[at])
        elif readings[reading, 1] == _DECIMALS:
            value = pools.decimals[at]
        elif pools.codes[at] >= 0:
            value = np.float64(pools.codes[at])
    return value


@inlined_reader
def holds(value: float, operator: int, constant: float) -> bool:
    """Return whether a value passes a comparison; a missing one passes ``is_missing`` alone."""
    if operator == _IS:
        return value == constant
    if operator == _AT_MOST:
        return value <= constant
    return value > constant if operator == _ABOVE else np.isnan(value)


@inlined_reader
def rounded_sum(total: float, size: float) -> float:
    """Return a sum rounded to 1e-9 of ``size``, the sum of the magnitudes."""
    unit = size * _SHARE_OF_SIZES
    return np.rint(total / unit) * unit + 0.0 if unit > 0 else total  # not -0


@inlined
def most_frequent(values: NDArray[np.float64]) -> float:
    """Return the most frequent of sorted values, the first of equally frequent ones; NaN of none."""
    best, most, begin = np.nan, 0, 0
    for index in range(1, len(values) + 1):
        if index == len(values) or values[index] != values[begin]:
            if index - begin > most:
                best, most = values[begin], index - begin
            begin = index
    return best


@inlined
def n_distinct(values: NDArray[np.float64]) -> float:
    """Return the number of distinct values among sorted ones."""
    n = min(1, len(values))
    for index in range(1, len(values)):
        n += values[index] != values[index - 1]
    return np.float64(n)


def longest_list(terms: NDArray[np.int32], starts: NDArray[np.int64]) -> int:
    """Return how many values the aggregates of one row may have to collect."""
    collects = len(starts) > 1 and np.any(terms[:, 0] >= _MODE)
    return max(1, int(np.diff(starts).max())) if collects else 1


@inlined_reader
def _is_selected(program: Program, pools: Pools, term: int, row: _Row, cutoff: float) -> bool:
    """Return whether a row passes all selections of an aggregate."""
    for chosen in range(program.terms[term, 3], program.terms[term, 4]):
        reading, operator = program.selections[chosen, 0], program.selections[chosen, 1]
        if not holds(read(program, pools, reading, row, cutoff), operator, program.selection_values[chosen]):
            return False
    return True


@inlined_reader
def _of_counts(  # noqa: PLR0917  # what was counted
    function: int, n: int, n_all: int, n_values: int, total: float, size: float, least: float, largest: float
) -> float:
    """Return an aggregate of the selected rows; of ``mode`` and ``n_distinct``, how many values they have."""
    result: float = np.float64(n_values)
    if function == _COUNT:
        result = np.float64(n)
    elif function == _SHARE:
        result = n / n_all if n_all else np.nan
    elif function in (_MIN, _MAX):
        result = least if function == _MIN else largest
    elif function in (_SUM, _MEAN):
        result = rounded_sum(total, size)
        if function == _MEAN:
            result = result / n_values if n_values else np.nan
    return result


@inlined_reader
def aggregate(
    program: Program, pools: Pools, buffer: NDArray[np.float64], term: int, row: _Row, cutoff: float
) -> tuple[float, _Row]:
    """Return an aggregate, in single precision, of the rows that a step leads to from a row, and how many it read.

    It is NaN if it is missing. Of ``mode`` and ``n_distinct``, it is the number of values, which are put into
    ``buffer``.
    """
    function, reading, step = program.terms[term, 0], program.terms[term, 1], program.terms[term, 2]
    way, to_children = program.steps[step, 0], program.steps[step, 1] == 1
    first: _Row = np.int64(0)
    end: _Row = np.int64(0)
    above: _Row = np.int64(MISSING)
    if to_children:
        first, end = children_of(pools, way, row, cutoff)
    else:
        above = parent_of(pools, way, row, cutoff)
        end = np.int64(above >= 0)
    n, n_values, total, size, least, largest, n_all = 0, 0, 0.0, 0.0, np.nan, np.nan, end - first
    is_plain_count = reading < 0 and program.terms[term, 3] == program.terms[term, 4]
    if is_plain_count:
        n, first = n_all, end
    for index in range(first, end):
        other = np.int64(pools.links[index]) if to_children else above
        if not _is_selected(program, pools, term, other, cutoff):
            continue
        n += 1
        if reading < 0:
            continue
        value = read(program, pools, reading, other, cutoff)
        if np.isnan(value):
            continue
        if function >= _MODE:
            buffer[n_values] = value
        n_values, total, size = n_values + 1, total + value, size + abs(value)
        least = least if value >= least else value  # noqa: FURB136  # NaN at first
        largest = largest if value <= largest else value  # noqa: FURB136
    value = np.float64(np.float32(_of_counts(function, n, n_all, n_values, total, size, least, largest)))
    return value, end - first


@inlined
def of_levels(values: NDArray[np.float64], function: int) -> float:
    """Return the mode or the number of distinct values; sorts them."""
    values.sort()
    return most_frequent(values) if function == _MODE else n_distinct(values)
