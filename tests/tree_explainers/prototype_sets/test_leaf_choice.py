"""In which leaves prototypes predict best: scores as of the slow twin, and what is taken where coverage misleads."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive_leaf_choice
from tests.support.real_leaves import REGRESSION, real_leaves
from tree_explainers.leaf_space.leaves import ProximityKind, tree_weights
from tree_explainers.prototype_sets.classifier import UNASSIGNED, nearest_by_size
from tree_explainers.prototype_sets.leaf_choice import (
    MOST_ROWS,
    Gain,
    PrototypeErrors,
    TriedStep,
    choose_step,
    n_tried_candidates,
    n_tried_rows,
)
from tree_explainers.prototype_sets.selection import select_prototypes


@pytest.mark.parametrize(("dataset", "kind"), [("covertype_20k", "random_forest"), (REGRESSION, "boosting")])
def test_scores_and_gains_are_those_of_the_slow_twin(dataset: str, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind, n_rows=150)
    is_regression, classes = dataset == REGRESSION, real.classes("predicted")
    values = np.concatenate(real.leaf_values)[:, 0][real.leaves + real.table.offsets[:-1]].sum(axis=1)
    outcomes = values.tolist() if is_regression else classes.tolist()
    found, twins, chosen = [], [], []
    for weights in (real.weights, tree_weights("boosting_sd", real.table, np.concatenate(real.leaf_values))):
        prototypes = select_prototypes(real.table, classes, weights, "sm_a", n_prototypes=6).rows
        *_, nearest = nearest_by_size(real.table, weights, real.leaves[prototypes])
        found.append(
            PrototypeErrors.of_values(nearest, prototypes, values)
            if is_regression
            else PrototypeErrors.of_classes(nearest, prototypes, classes)
        )
        twin = naive_leaf_choice.nearest_of(real.leaves, weights, prototypes.tolist())
        twins.append(naive_leaf_choice.errors_of(twin, outcomes))
        chosen.append(prototypes.tolist())
        assert found[-1].score == pytest.approx(naive_leaf_choice.score(twins[-1], chosen[-1]))
    expected = naive_leaf_choice.gain(twins[1], twins[0], {*chosen[0], *chosen[1]})
    assert found[1].gain_over(found[0]) == pytest.approx(expected)
    assert expected[0] != 0


def test_rows_without_a_prototype_count_as_wrong_or_get_the_mean() -> None:
    prototypes, nearest = np.array([0]), np.array([0, 0, 0, UNASSIGNED])

    of_classes = PrototypeErrors.of_classes(nearest, prototypes, np.array([1, 1, 0, 1]))
    of_values = PrototypeErrors.of_values(nearest, prototypes, np.array([4.0, 4.0, 0.0, 0.0]))

    assert of_classes.score == pytest.approx(1 / 3)  # the prototype itself does not count
    assert of_values.errors.tolist() == [0, 0, 16, 4]
    assert of_values.score == 1 - 20 / 12


def _step(n_near: int, wrong: NDArray[np.float64], *, is_own_kind: bool = True) -> TriedStep:
    n_rows = len(wrong)
    return TriedStep(n_near, PrototypeErrors(wrong, np.ones(n_rows), np.zeros(n_rows, np.bool_)), is_own_kind)


def _wrong(n_wrong: int, n_rows: int = 100) -> NDArray[np.float64]:
    return (np.arange(n_rows) < n_wrong).astype(np.float64)


def test_where_coverage_misleads_the_step_that_predicts_better_is_taken() -> None:
    steps = [
        _step(60, _wrong(0)),  # predicts best, and reaches too few rows
        _step(95, _wrong(40)),  # what coverage alone takes
        _step(96, _wrong(38)),
        _step(100, _wrong(10), is_own_kind=False),
        _step(100, _wrong(12)),
    ]

    choice = choose_step(steps, 95)

    assert (choice.by_coverage, choice.chosen) == (1, 3)
    assert choice.gains[1] == Gain(0.0, 0.0)
    assert choice.gains[3] == pytest.approx((0.3, np.sqrt(0.3 * 0.7 / 100)))


def test_a_gain_within_its_error_changes_nothing() -> None:
    better_and_worse = _wrong(0)
    better_and_worse[40:79] = 1  # 39 rows wrong that were right, 40 right that were wrong

    choice = choose_step([_step(95, _wrong(40)), _step(100, better_and_worse)], 95)

    assert choice.gains[1].value == pytest.approx(0.01)
    assert choice.chosen == choice.by_coverage == 0


def test_where_no_step_reaches_enough_rows_none_may_reach_fewer_than_the_one_that_reaches_most() -> None:
    steps = [
        _step(20, _wrong(10)),
        _step(70, _wrong(50)),
        _step(60, _wrong(0)),
        _step(80, _wrong(45), is_own_kind=False),
    ]

    choice = choose_step(steps, 95)

    assert (choice.by_coverage, choice.chosen) == (1, 3)


def test_values_that_do_not_vary_leave_it_to_coverage() -> None:
    nearest, prototypes, values = np.array([0, 0, UNASSIGNED]), np.array([0]), np.full(3, 2.5)
    errors = PrototypeErrors.of_values(nearest, prototypes, values)

    choice = choose_step([TriedStep(3, errors, is_own_kind=True)] * 2, 3)

    assert errors.score is None
    assert (choice.chosen, choice.by_coverage, choice.gains[1]) == (0, 0, Gain(0.0, 0.0))


@pytest.mark.parametrize(
    ("n_rows", "n_trees", "expected"),
    [(500, 200, 500), (10**6, 200, MOST_ROWS), (10**6, 4000, 5000), (10**6, 10**6, 1000)],
)
def test_steps_are_tried_on_a_bounded_number_of_rows(n_rows: int, n_trees: int, expected: int) -> None:
    assert n_tried_rows(n_rows, n_trees) == expected
    assert n_tried_candidates(expected, n_trees, 10) * expected * n_trees <= max(4e9, 100 * expected * n_trees)


def test_there_are_more_candidates_than_prototypes() -> None:
    assert n_tried_candidates(20_000, 200, 500) == 2000
    assert n_tried_candidates(20_000, 200, 5000) == 5000
    assert n_tried_candidates(300, 10_000_000, 10) == 100
    assert n_tried_candidates(50, 10_000_000, 10) == 50
