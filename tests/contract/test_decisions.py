"""Decisions over HTTP: a model is registered with bands of a score, and every answer says the outcome."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from onnxruntime import InferenceSession, SessionOptions

from tests.support.api import Api, Json, csv_of
from tests.support.models import fitted
from tests.support.sampling import mostly_long

_BANDS: list[Json] = [{"outcome": "approve", "below": 0.25}, {"outcome": "refer", "below": 0.6}, {"outcome": "decline"}]
_DECISION = {"score_of": "1", "bands": _BANDS, "adverse": ["decline"]}


def _register(api: Api, task: str, decision: Json) -> Any:
    return api.upload("/v1/models", fitted(f"random_forest_{task}").onnx, {"decision": decision})


def _outcome_of(score: float) -> str:
    return "approve" if score < 0.25 else "refer" if score < 0.6 else "decline"


def test_predictions_say_the_outcome_of_the_score_s_band(api: Api) -> None:
    model = _register(api, "binary", _DECISION).json()
    rows = fitted("random_forest_binary").features[:60].tolist()

    answer = api.post(f"/v1/models/{model['id']}/predictions", {"instances": rows}).json()

    assert model["decision"] == {
        "score_of": "1",
        "bands": [{"outcome": band["outcome"], "below": band.get("below")} for band in _BANDS],
        "best_first": True,
        "adverse": ["decline"],
        "labels_decide": False,
    }
    decided = [row["decision"] for row in answer["data"]]
    scores = [row["prediction"]["scores"][1]["value"] for row in answer["data"]]
    assert {each["outcome"] for each in decided} == {"approve", "refer", "decline"}
    assert [(each["outcome"], each["score_of"], each["score"]) for each in decided] == [
        (_outcome_of(score), "1", score) for score in scores
    ]
    assert decided[0]["bands"] == model["decision"]["bands"]


def test_another_decision_is_another_model_over_the_same_file(api: Api) -> None:
    plain = api.upload("/v1/models", fitted("random_forest_binary").onnx, {}).json()
    first = _register(api, "binary", _DECISION).json()
    again = _register(api, "binary", _DECISION)
    yes_or_no = [{"outcome": "yes", "below": 0.5}, {"outcome": "no"}]
    other = _register(api, "binary", {"score_of": "1", "bands": yes_or_no}).json()

    assert (again.status_code, again.json()["id"]) == (200, first["id"])
    assert len({plain["id"], first["id"], other["id"]}) == 3
    assert plain["sha256"] == first["sha256"] == other["sha256"]
    assert plain["decision"] is None


def test_the_value_of_a_regression_has_bands(api: Api) -> None:
    bands = [{"outcome": "low", "below": 150}, {"outcome": "high"}]
    model = _register(api, "regression", {"bands": bands, "best_first": False}).json()
    rows = fitted("random_forest_regression").features[:30].tolist()

    answer = api.post(f"/v1/models/{model['id']}/predictions", {"instances": rows}).json()

    for row in answer["data"]:
        value = row["prediction"]["value"]
        assert row["decision"]["outcome"] == ("low" if value < 150 else "high")
        assert row["decision"]["score"] == value
        assert "score_of" not in row["decision"]


@pytest.mark.parametrize(
    ("task", "changes", "words"),
    [
        ("binary", {"score_of": "bad"}, "'bad', which is no class of the model; its classes are '0', '1'"),
        ("binary", {"score_of": None}, "`score_of` is missing"),
        ("regression", {}, "the model predicts a value, not a class; leave `score_of` out"),
        ("binary", {"bands": [{"outcome": "a", "below": 1.5}, {"outcome": "b"}]}, "band 'a' ends at 1.5"),
        ("binary", {"bands": [{"outcome": "a", "below": 0}, {"outcome": "b"}]}, "band 'a' ends at 0"),
        ("binary", {"bands": [{"outcome": "a"}, {"outcome": "b"}]}, "'a' has no end"),
    ],
)
def test_a_decision_that_does_not_fit_is_refused_by_name(api: Api, task: str, changes: Json, words: str) -> None:
    decision = {**_DECISION, "adverse": [], **changes}

    answer = _register(api, task, decision)

    assert answer.status_code == 422, answer.text
    assert words in answer.text.replace("\\u0027", "'")


@pytest.fixture(scope="module")
def decided(api: Api) -> Json:
    """A model with a decision, prototypes of its outcomes, and an explainer."""
    forest = fitted("random_forest_binary")
    frame = pd.DataFrame(forest.features, columns=[f"x{index}" for index in range(forest.features.shape[1])])
    model = _register(api, "binary", _DECISION).json()["id"]
    dataset = api.upload("/v1/datasets", csv_of(frame.assign(y=forest.target)), {"target": "y"}).json()["id"]
    prototypes = api.make(model=model, dataset=dataset, method="sm_u", n_prototypes=9, proximity_kind="random_forest")
    explainer = api.post("/v1/explainers", {"model": model, "prototype_set": prototypes["id"]}).json()["id"]
    return {"model": model, "dataset": dataset, "prototypes": prototypes, "explainer": explainer, "rows": frame}


def test_version_1_of_kserve_answers_onnxruntime_s_scores_beside_the_outcomes(api: Api, decided: Json) -> None:
    one_thread = SessionOptions()  # several add up the trees in another order, so that last digits differ
    one_thread.intra_op_num_threads = 1
    session = InferenceSession(fitted("random_forest_binary").onnx, one_thread)
    rows = decided["rows"].head(60).to_numpy(np.float32)
    labels, by_class = session.run(None, {session.get_inputs()[0].name: rows})
    scores = np.array([[each[0], each[1]] for each in by_class], np.float32).clip(0, 1)  # some are -1e-7
    api.http.put("/v1/explainer-names/decided", json={"explainer": decided["explainer"], "force": True})

    answer = api.post("/v1/models/decided:predict", {"instances": rows.tolist()}).json()

    assert list(answer) == ["predictions", "labels", "classes", "scores", "outcomes"]
    assert answer["labels"] == [str(label) for label in labels]
    assert answer["classes"] == ["0", "1"]
    assert np.array_equal(np.array(answer["scores"], np.float32), scores)
    assert answer["outcomes"] == answer["predictions"] == [_outcome_of(score) for _, score in answer["scores"]]
    assert set(answer["outcomes"]) == {"approve", "refer", "decline"}


def test_prototypes_are_chosen_for_each_outcome(api: Api, decided: Json) -> None:
    prototypes, rows = decided["prototypes"], decided["rows"]

    scores = fitted("random_forest_binary").library_scores()[:, 1]

    assert prototypes["result"]["classes"] == ["approve", "refer", "decline"]
    assert {each["label"] for each in prototypes["result"]["prototypes"]} == {"approve", "refer", "decline"}
    for each in prototypes["result"]["prototypes"]:
        assert each["label"] == _outcome_of(round(scores[each["row"]], 6))
        assert each["target"] in {"0", "1"}
    assert prototypes["result"]["measured_against"] == "model"
    assert [each["label"] for each in prototypes["result"]["row_coverage"]["by_class"]] == [
        "approve",
        "refer",
        "decline",
    ]
    assert sum(each["n_rows"] for each in prototypes["result"]["row_coverage"]["by_class"]) == len(rows)


def test_an_explanation_says_the_decision_and_contrasts_with_another_outcome(api: Api, decided: Json) -> None:
    rows = decided["rows"].head(40).values.tolist()

    explanations = api.explain(
        decided["explainer"], rows, include=["contrast", "nearest_rows"], detail="full", n_contrasts=2
    )["data"]

    ends = {"approve": "below 0.25", "refer": "at least 0.25 and below 0.6", "decline": "at least 0.6"}
    for each in explanations:
        outcome, score = each["decision"]["outcome"], each["decision"]["score"]
        assert outcome == _outcome_of(score)
        assert each["prediction"]["scores"][1]["value"] == score
        assert each["summary"].startswith(f"The decision is {outcome}: the score of 1 is ")
        assert each["summary"].split(".")[0].split(", ")[-1] in f"{ends[outcome]}." or ends[outcome] in each["summary"]
        assert {contrast["label"] for contrast in each["contrasts"]} == {"approve", "refer", "decline"} - {outcome}
        assert each["prototype_prediction"]["agrees"] == (each["nearest_prototypes"][0]["label"] == outcome)
        assert {row["label"] for row in each["nearest_rows"]} <= {"approve", "refer", "decline"}
        assert {row["target"] for row in each["nearest_rows"]} <= {"0", "1"}


def test_prototypes_of_true_labels_are_of_classes(api: Api, decided: Json) -> None:
    prototypes = api.make(
        model=decided["model"],
        dataset=decided["dataset"],
        n_prototypes=4,
        labels="target",
        proximity_kind="random_forest",
    )

    assert prototypes["result"]["classes"] == ["0", "1"]
    assert {each["label"] for each in prototypes["result"]["prototypes"]} == {"0", "1"}
    assert {each["predicted"] for each in prototypes["result"]["prototypes"]} <= {"0", "1"}


def test_prototypes_of_bands_of_values_are_of_outcomes(api: Api) -> None:
    forest = fitted("random_forest_regression")
    frame = pd.DataFrame(forest.features, columns=[f"x{index}" for index in range(forest.features.shape[1])])
    bands = [{"outcome": "low", "below": 150}, {"outcome": "high"}]
    model = _register(api, "regression", {"bands": bands}).json()["id"]
    dataset = api.upload("/v1/datasets", csv_of(frame.assign(y=forest.target)), {"target": "y"}).json()["id"]

    prototypes = api.make(model=model, dataset=dataset, n_prototypes=4, proximity_kind="random_forest")
    explainer = api.post("/v1/explainers", {"model": model, "prototype_set": prototypes["id"]}).json()["id"]
    (answer,) = api.explain(explainer, frame.head(1).values.tolist(), include=["contrast", "nearest_rows"])["data"]

    assert prototypes["result"]["classes"] == ["low", "high"]
    assert {each["label"] for each in prototypes["result"]["prototypes"]} == {"low", "high"}
    assert answer["decision"]["outcome"] == ("low" if answer["prediction"]["value"] < 150 else "high")
    assert answer["contrasts"][0]["label"] != answer["decision"]["outcome"]
    assert isinstance(answer["nearest_rows"][0]["target"], float)


def test_rows_of_one_band_have_no_prototypes_and_the_refusal_names_the_outcome(api: Api) -> None:
    forest = fitted("random_forest_regression")
    frame = pd.DataFrame(forest.features, columns=[f"x{index}" for index in range(forest.features.shape[1])])
    model = _register(api, "regression", {"bands": [{"outcome": "low", "below": 0}, {"outcome": "high"}]}).json()["id"]
    dataset = api.upload("/v1/datasets", csv_of(frame), {}).json()["id"]

    prototypes = api.make(model=model, dataset=dataset, n_prototypes=4)

    assert "all 442 rows of dataset" in prototypes["problem"]["detail"]
    assert "have the outcome 'high': prototypes separate outcomes" in prototypes["problem"]["detail"]


@pytest.mark.parametrize("method", mostly_long(["decision_tree", "rule_list", "in_trees"], "decision_tree"))
def test_rules_of_what_is_predicted_are_of_outcomes(api: Api, decided: Json, method: str) -> None:
    made = api.made(
        "/v1/rule-sets",
        {"model": decided["model"], "dataset": decided["dataset"], "method": method, "labels": "predicted"},
    )

    result = made["result"]
    assert result["classes"] == ["approve", "refer", "decline"]
    assert {rule["prediction"] for rule in result["rules"]} <= {"approve", "refer", "decline"}
    assert len({rule["prediction"] for rule in result["rules"]}) > 1
    assert result["evaluation"]["measured_against"] == "model"
    assert result["evaluation"]["model"] is None
    assert result["evaluation"]["as_printed"]["fidelity"] > 0.6


def test_rules_of_true_labels_are_of_classes(api: Api, decided: Json) -> None:
    request = {"model": decided["model"], "dataset": decided["dataset"], "method": "decision_tree", "labels": "target"}
    result = api.made("/v1/rule-sets", request)["result"]

    assert result["classes"] == ["0", "1"]
    assert {rule["prediction"] for rule in result["rules"]} <= {"0", "1"}
    assert result["evaluation"]["measured_against"] == "target"


def test_node_harvest_is_refused_for_more_than_two_outcomes(api: Api, decided: Json) -> None:
    request = {"model": decided["model"], "dataset": decided["dataset"], "method": "node_harvest"}

    answer = api.post("/v1/rule-sets", request)

    assert (answer.status_code, answer.json()["code"]) == (422, "method_not_applicable")
    assert "has 3 outcomes; Node Harvest predicts values or one of two outcomes" in answer.json()["detail"]


def test_an_explanation_says_which_rules_of_outcomes_apply(api: Api, decided: Json) -> None:
    request = {"model": decided["model"], "dataset": decided["dataset"], "method": "decision_tree"}
    rules = api.made("/v1/rule-sets", request)["id"]
    parts = {"model": decided["model"], "prototype_set": decided["prototypes"]["id"], "rule_set": rules}
    explainer = api.post("/v1/explainers", parts).json()["id"]

    data = api.explain(explainer, decided["rows"].head(30).values.tolist(), include=["rules"])["data"]

    first = [(row["rules"][0]["prediction"], row["decision"]["outcome"]) for row in data if row["rules"]]
    assert sum(rule == outcome for rule, outcome in first) > 0.6 * len(first) > 10


def test_a_set_of_explanations_counts_outcomes_and_compares_them_with_those_of_prototypes(
    api: Api, decided: Json
) -> None:
    request = {"explainer": decided["explainer"], "dataset": decided["dataset"]}
    result = api.made("/v1/explanation-sets", request)["result"]
    data = [
        row
        for first in range(0, len(decided["rows"]), 500)
        for row in api.explain(decided["explainer"], decided["rows"][first : first + 500].values.tolist())["data"]
    ]

    outcomes = [row["decision"]["outcome"] for row in data]
    near = [row["nearest_prototypes"][0]["label"] if row["nearest_prototypes"] else None for row in data]
    assert result["outcomes"] == [
        {"outcome": name, "n_rows": outcomes.count(name)} for name in ("approve", "refer", "decline")
    ]
    assert [each["label"] for each in result["labels"]] == ["0", "1"]
    assert result["agreement"] == np.mean([one == other for one, other in zip(outcomes, near, strict=True)]) > 0.5


@pytest.mark.long
def test_a_report_does_not_compare_outcomes_with_classes(api: Api, decided: Json) -> None:
    model = api.upload("/v1/models", fitted("random_forest_binary").onnx, {}).json()["id"]
    prototypes = api.make(model=model, dataset=decided["dataset"], n_prototypes=4, proximity_kind="random_forest")
    plain = api.post("/v1/explainers", {"model": model, "prototype_set": prototypes["id"]}).json()["id"]
    request = {"title": "two models", "rows": ["0"], "explainer": plain}

    mixed = api.made("/v1/reports", {**request, "compare_with": decided["explainer"]})["result"]["comparison"]
    alike = api.made("/v1/reports", {**request, "compare_with": plain})["result"]["comparison"]

    assert mixed["prototypes_agreement"] is None
    assert alike["prototypes_agreement"] == 1


@pytest.fixture(scope="module")
def tree(api: Api, decided: Json) -> Json:
    """A tree that approximates what the model decides."""
    request = {"model": decided["model"], "dataset": decided["dataset"], "method": "cart", "max_depth": 4}
    return api.made("/v1/approximation-trees", {**request, "max_pseudo_samples": 1_000})


def test_the_leaves_of_a_tree_say_outcomes(api: Api, decided: Json, tree: Json) -> None:
    result, outcomes = tree["result"], {"approve", "refer", "decline"}
    request = {
        "model": decided["model"],
        "prototype_set": decided["prototypes"]["id"],
        "approximation_tree": tree["id"],
    }
    explainer = api.post("/v1/explainers", request).json()["id"]
    data = api.explain(explainer, decided["rows"].values.tolist()[:200], include=["approximation_path"])["data"]
    answers = dict(zip(decided["rows"].columns, decided["rows"].to_numpy()[0].tolist(), strict=True))
    answered = api.post(f"/v1/approximation-trees/{tree['id']}/next-question", {"answers": answers}).json()
    sql = api.get(f"/v1/approximation-trees/{tree['id']}/export?format=sql").text

    assert (result["task"], result["classes"]) == ("classification", ["approve", "refer", "decline"])
    assert {node["prediction"] for node in result["nodes"] if node["left"] is None} <= outcomes
    assert {score["label"] for node in result["nodes"] for score in node["scores"]} == outcomes
    assert all("'0'" not in line for line in sql.splitlines() if "THEN" in line)
    assert any(name in sql for name in outcomes)
    assert answered["prediction"] == data[0]["approximation_path"]["leaf"]["prediction"]
    agreeing = []
    for row in data:
        path = row["approximation_path"]
        assert path["agrees"] == (path["leaf"]["prediction"] == row["decision"]["outcome"])
        agreeing.append(path["agrees"])
    assert np.mean(agreeing) == pytest.approx(result["training_evaluation"]["fidelity"], abs=0.1)
    assert result["training_evaluation"]["model"] is None  # the target is of classes


def test_a_tree_of_the_ensembles_own_leaves_says_classes(api: Api, decided: Json) -> None:
    request = {"model": decided["model"], "dataset": decided["dataset"], "method": "ism", "max_depth": 3}
    made = api.made("/v1/approximation-trees", {**request, "fitted_on": "dataset"})
    assert made["result"]["classes"] == ["0", "1"]


def test_a_tree_approximates_what_is_decided_by_a_regression(api: Api) -> None:
    forest = fitted("random_forest_regression")
    bands = [{"outcome": "low", "below": 150}, {"outcome": "high"}]
    model = _register(api, "regression", {"bands": bands}).json()["id"]
    frame = pd.DataFrame(forest.features, columns=[f"x{index}" for index in range(forest.features.shape[1])])
    dataset = api.upload("/v1/datasets", csv_of(frame.assign(y=forest.target)), {"target": "y"}).json()["id"]
    request = {"model": model, "dataset": dataset, "method": "cart", "max_depth": 3, "max_pseudo_samples": 1_000}
    result = api.made("/v1/approximation-trees", request)["result"]
    assert (result["task"], result["classes"]) == ("classification", ["low", "high"])
    assert result["training_evaluation"]["fidelity"] > 0.8


def test_a_map_is_coloured_by_what_is_decided(api: Api, decided: Json) -> None:
    made = api.made("/v1/maps", {"model": decided["model"], "dataset": decided["dataset"], "n_rows": 200})
    rows = api.get(f"/v1/maps/{made['id']}/content?limit=200", Accept="application/json").json()["data"]
    scores = fitted("random_forest_binary").library_scores()[:, 1]
    classes, preview = made["result"]["classes"], made["result"]["preview"]
    assert classes == ["approve", "refer", "decline"]
    for row in rows:
        assert row["outcome"] == _outcome_of(round(scores[row["row"]], 6))
        assert {row["label"], row["predicted_label"]} <= {"0", "1"}
    outcome_of = {row["row"]: row["outcome"] for row in rows}
    coloured = [classes[index] for index in preview["class_indices"]]
    assert coloured == [outcome_of[row] for row in preview["rows"]]


def test_a_report_counts_outcomes(api: Api, decided: Json) -> None:
    bands = [{"outcome": "approve", "below": 0.4}, {"outcome": "refer", "below": 0.6}, {"outcome": "decline"}]
    model = _register(api, "binary", {"score_of": "1", "bands": bands}).json()["id"]
    prototypes = api.make(model=model, dataset=decided["dataset"], n_prototypes=4, proximity_kind="random_forest")
    other = api.post("/v1/explainers", {"model": model, "prototype_set": prototypes["id"]}).json()["id"]
    newer = api.upload("/v1/datasets", csv_of(decided["rows"].head(150)), {}).json()["id"]
    request = {"title": "outcomes", "explainer": decided["explainer"], "compare_with": other, "newer_dataset": newer}

    result = api.made("/v1/reports", request)["result"]

    scores = fitted("random_forest_binary").library_scores()[:, 1].round(6)
    n_moved = int(((scores >= 0.25) & (scores < 0.4)).sum())
    comparison, drift = result["comparison"], result["drift"]
    assert (comparison["compared"], comparison["n_changed"]) == ("outcome", n_moved)
    assert comparison["changes"] == [{"label": "refer", "other_label": "approve", "n_rows": n_moved}]
    outcomes = [_outcome_of(score) for score in scores[:150]]
    assert [(each["name"], each["n_rows"]) for each in drift["by_label"]] == [
        (name, outcomes.count(name)) for name in ("approve", "refer", "decline")
    ]


def test_an_outcome_that_no_row_has_is_a_caution_of_its_prototypes(api: Api, decided: Json) -> None:
    bands = [{"outcome": "approve", "below": 0.001}, {"outcome": "refer", "below": 0.0011}, {"outcome": "decline"}]
    model = _register(api, "binary", {"score_of": "1", "bands": bands}).json()["id"]
    made = api.make(model=model, dataset=decided["dataset"], n_prototypes=4, proximity_kind="random_forest")
    (unreached,) = [each for each in made["result"]["cautions"] if each["code"] == "outcomes_without_rows"]
    assert unreached["detail"].startswith("no row of the dataset is decided as 'refer', so that nothing")
    assert "outcomes_without_rows" not in [each["code"] for each in decided["prototypes"]["result"]["cautions"]]
