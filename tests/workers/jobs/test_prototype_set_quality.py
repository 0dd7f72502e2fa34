"""The quality measures of a prototype set follow from the dense matrix."""

import math

import pandas as pd
import pytest

from schemas.prototype_quality import SetQuality
from schemas.prototype_sets import PrototypeSet
from tests.support.naive_quality import NaiveQuality
from tests.support.real_jobs import N_TRAINING_ROWS, REGRESSION, RealCase
from tests.support.real_leaves import KINDS
from tests.support.workshop import Workshop, result_of
from tree_explainers.leaf_space.leaves import ProximityKind

from .conftest import FindCase

_EVALUATION = slice(N_TRAINING_ROWS, None)
_TRAINING = slice(N_TRAINING_ROWS)


def _made(workshop: Workshop, case: RealCase, **request: object) -> PrototypeSet:
    made = workshop.make(
        **{"model": case.model, "dataset": case.dataset, "n_prototypes": 7, "min_leaf_rows": 1, **request}
    )
    assert (made.status, made.problem) == ("ready", None)
    return made


def _twin(case: RealCase, made: PrototypeSet, labels: str, rows: slice) -> NaiveQuality:
    chosen = [prototype.row for prototype in result_of(made).prototypes]
    own = case.real.classes(labels)
    proximity = case.proximity[rows][:, chosen] / case.weights.sum()
    return NaiveQuality(proximity, own[rows].tolist(), own[chosen].tolist(), max(1, len(case.opened.view.classes)))


def _quality(made: PrototypeSet) -> SetQuality:
    return result_of(made).quality


def _check(made: PrototypeSet, twin: NaiveQuality) -> None:
    """Hold every number of the set, of its classes and of its prototypes against the twin's."""
    of_all = _quality(made)
    for name, value in twin.set_measures().items():
        assert getattr(of_all, name) == _null_or(value), name
    for own, found in enumerate(of_all.by_class):
        assert (found.n_rows, found.n_prototypes) == (len(twin.rows_of(own)), len(twin.of_class(own)))
        assert found.coverage == _null_or(twin.class_coverage(own))
        assert found.hubness_entropy == _null_or(twin.class_hubness_entropy(own))
    for prototype in result_of(made).prototypes:
        assert prototype.quality is not None
        for name, measured in prototype.quality.model_dump().items():
            assert measured == _null_or(getattr(twin, name)(prototype.rank - 1)), (prototype.rank, name)


def _null_or(value: float) -> object:
    return None if math.isnan(value) else pytest.approx(value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("is_other", [True, False])
@pytest.mark.parametrize("labels", ["predicted", "target"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sampled("values")
def test_quality_is_reported_for_the_rows_evaluated_on_in_the_classes_requested(
    workshop: Workshop,
    real_case: FindCase,
    kind: ProximityKind,
    labels: str,
    is_other: bool,  # a parameter
) -> None:
    case = real_case("covertype_20k", kind)
    other = case.evaluation_dataset if is_other else None

    made = _made(workshop, case, labels=labels, evaluation_dataset=other)

    assert _quality(made).labels == labels
    assert [each.label for each in _quality(made).by_class] == case.opened.view.classes
    _check(made, _twin(case, made, labels, _EVALUATION if is_other else _TRAINING))


@pytest.mark.parametrize("kind", KINDS)
def test_regression_has_one_class_without_a_label_and_no_votes_to_be_inconsistent(
    workshop: Workshop, real_case: FindCase, kind: ProximityKind
) -> None:
    case = real_case(REGRESSION, kind)

    made = _made(workshop, case)

    of_all = _quality(made)
    assert (of_all.labels, [each.label for each in of_all.by_class]) == (None, [None])
    assert (of_all.consistent_votes, of_all.out_of_class_similarity) == (None, None)
    assert of_all.hubness_entropy is not None
    _check(made, _twin(case, made, "predicted", _TRAINING))


def test_rows_to_evaluate_on_without_a_target_have_the_classes_that_are_predicted(
    workshop: Workshop, real_case: FindCase
) -> None:
    case = real_case("titanic", "random_forest")
    stored = workshop.context.datasets.get(case.evaluation_dataset)
    content = pd.read_parquet(workshop.context.objects.path(stored.content)).drop(columns="t")
    untold = workshop.register_dataset(content, row_id="id")

    made = _made(workshop, case, labels="target", evaluation_dataset=untold)

    assert _quality(made).labels == "predicted"
    twin = _twin(case, made, "predicted", _EVALUATION)
    chosen = [prototype.row for prototype in result_of(made).prototypes]
    _check(made, NaiveQuality(twin.proximity, twin.row_classes, case.real.classes("target")[chosen].tolist(), 2))
