"""Agreement of neighbourhoods: the slow twin's share, 1 for a model and itself, chance for one that knows nothing."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive_comparisons
from tree_explainers.comparisons.common_neighbors import common_neighbors
from tree_explainers.leaf_space.leaves import LeafTable

_WEIGHTS = np.ones(12, np.int64)


def _table(seed: int, n_rows: int = 60, n_leaves: int = 6) -> LeafTable:
    leaves = np.random.default_rng(seed).integers(0, n_leaves, (n_rows, 12)).astype(np.int32)
    return LeafTable.from_leaves(leaves, np.full(12, n_leaves))


def _proximities(table: LeafTable) -> NDArray[np.int64]:
    codes = table.codes.astype(int)
    return np.asarray((codes[:, :, None] == codes[:, None, :]).sum(axis=0))


def test_the_share_is_the_slow_twins() -> None:
    one, two = _table(0), _table(1)
    compared = common_neighbors((one, two), (_WEIGHTS, _WEIGHTS), np.arange(60), 5)
    assert compared is not None
    assert compared.share == pytest.approx(naive_comparisons.common_share(_proximities(one), _proximities(two), 5))
    assert compared.n_rows == 60


def test_a_model_agrees_with_itself() -> None:
    one = _table(0)
    compared = common_neighbors((one, one), (_WEIGHTS, _WEIGHTS), np.arange(20), 5)
    assert compared is not None
    assert (compared.share, compared.n_rows) == (1.0, 20)
    assert compared.by_chance < 0.5


def test_models_that_have_nothing_in_common_agree_by_chance() -> None:
    one, two = _table(0, 400), _table(1, 400)
    compared = common_neighbors((one, two), (_WEIGHTS, _WEIGHTS), np.arange(400), 10)
    assert compared is not None
    assert compared.share == pytest.approx(compared.by_chance, abs=0.01)
    assert compared.by_chance == pytest.approx(10 / 399, abs=0.01)


def test_rows_that_share_no_leaf_are_not_compared() -> None:
    alone = LeafTable.from_leaves(np.repeat(np.arange(6, dtype=np.int32)[:, None], 12, axis=1), np.full(12, 6))
    assert common_neighbors((alone, alone), (_WEIGHTS, _WEIGHTS), np.arange(6), 2) is None
