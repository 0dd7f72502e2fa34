"""Approximation tree jobs: published nodes and figures follow from the printed tests on the rows of real tables."""

import json
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score, r2_score

from explanations.trees import follow_path, splits_of
from schemas.approximation_trees import (
    APPROXIMATION_TREES,
    MAX_LEAVES,
    ApproximationTree,
    ApproximationTreeResult,
    TreeExportFormat,
)
from service.operations import artefacts
from service.operations.approximation_trees import export_tree
from tests.support.api import frame_of
from tests.support.models import fitted, onnx_of
from tests.support.pipelines import PIPELINES, fitted_pipeline, rows_of_frame
from tests.support.printed_trees import plain_rows
from tests.support.sampling import mostly_long
from tests.support.shared import shared_path
from tests.support.workshop import Workshop, cautions_of, result_of
from tree_explainers.approximation_trees.oracle import oracle_scores
from workers.jobs import approximation_tree_growth

_CASES = (
    ("missing_kept", "sta"),
    ("random_forest_multiclass", "born_again"),
    ("random_forest_regression", "ism"),
    ("scaled_and_one_hot", "ism"),
    ("imputed_categories", "cart"),
    ("random_forest_regression", "sta"),
    ("lightgbm_multiclass", "ism"),
)
_OF_MANY_ROWS = (  # more than their jobs hold
    ("missing_kept", "sta of many rows"),
    ("random_forest_regression", "ism of many rows"),
    ("random_forest_multiclass", "ism of many rows"),
    ("imputed_categories", "cart of many rows"),
    ("random_forest_regression", "born_again of many rows"),
)
_HELD = 120
_FEW = {"max_depth": 4, "max_pseudo_samples": 1000}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Grown:
    """A tree, the rows it was grown from, the model's predictions and the targets."""

    made: ApproximationTree
    content: ApproximationTreeResult
    rows: list[dict[str, Any]]
    target: NDArray[Any]
    predicted: NDArray[Any]
    scores: Floats  # of the model

    @property
    def leaves(self) -> list[int]:
        """The leaf of each row, by the questions as they are printed."""
        steps = splits_of(self.content)
        return [follow_path(steps, row).reached for row in self.rows]

    @property
    def tree_predictions(self) -> NDArray[Any]:
        return np.array([self.content.nodes[leaf].prediction for leaf in self.leaves])


def _frame(name: str) -> tuple[bytes, pd.DataFrame]:
    if name in PIPELINES:
        table = PIPELINES[name]()[1]
        return fitted_pipeline(name).onnx, table.features.assign(t=table.target)
    return fitted(name).onnx, frame_of(fitted(name))


def _grown(workshop: Workshop, name: str, **changes: object) -> Grown:
    onnx, frame = _frame(name)
    names = [column for column in frame.columns if column != "t"]
    model = workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
    dataset = workshop.register_dataset(frame, target="t")
    made = workshop.grow_tree(model=model, dataset=dataset, **(_FEW | changes))
    assert made.status == "ready", made.problem
    rows, view = rows_of_frame(frame[names]), workshop.context.models.get(model).view
    session = workshop.context.sessions.get(model)
    predictions = session.predict(rows)
    scores = oracle_scores(predictions, session.description)
    predicted = scores[:, 0] if predictions.labels is None else np.array(view.classes)[predictions.labels]
    target = np.asarray(frame["t"] if predictions.labels is None else frame["t"].astype(str))
    plain = [dict(row) for row in plain_rows(rows)]
    content = artefacts.get_result(workshop.context, APPROXIMATION_TREES, made.id)
    return Grown(made, ApproximationTreeResult.model_validate_json(content), plain, target, predicted, scores)


@pytest.fixture(
    scope="module",
    params=mostly_long(_CASES + _OF_MANY_ROWS, *_CASES[:3], *_OF_MANY_ROWS[:2]),
    ids=lambda case: "-".join(case).replace(" ", "_"),
)
def grown(request: pytest.FixtureRequest, workshop: Workshop) -> Grown:
    name, (method, *of_many) = request.param[0], request.param[1].split(maxsplit=1)
    changes = {"fitted_on": "dataset"} if of_many and method == "ism" else {}
    with pytest.MonkeyPatch.context() as patched:
        if of_many:
            patched.setattr(approximation_tree_growth, "MAX_ROWS_HELD", _HELD)
        # With another request: trees of one request are made once, and this number is always the same.
        return _grown(workshop, name, method=method, min_samples_leaf=6 if of_many else 5, **changes)


@pytest.mark.sampled("thirds")
def test_nodes_count_the_rows_that_their_questions_send_there(grown: Grown) -> None:
    content, steps = grown.content, splits_of(grown.content)
    reached = np.zeros(content.n_nodes, np.int64)
    for row in grown.rows:
        way = follow_path(steps, row)
        reached[[*(at for at, _ in way.passed), way.reached]] += 1

    assert [node.n_samples for node in content.nodes] == reached.tolist()
    assert content.n_rows == len(grown.rows)
    assert content.n_leaves == sum(step is None for step in steps) > 3
    assert [node.id for node in content.nodes] == list(range(content.n_nodes))
    assert (content.depth, content.n_features) == (max(node.depth for node in content.nodes), len(grown.rows[0]))
    assert {feature.name for feature in content.features} == {node.column for node in content.nodes} - {None}


def test_a_result_says_how_many_rows_its_tree_was_grown_from(grown: Grown, request: pytest.FixtureRequest) -> None:
    is_sampled = "of_many" in request.node.name and grown.content.method != "ism"  # which counts all rows
    assert grown.content.n_sampled_rows == (_HELD if is_sampled else None)
    assert ("n_sampled_rows" in json.loads(grown.content.model_dump_json())) == is_sampled


def test_the_evaluation_is_of_the_tree_as_it_is_printed(grown: Grown) -> None:
    content, found = grown.content, grown.content.training_evaluation
    given = grown.tree_predictions

    assert result_of(grown.made).evaluation == found
    assert (found.n_rows, found.evaluated_on) == (len(grown.rows), "dataset")
    assert found.mean_questions == pytest.approx(np.mean([content.nodes[leaf].depth for leaf in grown.leaves]))
    assert found.model is not None
    if content.task == "regression":
        assert found.fidelity == pytest.approx(r2_score(grown.predicted, given), rel=1e-6)
        assert found.r2 == pytest.approx(r2_score(grown.target, given), rel=1e-6)
        assert found.mean_squared_error == pytest.approx(np.mean((given - grown.target) ** 2), rel=1e-6)
        assert found.model.r2 == pytest.approx(r2_score(grown.target, grown.predicted), rel=1e-6)
        return
    scores = np.array([[score.value for score in content.nodes[leaf].scores] for leaf in grown.leaves])
    assert found.fidelity == pytest.approx(np.mean(given == grown.predicted))
    assert found.balanced_fidelity == pytest.approx(balanced_accuracy_score(grown.predicted, given))
    assert found.probability_l1 == pytest.approx(np.abs(scores - grown.scores).sum(axis=1).mean())
    assert found.accuracy == pytest.approx(np.mean(given == grown.target))
    assert found.balanced_accuracy == pytest.approx(balanced_accuracy_score(grown.target, given))
    assert found.model.balanced_accuracy == pytest.approx(balanced_accuracy_score(grown.target, grown.predicted))


def test_a_tree_says_more_than_one_answer_for_all(grown: Grown) -> None:
    found = grown.content.training_evaluation
    assert found.fidelity is not None
    assert found.constant is not None
    if grown.content.task == "regression":
        assert found.fidelity > 0.4
        assert found.constant.prediction == pytest.approx(grown.target.mean(), rel=1e-6)
        assert found.constant.mean_squared_error == pytest.approx(np.var(grown.target), rel=1e-6)
        assert (found.constant.r2, found.constant.fidelity) == pytest.approx((0, 0), abs=1e-9)
        return
    rows = np.zeros((len(grown.predicted), 1))
    always = [DummyClassifier().fit(rows, labels).predict(rows) for labels in (grown.target, grown.predicted)]
    assert (found.constant.prediction, found.constant.model_prediction) == (always[0][0], always[1][0])
    assert found.constant.accuracy == pytest.approx(np.mean(always[0] == grown.target))
    assert found.constant.balanced_accuracy == pytest.approx(balanced_accuracy_score(grown.target, always[0]))
    assert found.constant.fidelity == pytest.approx(np.mean(always[1] == grown.predicted))
    assert found.constant.balanced_fidelity == pytest.approx(balanced_accuracy_score(grown.predicted, always[1]))
    assert found.fidelity > np.mean(always[1] == grown.predicted)


def test_a_tree_says_that_its_figures_are_of_the_rows_that_it_was_made_from(grown: Grown) -> None:
    model, said = grown.content.training_evaluation.model, cautions_of(grown.content)

    assert model is not None
    assert result_of(grown.made).cautions == grown.content.cautions
    assert "where it was trained on the same rows, " in said
    is_cautioned = "it may have memorised them" in said
    if grown.content.task == "regression":
        assert is_cautioned == ((model.r2 or 0) >= 0.95)
    else:
        assert is_cautioned == (np.mean(grown.predicted == grown.target) >= 0.99)


def test_the_kept_onnx_file_runs_and_says_the_same(workshop: Workshop, grown: Grown) -> None:
    session = onnxruntime.InferenceSession(export_tree(workshop.context, grown.made.id, "onnx"))
    missing = {each.name: np.nan if each.missing_text is None else each.missing_text for each in grown.content.features}
    feeds = {}
    for each in session.get_inputs():
        values = [missing[each.name] if row[each.name] is None else row[each.name] for row in grown.rows]
        is_text = isinstance(missing[each.name], str)
        feeds[each.name] = np.array(values, dtype=object if is_text else np.float64)[:, None]

    output = "value" if grown.content.task == "regression" else "label"

    assert session.run([output], feeds)[0].ravel().tolist() == grown.tree_predictions.tolist()


@pytest.mark.long
def test_the_same_request_makes_the_same_tree_byte_for_byte(workshop: Workshop) -> None:
    first = _grown(workshop, "random_forest_multiclass", n_repeats=2, seed=3).made.id
    kept = [
        artefacts.get_result(workshop.context, APPROXIMATION_TREES, first),
        export_tree(workshop.context, first, "onnx"),
    ]
    artefacts.delete_one(workshop.context, APPROXIMATION_TREES, first)

    again = _grown(workshop, "random_forest_multiclass", n_repeats=2, seed=3).made.id

    assert again == first
    assert [
        artefacts.get_result(workshop.context, APPROXIMATION_TREES, again),
        export_tree(workshop.context, again, "onnx"),
    ] == kept
    other = _grown(workshop, "random_forest_multiclass", n_repeats=2, seed=4)
    assert json.loads(kept[0])["nodes"] != [node.model_dump() for node in other.content.nodes]


@pytest.mark.parametrize("method", ["cart", "ism"])
def test_many_rows_are_sampled_by_the_seed_and_evaluated_elsewhere(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(approximation_tree_growth, "MAX_ROWS_HELD", _HELD)
    onnx, frame = _frame("random_forest_binary")
    names = [column for column in frame.columns if column != "t"]
    model = workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
    parts = [workshop.register_dataset(part, target="t") for part in (frame.iloc[::2], frame.iloc[1::2])]
    about: dict[str, Any] = {"model": model, "dataset": parts[0], "evaluation_dataset": parts[1], "method": method}
    drawn = {"generator": {"method": "dataset", "dataset": parts[1]}, "fitted_on": "generator", **_FEW}

    results = [result_of(workshop.grow_tree(**about, **drawn, seed=seed)) for seed in (1, 2)]

    assert [result.n_sampled_rows for result in results] == [_HELD, _HELD]
    assert results[0].nodes != results[1].nodes
    for result in results:
        assert (result.n_rows, result.evaluation.n_rows) == (len(frame.iloc[::2]), len(frame.iloc[1::2]))
        assert result.nodes[0].n_samples == result.n_rows
        assert result.evaluation != result.training_evaluation


@pytest.mark.parametrize(("value", "problem"), [("never seen", "has the target 'never seen'"), (None, "has no 't'")])
def test_a_target_that_does_not_fit_is_named_among_many_rows(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, value: str | None, problem: str
) -> None:
    monkeypatch.setattr(approximation_tree_growth, "MAX_ROWS_HELD", _HELD)
    onnx, frame = _frame("random_forest_multiclass")
    frame = frame.assign(t=frame["t"].astype(str).astype(object))
    frame.loc[frame.index[_HELD + 7], "t"] = value
    names = [column for column in frame.columns if column != "t"]
    model = workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
    dataset = workshop.register_dataset(frame, target="t")

    made = workshop.grow_tree(model=model, dataset=dataset, method="cart", **_FEW)

    assert made.problem is not None
    assert made.problem.code == "schema_mismatch"
    assert f"row {_HELD + 7} of dataset" in made.problem.detail
    assert problem in made.problem.detail


def test_columns_without_a_single_value_are_no_obstacle(workshop: Workshop) -> None:
    onnx, frame = _frame("missing_kept")
    texts = [column for column in frame.columns if column != "t" and frame[column].dtype == object]
    numbers = [column for column in frame.columns if frame[column].dtype.kind == "f"]
    names = [column for column in frame.columns if column != "t"]
    empty = frame.assign(**{numbers[0]: np.nan}, **dict.fromkeys(texts[:1], None))
    model = workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
    dataset = workshop.register_dataset(empty, target="t")

    for method in ("sta", "ism", "born_again", "cart"):
        made = workshop.grow_tree(model=model, dataset=dataset, method=method, **_FEW)
        assert made.status == "ready", (method, made.problem)
        result = result_of(made)
        assert numbers[0] not in {feature.name for feature in result.features}


def test_too_few_rows_to_part_make_a_single_leaf_in_every_form(workshop: Workshop) -> None:
    onnx, frame = _frame("random_forest_multiclass")
    names = [column for column in frame.columns if column != "t"]
    model = workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
    dataset = workshop.register_dataset(frame.head(4), target="t")

    for method in ("sta", "ism", "born_again", "cart"):
        made = workshop.grow_tree(model=model, dataset=dataset, method=method, **_FEW)
        assert made.status == "ready", (method, made.problem)
        result = result_of(made)
        assert (result.n_nodes, result.features, result.evaluation.mean_questions) == (1, [], 0)
        for form in sorted({*get_args(TreeExportFormat)} - {"html"}):  # which is drawn by its route
            assert export_tree(workshop.context, made.id, form), (method, form)


@pytest.mark.long
@pytest.mark.parametrize("method", ["ism", "cart"])
def test_no_tree_grows_larger_than_can_be_requested(workshop: Workshop, method: str) -> None:
    frame = pd.read_parquet(shared_path("data/covertype_20k.parquet")).head(6000)
    features = frame.drop(columns="cover_type")
    forest = RandomForestClassifier(5, random_state=0).fit(features.to_numpy(np.float32), frame["cover_type"])
    onnx = onnx_of(forest, features.to_numpy(np.float32))
    model = workshop.register_model(onnx, feature_names=list(features), ensemble="random_forest")
    dataset = workshop.register_dataset(features)

    made = workshop.grow_tree(
        model=model, dataset=dataset, method=method, max_depth=30, min_samples_leaf=1, max_pseudo_samples=20_000
    )

    assert made.status == "ready", made.problem
    assert result_of(made).n_leaves == MAX_LEAVES


def _registered(workshop: Workshop, name: str) -> dict[str, Any]:
    onnx, frame = _frame(name)
    names = [column for column in frame.columns if column != "t"]
    model = workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
    return {"model": model, "dataset": workshop.register_dataset(frame, target="t")}


@pytest.mark.parametrize("choose_by", mostly_long(["fidelity", "gain"], "gain"))
def test_a_tree_says_how_many_of_its_splits_are_significant(workshop: Workshop, choose_by: str) -> None:
    about = {**_registered(workshop, "random_forest_multiclass"), **_FEW, "choose_by": choose_by}

    made = result_of(workshop.grow_tree(**about))
    by_ism = result_of(workshop.grow_tree(**about | {"choose_by": "fidelity"}, method="ism"))

    tests = [node.at_cap for node in made.nodes if node.at_cap is not None]
    n_significant = tests.count(False)
    assert 0 <= n_significant < len(tests)
    shown = f"{n_significant or 'none'} of the {len(tests)} splits of the tree {'is' if n_significant == 1 else 'are'}"
    (about_tests,) = [each.detail for each in made.cautions if each.code == "splits_not_significant"]
    assert f"{shown} significant within 1,000 pseudo-samples; " in about_tests
    by = "fidelity or, where that is about the same, by gain" if choose_by == "fidelity" else "their gain"
    assert about_tests.endswith(f" were chosen by {by}")
    assert "significant" not in cautions_of(by_ism)


def test_candidates_that_can_split_nothing_are_named(workshop: Workshop) -> None:
    about = {**_registered(workshop, "random_forest_binary"), **_FEW, "max_pseudo_samples": 1000}
    hollow = [{"feature": "f0", "thresholds": [-5.0]}, {"feature": "f1", "missing": True}]

    nothing = result_of(workshop.grow_tree(**about, candidates=hollow))
    some = result_of(workshop.grow_tree(**about, candidates=[*hollow, {"feature": "f2"}]))
    all_usable = result_of(workshop.grow_tree(**about, candidates=[{"feature": "f2"}]))

    sentence = (
        "of the given candidates, 2 can split nothing, as they leave fewer than 5 rows of the dataset on one side, or "
        "no known value: f0 is at most -5; f1 is missing"
    )
    assert nothing.n_leaves == 1 < some.n_leaves
    for result in (nothing, some):
        assert [each.detail for each in result.cautions if each.code == "candidates_split_nothing"] == [sentence]
    assert "candidates" not in cautions_of(all_usable)


def test_a_validated_depth_comes_with_its_errors(workshop: Workshop) -> None:
    about = {**_registered(workshop, "random_forest_multiclass"), "max_pseudo_samples": 1000}

    validated = result_of(workshop.grow_tree(**about, max_depth="validate"))
    by_folds = result_of(workshop.grow_tree(**about, method="born_again", max_depth=4))
    given = result_of(workshop.grow_tree(**about, max_depth=2))

    for result, most in ((validated, 10), (by_folds, 4)):
        found = result.validation
        assert found is not None
        assert 2 <= len(found.errors) == len(found.standard_errors) <= most + 1
        least = int(np.argmin(found.errors))
        allowed = found.errors[least] + found.standard_errors[least]
        good = [depth for depth, error in enumerate(found.errors) if depth and error <= allowed]
        assert found.depth == good[0] >= result.depth
    assert given.validation is None
