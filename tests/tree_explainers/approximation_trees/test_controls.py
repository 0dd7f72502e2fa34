"""CART and born-again trees of real models, against scikit-learn's own trees: conditions, smeared rows, depth."""

import functools

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from tests.support.models import fitted
from tests.support.pipelines import PIPELINES, fitted_pipeline, rows_of_frame, titanic
from tree_explainers.approximation_trees.cart_trees import RankTable, fit_cart, to_raw_features
from tree_explainers.approximation_trees.controls import (
    REPLACED,
    ControlSettings,
    grow_born_again,
    grow_cart,
    grow_cart_on_rows,
    smeared_rows,
)
from tree_explainers.approximation_trees.fidelity import ModelPredictions
from tree_explainers.approximation_trees.generators import Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import LabelledRows, SessionOracle, label_rows, oracle_scores
from tree_explainers.approximation_trees.size_choice import choose_depth, errors_by_depth
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.compute.progress import ignore_progress
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.prediction_scores import Targets
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
def labelled(name: str) -> LabelledRows:
    rows, session = training(name)
    smoother = Smoother.of(rows, {})

    def draw(n: int, rng: np.random.Generator) -> tuple[Rows, NDArray[np.int64]]:
        return smoother.draw(rows, NodeBox({}), n, rng), np.zeros(n, np.int64)

    seed = np.random.SeedSequence(0)
    return label_rows(rows, draw, SessionOracle(session), 5_000, seed, ignore_progress)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled("thirds")
def test_the_tree_separates_pseudo_rows_as_scikit_learn_does(name: str) -> None:
    own = labelled(name)
    table = RankTable.of(own.rows, {})
    tree = fit_cart(table.matrix, own.targets, LIMITS, 0)

    grown = to_raw_features(tree, table, own, training(name)[0], {})

    theirs = DecisionTreeRegressor(max_depth=6, min_samples_leaf=20, random_state=0).fit(table.matrix, own.targets)
    leaves = grown.leaves_of(own.rows)
    pairs = set(zip(leaves.tolist(), theirs.apply(table.matrix).tolist(), strict=True))
    assert len(pairs) == len(set(leaves.tolist())) == theirs.get_n_leaves() == grown.n_leaves > 10


@pytest.mark.parametrize("name", NAMES)
def test_a_leaf_predicts_the_mean_scores_of_its_pseudo_rows(name: str) -> None:
    own = labelled(name)
    table = RankTable.of(own.rows, {})

    grown = to_raw_features(fit_cart(table.matrix, own.targets, LIMITS, 0), table, own, training(name)[0], {})

    answers, leaves = SessionOracle(training(name)[1]).predict(own.rows), grown.leaves_of(own.rows)
    for leaf in np.unique(leaves):
        expected = answers[leaves == leaf].mean(axis=0)
        np.testing.assert_allclose(grown.nodes[leaf].facts.scores, expected, atol=1e-6 * max(1, answers.max()))


def test_shares_of_classes_are_split_by_gini_impurity() -> None:
    own = labelled("random_forest_multiclass")
    table = RankTable.of(own.rows, {})
    answers = SessionOracle(training("random_forest_multiclass")[1]).predict(own.rows)

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
    own = labelled(name)
    table = RankTable.of(own.rows, {})

    grown = to_raw_features(fit_cart(table.matrix, own.targets, LIMITS, 0), table, own, training(name)[0], {})

    n_checked = 0
    for node in grown.nodes:
        if node.condition is not None and isinstance(node.condition.value, float):
            n_checked += 1
            values = own.rows.select([node.condition.column]).columns[0]
            assert np.nanmin(values) <= node.condition.value < np.nanmax(values)
    assert n_checked > 3


@pytest.mark.parametrize("name", NAMES)
def test_the_control_comes_near_the_model_within_its_limits(name: str) -> None:
    rows, session = training(name)

    tree = grow_cart(rows, SessionOracle(session), SETTINGS, np.random.default_rng(0))

    answers = SessionOracle(session).predict(rows)
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


BORN_AGAIN = ("random_forest_binary", "random_forest_multiclass", "random_forest_regression", "scaled_and_one_hot")


def test_a_smeared_value_is_that_of_its_training_row_or_of_another() -> None:
    rows = rows_of_frame(titanic().features)

    smeared, origins = smeared_rows(rows, 20_000, np.random.default_rng(0))

    fares, own = smeared.select(["fare"]).columns[0], rows.select(["fare"]).columns[0]
    assert set(fares) <= set(own)
    _, counts = np.unique(own, return_counts=True)
    stays = float(((counts / len(own)) ** 2).sum())  # another row has the same fare
    assert (fares != own[origins]).mean() == pytest.approx(REPLACED * (1 - stays), abs=0.01)
    sexes = smeared.select(["sex"]).columns[0]
    assert set(sexes) == {"female", "male"}
    np.testing.assert_allclose(np.bincount(origins, minlength=len(rows)).mean(), 20_000 / len(rows))


@pytest.mark.parametrize("task", ["multiclass", "regression"])
def test_errors_by_depth_are_those_of_the_nodes_on_the_path(task: str) -> None:
    model = fitted(f"random_forest_{task}")
    matrix, answers = RankTable.of(model.rows, {}).matrix, model.library_scores().astype(np.float32)
    learn, held_out = slice(0, None, 2), slice(1, None, 2)

    tree = fit_cart(matrix[learn], answers[learn], TreeLimits(5, 4), 0)
    errors = errors_by_depth(tree, matrix[held_out], answers[held_out], 5)

    theirs = DecisionTreeRegressor(max_depth=5, min_samples_leaf=4, random_state=0).fit(matrix[learn], answers[learn])
    ways = [way.indices for way in theirs.decision_path(matrix[held_out])]  # parents have lower numbers
    for depth in range(6):
        mean_answer = theirs.tree_.value[[way[min(depth, len(way) - 1)] for way in ways], :, 0]
        assert errors[depth] == pytest.approx(((mean_answer - answers[held_out]) ** 2).sum(axis=1).mean(), rel=1e-5)


def test_the_smallest_depth_within_one_standard_error_is_taken() -> None:
    errors = np.array([[9.0, 4.0, 2.0, 1.1, 1.0], [9.0, 4.0, 2.2, 1.4, 1.4]])  # the last: 1.2, with an error of 0.2

    assert choose_depth(errors).depth == 3
    assert choose_depth(errors - np.array([0, 0, 0.8, 0, 0])).depth == 2


@pytest.mark.parametrize("name", BORN_AGAIN)
def test_a_born_again_tree_comes_near_the_model(name: str) -> None:
    model = fitted_pipeline(name) if name in PIPELINES else fitted(name)
    settings = ControlSettings(TreeLimits(6, 5), n_pseudo_samples=5_000)

    tree = grow_born_again(model.rows, SessionOracle(model.session), settings, np.random.default_rng(0))

    answers = SessionOracle(model.session).predict(model.rows)
    distance = np.abs(tree.scores_of(model.rows) - answers).mean()
    assert distance < 0.6 * np.abs(answers.mean(axis=0) - answers).mean()
    assert 1 <= tree.depth <= 6


def test_noise_justifies_no_depth() -> None:
    rows = fitted("random_forest_regression").rows
    matrix = RankTable.of(rows, {}).matrix
    noise = np.random.default_rng(0).normal(size=(len(rows), 1)).astype(np.float32)
    folds = np.arange(len(rows)) % 5

    errors = [
        errors_by_depth(
            fit_cart(matrix[folds != fold], noise[folds != fold], TreeLimits(8, 1), 0),
            matrix[folds == fold],
            noise[folds == fold],
            8,
        )
        for fold in range(5)
    ]

    assert choose_depth(np.array(errors)).depth <= 2


@pytest.mark.parametrize("name", ["random_forest_multiclass", "missing_kept", "random_forest_regression"])
def test_on_the_rows_themselves_leaves_predict_the_labels_of_most_of_their_rows(name: str) -> None:
    rows, session = training(name)
    predicted = session.predict(rows)
    is_classifier = predicted.labels is not None
    targets = (
        Targets.of_classes(predicted.labels, predicted.scores.shape[1])
        if predicted.labels is not None
        else Targets.of_values(predicted.scores[:, 0].astype(np.float64))
    )
    answers = ModelPredictions(oracle_scores(predicted, session.description), targets)
    limits = TreeLimits(20, 5, 8)

    tree = grow_cart_on_rows(rows, answers, limits, np.random.default_rng(0), session.description.missing_texts)

    own = np.eye(predicted.scores.shape[1])[predicted.labels] if is_classifier else answers.scores
    reached = tree.leaves_of(rows)
    assert tree.n_leaves == len(set(reached)) == 8
    for leaf in set(reached.tolist()):
        facts, here = tree.nodes[leaf].facts, own[reached == leaf]
        np.testing.assert_allclose(facts.scores, here.mean(axis=0), rtol=1e-4, atol=1e-6)
        assert facts.n_samples == len(here) >= 5
        assert facts.label == (here.mean(axis=0).round(9).argmax() if is_classifier else None)
    matrix = RankTable.of(rows, session.description.missing_texts).matrix
    theirs = (
        DecisionTreeRegressor(min_samples_leaf=5, max_leaf_nodes=8, random_state=1).fit(matrix, own).predict(matrix)
    )
    errors = (((each.reshape(own.shape) - own) ** 2).mean() for each in (tree.scores_of(rows), theirs))
    assert next(errors) == pytest.approx(next(errors), rel=0.05)
