"""The scores of a prototype set are those that scikit-learn's metrics give for the nearest prototypes."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_absolute_error, r2_score

from schemas.prototype_sets import BaselineScore, ConstantScore, PrototypeSet, PrototypeSetEvaluation
from storage.array_files import read_arrays
from tests.support import naive
from tests.support.real_jobs import CLASSIFICATIONS, N_TRAINING_ROWS, REGRESSION, RealCase
from tests.support.real_leaves import KINDS
from tests.support.workshop import Workshop, cautions_of, result_of
from tree_explainers.leaf_space.leaves import ProximityKind
from workers.jobs import prototype_set_evaluation

from .conftest import FindCase

_N_PROTOTYPES = 6
_EVALUATION = slice(N_TRAINING_ROWS, None)
_TRAINING = slice(N_TRAINING_ROWS)


def _made(workshop: Workshop, case: RealCase, **request: object) -> PrototypeSet:
    usual = {
        "model": case.model,
        "dataset": case.dataset,
        "n_prototypes": _N_PROTOTYPES,
        "min_leaf_rows": 1,
        "per_outcome": "by_gain",
    }
    made = workshop.make(**{**usual, **request})
    assert (made.status, made.problem) == ("ready", None)
    return made


def _evaluations(made: PrototypeSet) -> list[PrototypeSetEvaluation]:
    return result_of(made).evaluation


def _one_nearest_neighbor(made: PrototypeSet) -> BaselineScore:
    return result_of(made).baseline.one_nearest_neighbor


def _nearest(case: RealCase, rows: slice, references: list[int]) -> NDArray[np.int64]:
    """Return the first nearest of the references for each row, -1 where it shares no leaf with any."""
    near = case.proximity[rows][:, references]
    return np.where(near.max(axis=1) > 0, near.argmax(axis=1), -1)


def _given(values: NDArray[Any], references: list[int], nearest: NDArray[np.int64]) -> NDArray[Any]:
    return np.where(nearest < 0, -1, values[np.array(references)[nearest]])


@pytest.mark.parametrize("is_other", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sampled("values")
def test_typicality_is_measured_on_the_rows_of_evaluation_without_the_prototypes(
    workshop: Workshop,
    real_case: FindCase,
    kind: ProximityKind,
    is_other: bool,  # a parameter
) -> None:
    case = real_case("pima_diabetes", kind)
    made = _made(workshop, case, evaluation_dataset=case.evaluation_dataset if is_other else None)
    chosen = [prototype.row for prototype in result_of(made).prototypes]
    total = int(case.proximity[0, 0])
    best = case.proximity[_EVALUATION if is_other else _TRAINING][:, chosen].max(axis=1)
    best = sorted(best if is_other else np.delete(best, chosen))

    scale = result_of(made).typicality

    assert scale is not None
    assert (scale.rows, scale.n_rows) == ("evaluation_dataset" if is_other else "dataset", len(best))
    assert (scale.caution is None) == is_other
    for percent, proximity in enumerate(scale.percentiles):
        reached = next(value for rank, value in enumerate(best, 1) if 100 * rank >= percent * len(best))
        assert proximity == pytest.approx(reached / total)
    assert len(scale.percentiles) == 101
    stored = workshop.context.artefacts.get("prototype_sets", made.id)
    arrays = read_arrays(workshop.context.objects.get(stored.arrays or ""))
    assert (arrays["typicality_quantiles"] / total).tolist() == scale.percentiles


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("is_other", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
@pytest.mark.sampled("values")
def test_accuracies_are_scikit_learns_for_every_number_of_prototypes(
    workshop: Workshop,
    real_case: FindCase,
    dataset: str,
    kind: ProximityKind,
    is_other: bool,  # a parameter
) -> None:
    case = real_case(dataset, kind)
    rows = _EVALUATION if is_other else _TRAINING
    made = _made(workshop, case, evaluation_dataset=case.evaluation_dataset if is_other else None)
    result = result_of(made)
    chosen = [prototype.row for prototype in result.prototypes]
    truth, predicted = case.real.target[rows], case.real.predicted[rows]

    assert result.evaluated_on == ("evaluation_dataset" if is_other else "dataset")
    assert result.measured_against == "target"
    assert [each.n_prototypes for each in _evaluations(made)] == list(range(1, _N_PROTOTYPES + 1))
    for size, found in enumerate(_evaluations(made), 1):
        nearest = _nearest(case, rows, chosen[:size])
        given = _given(case.real.predicted, chosen[:size], nearest)
        assert found.accuracy == pytest.approx(accuracy_score(truth, given))
        assert found.balanced_accuracy == pytest.approx(balanced_accuracy_score(truth, given))
        assert found.fidelity == pytest.approx(accuracy_score(predicted, given))
        assert found.balanced_fidelity == pytest.approx(balanced_accuracy_score(predicted, given))
        assert found.unassigned == pytest.approx((nearest < 0).mean())
        assert (found.r2, found.mean_absolute_error) == (None, None)


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("is_other", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_the_baselines_are_the_model_and_the_nearest_other_row(
    workshop: Workshop,
    real_case: FindCase,
    kind: ProximityKind,
    is_other: bool,  # a parameter
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
    result = result_of(made)
    assert result.baseline.model is not None
    assert result.baseline.model.accuracy == pytest.approx(accuracy_score(truth, predicted))
    assert result.baseline.model.fidelity == result.baseline.model.balanced_fidelity == 1
    _check_constant(case, made, rows)


def _check_constant(case: RealCase, made: PrototypeSet, rows: slice) -> None:
    """Compare with what scikit-learn always predicts."""
    truth, predicted, classes = case.real.target[rows], case.real.predicted[rows], result_of(made).classes
    most, most_of_model = (
        int(DummyClassifier(strategy="most_frequent").fit(labels[:, None], labels).predict([[0]])[0])
        for labels in (truth, predicted)
    )
    constant = _constant(made)
    assert (constant.prediction, constant.model_prediction) == (classes[most], classes[most_of_model])
    assert (constant.n_rows, constant.unassigned) == (len(truth), 0)
    assert constant.accuracy == pytest.approx(np.mean(truth == most))
    assert constant.balanced_accuracy == pytest.approx(1 / len(np.unique(truth)))
    assert constant.fidelity == pytest.approx(np.mean(predicted == most_of_model))
    assert constant.balanced_fidelity == pytest.approx(1 / len(np.unique(predicted)))


def _constant(made: PrototypeSet) -> ConstantScore:
    result = result_of(made)
    assert result.baseline.constant is not None
    return result.baseline.constant


@pytest.mark.parametrize("kind", KINDS)
def test_regression_is_evaluated_by_r2_and_absolute_errors_of_the_nearest_prototypes_value(
    workshop: Workshop, real_case: FindCase, kind: ProximityKind
) -> None:
    case = real_case(REGRESSION, kind)
    made = _made(workshop, case, evaluation_dataset=case.evaluation_dataset)
    result = result_of(made)
    chosen = [prototype.row for prototype in result.prototypes]
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
    assert result.baseline.model is not None
    assert result.baseline.model.r2 == pytest.approx(r2_score(truth, predicted), rel=1e-4)
    constant, mean = _constant(made), DummyRegressor().fit(truth[:, None], truth).predict(truth[:, None])
    assert constant.prediction == pytest.approx(mean[0])
    assert constant.model_prediction == pytest.approx(predicted.mean(), rel=1e-6)
    assert constant.r2 == pytest.approx(r2_score(truth, mean), abs=1e-12)
    assert constant.mean_absolute_error == pytest.approx(mean_absolute_error(truth, mean))
    assert (result.classes_without_prototypes, result.cautions) == ([], [])


def test_rows_that_the_model_knows_by_heart_are_cautioned_of(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("breast_cancer", "random_forest")

    own = _made(workshop, case)
    others = _made(workshop, case, evaluation_dataset=case.evaluation_dataset)

    model = result_of(own).baseline.model
    assert model is not None
    share = model.accuracy or 0
    assert share > 0.99
    assert f"the model predicts {share:.1%} of these labels" in cautions_of(result_of(own))
    assert "evaluation_dataset" in cautions_of(result_of(own))
    assert result_of(others).cautions == []


@pytest.mark.parametrize(
    ("method", "size", "kind"),
    [
        ("a_pete", {"n_prototypes": None}, "random_forest"),
        ("sm_a", {"n_prototypes": 2}, "random_forest"),
        ("sm_a", {"n_prototypes": 2}, "boosting"),
    ],
)
def test_classes_that_no_prototype_represents_are_named(
    workshop: Workshop, real_case: FindCase, method: str, size: dict[str, object], kind: ProximityKind
) -> None:
    case = real_case("covertype_20k", kind)

    made = _made(workshop, case, method=method, evaluation_dataset=case.evaluation_dataset, **size)

    result = result_of(made)
    standing = {prototype.label for prototype in result.prototypes}
    present = [result.classes[each] for each in np.unique(case.real.predicted[_TRAINING])]
    left_out = [label for label in present if label not in standing]
    assert result.classes_without_prototypes == left_out
    assert left_out
    assert f"{len(left_out)} class" in cautions_of(result)
    assert all(repr(label) in cautions_of(result) for label in left_out)


def test_where_all_classes_have_prototypes_none_is_named(workshop: Workshop, real_case: FindCase) -> None:
    made = _made(workshop, real_case("covertype_20k", "random_forest"), method="sm_u", n_prototypes=14)

    result = result_of(made)
    assert result.classes_without_prototypes == []
    assert "no prototype" not in cautions_of(result)


def test_a_set_that_is_not_nested_is_evaluated_as_a_whole(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("titanic", "random_forest")
    made = _made(workshop, case, method="sm_u")
    result = result_of(made)
    chosen = [prototype.row for prototype in result.prototypes]

    (found,) = _evaluations(made)

    assert found.n_prototypes == len(chosen) == result.n_selected
    nearest = _nearest(case, _TRAINING, chosen)
    given = _given(case.real.predicted, chosen, nearest)
    assert found.accuracy == pytest.approx(accuracy_score(case.real.target[_TRAINING], given))


def test_prototypes_of_target_classes_pass_on_the_target(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("covertype_20k", "random_forest")
    made = _made(workshop, case, labels="target", evaluation_dataset=case.evaluation_dataset)
    chosen = [prototype.row for prototype in result_of(made).prototypes]

    given = naive.nearest_prototype_classes(case.proximity, case.real.target, chosen)[_EVALUATION]

    assert _evaluations(made)[-1].accuracy == pytest.approx(accuracy_score(case.real.target[_EVALUATION], given))
    predicted = case.real.predicted[_EVALUATION]
    assert _evaluations(made)[-1].fidelity == pytest.approx(accuracy_score(predicted, given))


def test_without_a_target_only_agreement_with_the_model_is_reported(workshop: Workshop, real_case: FindCase) -> None:
    for dataset in ("breast_cancer", REGRESSION):
        case = real_case(dataset, "random_forest")
        frame = _untold(workshop, case)
        made = _made(workshop, case, evaluation_dataset=workshop.register_dataset(frame, row_id="id"))

        result = result_of(made)
        assert result.measured_against == "model"
        assert result.baseline.model is None
        found = _evaluations(made)[-1]
        assert (found.accuracy, found.balanced_accuracy) == (None, None)
        assert (found.fidelity is None) == case.is_regression == (found.r2 is not None)


def _untold(workshop: Workshop, case: RealCase) -> pd.DataFrame:
    stored = workshop.context.datasets.get(case.evaluation_dataset)
    return pd.read_parquet(workshop.context.objects.path(stored.content)).drop(columns="t")


def test_the_nearest_rows_are_sampled_by_seed_where_all_would_take_too_long(
    workshop: Workshop, real_case: FindCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = real_case("breast_cancer", "random_forest")
    n_comparisons_each = N_TRAINING_ROWS * case.real.leaves.shape[1]
    monkeypatch.setattr(prototype_set_evaluation, "_MAX_COMPARISONS", 50 * n_comparisons_each)
    first, again, other = (
        _one_nearest_neighbor(_made(workshop, case, seed=seed, n_prototypes=size))
        for seed, size in ((7, 5), (7, 4), (8, 5))
    )

    assert first.n_rows == 50
    assert first == again
    assert first != other
