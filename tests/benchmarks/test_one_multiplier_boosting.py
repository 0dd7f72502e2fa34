import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeRegressor

from benchmarks.paper_tables.one_multiplier_boosting import MOST_STEP, Multiplier, OneMultiplierBoosting, line_search
from benchmarks.paper_tables.tree_spaces import leaves_within_trees
from tree_explainers.leaf_space.leaves import LeafTable, tree_weights

_RATE = 0.1


def _deviance(odds: NDArray[np.float64], target: NDArray[np.float64]) -> float:
    return float(np.logaddexp(0, np.where(target == 1, -odds, odds)).sum())


@pytest.mark.parametrize("seed", range(20))
def test_the_multiplier_is_that_of_the_least_loss(seed: int) -> None:
    rng = np.random.default_rng(seed)
    odds, direction = rng.normal(0, 2, 300), rng.normal(0, 0.3, 300)
    target = (rng.random(300) < 1 / (1 + np.exp(-odds - 3 * direction))).astype(np.float64)
    most = MOST_STEP / np.abs(direction).max()

    def loss(multiplier: float) -> float:
        return _deviance(odds + multiplier * direction, target)

    found = line_search(odds, direction, target)

    of_scipy = minimize_scalar(loss, bounds=(0, most), method="bounded", options={"xatol": 1e-9})
    assert found == pytest.approx(of_scipy.x, abs=1e-4)
    assert loss(found) <= min(loss(multiplier) for multiplier in np.linspace(0, most, 1001))


def test_a_direction_that_separates_the_classes_is_followed_as_far_as_scores_may_move() -> None:
    target = np.array([0.0, 0.0, 1.0])

    assert line_search(np.zeros(3), np.array([-0.1, -0.2, 0.4]), target) == MOST_STEP / 0.4
    assert line_search(np.zeros(3), np.array([0.1, 0.2, -0.4]), target) == 0
    assert line_search(np.zeros(3), np.zeros(3), target) == 0


@pytest.mark.parametrize("multiplier", ["line_search", "authors"])
def test_leaves_keep_mean_residuals_times_rate_and_multiplier_and_weigh_as_in_definition_3(
    multiplier: Multiplier,
) -> None:
    features, classes = load_breast_cancer(return_X_y=True)
    features = features.astype(np.float32)
    fitted = OneMultiplierBoosting(10, 3, _RATE, multiplier, 0).fit(features, classes)
    probabilities = [np.full((len(classes), 2), classes.mean()), *fitted.staged_predict_proba(features)]
    nodes = fitted.apply(features, 10)
    variances = []
    for number, (tree, gamma) in enumerate(zip(fitted.trees, fitted.multipliers, strict=True)):
        residuals = classes - probabilities[number][:, 1]
        counts = np.bincount(nodes[:, number])
        means = (np.bincount(nodes[:, number], residuals) / np.maximum(counts, 1))[nodes[:, number]]
        assert tree.predict(features) == pytest.approx(_RATE * gamma * means)
        variances.append(gamma**2 * means.var())

    leaves, n_leaves, values = leaves_within_trees(fitted.trees, nodes)
    weights = tree_weights("boosting", LeafTable.from_leaves(leaves, n_leaves), values)

    assert weights / weights.sum() == pytest.approx(np.array(variances) / sum(variances), abs=1e-6)


def test_the_first_multiplier_of_the_authors_divides_by_the_mean_variance_of_a_row() -> None:
    features, classes = load_breast_cancer(return_X_y=True)

    fitted = OneMultiplierBoosting(1, 3, _RATE, "authors", 0).fit(features.astype(np.float32), classes)

    assert fitted.multipliers == pytest.approx([1 / (classes.mean() * (1 - classes.mean()))])


def test_the_first_tree_is_that_of_scikit_learn_but_for_its_values() -> None:
    features, classes = load_breast_cancer(return_X_y=True)
    features = features.astype(np.float32)

    own = OneMultiplierBoosting(1, 3, _RATE, "line_search", 0).fit(features, classes)

    theirs = GradientBoostingClassifier(n_estimators=1, random_state=0).fit(features, classes)
    tree = theirs.estimators_[0, 0]
    assert isinstance(tree, DecisionTreeRegressor)
    assert (own.apply(features, 1)[:, 0] == tree.apply(features)).all()


def test_with_three_classes_each_tree_has_the_multiplier_of_the_least_multinomial_loss() -> None:
    features, classes = load_wine(return_X_y=True)
    features = features.astype(np.float32)

    fitted = OneMultiplierBoosting(4, 1, _RATE, "line_search", 0).fit(features, classes)

    staged = list(fitted.staged_predict_proba(features))
    assert len(fitted.trees) == 12
    assert fitted.apply(features, 2).shape == (len(classes), 6)
    assert all(given.sum(axis=1) == pytest.approx(1) for given in staged)
    scores = np.log(staged[2])  # up to a constant of the row, which the loss does not see
    for column, (tree, gamma) in enumerate(zip(fitted.trees[9:], fitted.multipliers[9:], strict=True)):
        direction = tree.predict(features) / (_RATE * gamma)
        near = [_multinomial(scores, column, factor * gamma * direction, classes) for factor in (0.9, 1, 1.1)]
        assert near[1] < min(near[0], near[2])
    assert log_loss(classes, staged[3]) < log_loss(classes, staged[0])


def _multinomial(
    scores: NDArray[np.float64], column: int, added: NDArray[np.float64], classes: NDArray[np.int64]
) -> float:
    moved = scores.copy()
    moved[:, column] += added
    return float((logsumexp(moved, axis=1) - moved[np.arange(len(classes)), classes]).sum())
