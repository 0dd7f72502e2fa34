"""Decisions over HTTP: a model is registered with bands of a score, and every answer says the outcome."""

from typing import Any

import pytest

from tests.support.api import Api, Json
from tests.support.models import fitted

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
    bands = [{"outcome": "low", "below": 0}, {"outcome": "high"}]
    model = _register(api, "regression", {"bands": bands, "best_first": False}).json()
    rows = fitted("random_forest_regression").features[:30].tolist()

    answer = api.post(f"/v1/models/{model['id']}/predictions", {"instances": rows}).json()

    for row in answer["data"]:
        value = row["prediction"]["value"]
        assert row["decision"]["outcome"] == ("low" if value < 0 else "high")
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
