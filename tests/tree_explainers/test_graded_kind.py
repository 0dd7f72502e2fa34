"""The proximity by degrees: as defined by the ways of rows through the trees, and the nearest rows by it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tests.support import naive_proximity_kinds as kinds
from tests.support.models import FittedModel, fitted
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.coarser_leaves import coarser_leaves
from tree_explainers.leaf_space.counted_table import TOTAL
from tree_explainers.leaf_space.graded_table import GradedTable
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind, tree_weights
from tree_explainers.leaf_space.nearest_by_depth import NearestByDepth

_MODELS = ("random_forest_binary", "random_forest_regression", "lightgbm_binary", "xgboost_regression")
_N = 50


class _Graded:
    """A model's rows, and how it weighs its trees."""

    def __init__(self, name: str) -> None:
        self.model: FittedModel = fitted(name)
        self.ensemble: TreeEnsemble = self.model.read.ensemble
        self.leaves: NDArray[np.int32] = self.model.session.run_in_chunks(self.model.rows).leaves[:_N]
        self.table = LeafTable.from_leaves(self.leaves, self.ensemble.n_leaves)
        kind: ProximityKind = "random_forest" if name.startswith("random") else "boosting_sd"
        self.weights = tree_weights(kind, self.table, self.ensemble.leaf_values)

    def paths(self, row: int) -> list[list[int]]:
        of_leaves = enumerate(self.leaves[row].tolist())
        ways = ((tree, leaf, naive.path_to_leaf(self.ensemble, tree, leaf)) for tree, leaf in of_leaves)
        first = self.ensemble.leaf_offsets
        return [[*(node for node, _ in way), int(self.ensemble.leaf_nodes[first[t] + leaf])] for t, leaf, way in ways]


@pytest.fixture(scope="module", params=_MODELS)
def graded(request: pytest.FixtureRequest) -> _Graded:
    return _Graded(request.param)


def _columns(table: GradedTable) -> NDArray[np.int64]:
    return NearestByDepth(table).columns(table.leaves_of(np.arange(table.n_rows)))


def test_proximities_are_as_defined(graded: _Graded) -> None:
    columns = _columns(GradedTable.of(graded.ensemble, graded.table, graded.weights))
    paths = [graded.paths(row) for row in range(_N)]
    for row in range(0, _N, 9):
        for other in range(_N):
            expected = kinds.graded(paths[row], paths[other], graded.weights.tolist())
            assert columns[row, other] / TOTAL == pytest.approx(float(expected), abs=1e-12)


def test_they_are_symmetric_and_one_where_all_leaves_are_shared(graded: _Graded) -> None:
    columns = _columns(GradedTable.of(graded.ensemble, graded.table, graded.weights))
    assert np.array_equal(columns, columns.T)
    assert columns.max() <= TOTAL
    assert (columns.diagonal() / TOTAL).tolist() == pytest.approx([1] * _N, abs=1e-12)
    shared = naive.proximity_matrix(graded.leaves, graded.weights) / graded.weights.sum()
    assert (columns / TOTAL - shared > -1e-12).all()  # never less near than by whole leaves


def test_scikit_learn_counts_the_nodes_that_two_rows_come_through_alike() -> None:
    graded = _Graded("random_forest_regression")
    columns = _columns(GradedTable.of(graded.ensemble, graded.table, graded.weights))
    features = np.stack(graded.model.rows.columns, axis=1)[:_N].astype(np.float32)
    expected = np.zeros((_N, _N))
    for tree in graded.model.estimator.estimators_:
        through = tree.decision_path(features).toarray()
        depths = through.sum(axis=1) - 1
        expected += 2 * (through @ through.T - 1) / (depths[:, None] + depths)
    assert np.abs(columns / TOTAL - expected / len(graded.model.estimator.estimators_)).max() < 1e-12


def test_the_nearest_rows_are_those_of_the_largest_proximity(graded: _Graded) -> None:
    table = GradedTable.of(graded.ensemble, graded.table, graded.weights)
    columns = _columns(table)
    np.fill_diagonal(columns, -1)
    for n_neighbors in (1, 5, _N - 1):
        rows, proximities = NearestByDepth(table).of_rows(np.arange(_N), n_neighbors)
        for row, line in enumerate(columns.tolist()):
            nearest = sorted((-value, other) for other, value in enumerate(line) if value > 0)[:n_neighbors]
            rest = n_neighbors - len(nearest)
            assert rows[row].tolist() == [other for _, other in nearest] + [-1] * rest
            assert proximities[row].tolist() == [-value for value, _ in nearest] + [0] * rest


def test_in_trees_that_are_cut_back_the_ways_end_earlier(graded: _Graded) -> None:
    coarser = coarser_leaves(graded.ensemble, graded.table, 8)
    weights = coarser.weights("random_forest", graded.table)
    cut = coarser.cut(graded.ensemble)
    columns = _columns(GradedTable.of(cut, coarser.table(graded.table), weights))
    ends = {
        tree: set(cut.leaf_nodes[cut.leaf_offsets[tree] : cut.leaf_offsets[tree + 1]]) for tree in range(len(weights))
    }

    def shortened(paths: list[list[int]]) -> list[list[int]]:
        stops = [next(n for n, node in enumerate(path) if node in ends[tree]) for tree, path in enumerate(paths)]
        return [path[: stop + 1] for path, stop in zip(paths, stops, strict=True)]

    paths = [shortened(graded.paths(row)) for row in range(_N)]
    for other in range(_N):
        expected = kinds.graded(paths[3], paths[other], weights.tolist())
        assert columns[3, other] / TOTAL == pytest.approx(float(expected), abs=1e-12)


def test_leaves_of_other_trees_are_refused(graded: _Graded) -> None:
    others = LeafTable.from_codes(np.zeros((1, 3), np.uint8), np.array([2]))
    with pytest.raises(InvalidInput, match="other leaves than the ensemble"):
        GradedTable.of(graded.ensemble, others, np.ones(1, np.int64))
