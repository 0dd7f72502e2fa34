"""Comparison jobs: a planted change is named first, figures are those of the models, and chance finds nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor

from schemas.comparisons import ComparisonResult, DatasetDrift, ModelChange
from storage.errors import StorageError
from tests.support.models import onnx_of
from tests.support.workshop import Workshop, cautions_of, result_of
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession, Predictions
from tree_explainers.rows import Rows
from tree_explainers.share_intervals import wilson_interval

_NAMES = ("age", "income", "debt", "years")
_N = 1_200


@dataclass(frozen=True)
class _Data:
    training: NDArray[np.float32]
    rows: NDArray[np.float32]

    @classmethod
    def of(cls, seed: int = 0) -> "_Data":
        values = np.random.default_rng(seed).normal(size=(2 * _N, 4)).astype(np.float32)
        return cls(values[:_N], values[_N:])


def _labels(values: NDArray[np.float32]) -> NDArray[np.int64]:
    return np.asarray(values[:, 0] + values[:, 2] > 0, np.int64)


def _planted(values: NDArray[np.float32]) -> NDArray[np.bool_]:
    return np.asarray((values[:, 1] > 0.5) & (values[:, 3] <= 0.25), np.bool_)


def _forest(values: NDArray[np.float32], labels: NDArray[np.int64], seed: int = 0) -> RandomForestClassifier:
    return RandomForestClassifier(20, max_depth=7, random_state=seed).fit(values, labels)


def _register(workshop: Workshop, model: Any, values: NDArray[np.float32], **metadata: object) -> str:
    declared = {"feature_names": list(_NAMES), "ensemble": "random_forest", **metadata}
    return workshop.register_model(onnx_of(model, values), **declared)


def _dataset(workshop: Workshop, values: NDArray[np.float32], **metadata: object) -> str:
    frame = pd.DataFrame(values, columns=_NAMES).assign(id=[f"row {at}" for at in range(len(values))])
    return workshop.register_dataset(frame, row_id="id", **metadata)


def _answers(model: Any, values: NDArray[np.float32]) -> Predictions:
    """Return what the model's graph predicts, in single precision as the service has it."""
    read = read_model(onnx_of(model, values), DeclaredModel(feature_names=_NAMES), ModelLimits())
    rows = Rows(_NAMES, tuple(np.asarray(column, np.float64) for column in values.T))
    return ModelSession(read.leaf_graph, read.description).predict(rows)


def _of_models(result: ComparisonResult) -> ModelChange:
    assert result.models is not None
    assert result.datasets is None
    return result.models


def _of_datasets(result: ComparisonResult) -> DatasetDrift:
    assert result.datasets is not None
    assert result.models is None
    return result.datasets


def test_a_region_whose_labels_were_swapped_is_named_first(workshop: Workshop) -> None:
    data = _Data.of()
    labels = _labels(data.training)
    swapped = np.where(_planted(data.training), 1 - labels, labels)
    forests = [_forest(data.training, each) for each in (labels, swapped)]
    models = [_register(workshop, each, data.training) for each in forests]
    dataset = _dataset(workshop, data.rows)

    result = result_of(workshop.compare(model=models[0], other_model=models[1], dataset=dataset))

    found = _of_models(result)
    answers = [_answers(each, data.rows) for each in forests]
    predicted = [np.asarray(each.labels) for each in answers]
    changed = np.asarray(predicted[0] != predicted[1])
    assert (found.compared_by, found.n_changed, result.n_rows) == ("outcomes", changed.sum(), _N)
    assert found.share_changed == pytest.approx(changed.mean())
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == wilson_interval(int(changed.sum()), _N)
    pairs = {(each.outcome, each.other_outcome): each.n_rows for each in found.changes}
    assert pairs == {(str(one), str(1 - one)): ((predicted[0] == one) & changed).sum() for one in (0, 1)}
    region = found.regions[0]
    assert {each.feature for each in region.conditions} == {"income", "years"}
    assert region.changed > 0.8
    assert region.share_of_change > 0.6
    assert region.text in result.summary
    assert result.effects_scale == "probability"
    for row in found.rows:
        assert (row.row_id, changed[row.row]) == (f"row {row.row}", True)
        assert (row.outcome, row.other_outcome) == tuple(str(each[row.row]) for each in predicted)
    gaps = np.abs(answers[0].scores - answers[1].scores).max(axis=1)
    assert [each.difference for each in found.rows] == pytest.approx(
        np.sort(gaps[changed])[::-1][: len(found.rows)], abs=1e-5
    )
    assert 0.9 < sum(each.represents for each in found.prototypes) <= 1 + 1e-9
    assert all(changed[each.row] for each in found.prototypes)
    assert found.neighbors is not None
    assert found.neighbors.by_chance < found.neighbors.share < 1


def test_a_model_that_lacks_rows_differs_first_where_they_are_lacking(workshop: Workshop) -> None:
    data = _Data.of()
    own_law = data.training[:, 1] > 0.7
    labels = np.where(own_law, data.training[:, 3] > 0, _labels(data.training))
    models = [
        _register(workshop, _forest(data.training[some], labels[some]), data.training)
        for some in (slice(None), ~own_law)
    ]

    result = result_of(workshop.compare(model=models[0], other_model=models[1], dataset=_dataset(workshop, data.rows)))

    first = _of_models(result).regions[0].conditions[0]
    assert (first.feature, first.operator) == ("income", ">")
    assert first.value == pytest.approx(0.7, abs=0.15)


def test_two_models_of_the_same_rows_differ_nowhere_more_than_elsewhere(workshop: Workshop) -> None:
    data = _Data.of()
    noise = np.random.default_rng(1).random(_N) < 0.5  # nothing can be learned: changes are by chance
    models = [_register(workshop, _forest(data.training, noise.astype(int), seed), data.training) for seed in (0, 1)]

    result = result_of(workshop.compare(model=models[0], other_model=models[1], dataset=_dataset(workshop, data.rows)))

    assert len(_of_models(result).regions) <= 1


def test_a_forest_and_boosting_are_compared_by_outcomes_and_by_shares_of_effects(workshop: Workshop) -> None:
    data = _Data.of()
    labels = _labels(data.training)
    boosted = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(data.training, labels)
    models = [
        _register(workshop, _forest(data.training, labels), data.training),
        _register(workshop, boosted, data.training, ensemble="boosting"),
    ]

    result = result_of(workshop.compare(model=models[0], other_model=models[1], dataset=_dataset(workshop, data.rows)))

    assert result.effects_scale == "share"
    assert sum(each.mean_effect for each in result.effects) == pytest.approx(1)
    assert sum(each.other_mean_effect for each in result.effects) == pytest.approx(1)


def test_values_of_regressions_are_compared_by_their_differences(workshop: Workshop) -> None:
    data = _Data.of()
    target = data.training[:, 0].astype(np.float64)
    moved = target + 2.0 * (data.training[:, 1] > 0.5)
    forests = [
        RandomForestRegressor(10, max_depth=6, random_state=0).fit(data.training, each) for each in (target, moved)
    ]
    models = [_register(workshop, each, data.training) for each in forests]

    result = result_of(workshop.compare(model=models[0], other_model=models[1], dataset=_dataset(workshop, data.rows)))

    found = _of_models(result)
    differences = forests[1].predict(data.rows) - forests[0].predict(data.rows)
    assert (found.compared_by, found.n_changed, found.changes) == ("values", None, [])
    assert found.mean_difference == pytest.approx(differences.mean(), abs=1e-4)
    assert found.mean_absolute_difference == pytest.approx(np.abs(differences).mean(), abs=1e-4)
    (condition,) = found.regions[0].conditions
    assert (condition.feature, condition.operator) == ("income", ">")
    assert found.regions[0].changed == pytest.approx(2, abs=0.4)
    assert [each.difference for each in found.rows] == pytest.approx(np.sort(np.abs(differences))[::-1][:20], abs=1e-4)
    assert result.effects[0].feature == "income"


# Two datasets.


def test_a_shifted_feature_is_named_first(workshop: Workshop) -> None:
    data = _Data.of()
    model = _register(workshop, _forest(data.training, _labels(data.training)), data.training)
    reference, newer = data.rows[: _N // 2], data.rows[_N // 2 :].copy()
    newer[:, 2] += 0.8

    datasets = [_dataset(workshop, each, held_out=True) for each in (reference, newer)]
    result = result_of(workshop.compare(model=model, dataset=datasets[0], other_dataset=datasets[1]))

    found = _of_datasets(result)
    assert (found.conclusion, found.features_moved[0], result.effects[0].feature) == ("differs", "debt", "debt")
    assert all(each.rows.differs for each in found.outcomes)
    assert result.cautions == []
    assert "effects of debt" in result.summary


def test_rows_like_the_reference_rows_do_not_differ(workshop: Workshop) -> None:
    data = _Data.of()
    model = _register(workshop, _forest(data.training, _labels(data.training)), data.training)
    datasets = [_dataset(workshop, each) for each in (data.rows[: _N // 2], data.rows[_N // 2 :])]

    result = result_of(workshop.compare(model=model, dataset=datasets[0], other_dataset=datasets[1]))

    found = _of_datasets(result)
    assert (found.conclusion, found.features_moved) == ("no_difference_seen", [])
    assert found.typicality.distance < found.typicality.detectable_distance
    assert "may go unseen" in result.summary
    assert "held_out" in cautions_of(result)


def test_of_few_rows_nothing_is_concluded(workshop: Workshop) -> None:
    data = _Data.of()
    model = _register(workshop, _forest(data.training, _labels(data.training)), data.training)
    datasets = [_dataset(workshop, each) for each in (data.rows, data.rows[:40] + 5)]

    result = result_of(workshop.compare(model=model, dataset=datasets[0], other_dataset=datasets[1]))

    found = _of_datasets(result)
    assert (found.conclusion, found.min_rows, found.features_moved) == ("too_few_rows", 50, [])
    assert "Nothing is concluded" in result.summary


# Requests that cannot be done.


@pytest.fixture
def pair(workshop: Workshop) -> Mapping[str, str]:
    """Return two models and two datasets, by the fields of a request."""
    data = _Data.of()
    forests = [_forest(data.training, _labels(data.training) + 2 * at, at) for at in (0, 1)]
    models = [_register(workshop, each, data.training) for each in forests]
    datasets = [_dataset(workshop, data.rows[:60]), _dataset(workshop, data.rows[60:120])]
    return {"model": models[0], "other_model": models[1], "dataset": datasets[0], "other_dataset": datasets[1]}


def test_what_names_no_other_or_both_or_itself_is_refused(workshop: Workshop, pair: Mapping[str, str]) -> None:
    own = {name: pair[name] for name in ("model", "dataset")}
    refused = [
        (own, "neither was named"),
        (pair, "both was named"),
        ({**own, "other_model": own["model"]}, "other_model is the model itself"),
        ({**own, "other_dataset": own["dataset"]}, "other_dataset is the dataset itself"),
        ({**own, "other_dataset": pair["other_dataset"], "max_regions": 3}, "max_regions is 3"),
        ({**own, "other_model": pair["other_model"]}, "no class in common: '0', '1' of"),
    ]
    for request, detail in refused:
        with pytest.raises(StorageError, match=detail):
            workshop.compare(**request)


def test_models_of_different_tasks_are_not_compared(workshop: Workshop, pair: Mapping[str, str]) -> None:
    data = _Data.of()
    regression = RandomForestRegressor(3, max_depth=3, random_state=0).fit(data.training, data.training[:, 0])
    other = _register(workshop, regression, data.training)
    with pytest.raises(StorageError, match="compare models of a task"):
        workshop.compare(model=pair["model"], other_model=other, dataset=pair["dataset"])


# Models that are unlike each other.


def test_decisions_of_both_models_are_what_is_compared(workshop: Workshop) -> None:
    data = _Data.of()
    target = data.training[:, 0].astype(np.float64)
    forest = RandomForestRegressor(10, max_depth=6, random_state=0).fit(data.training, target)
    bands = [[{"outcome": "low", "below": cut}, {"outcome": "high"}] for cut in (0.0, 0.5)]
    models = [_register(workshop, forest, data.training, decision={"bands": each}) for each in bands]

    result = result_of(workshop.compare(model=models[0], other_model=models[1], dataset=_dataset(workshop, data.rows)))

    found = _of_models(result)
    values = np.asarray(_answers(forest, data.rows).scores)[:, 0]
    between = (values >= 0) & (values < 0.5)
    assert (found.compared_by, found.n_changed) == ("outcomes", between.sum())
    assert {(each.outcome, each.other_outcome) for each in found.changes} == {("high", "low")}
    assert {each.feature for each in found.regions[0].conditions} == {"age"}
    assert all(each.moved == 0 for each in result.effects)


def test_models_may_read_different_features_of_the_dataset(workshop: Workshop) -> None:
    data = _Data.of()
    labels = _labels(data.training)
    few = _forest(data.training[:, :2], labels)
    models = [
        _register(workshop, _forest(data.training, labels), data.training),
        _register(workshop, few, data.training[:, :2], feature_names=list(_NAMES[:2])),
    ]

    result = result_of(workshop.compare(model=models[0], other_model=models[1], dataset=_dataset(workshop, data.rows)))

    effects = {each.feature: each for each in result.effects}
    assert effects["debt"].other_mean_effect == 0 < effects["debt"].mean_effect
    assert result.effects[0].feature == "debt"
    assert _of_models(result).regions


def test_models_are_compared_on_a_single_row(workshop: Workshop, pair: Mapping[str, str]) -> None:
    data = _Data.of()
    other = _register(workshop, _forest(data.training, _labels(data.training), 5), data.training)
    result = result_of(
        workshop.compare(model=pair["model"], other_model=other, dataset=_dataset(workshop, data.rows[:1]))
    )
    found = _of_models(result)
    assert (found.regions, found.neighbors, result.n_rows) == ([], None, 1)
