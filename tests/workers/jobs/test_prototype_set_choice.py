"""Prototype jobs choose the rows that the slow twins choose from scikit-learn's own leaves."""

from typing import Literal

import numpy as np
import pandas as pd
import pytest

from schemas.prototype_sets import PrototypeMethod, PrototypeSet
from storage.errors import StorageError
from tests.support import naive
from tests.support.api import frame_of
from tests.support.models import fitted
from tests.support.naive_prototype_bounds import agreeing_twins, swapped
from tests.support.real_jobs import CLASSIFICATIONS, REGRESSION, RealCase
from tests.support.real_leaves import KINDS
from tests.support.workshop import Workshop, result_of
from tree_explainers.leaf_space.leaves import ProximityKind
from tree_explainers.prototype_sets import cost
from tree_explainers.prototype_sets.selection import sample_candidates

from .conftest import FindCase

_METHODS: tuple[PrototypeMethod, ...] = ("sm_u", "sm_a", "sm_wa", "sg", "a_pete")
_N_PROTOTYPES = 7


def _made(workshop: Workshop, case: RealCase, method: PrototypeMethod, **request: object) -> PrototypeSet:
    size = {} if method == "a_pete" else {"n_prototypes": _N_PROTOTYPES}
    settings = {"min_leaf_rows": 1, "per_outcome": "by_gain", **size, **request}  # as of the papers
    made = workshop.make(model=case.model, dataset=case.dataset, method=method, **settings)
    assert (made.status, made.problem) == ("ready", None)
    return made


def _twin(case: RealCase, method: PrototypeMethod, labels: str) -> list[int]:
    setting = 0.05 if method == "a_pete" else _N_PROTOTYPES
    return naive.SELECTIONS[method](case.training_proximity, case.classes(labels), setting, None, case.agrees)


def _rows(made: PrototypeSet) -> list[int]:
    return [prototype.row for prototype in result_of(made).prototypes]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
@pytest.mark.parametrize("method", _METHODS)
@pytest.mark.sampled("values")
def test_each_method_chooses_the_rows_of_its_twin_in_the_same_order(
    workshop: Workshop, real_case: FindCase, dataset: str, kind: ProximityKind, method: PrototypeMethod
) -> None:
    case = real_case(dataset, kind)

    made = _made(workshop, case, method)

    assert _rows(made) == _twin(case, method, "predicted")
    assert result_of(made).proximity_kind == kind


@pytest.mark.parametrize("refine", ["none", "swap"])
def test_of_rows_with_the_same_values_one_that_had_the_predicted_outcome_is_chosen(
    workshop: Workshop, refine: Literal["none", "swap"]
) -> None:
    forest = fitted("random_forest_binary")
    frame = frame_of(forest).iloc[:150]
    predicted = forest.library_labels()[:150]
    others = np.where(predicted == predicted[0], next(each for each in predicted if each != predicted[0]), predicted[0])
    both = pd.concat([frame.assign(t=others), frame.assign(t=predicted)])  # the first copies had the other outcome
    names = list(forest.rows.names)
    about = {
        "model": workshop.register_model(forest.onnx, feature_names=names, ensemble="random_forest"),
        "dataset": workshop.register_dataset(both, target="t"),
    }

    made = workshop.make(**about, n_prototypes=5, refine=refine)

    prototypes = result_of(made).prototypes
    assert [prototype.target for prototype in prototypes] == [prototype.label for prototype in prototypes]
    assert min(prototype.row for prototype in prototypes) >= 150


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", _METHODS)
@pytest.mark.sampled("values")
def test_classes_can_be_those_of_the_target(
    workshop: Workshop, real_case: FindCase, kind: ProximityKind, method: PrototypeMethod
) -> None:
    case = real_case("covertype_20k", kind)
    assert (case.classes("target") != case.classes("predicted")).any()

    made = _made(workshop, case, method, labels="target")

    chosen = _twin(case, method, "target")
    assert _rows(made) == chosen
    labels = [case.opened.view.classes[case.classes("target")[row]] for row in chosen]
    assert [prototype.label for prototype in result_of(made).prototypes] == labels


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["sm_u", "sm_a", "sm_wa", "a_pete"])
@pytest.mark.sampled("values")
def test_regression_has_one_class_and_values_instead_of_labels(
    workshop: Workshop, real_case: FindCase, kind: ProximityKind, method: PrototypeMethod
) -> None:
    case = real_case(REGRESSION, kind)

    made = _made(workshop, case, method)

    chosen = _twin(case, method, "predicted")
    assert _rows(made) == chosen
    result = result_of(made)
    assert [prototype.label for prototype in result.prototypes] == [None] * len(chosen)
    values = [prototype.value for prototype in result.prototypes]
    assert values == pytest.approx(case.real.predicted[chosen], rel=1e-5)


@pytest.mark.parametrize("method", ["sm_a", "a_pete"])
def test_a_forest_can_be_seen_by_the_proximity_of_boosting_and_conversely(
    workshop: Workshop, real_case: FindCase, method: PrototypeMethod
) -> None:
    forest, boosted = real_case("titanic", "random_forest"), real_case("titanic", "boosting")

    by_weight = _made(workshop, forest, method, proximity_kind="boosting")
    by_count = _made(workshop, boosted, method, proximity_kind="random_forest")

    assert (result_of(by_weight).proximity_kind, result_of(by_count).proximity_kind) == ("boosting", "random_forest")
    proximity = naive.proximity_matrix(boosted.real.leaves[boosted.training], boosted.weights * 0 + 1)
    setting = 0.05 if method == "a_pete" else _N_PROTOTYPES
    assert _rows(by_count) == naive.SELECTIONS[method](
        proximity, boosted.classes("predicted"), setting, None, boosted.agrees
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", _METHODS)
@pytest.mark.sampled("values")
def test_gains_objective_and_coverage_are_those_of_the_dense_matrix(
    workshop: Workshop, real_case: FindCase, kind: ProximityKind, method: PrototypeMethod
) -> None:
    case = real_case("breast_cancer", kind)
    classes, proximity = case.classes("predicted"), case.training_proximity
    total = float(case.weights.sum())

    made = _made(workshop, case, method)

    result = result_of(made)
    prototypes, chosen = result.prototypes, _rows(made)
    objectives = [naive.objective(proximity, classes, chosen[: size + 1]) / total for size in range(len(chosen))]
    assert [prototype.objective for prototype in prototypes] == pytest.approx(objectives, rel=1e-12)
    gains = [after - before for before, after in zip([0.0, *objectives], objectives, strict=False)]
    assert [prototype.gain for prototype in prototypes] == pytest.approx(gains, abs=1e-9)
    assert result.objective == pytest.approx(objectives[-1], rel=1e-12)
    assert result.objective_mean == pytest.approx(objectives[-1] / len(classes), rel=1e-12)
    covered = naive.coverage(proximity, classes, chosen)
    assert [prototype.coverage.n_rows for prototype in prototypes] == covered
    shares = [n_rows / len(classes) for n_rows in covered]
    assert [prototype.coverage.share for prototype in prototypes] == pytest.approx(shares)


def test_what_stopped_a_pete_is_reported_with_both_improvements(workshop: Workshop, real_case: FindCase) -> None:
    made = _made(workshop, real_case("titanic", "random_forest"), "a_pete", alpha=0.3)

    result = result_of(made)
    assert result.stopped_by.reason == "alpha"
    before, last = [prototype.gain for prototype in result.prototypes][-2:]
    assert f"by {last:.6g} (" in result.stopped_by.detail
    assert f"before by {before:.6g} (" in result.stopped_by.detail
    assert abs(before - last) / last <= 0.3


def test_a_smaller_set_begins_a_larger_one_where_sets_are_nested(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("covertype_20k", "random_forest")
    for method in ("sm_a", "sm_wa", "sg"):
        large = _made(workshop, case, method)
        small = workshop.make(model=case.model, dataset=case.dataset, method=method, n_prototypes=3, min_leaf_rows=1)
        assert result_of(large).nested
        assert _rows(small) == _rows(large)[:3]
    assert not result_of(_made(workshop, case, "sm_u")).nested


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["sm_u", "sm_a", "sm_wa"])
@pytest.mark.sampled("values")
def test_swaps_are_those_of_the_twin_and_listed_in_the_place_of_what_they_replace(
    workshop: Workshop, real_case: FindCase, kind: ProximityKind, method: PrototypeMethod
) -> None:
    case = real_case("covertype_20k", kind)
    classes = case.classes("predicted")
    request = {"model": case.model, "dataset": case.dataset, "method": method, "min_leaf_rows": 1}
    chosen = naive.SELECTIONS[method](case.training_proximity, classes, 30, None, case.agrees)
    expected, n_swaps = swapped(case.training_proximity, classes, chosen, method)
    expected = agreeing_twins(case.training_proximity, classes, expected, case.agrees)
    assert n_swaps > 0

    plain = workshop.make(**request, n_prototypes=30)
    made = workshop.make(**request, n_prototypes=30, refine="swap")

    assert (_rows(plain), result_of(plain).n_swaps) == (chosen, 0)
    result = result_of(made)
    assert (_rows(made), result.n_swaps) == (expected, n_swaps)
    assert (result.nested, len(result.evaluation)) == (False, 1)
    covered = naive.objective(case.training_proximity, classes, expected)
    assert result.objective == pytest.approx(covered / float(case.weights.sum()), rel=1e-12)


def test_a_set_that_no_swap_improves_stays_as_it_was_chosen(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("covertype_20k", "boosting")

    made = _made(workshop, case, "sm_a", refine="swap")

    result = result_of(made)
    assert (_rows(made), result.n_swaps, result.nested) == (_twin(case, "sm_a", "predicted"), 0, True)


def _sample(case: RealCase, n_candidates: int, seed: int) -> list[int]:
    sample = sample_candidates(case.classes("predicted"), n_candidates, np.random.default_rng(seed))
    return [int(row) for row in sample]


@pytest.mark.parametrize("method", _METHODS)
@pytest.mark.sampled("thirds")
def test_candidates_are_a_seeded_sample_and_all_rows_are_stood_for_all_the_same(
    workshop: Workshop, real_case: FindCase, method: PrototypeMethod
) -> None:
    case = real_case("covertype_20k", "random_forest")
    total = float(case.weights.sum())

    made = _made(workshop, case, method, n_candidates=40, seed=3)
    other = _made(workshop, case, method, n_candidates=40, seed=4)

    result = result_of(made)
    assert (result.n_candidates, result.n_rows) == (40, 300)
    setting, classes = (0.05 if method == "a_pete" else _N_PROTOTYPES), case.classes("predicted")
    for found, seed in ((made, 3), (other, 4)):
        expected = naive.SELECTIONS[method](
            case.training_proximity, classes, setting, _sample(case, 40, seed), case.agrees
        )
        assert _rows(found) == expected
    assert _rows(other) != _rows(made)
    covered = naive.objective(case.training_proximity, case.classes("predicted"), _rows(made))
    assert result.objective == pytest.approx(covered / total, rel=1e-12)


def test_candidates_as_many_as_rows_are_all_rows(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("titanic", "boosting")

    made = _made(workshop, case, "sm_a", n_candidates=300)
    beyond = workshop.create(
        model=case.model,
        dataset=case.dataset,
        n_prototypes=_N_PROTOTYPES,
        min_leaf_rows=1,
        n_candidates=10**6,
        per_outcome="by_gain",
    )

    assert result_of(made).n_candidates == 300
    assert _rows(made) == _twin(case, "sm_a", "predicted")
    assert beyond.id == made.id


def test_where_comparing_all_would_take_long_candidates_are_a_sample_unless_requested(
    workshop: Workshop, real_case: FindCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = real_case("breast_cancer", "boosting")
    monkeypatch.setattr(cost, "_MOST_COMPARISONS", 1e5)
    monkeypatch.setattr(cost, "_N_SAMPLED", 30)

    sampled = _made(workshop, case, "sm_a", seed=11)
    in_full = _made(workshop, case, "sm_a", seed=11, n_candidates=300)

    assert (result_of(sampled).n_candidates, result_of(in_full).n_candidates) == (30, 300)
    assert sampled.request.n_candidates is None
    assert set(_rows(sampled)) <= set(_sample(case, 30, seed=11))
    assert _rows(in_full) == _twin(case, "sm_a", "predicted")


def test_fewer_candidates_than_classes_fail_with_what_to_mend(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("covertype_20k", "random_forest")

    failed = workshop.make(model=case.model, dataset=case.dataset, n_prototypes=2, n_candidates=2)

    assert failed.problem is not None
    assert (failed.status, failed.problem.code) == ("failed", "validation_failed")
    assert "too few for the" in failed.problem.detail


def _refusal(workshop: Workshop, case: RealCase, **request: object) -> StorageError:
    n_jobs = len(workshop.context.jobs.list(1000, None).data)
    n_sets = len(workshop.context.artefacts.list("prototype_sets", 1000, None).data)
    with pytest.raises(StorageError) as refused:
        workshop.create(**{"model": case.model, "dataset": case.dataset, **request})
    assert len(workshop.context.jobs.list(1000, None).data) == n_jobs
    assert len(workshop.context.artefacts.list("prototype_sets", 1000, None).data) == n_sets
    return refused.value


@pytest.mark.parametrize(
    ("request_part", "code", "pointer", "message"),
    [
        ({"n_prototypes": 301}, "validation_failed", "/n_prototypes", "at most 300"),
        ({"method": "a_pete", "n_prototypes": 3}, "validation_failed", "/n_prototypes", "leave out n_prototypes"),
        ({"method": "sg", "refine": "swap"}, "method_not_applicable", "/refine", "leave out refine"),
        ({"n_prototypes": 6, "n_candidates": 5}, "validation_failed", "/n_prototypes", "from 5 candidates"),
        ({"n_candidates": 9}, "validation_failed", "/n_candidates", "10 prototypes cannot be chosen from 9"),
        ({"method": "sm_wa", "alpha": 0.1}, "validation_failed", "/alpha", "sm_wa takes none"),
        ({"min_leaf_rows": 151}, "validation_failed", "/min_leaf_rows", "request at most 150"),
        ({"coverage": 0.9, "n_prototypes": 5}, "validation_failed", "/coverage", "leave out the other"),
        ({"coverage": 0.9, "method": "sm_u"}, "method_not_applicable", "/coverage", "take sm_a, sm_wa or sg"),
        ({"n_prototypes": "validate"}, "validation_failed", "/evaluation_dataset", "name them as evaluation_dataset"),
        ({"n_prototypes": "validate", "method": "sm_u"}, "method_not_applicable", "/n_prototypes", "no smaller set"),
        ({"model": "mdl_gone"}, "not_found", None, "mdl_gone"),
        ({"dataset": "ds_gone"}, "not_found", None, "ds_gone"),
        ({"evaluation_dataset": "ds_gone"}, "not_found", None, "ds_gone"),
    ],
)
def test_what_cannot_be_is_refused_at_once_and_nothing_is_begun(
    workshop: Workshop,
    real_case: FindCase,
    request_part: dict[str, object],
    code: str,
    pointer: str | None,
    message: str,
) -> None:
    refused = _refusal(workshop, real_case("titanic", "random_forest"), **request_part)

    assert (refused.code, refused.pointer) == (code, pointer)
    assert message in refused.detail


def test_rows_that_prototypes_are_chosen_on_do_not_validate_their_number(
    workshop: Workshop, real_case: FindCase
) -> None:
    case = real_case("titanic", "random_forest")
    frame = pd.read_parquet(workshop.context.objects.path(workshop.context.datasets.get(case.dataset).content))
    others = workshop.register_dataset(frame[100:], target="t", row_id="id")
    request = {"method": "sg", "n_prototypes": "validate", "evaluation_dataset": others}

    refused = _refusal(workshop, case, **request, selected_on="evaluation_dataset")

    assert (refused.code, refused.pointer) == ("validation_failed", "/selected_on")
    assert refused.detail.endswith("leave out selected_on, or give n_prototypes as a number")


def test_sg_is_refused_for_regression_naming_what_would_do(workshop: Workshop, real_case: FindCase) -> None:
    refused = _refusal(workshop, real_case(REGRESSION, "boosting"), method="sg")

    assert (refused.code, refused.pointer) == ("method_not_applicable", "/method")
    assert "sm_a" in refused.detail


def test_the_trees_of_another_kind_of_ensemble_count_alike(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("titanic", "random_forest")
    onnx = workshop.context.objects.get(workshop.context.models.get(case.model).view.sha256)
    names = case.opened.view.feature_names
    unknown = workshop.register_model(onnx, feature_names=names, ensemble="other")

    made = workshop.make(model=unknown, dataset=case.dataset, n_prototypes=_N_PROTOTYPES, min_leaf_rows=1)

    assert _rows(made) == _twin(case, "sm_a", "predicted")


@pytest.mark.parametrize("n_each", [{"0": 1, "1": 4}, {"1": 3}])
def test_each_outcome_has_the_prototypes_that_are_requested_of_it(
    workshop: Workshop, real_case: FindCase, n_each: dict[str, int]
) -> None:
    case = real_case("titanic", "random_forest")
    counts = [{"outcome": name, "n_prototypes": n} for name, n in n_each.items()]

    made = _made(workshop, case, "sm_a", n_prototypes=None, per_outcome="auto", n_per_outcome=counts)

    result = result_of(made)
    labels = [prototype.label for prototype in result.prototypes]
    assert {name: labels.count(name) for name in n_each} == n_each
    assert (made.request.n_prototypes, result.n_selected) == (sum(n_each.values()), sum(n_each.values()))
    assert result.nested is False
    assert result.certificate_objective is not None
    assert result.certificate_objective.constraint == "n_prototypes_per_class"
    assert result.classes_without_prototypes == [name for name in result.classes if name not in n_each]
