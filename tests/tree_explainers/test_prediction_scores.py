"""What figures are read beside is what counting rows gives, and what scikit-learn's own measures and dummies say."""

import warnings

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
    recall_score,
)

from tests.support import naive_scores as twin
from tests.support.naive_rules import balanced_error, error
from tests.support.real_leaves import CLASSIFICATIONS, KINDS, REGRESSION, real_leaves
from tests.support.rule_training import energy, of_model
from tree_explainers.leaf_space.leaves import ProximityKind
from tree_explainers.prediction_scores import Targets, constant_class, score_constants, score_predictions
from tree_explainers.prototype_sets.classifier import (
    UNASSIGNED,
    classes_of,
    nearest_by_size,
    score_classes,
    score_constant_class,
    score_constant_value,
)

PROTOTYPES = [7, 250, 33, 34, 120]
Classes = NDArray[np.int64]


def dummy(classes: Classes) -> Classes:
    """What scikit-learn always predicts; it may take another of equally frequent classes."""
    rows = np.zeros((len(classes), 1))
    return np.asarray(DummyClassifier(strategy="most_frequent").fit(rows, classes).predict(rows))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
def test_balanced_fidelity_weighs_the_models_classes_alike(dataset: str, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind)
    predicted, truth = real.classes("predicted"), real.classes("target")
    n_classes = int(max(predicted.max(), truth.max())) + 1
    for nearest in nearest_by_size(real.table, real.weights, real.leaves[PROTOTYPES]):
        given = classes_of(nearest, predicted[PROTOTYPES])

        found = score_classes(given, truth, predicted).balanced_fidelity

        assert found == pytest.approx(twin.balanced_share_alike(given.tolist(), predicted.tolist()))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of the class "unassigned"
            assert found == pytest.approx(balanced_accuracy_score(predicted, given))
        present = np.unique(predicted)
        assert found == pytest.approx(recall_score(predicted, given, labels=present, average="macro"))
        if UNASSIGNED not in given:
            targets, model = Targets.of_classes(truth, n_classes), Targets.of_classes(predicted, n_classes)
            assert score_predictions(given, targets, model).balanced_fidelity == pytest.approx(found)


@pytest.mark.parametrize("has_target", [True, False], ids=["target", "no target"])
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
def test_a_constant_class_scores_what_scikit_learns_dummy_scores(
    dataset: str,
    has_target: bool,  # a parameter
) -> None:
    real = real_leaves(dataset, "random_forest")
    predicted, target = real.classes("predicted"), real.classes("target")
    truth = target if has_target else None
    most, most_of_model = twin.most_frequent(target.tolist()), twin.most_frequent(predicted.tolist())

    found = score_constant_class(truth, predicted)

    assert found.fidelity == twin.share_alike([most_of_model] * len(predicted), predicted.tolist())
    assert found.fidelity == pytest.approx(accuracy_score(predicted, dummy(predicted)))
    assert found.balanced_fidelity == pytest.approx(1 / len(np.unique(predicted)))
    assert found.balanced_fidelity == pytest.approx(balanced_accuracy_score(predicted, dummy(predicted)))
    assert found.unassigned == 0
    if not has_target:
        assert (found.accuracy, found.balanced_accuracy) == (None, None)
        return
    assert found.accuracy == twin.share_alike([most] * len(target), target.tolist())
    assert found.accuracy == pytest.approx(accuracy_score(target, dummy(target)))
    assert found.balanced_accuracy == pytest.approx(balanced_accuracy_score(target, dummy(target)))


@pytest.mark.parametrize("has_target", [True, False], ids=["target", "no target"])
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
def test_rules_and_trees_are_held_against_the_same_constant(
    dataset: str,
    has_target: bool,  # a parameter
) -> None:
    real = real_leaves(dataset, "random_forest")
    predicted, target = real.classes("predicted"), real.classes("target")
    n_classes = int(max(predicted.max(), target.max())) + 1
    truth = Targets.of_classes(target, n_classes) if has_target else None

    found = score_constants(truth, Targets.of_classes(predicted, n_classes))

    measured_against = target if has_target else predicted
    expected = score_constant_class(measured_against, predicted)
    assert (found.fidelity, found.balanced_fidelity) == (expected.fidelity, expected.balanced_fidelity)
    assert 1 - (found.error or 0) == pytest.approx(expected.accuracy)
    assert 1 - (found.balanced_error or 0) == pytest.approx(expected.balanced_accuracy)


def test_a_constant_value_scores_what_scikit_learns_dummy_scores() -> None:
    real = real_leaves(REGRESSION, "random_forest")
    target, predicted = real.target, np.asarray(real.predicted, np.float64)
    rows = np.zeros((len(target), 1))
    mean = DummyRegressor().fit(rows, target).predict(rows)

    found = score_constants(Targets.of_values(target), Targets.of_values(predicted))
    of_values = score_constant_value(target)

    assert found.mean_squared_error == pytest.approx(
        twin.mean_squared_error(twin.mean(target.tolist()), target.tolist())
    )
    assert found.mean_squared_error == pytest.approx(mean_squared_error(target, mean))
    assert found.r2 == of_values.r2 == pytest.approx(r2_score(target, mean), abs=1e-12)
    assert found.fidelity == pytest.approx(0, abs=1e-12)  # the mean of the model's own values
    assert found.balanced_fidelity is None
    assert of_values.mean_absolute_error == pytest.approx(mean_absolute_error(target, mean))


def test_no_constant_is_right_more_often_and_ties_go_to_the_first_class() -> None:
    classes = np.array([3, 1, 1, 3, 0])

    assert constant_class(classes) == twin.most_frequent(classes.tolist()) == 1
    for other in range(4):
        assert np.mean(classes == other) <= score_constant_class(classes, classes).accuracy


def test_saying_no_to_all_rows_is_faithful_to_a_model_that_hardly_says_yes_and_no_more_than_that() -> None:
    predicted = np.array([0] * 97 + [1] * 3)

    scores = score_classes(np.zeros(100, np.int64), None, predicted)

    assert (scores.fidelity, scores.balanced_fidelity) == (0.97, 0.5)
    assert scores == score_constant_class(None, predicted)


def test_errors_count_wrong_classes_and_balanced_errors_weigh_classes_alike() -> None:
    data = of_model("random_forest_multiclass")
    predicted = np.where(np.arange(len(data.classes)) % 3 == 0, 0, data.classes)

    scores = score_predictions(predicted, data.targets, Targets.of_classes(predicted, 3))

    assert scores.error == error(predicted.tolist(), data.classes.tolist())
    assert scores.balanced_error is not None
    np.testing.assert_allclose(scores.balanced_error, balanced_error(predicted.tolist(), data.classes.tolist()))
    np.testing.assert_allclose(scores.balanced_error, 1 - balanced_accuracy_score(data.classes, predicted))
    assert scores.fidelity == 1.0
    assert scores.mean_squared_error is None


def test_a_class_that_no_row_has_does_not_count() -> None:
    classes, predicted = np.array([0, 0, 2]), np.array([0, 1, 2])

    scores = score_predictions(predicted, Targets.of_classes(classes, 4), Targets.of_classes(classes, 4))

    assert scores.balanced_error == 0.25


def test_values_are_scored_by_squares_and_fidelity_compares_with_the_model() -> None:
    data = energy(5)
    predicted, ensembles_values = data.values + 1.0, data.values - 0.5

    scores = score_predictions(predicted, data.targets, Targets.of_values(ensembles_values))

    assert scores.mean_squared_error == pytest.approx(1.0)
    assert scores.r2 == pytest.approx(r2_score(data.values, predicted))
    assert scores.fidelity == pytest.approx(r2_score(ensembles_values, predicted))
    assert scores.error is None


def test_without_a_target_the_model_is_what_errors_compare_with() -> None:
    classes, predicted = np.array([0, 1, 1]), np.array([0, 0, 1])

    scores = score_predictions(predicted, None, Targets.of_classes(classes, 2))

    assert (scores.error, scores.fidelity) == (1 / 3, 2 / 3)


def test_there_is_no_r2_where_all_values_are_alike() -> None:
    same = Targets.of_values(np.full(4, 2.5))

    assert score_predictions(np.arange(4.0), same, same).r2 is None
