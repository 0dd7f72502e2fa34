"""Evidence over HTTP is what counting the outcomes of the rows most like a row gives."""

from typing import Any

import numpy as np
import pytest

from tests.support.api import Api, Json, Registered, csv_of, frame_of, register
from tests.support.naive_evidence import rows_most_like


@pytest.fixture(scope="module", params=["random_forest_binary", "random_forest_multiclass"])
def registered(api: Api, request: pytest.FixtureRequest) -> Registered:
    return register(api, request.param, labels="target")


def _all_rows(registered: Registered) -> list[Json]:
    return [registered.instance(row) for row in range(len(registered.fitted.target))]


def test_evidence_is_a_count_of_the_rows_most_like_a_row(api: Api, registered: Registered) -> None:
    fitted, picked = registered.fitted, [0, 30, 41, 77, 130]
    leaves, scores = _leaves_and_scores(registered)
    answers = api.explain(
        registered.explainer["id"], [registered.instance(row) for row in picked], include=["evidence"]
    )
    classes = registered.model["classes"]
    for row, answer in zip(picked, answers["data"], strict=True):
        evidence = answer["evidence"]
        column = classes.index(evidence["score_of"])
        assert evidence["score_of"] == answer["prediction"]["label"]
        proximities = [int((leaves[row] == other).sum()) for other in leaves]
        like = rows_most_like(proximities, scores[:, column].tolist(), float(scores[row, column]), 50, 0.05)
        targets = [str(fitted.target[other]) for other in like]
        assert evidence["n_rows"] == len(like)
        shares = {share["label"]: share["share"] for share in evidence["shares"]}
        assert shares == {label: pytest.approx(targets.count(label) / len(like), abs=1e-6) for label in classes}
        share = evidence["shares"][column]
        assert evidence["agrees"] is (share["low"] <= evidence["score"] <= share["high"])
        assert (evidence["level"], evidence["out_of_bag"]) == (0.9, False)
        assert [caution["code"] for caution in evidence["cautions"]] == ["training_not_known"]
        assert "not known whether the model was trained on these rows" in evidence["cautions"][0]["detail"]
        assert f"Of the {len(like)} reference rows most like it, " in answer["summary"]


def _leaves_and_scores(registered: Registered) -> tuple[Any, Any]:
    """Return the leaves of all rows and the scores of all classes."""
    outcome = registered.fitted.session.run_rows(registered.fitted.rows).outcome
    return outcome.leaves, np.asarray(outcome.scores, np.float64)


def test_a_score_outside_of_its_interval_is_a_warning(api: Api, registered: Registered) -> None:
    answers = api.explain(registered.explainer["id"], _all_rows(registered)[::3], include=["evidence"])["data"]
    disagreeing = [row for row in answers if not row["evidence"].get("agrees", True)]
    assert 0 < len(disagreeing) < len(answers)
    for row in answers:
        codes = [warning["code"] for warning in row["warnings"]]
        assert ("outcomes_disagree" in codes) == (row in disagreeing)
    (warning, *_) = disagreeing[0]["warnings"]
    assert f"the model's score of {disagreeing[0]['evidence']['score_of']} is " in warning["detail"]


def test_a_row_unlike_all_others_has_no_evidence(api: Api, registered: Registered) -> None:
    rows = _all_rows(registered)
    answers = api.explain(registered.explainer["id"], rows[::9], include=["evidence"])["data"]
    assert all(("agrees" in row["evidence"]) == (row["evidence"]["n_rows"] > 0) for row in answers)


def test_the_picture_says_what_happened_to_rows_like_it(api: Api, registered: Registered) -> None:
    body = {"instances": [registered.instance(30)], "include": ["evidence"]}
    path = f"/v1/explainers/{registered.explainer['id']}/explanations"
    page = api.post(path, body, Accept="text/html").text
    assert "What happened to rows like it" in page
    assert "not known whether the model was trained on these rows" in page


def test_a_set_has_the_evidence_of_calls(api: Api, registered: Registered) -> None:
    request = {"explainer": registered.explainer["id"], "dataset": registered.dataset["id"], "include": ["evidence"]}
    made = api.made("/v1/explanation-sets", request)
    page = api.get(f"/v1/explanation-sets/{made['id']}/content?limit=3", Accept="application/json").json()["data"]
    named = {"dataset": registered.dataset["id"], "row_ids": ["0", "1", "2"], "include": ["evidence"]}
    called = api.post(f"/v1/explainers/{registered.explainer['id']}/explanations", named).json()["data"]
    assert [row["evidence"] for row in page] == [row["evidence"] for row in called]
    assert [row["evidence"]["is_reference_row"] for row in called] == [True] * 3


def test_a_reference_row_is_no_evidence_of_itself(api: Api, registered: Registered) -> None:
    row, (leaves, scores) = 30, _leaves_and_scores(registered)
    named = {"dataset": registered.dataset["id"], "row_ids": [str(row)], "include": ["evidence"]}
    (answer,) = api.post(f"/v1/explainers/{registered.explainer['id']}/explanations", named).json()["data"]
    evidence = answer["evidence"]
    column = registered.model["classes"].index(evidence["score_of"])
    others = [other for other in range(len(leaves)) if other != row]
    proximities = [int((leaves[row] == leaves[other]).sum()) for other in others]
    like = rows_most_like(proximities, scores[others, column].tolist(), float(scores[row, column]), 50, 0.05)
    assert evidence["n_rows"] == len(like)
    targets = [str(registered.fitted.target[others[index]]) for index in like]
    shares = {share["label"]: share["share"] for share in evidence["shares"]}
    assert shares == {label: pytest.approx(targets.count(label) / len(like), abs=1e-6) for label in shares}


def test_where_no_true_classes_are_known_evidence_is_refused(api: Api) -> None:
    model, names = register(api, "random_forest_regression"), {"include": ["values", "evidence"]}
    answer = api.post(
        f"/v1/explainers/{model.explainer['id']}/explanations", {"instances": [model.instance(0)], **names}
    )
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert (error["pointer"], "the model is a regression" in error["detail"]) == ("/include/1", True)


def test_rows_without_a_target_are_no_evidence(api: Api, registered: Registered) -> None:
    frame = frame_of(registered.fitted).drop(columns="t")
    dataset = api.upload("/v1/datasets", csv_of(frame), {}).json()["id"]
    prototypes = api.make(model=registered.model["id"], dataset=dataset, n_prototypes=4)
    request = {"model": registered.model["id"], "prototype_set": prototypes["id"]}
    explainer = api.post("/v1/explainers", request).json()["id"]
    body = {"instances": [registered.instance(0)], "include": ["evidence"]}
    answer = api.post(f"/v1/explainers/{explainer}/explanations", body)
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert (error["pointer"], "register the dataset with its target" in error["detail"]) == ("/include/0", True)


def test_rows_that_are_declared_held_out_are_said_to_be(api: Api, registered: Registered) -> None:
    content = csv_of(frame_of(registered.fitted))
    dataset = api.upload("/v1/datasets", content, {"target": "t", "held_out": True}).json()
    assert (dataset["held_out"], api.get(f"/v1/datasets/{dataset['id']}").json()["held_out"]) == (True, True)
    assert dataset["id"] != registered.dataset["id"]
    prototypes = api.make(model=registered.model["id"], dataset=dataset["id"], n_prototypes=4)
    result = prototypes["result"]
    assert result["cautions"][0]["code"] == "measured_on_its_own_rows"
    assert result["typicality"]["caution"] is None
    request = {"model": registered.model["id"], "prototype_set": prototypes["id"]}
    explainer = api.post("/v1/explainers", request).json()["id"]
    (answer,) = api.explain(explainer, [registered.instance(0)], include=["evidence"])["data"]
    assert "cautions" not in answer["evidence"]
