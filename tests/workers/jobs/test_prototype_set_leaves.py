"""Prototype jobs find their leaves and their number: by coarser leaves, by coverage of rows, by validation."""

from typing import Any

import numpy as np
import orjson
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from explanations.explained_rows import explain_instances
from explanations.warm_explainer import warm_up
from schemas.explanations import ExplanationRequest
from schemas.prototype_sets import PrototypeSetResult
from storage.array_files import read_arrays
from tests.support import naive, naive_leaf_choice, naive_prototype_numbers
from tests.support.models import fitted, onnx_of
from tests.support.naive_coarser_leaves import coarser_codes, coarser_nodes
from tests.support.real_jobs import N_TRAINING_ROWS, REGRESSION, RealCase
from tests.support.real_leaves import KINDS, real_leaves
from tests.support.workshop import Workshop, cautions_of, result_of
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.leaf_space.coarser_leaves import coarser_leaves
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.prototype_sets import leaf_choice

from .conftest import FindCase


def coarser(ensemble: TreeEnsemble, leaves: NDArray[np.int32], reference: int, m: int) -> NDArray[np.int32]:
    """Return the coarser leaves of all rows, by the twin; the first rows are the reference rows."""
    codes = coarser_codes(coarser_nodes(ensemble, leaves[:reference], m))
    return np.asarray(codes[ensemble.leaf_offsets[:-1] + leaves], dtype=np.int32)


@pytest.mark.parametrize("kind", KINDS)
def test_with_coarser_leaves_the_rows_are_those_of_the_twin_on_fewer_leaves(
    workshop: Workshop, real_case: FindCase, kind: ProximityKind
) -> None:
    case = real_case("covertype_20k", kind)

    made = workshop.make(model=case.model, dataset=case.dataset, n_prototypes=5, min_leaf_rows=20)

    result = result_of(made)
    ensemble = case.opened.ensemble
    leaves = coarser(
        ensemble, case.opened.session.run(case.opened.session.encode_matrix(case.real.features)).leaves, 300, 20
    )
    arrays = read_arrays(
        workshop.context.objects.get(workshop.context.artefacts.get("prototype_sets", made.id).arrays or "")
    )
    proximity = naive.proximity_matrix(leaves[case.training], arrays["weights"])
    chosen = [prototype.row for prototype in result.prototypes]
    assert chosen == naive.sm_a(proximity, case.classes("predicted"), 5, None, case.agrees)
    assert arrays["leaves"].tolist() == leaves[chosen].tolist()
    assert (result.min_leaf_rows, result.n_trees_used, result.leaf_steps) == (20, (arrays["weights"] > 0).sum(), [])
    if kind == "random_forest":
        n_leaves = [len(np.unique(column)) for column in leaves[case.training].T]
        assert arrays["weights"].tolist() == [n > 1 for n in n_leaves]
    near = naive_prototype_numbers.near_rows(leaves[case.training], arrays["weights"], chosen)
    assert result.row_coverage is not None
    assert result.row_coverage.share == pytest.approx(np.mean(near))
    classes = case.classes("predicted")
    for number, of_class in enumerate(result.row_coverage.by_class):
        own = np.array(near)[classes == number]
        assert (of_class.n_rows, of_class.share) == (len(own), pytest.approx(own.mean()) if len(own) else None)


@pytest.mark.parametrize("kind", KINDS)
def test_explainers_compare_rows_by_the_leaves_of_their_prototype_set(
    workshop: Workshop, real_case: FindCase, kind: ProximityKind
) -> None:
    case = real_case("titanic", kind)
    made = workshop.make(model=case.model, dataset=case.dataset, n_prototypes=5, min_leaf_rows=30)
    explainer = workshop.register_explainer(model=case.model, prototype_set=made.id)
    context = workshop.context
    warm = warm_up(explainer, context.database, context.objects, context.sessions.get)
    rows = case.real.features[350:360]

    request = ExplanationRequest(instances=rows.tolist(), n_prototypes=5, detail="full")
    explained = orjson.loads(orjson.dumps(explain_instances(warm, request)))

    session = case.opened.session
    leaves = coarser(case.opened.ensemble, session.run(session.encode_matrix(case.real.features)).leaves, 300, 30)
    chosen = [prototype.row for prototype in result_of(made).prototypes]
    weights = read_arrays(context.objects.get(context.artefacts.get("prototype_sets", made.id).arrays or ""))["weights"]
    for row, found in zip(range(350, 360), explained, strict=True):
        shares = {f"row {each}": weights[leaves[row] == leaves[each]].sum() / weights.sum() for each in chosen}
        near = {each["row_id"]: each["proximity"] for each in found["nearest_prototypes"]}
        assert near == pytest.approx({name: share for name, share in shares.items() if share > 0})
        for each in found["nearest_prototypes"]:
            is_shared = leaves[row] == leaves[int(each["row_id"].removeprefix("row "))]
            assert (each["shared_trees"], each["n_trees"]) == ((is_shared & (weights > 0)).sum(), (weights > 0).sum())


@pytest.fixture(scope="module")
def hollow(workshop: Workshop) -> tuple[str, str, str]:
    """A regression forest of pure leaves, its rows, and other rows: hardly a row shares leaves with any other."""
    features, target = (real := real_leaves(REGRESSION, "random_forest")).features, real.target
    forest = RandomForestRegressor(40, random_state=0, n_jobs=1).fit(features, target)
    names = [f"f{column}" for column in range(features.shape[1])]
    frame = pd.DataFrame(features, columns=names).assign(t=target)
    model = workshop.register_model(onnx_of(forest, features), feature_names=names, ensemble="random_forest")
    return (
        model,
        workshop.register_dataset(frame.head(300), target="t"),
        workshop.register_dataset(frame.tail(100), target="t"),
    )


def test_auto_takes_the_leaves_in_which_the_nearest_prototypes_predict_best(
    workshop: Workshop, hollow: tuple[str, str, str]
) -> None:
    model, dataset, _ = hollow

    result = result_of(workshop.make(model=model, dataset=dataset))

    steps, choice = result.leaf_steps, result.leaf_choice
    assert choice is not None
    assert (choice.measure, choice.n_rows) == ("r2", 300)
    assert [step.min_leaf_rows for step in steps] == [1, 2, 3, 5, 10, 20, 30, 50, 100][: len(steps)]
    enough = [step for step in steps if step.coverage >= 0.95]
    assert choice.min_leaf_rows_by_coverage == enough[0].min_leaf_rows > 1
    assert (enough[0].gain, enough[0].standard_error) == (0, 0)
    better = [step for step in enough if step.gain > step.standard_error]
    taken = max(better, key=lambda step: step.gain) if better else enough[0]
    assert (result.min_leaf_rows, choice.decided_by) == (taken.min_leaf_rows, "score" if better else "coverage")
    assert "minimum proximity" not in cautions_of(result)
    for step in steps:
        alone = result_of(workshop.make(model=model, dataset=dataset, min_leaf_rows=step.min_leaf_rows))
        assert alone.row_coverage is not None
        assert alone.row_coverage.share == pytest.approx(step.coverage)
        assert (alone.n_trees_used, alone.leaf_choice) == (step.n_trees_used, None)
        if step is taken:
            assert alone.prototypes == result.prototypes


def test_auto_weighs_the_trees_of_boosting_by_what_predicts_better(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("titanic", "boosting")

    made = workshop.make(model=case.model, dataset=case.dataset, n_prototypes=5)

    result = result_of(made)
    assert made.request.proximity_kind == "auto"
    assert result.leaf_choice is not None
    assert [step.proximity_kind for step in result.leaf_steps[:4]] == ["boosting", "boosting_sd"] * 2
    used = next(
        step
        for step in result.leaf_steps
        if (step.min_leaf_rows, step.proximity_kind) == (result.min_leaf_rows, result.proximity_kind)
    )
    least = next(step for step in result.leaf_steps if step.proximity_kind == "boosting" and step.coverage >= 0.95)
    assert result.leaf_choice.min_leaf_rows_by_coverage == least.min_leaf_rows
    assert used.gain == max([0, *(step.gain for step in result.leaf_steps if step.gain > step.standard_error)])
    assert used.score == pytest.approx(_agreement(case, result), abs=1e-12)


def _agreement(case: RealCase, result: PrototypeSetResult) -> float:
    """Return in how many rows the nearest prototype has their class, by the twin."""
    ensemble, leaves = case.opened.ensemble, case.real.leaves[case.training]
    kind: Any = result.proximity_kind
    cut = coarser(ensemble, leaves, N_TRAINING_ROWS, result.min_leaf_rows or 1)
    table = LeafTable.from_leaves(leaves, ensemble.n_leaves)
    weights = coarser_leaves(ensemble, table, result.min_leaf_rows or 1).weights(kind, table, ensemble.leaf_values)
    prototypes = [prototype.row for prototype in result.prototypes]
    nearest = naive_leaf_choice.nearest_of(cut, weights, prototypes)
    errors = naive_leaf_choice.errors_of(nearest, case.classes("predicted").tolist())
    return naive_leaf_choice.score(errors, prototypes)


def test_leaves_are_tried_on_a_sample_of_many_rows(
    workshop: Workshop, hollow: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, dataset, _ = hollow
    monkeypatch.setattr(leaf_choice, "MOST_ROWS", 120)

    result = result_of(workshop.make(model=model, dataset=dataset, seed=7, n_candidates=90))

    assert result.leaf_choice is not None
    assert (result.leaf_choice.n_rows, result.n_rows, result.n_candidates) == (120, 300, 90)
    assert all(round(step.coverage * 120, 6).is_integer() for step in result.leaf_steps)


def test_where_no_leaves_reach_enough_rows_those_that_reach_most_are_taken_with_a_caution(workshop: Workshop) -> None:
    single = fitted("decision_tree_regression")
    names = list(single.rows.names)
    model = workshop.register_model(single.onnx, feature_names=names, ensemble="random_forest")
    dataset = workshop.register_dataset(pd.DataFrame(single.features, columns=names))

    result = result_of(workshop.make(model=model, dataset=dataset, n_prototypes=1))

    best = max(result.leaf_steps, key=lambda step: step.coverage)
    assert best.coverage < 0.95
    assert result.min_leaf_rows == best.min_leaf_rows > 1
    assert f"{best.coverage:.1%} of the rows have the minimum proximity" in cautions_of(result)


def test_prototypes_are_chosen_until_they_reach_a_share_of_the_rows(
    workshop: Workshop, hollow: tuple[str, str, str]
) -> None:
    model, dataset, _ = hollow

    result = result_of(workshop.make(model=model, dataset=dataset, coverage=0.6, min_leaf_rows=2))

    assert result.row_coverage is not None
    assert result.row_coverage.share >= 0.6
    assert (result.stopped_by.reason, result.row_coverage.by_class[0].label) == ("coverage", None)
    fewer = workshop.make(model=model, dataset=dataset, n_prototypes=result.n_selected - 1, min_leaf_rows=2)
    shorter = result_of(fewer)
    assert shorter.row_coverage is not None
    assert shorter.row_coverage.share < 0.6
    assert result.prototypes[: result.n_selected - 1][-1].row == shorter.prototypes[-1].row


@pytest.mark.parametrize("name", ["covertype_20k", REGRESSION])
def test_validation_finds_the_smallest_number_that_predicts_other_rows_well_enough(
    workshop: Workshop, real_case: FindCase, name: str
) -> None:
    case = real_case(name, "random_forest")
    request = {"model": case.model, "dataset": case.dataset, "evaluation_dataset": case.evaluation_dataset}

    result = result_of(workshop.make(**request, n_prototypes="validate", min_leaf_rows=1))

    found = result.validation
    assert found is not None
    expected = _validated_scores(case)
    assert found.scores == pytest.approx([float(value) for value, _ in expected])
    best = max(range(len(expected)), key=lambda index: expected[index][0])
    assert found.best_n_prototypes == best + 1
    assert found.standard_error == pytest.approx(expected[best][1])
    good = [n for n, (value, _) in enumerate(expected, 1) if value >= expected[best][0] - expected[best][1]]
    assert result.n_selected == good[0]
    assert result.stopped_by.reason == "validate"
    assert (
        "the number of prototypes was chosen by their predictions of the rows that figures are measured on"
        in cautions_of(result)
    )
    assert found.measure == ("r2" if case.is_regression else "balanced_accuracy")


def _validated_scores(case: RealCase) -> list[tuple[float, float]]:
    chosen = naive.sm_a(case.training_proximity, case.classes("predicted"), 100, None, case.agrees)
    others = slice(300, None)
    near = case.proximity[others][:, chosen]
    scores = []
    for n_prototypes in range(1, len(chosen) + 1):
        nearest = near[:, :n_prototypes].argmax(axis=1)
        nothing = near[:, :n_prototypes].max(axis=1) == 0
        own = case.real.predicted[chosen][nearest]
        if case.is_regression:
            given = [None if none else float(np.float32(value)) for none, value in zip(nothing, own, strict=True)]
            scores.append(naive_prototype_numbers.r2(given, case.real.target[others].tolist()))
        else:
            labels = np.where(nothing, -1, own).tolist()
            value, error = naive_prototype_numbers.balanced_accuracy(labels, case.real.target[others].tolist())
            scores.append((float(value), error))
    return scores


def test_results_of_coarser_leaves_are_the_contracts(workshop: Workshop, hollow: tuple[str, str, str]) -> None:
    model, dataset, other = hollow

    made = workshop.make(model=model, dataset=dataset, evaluation_dataset=other, n_prototypes="validate", refine="swap")

    assert isinstance(result_of(made), PrototypeSetResult)
    assert result_of(made).evaluated_on == "evaluation_dataset"
