"""Kinds of proximity that count rows in leaves: as defined, and their weighted votes are what forests predict."""

from fractions import Fraction
from hashlib import sha256
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
from leafspace_client.conversion.bags import bags_of
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from tests.support import naive_proximity_kinds as naive
from tree_explainers.bags import Bags
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.counted_table import TOTAL, BagKind, CountedKind, CountedTable
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.leaf_space.nearest_by_counts import NearestByCounts

_N, _N_NEW = 60, 7
_RNG = np.random.default_rng(0)
_ROWS = np.round(_RNG.normal(size=(_N + _N_NEW, 3)), 1).astype(np.float32)
_VALUES = np.round(_ROWS[:, 0] * 3 + _RNG.normal(size=len(_ROWS)), 1)
_LABELS = _RNG.integers(0, 3, len(_ROWS))
_FORESTS: dict[str, Any] = {
    "regressor": RandomForestRegressor(19, random_state=1, oob_score=True),
    "large leaves": RandomForestRegressor(21, min_samples_leaf=6, random_state=1, oob_score=True),
    "classifier": RandomForestClassifier(23, min_samples_leaf=3, random_state=0, oob_score=True),
    "few drawn": RandomForestRegressor(12, max_samples=0.4, min_samples_leaf=2, random_state=2, oob_score=True),
    "two trees": RandomForestClassifier(2, random_state=4),
}


class _Fitted:
    """A forest of scikit-learn, the leaves of training rows and new ones, and how often its trees drew rows."""

    def __init__(self, forest: Any) -> None:
        self.target = _LABELS[:_N] if hasattr(forest, "predict_proba") else _VALUES[:_N]
        self.forest = forest.fit(_ROWS[:_N], self.target)
        trees = [tree.tree_ for tree in forest.estimators_]
        numbers = [np.cumsum(tree.children_left < 0) - 1 for tree in trees]
        codes = np.stack([number[nodes] for number, nodes in zip(numbers, forest.apply(_ROWS).T, strict=True)])
        n_leaves = np.array([tree.n_leaves for tree in trees])
        self.table = LeafTable.from_leaves(np.ascontiguousarray(codes[:, :_N].T, np.int32), n_leaves)
        self.new = np.ascontiguousarray(codes[:, _N:].T, np.int32)
        document = bags_of(forest)
        assert document is not None
        self.bags = Bags(**{**document, "seeds": tuple(document["seeds"])})
        classes = np.eye(3)[_LABELS[:_N]]
        self.targets = classes if self.target.dtype.kind == "i" else self.target[:, None]
        self.of_rows = codes[:, :_N].tolist()
        self.drawn = [np.bincount(rows, minlength=_N).tolist() for rows in forest.estimators_samples_]


def _out_of_bag(fitted: _Fitted) -> NDArray[np.float64]:
    forest = fitted.forest
    values = forest.oob_decision_function_ if hasattr(forest, "predict_proba") else forest.oob_prediction_[:, None]
    return np.asarray(values)


def _predicted(fitted: _Fitted) -> NDArray[np.float64]:
    new = _ROWS[_N:]
    if hasattr(fitted.forest, "predict_proba"):
        return np.asarray(fitted.forest.predict_proba(new))
    return np.asarray(fitted.forest.predict(new)[:, None])


@pytest.fixture(scope="module", params=_FORESTS)
def fitted(request: pytest.FixtureRequest) -> _Fitted:
    return _Fitted(_FORESTS[request.param])


def _table(fitted: _Fitted, kind: CountedKind) -> CountedTable:
    if kind == "kernel":
        return CountedTable.by_sizes(fitted.table, np.ones(fitted.table.n_trees, np.int64))
    return CountedTable.by_bags(kind, fitted.table, fitted.bags)


def _defined(fitted: _Fitted, kind: CountedKind, leaves: list[int], row: int | None, other: int) -> Fraction:
    if kind == "kernel":
        return naive.kernel(leaves, other, fitted.of_rows, [1] * len(leaves))
    definition = naive.gap if kind == "gap" else naive.oob
    return definition(leaves, row, other, fitted.of_rows, fitted.drawn)


@pytest.mark.parametrize("kind", get_args(CountedKind))
def test_proximities_are_as_defined(fitted: _Fitted, kind: CountedKind) -> None:
    search = NearestByCounts(_table(fitted, kind))
    leaves = fitted.table.leaves_of(np.arange(_N)).tolist()
    of_rows = search.columns(np.arange(_N))
    for row, other in product(range(0, _N, 7), range(_N)):
        expected = _defined(fitted, kind, leaves[row], row, other)
        assert of_rows[row, other] / TOTAL == pytest.approx(float(expected), abs=1e-12)
        assert (of_rows[row, other] > 0) == (expected > 0)
    of_new = search.columns_of_new(fitted.new)
    for row, other in product(range(_N_NEW), range(0, _N, 3)):
        expected = _defined(fitted, kind, fitted.new[row].tolist(), None, other)
        assert of_new[row, other] / TOTAL == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("kind", get_args(CountedKind))
def test_the_nearest_rows_are_those_of_the_largest_proximity(fitted: _Fitted, kind: CountedKind) -> None:
    search = NearestByCounts(_table(fitted, kind))
    columns = search.columns(np.arange(_N))
    np.fill_diagonal(columns, -1)
    for n_neighbors in (1, 4, _N - 1):
        rows, proximities = search.of_rows(np.arange(_N), n_neighbors)
        for row, line in enumerate(columns.tolist()):
            nearest = sorted((-value, other) for other, value in enumerate(line) if value > 0)[:n_neighbors]
            rest = n_neighbors - len(nearest)
            assert rows[row].tolist() == [other for _, other in nearest] + [-1] * rest
            assert proximities[row].tolist() == [-value for value, _ in nearest] + [0] * rest


def test_the_vote_of_gap_is_the_prediction_out_of_bag(fitted: _Fitted) -> None:
    search = NearestByCounts(_table(fitted, "gap"))
    shares = search.columns(np.arange(_N)) / TOTAL
    is_out = (np.array(fitted.drawn) == 0).any(axis=0)
    assert shares[is_out].sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert not shares[~is_out].any()
    assert not shares.diagonal().any()
    assert shares.max() <= 1
    if not fitted.forest.oob_score:
        return
    assert is_out.all() == (~np.isnan(_out_of_bag(fitted))).all()
    assert np.abs(shares @ fitted.targets - _out_of_bag(fitted))[is_out].max() < 1e-12


@pytest.mark.parametrize("kind", ["gap", "kernel"])
def test_of_new_rows_the_vote_of_gap_is_the_prediction(fitted: _Fitted, kind: CountedKind) -> None:
    shares = NearestByCounts(_table(fitted, kind)).columns_of_new(fitted.new) / TOTAL
    if kind == "gap":
        assert np.abs(shares @ fitted.targets - _predicted(fitted)).max() < 1e-12
    else:  # every leaf has training rows, whose plain means its trees' predictions are then
        of_leaves = np.array(fitted.of_rows)[:, None, :] == fitted.new.T[:, :, None]
        means = of_leaves @ fitted.targets / of_leaves.sum(axis=2)[:, :, None]
        assert np.abs(shares @ fitted.targets - means.mean(axis=0)).max() < 1e-12


@pytest.mark.parametrize("kind", ["oob", "kernel"])
def test_which_kinds_are_symmetric(fitted: _Fitted, kind: CountedKind) -> None:
    columns = NearestByCounts(_table(fitted, kind)).columns(np.arange(_N))
    assert np.array_equal(columns, columns.T)
    assert columns.max() <= TOTAL
    if kind == "kernel":
        assert columns.sum(axis=1) / TOTAL == pytest.approx(1, abs=1e-12)
    else:
        is_out = (np.array(fitted.drawn) == 0).any(axis=0)
        assert (columns.diagonal() == np.where(is_out, TOTAL, 0)).all()
    gap = NearestByCounts(_table(fitted, "gap")).columns(np.arange(_N))
    assert not np.array_equal(gap, gap.T)


def test_rows_in_the_same_leaves_and_bags_tie() -> None:
    codes = np.array([[0, 0, 0, 1, 0], [0, 1, 1, 0, 1], [1, 1, 1, 0, 0]], np.uint8)
    table = LeafTable.from_codes(codes, np.array([2, 2, 2]))
    rows, proximities = NearestByCounts(CountedTable.by_sizes(table, np.array([1, 1, 1]))).of_rows(np.arange(5), 3)
    assert rows[0].tolist() == [1, 2, 3]  # of the two that are equally near, the lower first; 3 shares a small leaf
    assert proximities[0].tolist()[0] == proximities[0].tolist()[1]
    rows, _ = NearestByCounts(CountedTable.by_sizes(table, np.array([0, 3, 0]))).of_rows(np.arange(5), 3)
    assert rows.tolist() == [[3, -1, -1], [2, 4, -1], [1, 4, -1], [0, -1, -1], [1, 2, -1]]


def test_other_rows_than_those_of_training_are_refused(fitted: _Fitted) -> None:
    others = LeafTable.from_codes(fitted.table.codes[:, ::-1].copy(), np.diff(fitted.table.offsets))
    with pytest.raises(InvalidInput, match="not those that the forest was trained on"):
        CountedTable.by_bags("gap", others, fitted.bags)


# Six rows in five trees, and what the package ForestGeom 0.4.0 says of them (``Proximity``, by the schemes gap, oob and
# kerf), once as the training rows that they are, once as new ones.
_CODES = [[0, 0, 1, 1, 0, 2], [1, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1], [2, 1, 1, 2, 0, 0], [0, 1, 0, 1, 0, 1]]
_SEEDS, _N_LEAVES = (3, 1, 4, 15, 9), [3, 2, 2, 3, 2]
_KERNEL = [
    [0.3833333, 0.1166667, 0.2166667, 0.15, 0.1333333, 0],
    [0.1166667, 0.3333333, 0.15, 0.1666667, 0.1166667, 0.1166667],
    [0.2166667, 0.15, 0.4166667, 0.15, 0.0666667, 0],
    [0.15, 0.1666667, 0.15, 0.3666667, 0.05, 0.1166667],
    [0.1333333, 0.1166667, 0.0666667, 0.05, 0.3833333, 0.25],
    [0, 0.1166667, 0, 0.1166667, 0.25, 0.5166667],
]
_GAP_OF_TRAINING = [
    [0.0] * 6,
    [0.0] * 6,
    [0.5, 0, 0, 0, 0.1666667, 0],
    [0.7, 0.1, 0.2, 0, 0, 0],
    [0.375, 0.125, 0, 0, 0, 0.5],
    [0.0] * 6,
]
_GAP_OF_NEW = [
    [0.73, 0.09, 0.08, 0, 0.1, 0],
    [0.23, 0.18, 0.08, 0.13, 0.04, 0.14],
    [0.38, 0.04, 0.18, 0.1, 0.1, 0],
    [0.28, 0.13, 0.18, 0.23, 0.04, 0.14],
    [0.25, 0.09, 0, 0.08, 0.24, 0.34],
    [0, 0.09, 0, 0.13, 0.14, 0.44],
]
_OOB_OF_TRAINING = [[0, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0], [0, 1, 1, 0, 0, 0], *np.eye(6)[3:].tolist()]
_OOB_OF_NEW = [
    [0, 0, 0.6666667, 1, 0.5, 0],
    [0, 1, 0.3333333, 0.5, 0.5, 0],
    [0, 1, 1, 0.5, 0, 0],
    [0, 0, 0, 1, 0, 0],
    [0, 0, 0.3333333, 0, 1, 0],
    [0, 0, 0, 0, 0.5, 1],
]


def _drawn_bags() -> Bags:
    bags, digest = Bags(_SEEDS, 6, 6, ""), sha256()
    for tree, (codes, n_leaves) in enumerate(zip(_CODES, _N_LEAVES, strict=True)):
        in_leaves = np.bincount(np.array(codes)[bags.counts(tree) > 0], minlength=n_leaves)
        digest.update(np.append(np.sort(in_leaves), 2**32 - 1).astype("<u4").tobytes())
    return Bags(_SEEDS, 6, 6, digest.hexdigest())


def test_another_package_says_the_same() -> None:
    table = LeafTable.from_codes(np.array(_CODES, np.uint8), np.array(_N_LEAVES))
    leaves, rows = table.leaves_of(np.arange(6)), np.arange(6)
    kernel = NearestByCounts(CountedTable.by_sizes(table, np.ones(5, np.int64)))
    gap, oob = (NearestByCounts(CountedTable.by_bags(kind, table, _drawn_bags())) for kind in get_args(BagKind))
    for ours, theirs in (
        (kernel.columns(rows), _KERNEL),
        (kernel.columns_of_new(leaves), _KERNEL),
        (gap.columns(rows), _GAP_OF_TRAINING),
        (gap.columns_of_new(leaves), _GAP_OF_NEW),
        (oob.columns(rows), _OOB_OF_TRAINING),
        (oob.columns_of_new(leaves), _OOB_OF_NEW),
    ):
        assert np.abs(ours / TOTAL - np.array(theirs)).max() < 1e-6
