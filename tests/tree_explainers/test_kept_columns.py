"""The last proximities that were asked for are kept; of other rows, weights and tables they are found again."""

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.leaf_space.proximity import each_column

_RNG = np.random.default_rng(0)
_LEAVES = _RNG.integers(0, 5, (300, 40)).astype(np.int32)
_WEIGHTS = [_RNG.integers(0, largest, 40) for largest in (2, 3, 10_000)]
_QUERIES = [np.arange(20), np.arange(20, 40), np.arange(3), np.arange(100)]


def _table() -> LeafTable:
    return LeafTable.from_leaves(_LEAVES, np.full(40, 5))


def _asked(table: LeafTable) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], list[NDArray[np.uint64]]]]:
    """Rows and weights, in turns that come back to each of them, and their proximities to all."""
    for turn in (0, 0, 1, 0, 2, 1, 3, 0):
        for weights in (*_WEIGHTS, _WEIGHTS[0]):
            rows = _QUERIES[turn]
            yield rows, weights, list(each_column(table, weights, table.leaves_of(rows)))


def test_whatever_was_asked_before_proximities_are_those_of_the_twin() -> None:
    for rows, weights, columns in _asked(_table()):
        expected = naive.proximity_matrix(_LEAVES, weights)[rows]
        assert [column.tolist() for column in columns] == expected.tolist()


def test_what_is_asked_again_is_not_compared_again_and_not_written_to() -> None:
    table, weights = _table(), _WEIGHTS[0]
    leaves = table.leaves_of(_QUERIES[0])
    first = next(each_column(table, weights, leaves))
    next(each_column(table, weights, table.leaves_of(np.array([7]))))  # one row takes no time

    again = next(each_column(table, weights, leaves))

    assert np.shares_memory(first, again)
    with pytest.raises(ValueError, match="read-only"):
        again[0] = 0
    assert not np.shares_memory(first, next(each_column(_table(), weights, leaves)))
