"""MixedTests: an ensemble's statements as tests, of which those that stand alone are kept as the rows that they cover.

A feature with a single statement has but two kinds of rows. Where there are many such features, as relational models
have, their sums are looked up eight rows at a time (``CoverLists``); features with several statements stay ordered.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..questions.binned_rows import BinnedRows
from ..questions.statements import Statements
from .coverlists import CoverLists
from .information_gain import GAIN, Tests, Units
from .ordered_tests import OrderedTests

_FEWEST_ALONE = 32  # features with one statement, from which lists are worth their tables


def statement_tests(binned: BinnedRows, units: Units | None = None, criterion: int = GAIN) -> Tests:
    """Return the statements of binned rows as tests, known by their indices among all statements.

    ``criterion`` is that of their gains: ``GAIN``, ``GAIN_RATIO`` or ``VARIANCE``. Units are not needed before gains
    are requested; ``PartitionedTests`` takes them in the same place.
    """
    n_statements = np.array([feature.n_statements for feature in binned.statements.features])
    is_alone = n_statements == 1
    is_mixed = is_alone.sum() >= _FEWEST_ALONE
    return MixedTests.of(binned, is_alone, criterion) if is_mixed else OrderedTests(binned, criterion=criterion)


@dataclass(frozen=True, slots=True)
class MixedTests:
    """Statements as two kinds of tests; gains, ties and indices are those of ``OrderedTests`` of all statements."""

    ordered: OrderedTests
    listed: CoverLists
    of_ordered: NDArray[np.int64]  # indices of these tests among all statements, ascending
    of_listed: NDArray[np.int64]

    @classmethod
    def of(cls, binned: BinnedRows, is_listed: NDArray[np.bool_], criterion: int = GAIN) -> "MixedTests":
        """Return the tests of rows, of which those about some features, (n_features,), are kept as lists."""
        of_feature = np.repeat(is_listed, [feature.n_statements for feature in binned.statements.features])
        return cls(
            OrderedTests(_features(binned, ~is_listed), criterion=criterion),
            CoverLists(_packed(_features(binned, is_listed)), binned.n_rows, criterion),
            np.flatnonzero(~of_feature),
            np.flatnonzero(of_feature),
        )

    @property
    def n_tests(self) -> int:
        """Number of statements."""
        return len(self.of_ordered) + len(self.of_listed)

    def gains(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> NDArray[np.float64]:
        """Return the gain of each statement on some rows; see ``Tests.gains``."""
        gains = np.zeros(self.n_tests)
        gains[self.of_ordered] = self.ordered.gains(rows, units, min_samples_leaf)
        gains[self.of_listed] = self.listed.gains(rows, units, min_samples_leaf)
        return gains

    def best(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> tuple[int, float]:
        """Return the statement of the highest gain, and its gain; see ``Tests.best``."""
        both = ((self.ordered, self.of_ordered), (self.listed, self.of_listed))
        bests = [(*tests.best(rows, units, min_samples_leaf), numbers) for tests, numbers in both]
        best = [(-gain, int(numbers[test])) for test, gain, numbers in bests if test >= 0]
        if not best:
            return -1, 0.0
        gain, test = min(best)  # of equal gains the earlier statement
        return test, -gain

    def holds(self, test: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for which of these rows a statement is true, (n_own,)."""
        statement = int(np.searchsorted(self.of_listed, test))
        if statement < len(self.of_listed) and self.of_listed[statement] == test:
            return self.listed.holds(statement, rows)
        return self.ordered.holds(int(np.searchsorted(self.of_ordered, test)), rows)


def _features(binned: BinnedRows, is_included: NDArray[np.bool_]) -> BinnedRows:
    features = zip(binned.statements.features, is_included.tolist(), strict=True)
    statements = Statements(tuple(each for each, is_kept in features if is_kept), binned.statements.precision)
    return BinnedRows(statements, binned.bins[is_included])


def _packed(binned: BinnedRows) -> NDArray[np.uint8]:
    """Return for which rows the only statement of each feature is true, as ``CoverLists`` takes it."""
    packed: list[NDArray[Any]] = [np.empty((0, -(-binned.n_rows // 8)), np.uint8)]
    for feature, bins in zip(binned.statements.features, binned.bins, strict=True):
        if feature.answers is not None:
            holds = feature.answers[0, bins]
        else:
            holds = np.where(bins == feature.missing_bin, feature.missing_greater[0], bins > 0)
        packed.append(np.packbits(holds, bitorder="little")[None])
    return np.concatenate(packed)
