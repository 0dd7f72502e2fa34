"""Born-again trees of real models: smeared rows, and the depth by cross-validation."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from tests.support.models import fitted
from tests.support.pipelines import PIPELINES, fitted_pipeline, rows_of_frame, titanic
from tree_explainers.approximation_trees.cart_trees import RankTable, fit_cart
from tree_explainers.approximation_trees.controls import (
    REPLACED,
    ControlSettings,
    errors_by_depth,
    grow_born_again,
    smallest_good,
    smeared_rows,
)
from tree_explainers.approximation_trees.oracle import SessionOracle
from tree_explainers.approximation_trees.tree_growth import TreeLimits

NAMES = ("random_forest_binary", "random_forest_multiclass", "random_forest_regression", "scaled_and_one_hot")


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
def test_errors_by_depth_are_those_of_the_nodes_on_the_way(task: str) -> None:
    model = fitted(f"random_forest_{task}")
    matrix, answers = RankTable.of(model.rows, {}).matrix, model.library_scores().astype(np.float32)
    learn, held_out = slice(0, None, 2), slice(1, None, 2)

    tree = fit_cart(matrix[learn], answers[learn], TreeLimits(5, 4), 0)
    errors = errors_by_depth(tree, matrix[held_out], answers[held_out], 5)

    theirs = DecisionTreeRegressor(max_depth=5, min_samples_leaf=4, random_state=0).fit(matrix[learn], answers[learn])
    ways = [way.indices for way in theirs.decision_path(matrix[held_out])]  # parents have lower numbers
    for depth in range(6):
        said = theirs.tree_.value[[way[min(depth, len(way) - 1)] for way in ways], :, 0]
        assert errors[depth] == pytest.approx(((said - answers[held_out]) ** 2).sum(axis=1).mean(), rel=1e-5)


def test_the_smallest_depth_within_one_standard_error_is_taken() -> None:
    errors = np.array([[9.0, 4.0, 2.0, 1.1, 1.0], [9.0, 4.0, 2.2, 1.4, 1.4]])  # the last: 1.2, with an error of 0.2

    assert smallest_good(errors) == 3
    assert smallest_good(errors - np.array([0, 0, 0.8, 0, 0])) == 2


@pytest.mark.parametrize("name", NAMES)
def test_a_born_again_tree_comes_near_the_model(name: str) -> None:
    model = fitted_pipeline(name) if name in PIPELINES else fitted(name)
    settings = ControlSettings(TreeLimits(6, 5), n_pseudo_samples=5_000)

    tree = grow_born_again(model.rows, SessionOracle(model.session), settings, np.random.default_rng(0))

    answers = SessionOracle(model.session).ask(model.rows)
    distance = np.abs(tree.scores_of(model.rows) - answers).mean()
    assert distance < 0.6 * np.abs(answers.mean(axis=0) - answers).mean()
    assert 1 <= tree.depth <= 6


def test_noise_is_not_worth_any_depth() -> None:
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

    assert smallest_good(np.array(errors)) <= 2
