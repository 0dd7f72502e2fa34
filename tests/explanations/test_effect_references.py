"""Effects against every reference: means over rows, as all coalitions of the model's own scores have them."""

import copy
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion.models import convert_model
from leafspace_drawings.words import reference_case
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor

from explanations import effect_references
from explanations.effect_references import Reference
from explanations.explained_rows import explain_instances
from explanations.reference_file import evenly_spaced
from schemas.explanations import ExplanationRequest
from tests.support.additive_effects import check_effects
from tests.support.api import Api, Json, csv_of
from tests.support.naive_effects import mixed_rows, shapley_values
from tests.support.sampling import mostly_long
from tree_explainers.onnx_models.session import ModelSession, RowOutcomes
from tree_explainers.onnx_models.tree_inputs import TreeColumns

from .conftest import FindCase

Floats = NDArray[np.float64]
_NAMES = ["a", "b", "c", "d"]
_BANDS = [{"outcome": "approve", "below": 0.3}, {"outcome": "refer", "below": 0.7}, {"outcome": "decline"}]


@dataclass(frozen=True)
class Explained:
    """A registered explainer, and the model as scikit-learn has it."""

    explainer: str
    dataset: str
    prototypes: list[Json]
    rows: Floats  # (n_rows, 4), single precision
    labels: list[str]  # (n_rows,) what prototypes of these rows would have as labels
    score: Callable[[Floats], Floats]  # of the last class, in the scale

    def effects(self, row: int, reference: int) -> Floats:
        """Return the Shapley values of one row against another, from predictions of all coalitions."""
        cells = self.rows[row].tolist(), self.rows[reference].tolist()
        return shapley_values(
            lambda members: self.score(np.column_stack(mixed_rows(*cells, range(4), members))), len(_NAMES)
        )


def _rows() -> tuple[Floats, NDArray[np.int64]]:
    generator = np.random.default_rng(5)
    rows = generator.integers(0, 20, (60, 4)).astype(np.float64)
    return rows, (rows[:, 0] + 2 * rows[:, 1] - rows[:, 2] + generator.normal(0, 6, 60) > 18).astype(np.int64)


def _registered(api: Api, estimator: Any, target: Any, metadata: Json | None = None) -> Json:
    rows, _ = _rows()
    frame = pd.DataFrame(rows, columns=_NAMES)
    converted = convert_model(estimator.fit(frame, target), frame)
    model = api.upload("/v1/models", converted.onnx, {**converted.metadata(), **(metadata or {})}).json()["id"]
    dataset = api.upload("/v1/datasets", csv_of(frame), {}).json()["id"]
    made = api.make(model=model, dataset=dataset, n_prototypes=6)
    explainer = api.post("/v1/explainers", {"model": model, "prototype_set": made["id"]}).json()
    return {"id": explainer["id"], "dataset": dataset, "prototypes": made["result"]["prototypes"]}


@pytest.fixture(scope="module", params=["forest", "boosting", "bands"])
def explained(api: Api, request: pytest.FixtureRequest) -> Explained:
    rows, classes = _rows()
    target, frame = np.array(["good", "bad"])[classes], pd.DataFrame(rows, columns=_NAMES)
    forest = RandomForestClassifier(8, max_depth=4, random_state=0)
    model: Any = GradientBoostingClassifier(n_estimators=12, random_state=0) if request.param == "boosting" else forest
    bands = {"decision": {"score_of": "good", "bands": _BANDS}} if request.param == "bands" else {}
    registered = _registered(api, model, target, bands)
    of_rows = model.predict(frame).tolist()
    if bands:
        shares = model.predict_proba(frame)[:, 1]
        of_rows = np.array(["approve", "refer", "decline"])[np.searchsorted([0.3, 0.7], shares, side="right")].tolist()

    def score(mixed: Floats) -> Floats:
        mixed_frame = pd.DataFrame(mixed, columns=_NAMES)
        if request.param == "boosting":
            return np.asarray(model.decision_function(mixed_frame))
        return np.asarray(model.predict_proba(mixed_frame)[:, 1])

    return Explained(registered["id"], registered["dataset"], registered["prototypes"], rows, of_rows, score)


def _reference_rows(explained: Explained, reference: str) -> tuple[list[int], Floats]:
    """Return the rows of a reference and their weights."""
    kind, _, outcome = reference.partition(":")
    if kind == "prototypes":
        chosen = [each for each in explained.prototypes if each["label"] == outcome]
        weights = np.array([each["coverage"]["n_rows"] for each in chosen], float)
        return [each["row"] for each in chosen], weights / weights.sum()
    rows = [row for row, label in enumerate(explained.labels) if kind == "all" or label == outcome]
    return rows, np.full(len(rows), 1 / len(rows))


@pytest.mark.parametrize("form", ["all", "rows", "prototypes"])
@pytest.mark.sampled("thirds")
def test_means_are_those_of_all_coalitions_of_each_reference_row(api: Api, explained: Explained, form: str) -> None:
    label = explained.prototypes[0]["label"]
    reference = form if form == "all" else f"{form}:{label}"
    rows, weights = _reference_rows(explained, reference)

    (answer,) = api.explain(
        explained.explainer, [explained.rows[3].tolist()], reference=reference, outcome="good", n_reasons="all"
    )["data"]

    effects, found = answer["effects"], answer["effects"]["reference"]
    alone = np.stack([explained.effects(3, row) for row in rows])
    scores = explained.score(explained.rows[rows])
    listed = {entry["feature"]: entry["effect"] for entry in effects["features"]}
    np.testing.assert_allclose([listed.get(name, 0) for name in _NAMES], weights @ alone, atol=2e-6)
    assert effects["of"] == "good"
    assert found["score"] == pytest.approx(weights @ scores, abs=2e-6)
    assert (found["kind"], found["n_rows"], found.get("outcome")) == (form, len(rows), None if form == "all" else label)
    assert not any("reference_value" in entry for entry in effects["features"])
    noun = "prototype" if form == "prototypes" else "reference row"
    assert f"Compared with the mean of {'all ' if form == 'all' else ''}{len(rows)} {noun}" in answer["summary"]
    if effects["scale"] == "log_odds":
        own = float(explained.score(explained.rows[3:4])[0])
        slopes = (_logistic(own) - _logistic(scores)) / np.where(own == scores, 1, own - scores)
        points = {entry["feature"]: entry["points"] for entry in effects["features"]}
        np.testing.assert_allclose([points.get(name, 0) for name in _NAMES], (weights * slopes) @ alone, atol=2e-6)
        assert found["probability"] == pytest.approx(weights @ _logistic(scores), abs=1e-6)


def _logistic(log_odds: Any) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.asarray(log_odds))))


def test_the_nearest_prototype_of_any_class_is_a_reference(api: Api, explained: Explained) -> None:
    rows = explained.rows[:20].tolist()
    for row in api.explain(explained.explainer, rows, reference="nearest")["data"]:
        assert row["effects"]["reference"]["kind"] == "nearest"
        assert row["effects"]["reference"]["row_id"] == row["nearest_prototypes"][0]["row_id"]
        assert row["effects"]["reference"]["n_rows"] == 1


def test_the_default_is_the_contrast(api: Api, explained: Explained) -> None:
    rows = explained.rows[:5].tolist()

    assert api.explain(explained.explainer, rows) == api.explain(explained.explainer, rows, reference="contrast")


@pytest.mark.parametrize("outcome", ["good", "bad"])
def test_effects_are_on_the_score_of_the_outcome_that_is_requested(
    api: Api, explained: Explained, outcome: str
) -> None:
    rows = explained.rows[:10].tolist()

    for row in api.explain(explained.explainer, rows, outcome=outcome)["data"]:
        assert row["effects"]["of"] == outcome
        check_effects(row["effects"], row["prediction"])


def test_effects_on_the_score_of_a_band_are_on_the_score_that_decides(api: Api) -> None:
    _, classes = _rows()
    model = RandomForestClassifier(5, max_depth=3, random_state=1)
    decision = {"decision": {"score_of": "good", "bands": _BANDS}}
    registered = _registered(api, model, np.array(["good", "bad"])[classes], decision)

    (row,) = api.explain(registered["id"], [[1, 2, 3, 4]], outcome="decline")["data"]

    assert row["effects"]["of"] == "good"


@pytest.mark.parametrize("reference", ["all", "nearest"])
def test_a_regression_has_means_over_all_rows(api: Api, reference: str) -> None:
    rows, _ = _rows()
    model = RandomForestRegressor(6, max_depth=4, random_state=0)
    registered = _registered(api, model, rows @ [1.0, 2.0, -1.0, 0.5])

    (row,) = api.explain(registered["id"], [rows[2].tolist()], reference=reference, n_reasons="all")["data"]

    found = row["effects"]["reference"]
    predicted = model.predict(pd.DataFrame(rows, columns=_NAMES))
    assert (found["kind"], found["n_rows"]) == (reference, 60 if reference == "all" else 1)
    assert reference != "all" or found["score"] == pytest.approx(predicted.mean(), rel=1e-6)


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("rows:nobody", "'rows:nobody': prototypes have no such outcome; outcomes are "),
        ("prototypes:nobody", "'prototypes:nobody': prototypes have no such outcome; outcomes are "),
        ("contrasts", "must match the pattern"),
        ("rows:", "must match the pattern"),
    ],
)
def test_a_reference_that_there_is_not_is_refused(api: Api, explained: Explained, reference: str, words: str) -> None:
    body = {"instances": [explained.rows[0].tolist()], "reference": reference}
    answer = api.post(f"/v1/explainers/{explained.explainer}/explanations", body)
    of_set = {"explainer": explained.explainer, "dataset": explained.dataset, "reference": reference}
    refused = api.post("/v1/explanation-sets", of_set)

    for problem in (answer.json(), refused.json()):
        assert problem["status"] == 422
        assert problem["errors"][0]["pointer"] == "/reference"
        assert words in problem["errors"][0]["detail"]


@pytest.mark.parametrize("field", [{"reference": "rows:x"}, {"reference": "contrast"}, {"outcome": "x"}])
def test_a_regression_has_no_outcomes_to_refer_to(api: Api, field: dict[str, str]) -> None:
    rows, _ = _rows()
    registered = _registered(api, RandomForestRegressor(6, max_depth=4, random_state=0), rows @ [1.0, 2.0, -1.0, 0.5])

    answer = api.post(f"/v1/explainers/{registered['id']}/explanations", {"instances": [[1, 2, 3, 4]], **field}).json()

    assert answer["errors"][0]["pointer"] == f"/{next(iter(field))}"
    assert "regression without a decision" in answer["errors"][0]["detail"]


def test_explanation_sets_have_the_same_means_and_add_up_their_sizes(api: Api, explained: Explained) -> None:
    request = {"explainer": explained.explainer, "dataset": explained.dataset, "reference": "all", "n_reasons": "all"}
    made = api.made("/v1/explanation-sets", request)
    rows = api.explain(explained.explainer, explained.rows.tolist(), reference="all", n_reasons="all")["data"]

    content = api.get(f"/v1/explanation-sets/{made['id']}/content", Accept="application/x-ndjson").text

    assert [json.loads(line) for line in content.splitlines()] == rows
    sizes = {each["feature"]: each["effect"] for each in made["result"]["mean_absolute_effects"]}
    for name, size in sizes.items():
        own = [abs(each["effect"]) for row in rows for each in row["effects"]["features"] if each["feature"] == name]
        assert size == pytest.approx(sum(own) / 60, abs=1e-5)


def test_of_too_many_reference_rows_evenly_spaced_ones_are_taken_and_said_so(
    find_case: FindCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm = find_case("random_forest_regression").warm
    assert warm.effects is not None
    assert warm.reference is not None
    n_rows = warm.reference.open().n_rows
    whole = warm.effects.means.of(Reference("all"))
    means = copy.copy(warm.effects.means)
    means._kept = OrderedDict()  # those of all rows are not read again
    monkeypatch.setattr(effect_references, "MAX_SECONDS", 0.0)

    some = means.of(Reference("all"))

    assert n_rows > 100
    assert whole.head == {"kind": "all", "n_rows": n_rows}
    assert some.head == {"kind": "all", "n_rows": 100, "among": n_rows}
    np.testing.assert_array_equal(some.ranks, whole.ranks[evenly_spaced(n_rows, 100)])
    assert reference_case(some.head) == f"the mean of 100 of {n_rows} reference rows, evenly spaced"


@pytest.mark.parametrize("name", mostly_long(["random_forest_binary", "scaled_and_one_hot"], "scaled_and_one_hot"))
def test_rows_are_encoded_once_for_the_model_and_for_effects(
    name: str, find_case: FindCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = find_case(name)
    request = ExplanationRequest.model_validate({"instances": case.rows})
    run_rows = ModelSession.run_rows

    def without_feeds(session: ModelSession, rows: Any) -> RowOutcomes:
        found = run_rows(session, rows)
        return replace(found, outcome=replace(found.outcome, feeds=None))

    with monkeypatch.context() as patch:
        patch.setattr(ModelSession, "run_rows", without_feeds)
        expected = explain_instances(case.warm, request)
    accepted = [at for at, row in enumerate(expected) if row["status"] != "error"]
    request = ExplanationRequest.model_validate({"instances": [case.rows[at] for at in accepted]})
    monkeypatch.setattr(TreeColumns, "of", None)  # encodes rows

    found = explain_instances(case.warm, request)

    assert found[0]["effects"]["features"]
    assert [row.get("effects") for row in found] == [expected[at].get("effects") for at in accepted]
