"""Implications among columns: where one test holds, another does, so that not every row of values is possible.

Columns that are queries of several tables are like that: who has an account with five transactions has an account.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import floor
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..rows import Rows

Flags = NDArray[np.bool_]


class ColumnTest(NamedTuple):
    """A test of one column of numbers (booleans are 0 and 1); a missing value never fulfils it."""

    column: str
    operator: Literal[">", "<="]
    cut: float


@dataclass(frozen=True)
class Implications:
    """Which tests follow from which.

    ``never_missing`` are the columns whose values are always known: of them alone a test that does not hold makes its
    opposite hold.
    """

    tests: tuple[ColumnTest, ...] = ()
    # (n_pairs, 2) indices of tests: where the first holds, the second does, too.
    pairs: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), np.int64))
    never_missing: frozenset[str] = frozenset()

    @classmethod
    def of(cls, pairs: Iterable[tuple[ColumnTest, ColumnTest]], never_missing: Iterable[str] = ()) -> "Implications":
        """Return the implications in which the first test of each pair implies the second."""
        numbers: dict[ColumnTest, int] = {}
        index_pairs = [[numbers.setdefault(test, len(numbers)) for test in pair] for pair in pairs]
        return cls(tuple(numbers), np.array(index_pairs, np.int64).reshape(-1, 2), frozenset(never_missing))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that some test reads, in the order of their first test."""
        return tuple(dict.fromkeys(test.column for test in self.tests))

    def hold_in(self, rows: Rows) -> Flags:
        """Return whether no implication is broken in a row, (n_rows,)."""
        truths = _truths(self.tests, rows)
        broken = np.zeros(truths.shape[1], np.uint8)
        _collect_broken(truths, self.pairs, broken)
        bits: NDArray[np.uint8] = np.unpackbits(broken, count=len(rows), bitorder="little")
        possible: Flags = bits == 0
        return possible


def repaired(rows: Rows, implications: Implications) -> Rows:
    """Return rows in which no implication is broken: a column that implies a false test is made false.

    Columns that may be missing are made missing; of those that never are, booleans become 0, and numbers the whole
    number below the cut. As columns are only ever made false, this ends: no later than when all are.

    Parameters
    ----------
    rows
        With all columns that the implications read, numbers.
    implications
        Tests by ``<=`` of columns that are never missing count as the negation of those by ``>``.
    """
    if not len(implications.pairs):
        return rows
    upward = _upward(implications)
    columns = dict(zip(rows.names, rows.columns, strict=True))
    truths = _truths(upward.tests, rows)
    of_column: dict[str, list[int]] = {}
    for index, test in enumerate(upward.tests):
        of_column.setdefault(test.column, []).append(index)
    while True:
        wrong = np.zeros_like(truths)
        _collect_wrong(truths, upward.pairs, wrong)
        if not wrong.any():
            return Rows(rows.names, tuple(columns.values()))
        for column, tests_of_column in of_column.items():
            if wrong[tests_of_column].any():
                tests, never_missing = (
                    [upward.tests[each] for each in tests_of_column],
                    column in implications.never_missing,
                )
                columns[column] = _made_false(
                    columns[column], tests, wrong[tests_of_column], never_missing=never_missing
                )
                truths[tests_of_column] = _truths(tests, Rows((column,), (columns[column],)))


def _upward(implications: Implications) -> Implications:
    """Return the implications without tests by ``<=`` of columns that are never missing, which are turned round.

    ``a <= 2`` implies ``b <= 3`` where ``b > 3`` implies ``a > 2``. One that mixes both kinds is left out: nothing can
    be made false to mend it.
    """

    def is_negative(test: ColumnTest) -> bool:
        return test.operator == "<=" and test.column in implications.never_missing

    def turned(test: ColumnTest) -> ColumnTest:
        return test._replace(operator=">")

    named = (
        (implications.tests[premise], implications.tests[conclusion])
        for premise, conclusion in implications.pairs.tolist()
    )
    pairs = [
        (turned(conclusion), turned(premise)) if is_negative(premise) else (premise, conclusion)
        for premise, conclusion in named
        if is_negative(premise) == is_negative(conclusion)
    ]
    return Implications.of(pairs, implications.never_missing)


def _made_false(
    values: NDArray[Any], tests: Sequence[ColumnTest], wrong: NDArray[np.uint8], *, never_missing: bool
) -> NDArray[Any]:
    """Return a column in which the tests do not hold for the rows whose bits are set, (n_tests, n_bytes)."""
    changed, n_rows = values.copy(), len(values)
    flags: Flags = np.unpackbits(wrong, axis=1, count=n_rows, bitorder="little").astype(np.bool_)
    if not never_missing:
        changed[flags.any(axis=0)] = np.nan
        return changed
    for test, is_wrong in zip(tests, flags, strict=True):
        changed[is_wrong] = np.minimum(changed[is_wrong], floor(test.cut))
    return changed


def _truths(tests: Sequence[ColumnTest], rows: Rows) -> NDArray[np.uint8]:
    """Return for which rows each test holds, eight to a byte, the lowest first, (n_tests, n_bytes)."""
    packed = np.zeros((len(tests), -(-len(rows) // 8)), np.uint8)
    for index, test in enumerate(tests):
        values = rows.select([test.column]).columns[0]
        holds = values > test.cut if test.operator == ">" else values <= test.cut  # NaN neither
        packed[index] = np.packbits(holds, bitorder="little")
    return packed


@compiled
def _collect_wrong(truths: NDArray[np.uint8], pairs: NDArray[np.int64], wrong: NDArray[np.uint8]) -> None:
    """Mark the tests that hold where one that they imply does not."""
    for pair in range(len(pairs)):
        premise, conclusion = pairs[pair, 0], pairs[pair, 1]
        for byte in range(truths.shape[1]):
            wrong[premise, byte] |= truths[premise, byte] & ~truths[conclusion, byte]


@compiled
def _collect_broken(truths: NDArray[np.uint8], pairs: NDArray[np.int64], broken: NDArray[np.uint8]) -> None:
    """Mark the rows in which some implication is broken."""
    for pair in range(len(pairs)):
        premise, conclusion = pairs[pair, 0], pairs[pair, 1]
        for byte in range(truths.shape[1]):
            broken[byte] |= truths[premise, byte] & ~truths[conclusion, byte]
