"""Shares of training rows: as defined, and their weighted mean is what scikit-learn predicts."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from tests.support.naive_training_rows import fewest_that_make_half, quantile, shares_of_training_rows
from tree_explainers.errors import InvalidInput
from tree_explainers.training_rows import (
    TrainingRows,
    concentration,
    interval_coverage,
    largest_shares,
    prediction_interval,
)

_N = 90
_RNG = np.random.default_rng(0)
_ROWS = _RNG.normal(size=(_N + 8, 3)).astype(np.float32)
_VALUES = np.round(_ROWS[:, 0] * 3 + _RNG.normal(size=len(_ROWS)), 1)
_LABELS = _RNG.integers(0, 3, len(_ROWS))
_FORESTS = {
    "regressor": RandomForestRegressor(12, random_state=1, oob_score=True),
    "large leaves": RandomForestRegressor(12, min_samples_leaf=6, random_state=1, oob_score=True),
    "classifier": RandomForestClassifier(11, min_samples_leaf=3, random_state=0, oob_score=True),
    "few drawn": RandomForestRegressor(12, max_samples=0.4, min_samples_leaf=2, random_state=2, oob_score=True),
    "without bags": ExtraTreesRegressor(9, min_samples_leaf=4, random_state=3),
}


class _Fitted:
    """A forest of scikit-learn, its leaves numbered within trees, and how often its trees drew rows."""

    def __init__(self, forest: Any, rows: NDArray[Any] = _ROWS) -> None:
        target = _LABELS if hasattr(forest, "predict_proba") else _VALUES
        self.forest = forest.fit(rows[:_N], target[:_N])
        self.trees = [tree.tree_ for tree in forest.estimators_]
        numbers = [np.cumsum(tree.children_left < 0) - 1 for tree in self.trees]
        self.codes = np.stack([number[nodes] for number, nodes in zip(numbers, forest.apply(rows).T, strict=True)])
        self.offsets = np.concatenate([[0], np.cumsum([tree.n_leaves for tree in self.trees])])
        drawn = forest.estimators_samples_ if forest.bootstrap else [np.arange(_N)] * len(self.trees)
        self.drawn = np.stack([np.bincount(rows, minlength=_N) for rows in drawn])
        counts_of = self.drawn.__getitem__ if forest.bootstrap else None
        self.training = TrainingRows.of(self.codes[:, :_N], self.offsets, counts_of)
        self.targets: NDArray[np.float64] = np.eye(3)[_LABELS[:_N]] if target is _LABELS else _VALUES[:_N, None]

    @property
    def leaf_values(self) -> NDArray[np.float64]:
        """What each leaf predicts, (n_leaves, n_outputs)."""
        return np.concatenate([tree.value[tree.children_left < 0].reshape(tree.n_leaves, -1) for tree in self.trees])

    def predict(self, rows: NDArray[Any]) -> NDArray[Any]:
        """What it predicts, (n_rows, n_outputs)."""
        if hasattr(self.forest, "predict_proba"):
            return np.asarray(self.forest.predict_proba(rows))
        return np.asarray(self.forest.predict(rows)[:, None])


@pytest.fixture(scope="module", params=_FORESTS)
def fitted(request: pytest.FixtureRequest) -> _Fitted:
    return _Fitted(_FORESTS[request.param])


def test_shares_are_as_defined(fitted: _Fitted) -> None:
    for row in (0, 7, 44, _N, _N + 5):
        expected = shares_of_training_rows(
            fitted.codes[:, row].tolist(), fitted.codes[:, :_N].tolist(), fitted.drawn.tolist()
        )
        shares = fitted.training.shares(fitted.codes[:, row])
        assert shares.tolist() == pytest.approx([float(share) for share in expected], abs=1e-15)
        assert (shares > 0).tolist() == [share > 0 for share in expected]
        measured = concentration(shares)
        assert measured.n_rows == sum(share > 0 for share in expected)
        assert measured.effective_rows == pytest.approx(float(1 / sum(share**2 for share in expected)))
        assert measured.n_half == fewest_that_make_half(expected)


def test_the_weighted_mean_of_targets_is_the_prediction(fitted: _Fitted) -> None:
    shares = np.stack([fitted.training.shares(leaves) for leaves in fitted.codes.T])
    assert shares.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert np.abs(shares @ fitted.targets - fitted.predict(_ROWS)).max() < 1e-12


def test_over_trees_that_did_not_draw_a_row_it_is_the_out_of_bag_prediction(fitted: _Fitted) -> None:
    forest = fitted.forest
    for row in range(_N):
        is_out = fitted.training.is_out_of_bag(row, fitted.codes[:, row])
        assert is_out.tolist() == (fitted.drawn[:, row] == 0).tolist()
        if is_out.any():
            shares = fitted.training.shares(fitted.codes[:, row], is_out)
            expected = forest.oob_prediction_ if hasattr(forest, "oob_prediction_") else forest.oob_decision_function_
            assert shares @ fitted.targets == pytest.approx(np.atleast_1d(expected[row]), abs=1e-12)
            assert shares[row] == 0


def test_leaves_whose_values_are_means_of_their_rows_are_known_from_others(fitted: _Fitted) -> None:
    values, targets = fitted.leaf_values, fitted.targets
    for output in range(targets.shape[1]):
        assert fitted.training.largest_difference(values[:, output], targets[:, output]) < 1e-12
        assert fitted.training.largest_difference(values[:, output], targets[::-1, output]) > 0.1
    halved = TrainingRows.of(fitted.codes[:, :1], fitted.offsets)
    assert halved.largest_difference(values[:, 0], targets[:1, 0]) == float("inf")


def test_medians_are_no_means() -> None:
    fitted = _Fitted(RandomForestRegressor(5, criterion="absolute_error", min_samples_leaf=5, random_state=0))
    assert fitted.training.largest_difference(fitted.leaf_values[:, 0], fitted.targets[:, 0]) > 0.1


def test_an_interval_lies_between_weighted_quantiles() -> None:
    fitted = _Fitted(_FORESTS["large leaves"])
    for row in range(0, _N + 8, 9):
        shares = fitted.training.shares(fitted.codes[:, row])
        exact = shares_of_training_rows(
            fitted.codes[:, row].tolist(), fitted.codes[:, :_N].tolist(), fitted.drawn.tolist()
        )
        for level in (Fraction(9, 10), Fraction(1, 2)):
            expected = [quantile(_VALUES[:_N].tolist(), exact, (1 + sign * level) / 2) for sign in (-1, 1)]
            assert list(prediction_interval(_VALUES[:_N], shares, float(level))) == expected


def test_of_one_tree_the_interval_is_numpys_inverted_distribution() -> None:
    tree = DecisionTreeRegressor(max_leaf_nodes=2, random_state=0).fit(_ROWS[:_N], _VALUES[:_N])
    nodes = tree.apply(_ROWS[:_N])
    training = TrainingRows.of((nodes - 1)[None], np.array([0, 2]))
    values = _VALUES[:_N][nodes == nodes[0]]
    expected = np.quantile(values, [0.05, 0.95], method="inverted_cdf").tolist()
    assert list(prediction_interval(_VALUES[:_N], training.shares(nodes[:1] - 1))) == expected


def test_coverage_counts_training_rows_by_trees_that_did_not_draw_them() -> None:
    fitted, targets = _Fitted(_FORESTS["few drawn"]), _VALUES[:_N].tolist()
    are_held = []
    for row in range(0, _N, 3):
        trees = np.flatnonzero(fitted.drawn[:, row] == 0)
        exact = shares_of_training_rows(
            fitted.codes[trees, row].tolist(), fitted.codes[trees, :_N].tolist(), fitted.drawn[trees].tolist()
        )
        low, high = (quantile(targets, exact, Fraction(level, 20)) for level in (1, 19))
        are_held.append(low <= targets[row] <= high)
    coverage = interval_coverage(fitted.training, fitted.codes, _VALUES[:_N], np.arange(0, _N, 3))
    assert 0 < sum(are_held) < len(are_held)
    assert coverage == pytest.approx(sum(are_held) / len(are_held))
    every = TrainingRows.of(fitted.codes[:, :_N], fitted.offsets)
    assert interval_coverage(every, fitted.codes, _VALUES[:_N], np.arange(_N)) is None


def test_the_largest_shares_come_first() -> None:
    assert largest_shares(np.array([0.1, 0.4, 0.0, 0.1, 0.4]), 3).tolist() == [1, 4, 0]
    assert largest_shares(np.array([0.0, 1.0, 0.0]), 3).tolist() == [1]


def test_a_row_that_was_drawn_too_often_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"Tree 0 drew a row 65,536 times, more than 65,535\."):
        TrainingRows.of(np.zeros((1, 1), np.int64), np.array([0, 1]), lambda _tree: np.array([2**16]))


@pytest.mark.parametrize("with_bags", [True, False], ids=["bags", "all rows"])
def test_intervals_are_those_of_quantile_forest(*, with_bags: bool) -> None:
    """Of n rows in the leaves, the package takes the rank ``q * (n - 1) + 1`` for a level q, Meinshausen ``q * n``."""
    quantile_forest = pytest.importorskip("quantile_forest", reason="it is in requirements/benchmarks.txt")
    rows, values = load_diabetes(return_X_y=True)
    rows, is_new = rows.astype(np.float32), np.arange(len(values)) % 3 == 0
    options = {"min_samples_leaf": 5, "max_features": 0.5, "bootstrap": with_bags, "random_state": 0}
    # By default, it keeps one row of each leaf, and counts rows of large leaves like those of small ones.
    forest = quantile_forest.RandomForestQuantileRegressor(30, max_samples_leaf=None, **options)
    forest.fit(rows[~is_new], values[~is_new])
    numbers = [np.cumsum(tree.tree_.children_left < 0) - 1 for tree in forest.estimators_]
    codes = np.stack([number[nodes] for number, nodes in zip(numbers, forest.apply(rows).T, strict=True)])
    drawn = [np.bincount(each, minlength=(~is_new).sum()) for each in forest.estimators_samples_] if with_bags else None
    offsets = np.cumsum([0, *(tree.tree_.n_leaves for tree in forest.estimators_)])
    training = TrainingRows.of(codes[:, ~is_new], offsets, None if drawn is None else drawn.__getitem__)
    shares = np.stack([training.shares(leaves) for leaves in codes[:, is_new].T])
    means = forest.predict(rows[is_new], quantiles="mean", weighted_leaves=True)
    assert shares @ values[~is_new] == pytest.approx(np.ravel(means), abs=1e-10)
    higher, linear = (
        forest.predict(rows[is_new], quantiles=[0.05, 0.95], weighted_leaves=True, interpolation=interpolation)
        for interpolation in ("higher", "linear")
    )
    n_in_leaves = training.totals[codes[:, is_new] + offsets[:-1, None]].sum(axis=0)
    of_ranks = (np.array([[0.05], [0.95]]) * (n_in_leaves - 1) + 1) / n_in_leaves + 2e-12
    expected = [
        [
            prediction_interval(values[~is_new], of_row, 1 - 2 * low)[0],
            prediction_interval(values[~is_new], of_row, 2 * high - 1)[1],
        ]
        for of_row, low, high in zip(shares, *of_ranks, strict=True)
    ]
    assert higher.tolist() == expected
    ours = np.array([prediction_interval(values[~is_new], of_row) for of_row in shares])
    assert np.abs(ours - linear).mean() < 0.01 * np.ptp(values)
