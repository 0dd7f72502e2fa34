import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import CLASSIFICATIONS, KINDS, RealLeaves, real_leaves
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.leaf_space.partitioned_table import PartitionedTable
from tree_explainers.prototype_sets import joint_leaves
from tree_explainers.prototype_sets.joint_leaves import gains_at_most


def excess(real: RealLeaves, rows: NDArray[np.int64], promised: NDArray[np.int64]) -> NDArray[np.int64]:
    proximity = naive.proximity_matrix(real.leaves[rows], real.weights)
    return np.stack([np.maximum(proximity - line, 0).sum(axis=1) for line in promised])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
def test_no_row_gains_more_than_its_bound(dataset: str, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind)
    rows = np.flatnonzero(real.classes("target") == 0)
    total, rng = int(real.weights.sum()), np.random.default_rng(0)
    promised = np.stack([rng.integers(0, total // share, len(rows)) for share in (1, 2, 4, 10)])
    promised[0, :5], promised[1, :5] = total, 0

    at_most = gains_at_most(real.table, real.weights, rows, promised)

    exact = excess(real, rows, promised)
    assert (at_most >= exact).all()
    assert (exact[2:] > 0).any()
    proximity = naive.proximity_matrix(real.leaves[rows], real.weights)
    by_sizes_of_leaves = (1 - promised[:, None, :] / total) * proximity
    assert (at_most <= by_sizes_of_leaves.sum(axis=2) * (1 + 1e-9) + len(rows)).all()


@pytest.mark.parametrize("n_trees", [1, 2, 3, 4, 5])
def test_of_few_trees_it_is_exact(n_trees: int) -> None:
    real = real_leaves("spambase", "random_forest")
    rng = np.random.default_rng(n_trees)
    leaves, weights = real.leaves[:, :n_trees], rng.integers(500, 1000, n_trees)  # none is light
    table = LeafTable.from_leaves(leaves, real.table.offsets[1 : n_trees + 1] - real.table.offsets[:n_trees])
    rows = np.sort(rng.choice(len(leaves), 250, replace=False))
    promised = rng.integers(0, weights.sum() + 1, (2, len(rows)))

    at_most = gains_at_most(table, weights, rows, promised)

    proximity = naive.proximity_matrix(leaves[rows], weights)
    assert at_most.tolist() == [np.maximum(proximity - line, 0).sum(axis=1).tolist() for line in promised]


@pytest.mark.parametrize("most_work", [0, 10_000, 500_000_000])  # blocks of one tree, of few, of several
@pytest.mark.parametrize("kind", KINDS)
def test_rows_in_partitions_have_the_same_bounds(
    kind: ProximityKind, most_work: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joint_leaves, "_MOST_WORK", most_work)
    real = real_leaves("spambase", kind)
    rng = np.random.default_rng(0)
    rows = np.sort(rng.choice(len(real.leaves), 250, replace=False))
    promised = rng.integers(0, real.weights.sum() // 3, (3, len(rows)))
    cut = PartitionedTable.cut(real.table, np.array([0, 100, 101, len(real.leaves)]))

    at_most = gains_at_most(cut, real.weights, rows, promised)

    assert at_most.tolist() == gains_at_most(real.table, real.weights, rows, promised).tolist()


def test_trees_without_weight_do_not_matter() -> None:
    real = real_leaves("titanic", "boosting")
    weights = real.weights * (np.arange(len(real.weights)) < 2)
    rows = np.arange(len(real.leaves))
    promised = np.full((1, len(rows)), int(weights.sum()) // 3)

    at_most = gains_at_most(real.table, weights, rows, promised)

    proximity = naive.proximity_matrix(real.leaves, weights)
    assert at_most[0].tolist() == np.maximum(proximity - promised, 0).sum(axis=1).tolist()


def test_listening_can_stop_it() -> None:
    real = real_leaves("titanic", "random_forest")
    rows = np.arange(len(real.leaves))

    def stop(fraction: float, stage: str) -> None:  # as callbacks are called
        assert 0 <= fraction <= 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gains_at_most(real.table, real.weights, rows, np.zeros((1, len(rows)), dtype=np.int64), stop)
