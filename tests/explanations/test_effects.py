"""Effects of explanations add up to the difference of two scores, and are those of the mathematics."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from explanations.sentences import summary
from explanations.typicality import UNKNOWN
from tests.support.api import Api, Json, csv_of, register
from tests.support.models import fitted

_TASKS = ("random_forest_binary", "gradient_boosting_binary", "random_forest_multiclass", "random_forest_regression")


@pytest.fixture(scope="module", params=_TASKS)
def explained(api: Api, request: pytest.FixtureRequest) -> Json:
    model = fitted(request.param)
    frame = pd.DataFrame(model.features, columns=[f"x{index}" for index in range(model.features.shape[1])])
    registered = api.upload("/v1/models", model.onnx, {}).json()["id"]
    dataset = api.upload("/v1/datasets", csv_of(frame), {}).json()["id"]
    prototypes = api.make(model=registered, dataset=dataset, n_prototypes=6)
    explainer = api.post("/v1/explainers", {"model": registered, "prototype_set": prototypes["id"]}).json()["id"]
    answer = api.explain(explainer, frame.head(50).values.tolist(), n_reasons=3)
    whole = api.explain(explainer, frame.head(50).values.tolist(), n_reasons="all")
    return {"name": request.param, "short": answer["data"], "all": whole["data"], "prototypes": prototypes["result"]}


def _sum(effects: Json) -> float:
    return float(sum(entry["effect"] for entry in effects["features"]) + effects["rest"]["effect"])


def test_effects_add_up_to_the_difference_of_scores(explained: Json) -> None:
    for row in (*explained["short"], *explained["all"]):
        effects = row["effects"]
        difference = effects["score"] - effects["reference"]["score"]
        scale = max(1.0, abs(effects["score"]), abs(effects["reference"]["score"]))
        assert _sum(effects) == pytest.approx(difference, abs=1e-9 * scale)


def test_the_score_is_the_model_s_own(explained: Json) -> None:
    for row in explained["short"]:
        effects, prediction = row["effects"], row["prediction"]
        if prediction["task"] == "regression":
            expected = prediction["value"]
        else:
            expected = next(each["value"] for each in prediction["scores"] if each["label"] == effects["of"])
            assert effects["of"] == prediction["label"]
        score = effects["score"]
        shown = 1 / (1 + np.exp(-score)) if effects["scale"] == "log_odds" else score
        assert shown == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_features_come_by_size_and_the_rest_is_counted(explained: Json) -> None:
    for short, whole in zip(explained["short"], explained["all"], strict=True):
        listed, everything = short["effects"]["features"], whole["effects"]["features"]
        sizes = [abs(entry["effect"]) for entry in everything]
        assert listed == everything[:3]
        assert sizes == sorted(sizes, reverse=True)
        assert whole["effects"]["rest"]["n_features"] == 0
        assert abs(whole["effects"]["rest"]["effect"]) <= 1e-6 * max(1, abs(whole["effects"]["score"])) * len(
            everything
        )
        assert short["effects"]["rest"]["n_features"] == len(everything) - len(listed)


def test_the_reference_is_a_prototype_of_another_class_or_the_nearest(explained: Json) -> None:
    labels = {each["row_id"]: each["label"] for each in explained["prototypes"]["prototypes"]}
    values: dict[str, Any] = {
        each["row_id"]: {cell["name"]: cell["value"] for cell in each["features"]}
        for each in explained["prototypes"]["prototypes"]
    }
    for row in explained["short"]:
        reference = row["effects"]["reference"]
        assert reference["row_id"] in labels
        if row["prediction"]["task"] == "regression":
            assert reference["kind"] == "nearest"
            assert reference["row_id"] == row["nearest_prototypes"][0]["row_id"]
        else:
            assert reference["kind"] == "contrast"
            assert reference["outcome"] == labels[reference["row_id"]] != row["prediction"]["label"]
        for entry in row["effects"]["features"]:
            assert entry["reference_value"] == values[reference["row_id"]][entry["feature"]]


def test_log_odds_of_two_classes_come_in_points_of_probability(explained: Json) -> None:
    for row in explained["all"]:
        effects = row["effects"]
        assert all(("points" in entry) == (effects["scale"] == "log_odds") for entry in effects["features"])
        if effects["scale"] == "log_odds":
            ends = [1 / (1 + np.exp(-score)) for score in (effects["score"], effects["reference"]["score"])]
            points = sum(entry["points"] for entry in effects["features"])
            assert points == pytest.approx(ends[0] - ends[1], abs=1e-5)


def test_the_summary_names_the_features_that_have_the_score_differ_most_and_says_whether_they_are_most_of_it(
    explained: Json,
) -> None:
    for row in explained["short"]:
        effects = row["effects"]
        scores = np.array([effects["score"], effects["reference"]["score"]])
        if scores[0] == scores[1]:
            continue
        in_points = effects["scale"] == "log_odds"
        difference = -np.diff(1 / (1 + np.exp(-scores)) if in_points else scores)[0]
        direction = "higher" if difference > 0 else "lower"
        parts = [entry["points" if in_points else "effect"] for entry in effects["features"]]
        first, *others = [part for part in parts if part * difference > 0][:3]
        named = first + sum(part for part in others if abs(part) >= 0.05 * abs(difference))
        how = "mostly" if abs(named) > abs(difference) / 2 else "in part"
        sentence = row["summary"].split("Compared with ")[1]
        assert sentence.startswith(f"row {effects['reference']['row_id']}")
        assert f" {direction}, {how} by " in sentence


@pytest.mark.parametrize(
    ("score", "text"),
    [(0.00526291, "0.0053"), (0.1497, "0.1497"), (0.15, "0.15"), (0.4999, "0.4999"), (0.5003, "0.5"), (0.68, "0.68")],
)
def test_a_score_is_printed_in_few_digits_that_keep_it_in_its_band(score: float, text: str) -> None:
    bands = [
        {"outcome": "home", "below": 0.15},
        {"outcome": "watch", "below": 0.5},
        {"outcome": "treat", "below": None},
    ]
    outcome = "home" if score < 0.15 else "watch" if score < 0.5 else "treat"
    decided = {"outcome": outcome, "score_of": "ill", "score": score, "bands": bands}

    sentence = summary({"label": outcome, "decision": decided}, [], UNKNOWN)

    assert sentence.startswith(f"The decision is {outcome}: the score of ill is {text}, ")


def test_a_model_whose_scores_are_no_sums_over_trees_has_explanations_without_effects(api: Api) -> None:
    registered = register(api, "ada_boost_binary", "boosting", min_leaf_rows=1)

    (row,) = api.explain(registered.explainer["id"], [registered.instance(0)], n_reasons="all")["data"]

    assert row["status"] == "ok"
    assert "effects" not in row
    assert "Compared with" not in row["summary"]
