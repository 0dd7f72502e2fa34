"""What a prototype set says of its own quality is what scikit-learn's metrics say of the nearest prototypes."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_absolute_error, r2_score

from schemas.prototype_sets import BaselineScore, Evaluation, PrototypeSet
from tests.support import naive
from tests.support.real_jobs import CLASSIFICATIONS, N_TRAINING_ROWS, REGRESSION, RealCase
from tests.support.real_leaves import KINDS
from tests.support.workshop import Workshop
from tree_explainers.leaves import ProximityKind
from workers.jobs.prototype_sets import evaluation

from .conftest import FindCase

_N_PROTOTYPES = 6
_EVALUATION = slice(N_TRAINING_ROWS, None)
_TRAINING = slice(N_TRAINING_ROWS)


def _made(workshop: Workshop, case: RealCase, **request: object) -> PrototypeSet:
    asked = {"model": case.model, "dataset": case.dataset, "n_prototypes": _N_PROTOTYPES, **request}
    made = workshop.make(**asked)
    assert (made.status, made.problem) == ("ready", None)
    return made


def _evaluations(made: PrototypeSet) -> list[Evaluation]:
    assert made.evaluation is not None
    return made.evaluation


def _one_nearest_neighbor(made: PrototypeSet) -> BaselineScore:
    assert made.baseline is not None
    return made.baseline.one_nearest_neighbor


def _nearest(case: RealCase, rows: slice, references: list[int]) -> NDArray[np.int64]:
    """Return the first nearest of the references for each row, -1 where it shares no leaf with any."""
    near = case.proximity[rows][:, references]
    return np.where(near.max(axis=1) > 0, near.argmax(axis=1), -1)


def _given(values: NDArray[Any], references: list[int], nearest: NDArray[np.int64]) -> NDArray[Any]:
    return np.where(nearest < 0, -1, values[np.array(references)[nearest]])


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("is_other", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
def test_accuracies_are_scikit_learns_for_every_number_of_prototypes(
    workshop: Workshop,
    real_case: FindCase,
    dataset: str,
    kind: ProximityKind,
    is_other: bool,  # noqa: FBT001  # a parameter
) -> None:
    case = real_case(dataset, kind)
    rows = _EVALUATION if is_other else _TRAINING
    made = _made(workshop, case, evaluation_dataset=case.evaluation_dataset if is_other else None)
    chosen = [prototype.row for prototype in made.prototypes or []]
    truth, predicted = case.real.target[rows], case.real.predicted[rows]

    assert made.evaluated_on == ("evaluation_dataset" if is_other else "dataset")
    assert made.measured_against == "target"
    assert [each.n_prototypes for each in _evaluations(made)] == list(range(1, _N_PROTOTYPES + 1))
    for size, found in enumerate(_evaluations(made), 1):
        nearest = _nearest(case, rows, chosen[:size])
        given = _given(case.real.predicted, chosen[:size], nearest)
        assert found.accuracy == pytest.approx(accuracy_score(truth, given))
        assert found.balanced_accuracy == pytest.approx(balanced_accuracy_score(truth, given))
        assert found.fidelity == pytest.approx(accuracy_score(predicted, given))
        assert found.unassigned == pytest.approx((nearest < 0).mean())
        assert (found.r2, found.mean_absolute_error) == (None, None)


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("is_other", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_the_baselines_are_the_model_and_the_nearest_other_row(
    workshop: Workshop,
    real_case: FindCase,
    kind: ProximityKind,
    is_other: bool,  # noqa: FBT001  # a parameter
) -> None:
    case = real_case("covertype_20k", kind)
    rows = _EVALUATION if is_other else _TRAINING
    made = _made(workshop, case, evaluation_dataset=case.evaluation_dataset if is_other else None)
    truth, predicted = case.real.target[rows], case.real.predicted[rows]

    near = case.proximity[rows, _TRAINING].copy()
    if not is_other:
        np.fill_diagonal(near, 0)  # a row is not its own neighbour
    given = np.where(near.max(axis=1) > 0, case.real.predicted[near.argmax(axis=1)], -1)
    neighbor = _one_nearest_neighbor(made)
    assert neighbor.n_rows == len(truth)
    assert neighbor.balanced_accuracy == pytest.approx(balanced_accuracy_score(truth, given))
    assert neighbor.fidelity == pytest.approx(accuracy_score(predicted, given))
    assert made.baseline is not None
    assert made.baseline.model is not None
    assert made.baseline.model.accuracy == pytest.approx(accuracy_score(truth, predicted))
    assert made.baseline.model.fidelity == 1


@pytest.mark.parametrize("kind", KINDS)
def test_regression_is_judged_by_r2_and_absolute_errors_of_the_nearest_prototypes_value(
    workshop: Workshop, real_case: FindCase, kind: ProximityKind
) -> None:
    case = real_case(REGRESSION, kind)
    made = _made(workshop, case, evaluation_dataset=case.evaluation_dataset)
    chosen = [prototype.row for prototype in made.prototypes or []]
    truth, predicted = case.real.target[_EVALUATION], case.real.predicted[_EVALUATION]

    for size, found in enumerate(_evaluations(made), 1):
        nearest = _nearest(case, _EVALUATION, chosen[:size])
        assigned = nearest >= 0
        given = _given(case.real.predicted, chosen[:size], nearest)
        assert found.r2 == pytest.approx(r2_score(truth[assigned], given[assigned]), rel=1e-4)
        assert found.mean_absolute_error == pytest.approx(
            mean_absolute_error(truth[assigned], given[assigned]), rel=1e-4
        )
        assert found.unassigned == pytest.approx(1 - assigned.mean())
        assert (found.accuracy, found.balanced_accuracy, found.fidelity) == (None, None, None)
    assert made.baseline is not None
    assert made.baseline.model is not None
    assert made.baseline.model.r2 == pytest.approx(r2_score(truth, predicted), rel=1e-4)


def test_a_set_that_is_not_nested_is_judged_as_a_whole(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("titanic", "random_forest")
    made = _made(workshop, case, method="sm_u")
    chosen = [prototype.row for prototype in made.prototypes or []]

    (found,) = _evaluations(made)

    assert found.n_prototypes == len(chosen) == made.n_selected
    nearest = _nearest(case, _TRAINING, chosen)
    given = _given(case.real.predicted, chosen, nearest)
    assert found.accuracy == pytest.approx(accuracy_score(case.real.target[_TRAINING], given))


def test_prototypes_of_target_classes_pass_on_the_target(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("covertype_20k", "random_forest")
    made = _made(workshop, case, labels="target", evaluation_dataset=case.evaluation_dataset)
    chosen = [prototype.row for prototype in made.prototypes or []]

    given = naive.nearest_prototype_classes(case.proximity, case.real.target, chosen)[_EVALUATION]

    assert _evaluations(made)[-1].accuracy == pytest.approx(accuracy_score(case.real.target[_EVALUATION], given))
    predicted = case.real.predicted[_EVALUATION]
    assert _evaluations(made)[-1].fidelity == pytest.approx(accuracy_score(predicted, given))


def test_without_a_target_only_agreement_with_the_model_is_told(workshop: Workshop, real_case: FindCase) -> None:
    for dataset in ("breast_cancer", REGRESSION):
        case = real_case(dataset, "random_forest")
        frame = _untold(workshop, case)
        made = _made(workshop, case, evaluation_dataset=workshop.register_dataset(frame, row_id="id"))

        assert made.measured_against == "model"
        assert made.baseline is not None
        assert made.baseline.model is None
        found = _evaluations(made)[-1]
        assert (found.accuracy, found.balanced_accuracy) == (None, None)
        assert (found.fidelity is None) == case.is_regression == (found.r2 is not None)


def _untold(workshop: Workshop, case: RealCase) -> pd.DataFrame:
    stored = workshop.parts.datasets.get(case.evaluation_dataset)
    return pd.read_parquet(workshop.parts.objects.path(stored.content)).drop(columns="t")


def test_the_nearest_rows_are_sampled_by_seed_where_all_would_take_too_long(
    workshop: Workshop, real_case: FindCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = real_case("breast_cancer", "random_forest")
    n_comparisons_each = N_TRAINING_ROWS * case.real.leaves.shape[1]
    monkeypatch.setattr(evaluation, "_MAX_COMPARISONS", 50 * n_comparisons_each)
    first, again, other = (
        _one_nearest_neighbor(_made(workshop, case, seed=seed, n_prototypes=size))
        for seed, size in ((7, 5), (7, 4), (8, 5))
    )

    assert first.n_rows == 50
    assert first == again
    assert first != other
