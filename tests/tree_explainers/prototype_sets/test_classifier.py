import warnings

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    mean_absolute_error,
    r2_score,
)

from tests.support import naive
from tests.support.real_leaves import CLASSIFICATIONS, KINDS, REGRESSION, real_leaves
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.prototype_sets.classifier import (
    UNASSIGNED,
    classes_of,
    nearest_by_size,
    nearest_other_rows,
    nearest_training_rows,
    score_classes,
    score_values,
    values_of,
)

PROTOTYPES = [7, 250, 33, 34, 120]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
@pytest.mark.sampled("thirds")
def test_the_classifier_and_its_scores_are_those_of_the_twin_and_of_scikit_learn(
    dataset: str, kind: ProximityKind
) -> None:
    real = real_leaves(dataset, kind)
    truth = real.classes("target")
    proximity = naive.proximity_matrix(real.leaves, real.weights)

    sizes = list(nearest_by_size(real.table, real.weights, real.leaves[PROTOTYPES]))

    assert len(sizes) == len(PROTOTYPES)
    for n, nearest in enumerate(sizes, start=1):
        given = classes_of(nearest, truth[PROTOTYPES])
        scores = score_classes(given, truth, real.classes("predicted"))
        assert given.tolist() == naive.nearest_prototype_classes(proximity, truth, PROTOTYPES[:n]).tolist()
        assert scores.balanced_accuracy == pytest.approx(float(naive.balanced_accuracy(given, truth)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of the class "unassigned", which no row truly has
            assert scores.balanced_accuracy == pytest.approx(balanced_accuracy_score(truth, given))
        assert scores.accuracy == pytest.approx(accuracy_score(truth, given))
        assert scores.fidelity == pytest.approx(accuracy_score(real.predicted, given))
        assert scores.unassigned == np.mean(given == UNASSIGNED)


@pytest.mark.parametrize("kind", KINDS)
def test_regression_is_evaluated_as_scikit_learn_does_on_the_assigned_rows(kind: ProximityKind) -> None:
    real = real_leaves(REGRESSION, kind)
    *_, nearest = nearest_by_size(real.table, real.weights, real.leaves[PROTOTYPES])
    given = values_of(nearest, np.asarray(real.predicted)[PROTOTYPES])
    assigned = nearest != UNASSIGNED

    scores = score_values(given, real.target)

    assert scores.r2 == pytest.approx(r2_score(real.target[assigned], given[assigned]))
    assert scores.mean_absolute_error == pytest.approx(mean_absolute_error(real.target[assigned], given[assigned]))
    assert scores.unassigned == np.mean(~assigned)


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_training_row_is_the_largest_of_the_matrix_line(kind: ProximityKind) -> None:
    real = real_leaves("titanic", kind)
    dense = naive.proximity_matrix(real.leaves, real.weights)
    alone = np.where(np.eye(len(dense), dtype=bool), 0, dense)

    with_itself = nearest_training_rows(real.table, real.weights, real.leaves)
    without = nearest_other_rows(real.table, real.weights, np.arange(len(dense)))

    assert with_itself.tolist() == dense.argmax(axis=1).tolist()
    assert without.tolist() == np.where(alone.max(axis=1) > 0, alone.argmax(axis=1), UNASSIGNED).tolist()


def test_a_row_that_is_alone_has_no_neighbor() -> None:
    table = LeafTable.from_leaves(np.zeros((1, 2), dtype=np.int32), np.array([1, 1]))

    assert nearest_other_rows(table, np.array([1, 1]), np.array([0])).tolist() == [UNASSIGNED]


def test_rows_without_any_shared_leaf_are_unassigned_and_count_as_wrong() -> None:
    given = np.array([0, 1, UNASSIGNED, UNASSIGNED])

    scores = score_classes(given, np.array([0, 1, 1, 0]), np.array([0, 0, 0, 0]))

    assert (scores.accuracy, scores.fidelity, scores.unassigned) == (0.5, 0.25, 0.5)


def test_what_there_is_nothing_to_compare_with_has_no_score() -> None:
    scores = score_classes(np.array([0, 1]), None, np.array([0, 1]))

    assert (scores.balanced_accuracy, scores.accuracy, scores.fidelity, scores.r2) == (None, None, 1.0, None)


def test_values_that_do_not_vary_have_no_r2() -> None:
    scores = score_values(np.array([1.0, 2.0]), np.array([2.0, 2.0]))

    assert (scores.r2, scores.mean_absolute_error) == (None, 0.5)


def test_without_any_assigned_row_there_is_only_the_share_of_unassigned_ones() -> None:
    scores = score_values(np.array([np.nan, np.nan]), np.array([1.0, 2.0]))

    assert (scores.r2, scores.mean_absolute_error, scores.unassigned) == (None, None, 1.0)


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"\[2, 3\]"):
        score_classes(np.zeros(2, np.int64), np.zeros(3, np.int64), None)
