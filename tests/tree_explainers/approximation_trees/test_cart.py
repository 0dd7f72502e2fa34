"""CART on pseudo rows, against scikit-learn's own tree."""

import functools

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from tests.support.models import fitted
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tree_explainers.approximation_trees.cart_trees import RankTable, fit_cart, told_in_features
from tree_explainers.approximation_trees.controls import ControlSettings, grow_cart
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import AskedRows, SessionOracle, ask_rows
from tree_explainers.approximation_trees.smoothing import Smoother
from tree_explainers.approximation_trees.tree_growth import Heartbeat, TreeLimits
from tree_explainers.compute.progress import ignore_progress
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

NUMBERS = ("random_forest_binary", "random_forest_multiclass", "random_forest_regression")
MIXED = ("scaled_and_one_hot", "ordinal_categories", "missing_kept", "dropped_indicators", "principal_components")
NAMES = (*NUMBERS, *MIXED)
LIMITS = TreeLimits(max_depth=6, min_samples_leaf=20)
SETTINGS = ControlSettings(TreeLimits(max_depth=5, min_samples_leaf=5), n_pseudo_samples=5_000)


def training(name: str) -> tuple[Rows, ModelSession]:
    model = fitted_pipeline(name) if name in PIPELINES else fitted(name)
    return model.rows, model.session


@functools.cache
def asked(name: str) -> AskedRows:
    rows, session = training(name)
    smoother = Smoother.of(rows, {})

    def draw(n: int, rng: np.random.Generator) -> tuple[Rows, NDArray[np.int64]]:
        return smoother.draw(rows, NodeBox({}), n, rng), np.zeros(n, np.int64)

    seed, heart = np.random.SeedSequence(0), Heartbeat(ignore_progress)
    return ask_rows(rows, draw, SessionOracle(session), 5_000, seed, heart)


@pytest.mark.parametrize("name", NAMES)
def test_the_tree_parts_pseudo_rows_as_scikit_learn_does(name: str) -> None:
    own = asked(name)
    table = RankTable.of(own.rows, {})
    tree = fit_cart(table.matrix, own.targets, LIMITS, 0)

    told = told_in_features(tree, table, own, training(name)[0], {})

    theirs = DecisionTreeRegressor(max_depth=6, min_samples_leaf=20, random_state=0).fit(table.matrix, own.targets)
    leaves = told.leaves_of(own.rows)
    pairs = set(zip(leaves.tolist(), theirs.apply(table.matrix).tolist(), strict=True))
    assert len(pairs) == len(set(leaves.tolist())) == theirs.get_n_leaves() == told.n_leaves > 10


@pytest.mark.parametrize("name", NAMES)
def test_a_leaf_says_the_mean_answer_of_its_pseudo_rows(name: str) -> None:
    own = asked(name)
    table = RankTable.of(own.rows, {})

    told = told_in_features(fit_cart(table.matrix, own.targets, LIMITS, 0), table, own, training(name)[0], {})

    answers, leaves = SessionOracle(training(name)[1]).ask(own.rows), told.leaves_of(own.rows)
    for leaf in np.unique(leaves):
        expected = answers[leaves == leaf].mean(axis=0)
        np.testing.assert_allclose(told.nodes[leaf].facts.scores, expected, atol=1e-6 * max(1, answers.max()))


def test_shares_of_classes_are_parted_by_gini_impurity() -> None:
    own = asked("random_forest_multiclass")
    table = RankTable.of(own.rows, {})
    answers = SessionOracle(training("random_forest_multiclass")[1]).ask(own.rows)

    tree = fit_cart(table.matrix, own.targets, TreeLimits(1, 1), 0)

    def impurity(column: int, threshold: float) -> float:
        below = table.matrix[:, column] <= threshold
        sides = [side for side in (below, ~below) if side.any()]
        return float(sum(side.mean() * (1 - (answers[side].mean(axis=0) ** 2).sum()) for side in sides))

    chosen = impurity(int(tree.feature[0]), float(tree.threshold[0]))
    some = np.random.default_rng(0).integers(len(own.rows), size=400)
    assert all(
        chosen <= impurity(column, float(table.matrix[row, column])) + 1e-9
        for column in range(table.matrix.shape[1])
        for row in some[:60]
    )


@pytest.mark.parametrize("name", NAMES)
def test_thresholds_lie_between_the_values_of_pseudo_rows(name: str) -> None:
    own = asked(name)
    table = RankTable.of(own.rows, {})

    told = told_in_features(fit_cart(table.matrix, own.targets, LIMITS, 0), table, own, training(name)[0], {})

    n_checked = 0
    for node in told.nodes:
        if node.condition is not None and isinstance(node.condition.value, float):
            n_checked += 1
            values = own.rows.select([node.condition.column]).columns[0]
            assert np.nanmin(values) <= node.condition.value < np.nanmax(values)
    assert n_checked > 3


@pytest.mark.parametrize("name", NAMES)
def test_the_control_comes_near_the_model_within_its_limits(name: str) -> None:
    rows, session = training(name)

    tree = grow_cart(rows, SessionOracle(session), SETTINGS, np.random.default_rng(0))

    answers = SessionOracle(session).ask(rows)
    distance = np.abs(tree.scores_of(rows) - answers).mean()
    assert distance < 0.6 * np.abs(answers.mean(axis=0) - answers).mean()
    assert tree.depth <= 5
    assert all(node.confidence is None for node in tree.nodes)
    counts = np.bincount(tree.leaves_of(rows), minlength=len(tree.nodes))
    assert all(node.facts.n_samples == n for node, n in zip(tree.nodes, counts, strict=True) if node.is_leaf)


def test_the_same_seed_grows_the_same_control() -> None:
    rows, session = training("missing_kept")

    one, same, other = (
        grow_cart(rows, SessionOracle(session), SETTINGS, np.random.default_rng(seed)) for seed in (0, 0, 1)
    )

    assert one.structure(9) == same.structure(9) != other.structure(9)
