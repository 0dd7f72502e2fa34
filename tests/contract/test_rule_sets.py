"""/v1/rule-sets over HTTP, made by a real worker: requested, read, refused, cancelled, deleted."""

import io
import json
import time

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from schemas.rule_sets import RuleSet
from tests.support.api import Api, Json, Registered, csv_of, frame_of, parquet_of
from tests.support.models import fitted
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.pipelines import PIPELINES, fitted_pipeline

_PATH = "/v1/rule-sets"
_FIELDS = set(RuleSet.model_fields)
_RULE_FIELDS = {
    *("rank", "text", "conditions", "prediction", "scores", "weight", "region"),
    *("coverage", "precision", "decided_precision", "n_rows", "support"),
}
_FEW = {"n_restarts": 2, "max_rules": 4}
_CSV, _PARQUET = "text/csv", "application/vnd.apache.parquet"


def _path(made: Json) -> str:
    return f"{_PATH}/{made['id']}"


@pytest.fixture(scope="module")
def request_(forest: Registered) -> Json:
    return {"model": forest.model["id"], "dataset": forest.dataset["id"], **_FEW}


@pytest.fixture(scope="module")
def made(api: Api, request_: Json) -> Json:
    found = api.made(_PATH, request_)
    assert found["status"] == "ready", found["problem"]
    return found


def test_a_new_rule_set_is_accepted_with_a_job_to_look_at(api: Api, request_: Json) -> None:
    answer = api.post(_PATH, {**request_, "seed": 1})

    body = answer.json()
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/v1/jobs/{body['job']}"
    assert answer.headers["Content-Location"] == _path(body)
    assert set(body) == _FIELDS
    assert (body["object"], body["status"], body["result"]) == ("rule_set", "pending", None)
    assert body["id"].startswith("rls_")
    job = api.wait(body["job"])
    assert (job["status"], job["artefact"], job["kind"]) == ("succeeded", body["id"], "rule_sets")


def test_a_ready_rule_set_shows_its_rules_and_how_good_they_are(api: Api, request_: Json, made: Json) -> None:
    assert set(made) == _FIELDS
    assert RuleSet.model_validate(made).model_dump(mode="json") == made
    of_regions = {"boxes": "whole", "start": "in_turn", "omega": None, "e_step_rounds": "in_turn"}
    of_regions |= {"regions": "fab"}
    of_regions |= dict.fromkeys(("in_trees", "node_harvest", "decision_tree"))
    defaults = {"method": "rule_list", **of_regions, "labels": "predicted", "evaluation_dataset": None, "seed": 0}
    defaults["run_on"] = "auto"
    assert made["request"] == {**request_, **defaults}
    result = made["result"]
    assert (result["task"], result["classes"]) == ("classification", ["0", "1"])
    assert (result["n_rows"], result["n_trees"]) == (569, 20)
    assert 1 <= result["n_rules"] == len(result["rules"]) < 4  # the default is the fourth
    assert all(set(rule) == _RULE_FIELDS for rule in result["rules"])
    assert result["n_statements"] > 100
    assert result["evaluation"] == result["training_evaluation"]
    assert result["evaluation"]["as_printed"]["fidelity"] > 0.85
    assert [restart["restart"] for restart in result["restarts"]] == list(range(len(result["restarts"])))
    (listed,) = (each for each in api.get(f"{_PATH}?limit=1000").json()["data"] if each["id"] == made["id"])
    assert (listed["status"], listed["result"]) == ("ready", None)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("random_forest_multiclass", {"method": "em", "max_rules": 3}),
        ("random_forest_regression", {"method": "fab", "labels": "target", "omega": 2.0}),
        *(
            pytest.param(name, changes, marks=pytest.mark.long)
            for name, changes in (
                ("gradient_boosting_multiclass", {"method": "fab", "boxes": "shortened", "start": "algorithm_1"}),
                ("random_forest_regression", {"labels": "target"}),
                ("catboost_binary", {}),
            )
        ),
    ],
)
def test_models_of_every_kind_are_reported(api: Api, name: str, changes: Json) -> None:
    model = fitted(name)
    metadata = {"feature_names": list(model.rows.names), "ensemble": "random_forest"}
    question = {
        "model": api.upload("/v1/models", model.onnx, metadata).json()["id"],
        "dataset": api.upload("/v1/datasets", csv_of(frame_of(model)), {"target": "t"}).json()["id"],
    }

    found = api.made(_PATH, {**question, **_FEW, **changes})

    assert found["status"] == "ready", found["problem"]
    assert RuleSet.model_validate(found)
    result = found["result"]
    is_number = result["task"] == "regression"
    assert {type(rule["prediction"]) for rule in result["rules"]} == {float if is_number else str}
    assert result["classes"] == ([] if is_number else [str(each) for each in np.unique(model.target)])
    measures = (
        {"mean_squared_error", "r2", "fidelity"}
        if is_number
        else {"error", "balanced_error", "fidelity", "balanced_fidelity"}
    )
    has_regions = result["method"] != "rule_list"
    assert bool(result["regions"]) == bool(result["evaluation"]["as_fitted"]) == has_regions
    assert result["boxes"] == (found["request"]["boxes"] if has_regions else None)
    scored = ("as_printed", "model", "constant", *(("as_fitted",) if has_regions else ()))
    for scores in (result["evaluation"][part] for part in scored):
        measured = {measure for measure, value in scores.items() if value is not None}
        assert measured - {"prediction", "model_prediction"} == measures


def test_rules_are_evaluated_on_other_rows_when_requested(api: Api, forest: Registered, request_: Json) -> None:
    by_tree = {"model": request_["model"], "method": "decision_tree"}
    frame = frame_of(forest.fitted)
    halves = [csv_of(frame.iloc[:400]), csv_of(frame.iloc[400:])]
    first, second = (api.upload("/v1/datasets", half, {"target": "t"}).json()["id"] for half in halves)

    found = api.made(_PATH, {**by_tree, "dataset": first, "evaluation_dataset": second})

    result = found["result"]
    on = {
        part: (result[part]["n_rows"], result[part]["evaluated_on"]) for part in ("evaluation", "training_evaluation")
    }
    assert result["cautions"] == []
    assert on == {"evaluation": (169, "evaluation_dataset"), "training_evaluation": (400, "dataset")}
    assert result["evaluation"]["as_printed"]["error"] < 0.25
    on_itself = api.post(_PATH, {**by_tree, "dataset": first, "evaluation_dataset": first})
    assert on_itself.json()["request"]["evaluation_dataset"] is None


def test_content_comes_in_three_forms(api: Api, made: Json) -> None:
    whole = json.loads(api.content(_path(made), "application/json"))
    as_csv = pd.read_csv(io.BytesIO(api.content(_path(made), _CSV)))
    as_parquet = pq.read_table(io.BytesIO(api.content(_path(made), _PARQUET))).to_pylist()

    result = made["result"]
    assert whole["rules"] == result["rules"]
    assert as_csv["text"].tolist() == [row["text"] for row in as_parquet]
    assert as_csv["text"].tolist() == [*(rule["text"] for rule in result["rules"]), "otherwise"]
    assert [row["support"] for row in as_parquet] == [
        *(rule["support"] for rule in result["rules"]),
        result["default_support"],
    ]
    assert as_parquet[0]["score:1"] == result["rules"][0]["scores"][1]["value"]


def test_regions_are_returned_with_all_their_parameters_and_the_region_of_each_row(
    api: Api, forest: Registered, request_: Json, made: Json
) -> None:
    found = api.made(_PATH, {**request_, "method": "fab"})
    result = found["result"]
    regions = result["regions"]
    parameters, rows = (
        pq.read_table(io.BytesIO(api.content(_path(found), _PARQUET, part))) for part in ("parameters", "rows")
    )
    as_csv = pd.read_csv(io.BytesIO(api.content(_path(found), _CSV, "parameters")))
    refused = api.get(f"{_path(made)}/rows")

    eta = parameters.select([f"eta:{each['region']}" for each in regions]).to_pandas().to_numpy()
    alpha = np.array([each["share"] for each in regions])
    assert parameters.num_rows == result["n_statements"]
    np.testing.assert_allclose(as_csv.filter(like="eta:").to_numpy(), eta)
    table = frame_of(forest.fitted)
    values = np.stack([table[name].to_numpy() for name in parameters["column"].to_pylist()]).T
    holds = (values > parameters["value"].to_numpy()).astype(np.float64)
    floored = [np.log(np.maximum(each, 1e-10)) for each in (eta, 1 - eta)]
    best = (holds @ floored[0] + (1 - holds) @ floored[1] + np.log(alpha)).argmax(axis=1)
    assert rows["region"].to_pylist() == best.tolist()
    assert rows["row"].to_pylist() == list(range(569))
    assert rows["prediction"].to_pylist() == [regions[region]["prediction"] for region in best]
    assert [each["n_rows"] for each in regions] == np.bincount(best, minlength=len(regions)).tolist()
    assert all(sum(score["value"] for score in each["scores"]) == pytest.approx(1) for each in regions)
    assert {rule["region"] for rule in result["rules"]} <= set(range(len(regions)))
    assert [regions[rule["region"]]["prediction"] for rule in result["rules"]] == [
        rule["prediction"] for rule in result["rules"]
    ]
    assert result["omega"] == (2 + result["n_statements"] + 1) / 2
    thresholds = {*zip(parameters["column"].to_pylist(), parameters["value"].to_pylist(), strict=True)}
    for condition in (each for rule in result["rules"] for each in rule["conditions"]):
        assert (condition["column"], condition["value"]) in thresholds  # as rules print them
    assert (refused.status_code, refused.json()["code"]) == (422, "method_not_applicable")


@pytest.mark.long
def test_requested_again_rules_are_answered_at_once_and_deleted_they_are_made_again(api: Api, request_: Json) -> None:
    other = api.made(_PATH, {**request_, "seed": 5})
    again = api.post(_PATH, {**request_, "seed": 5})
    assert (again.status_code, again.json()) == (200, {**other, "reused": True})
    assert api.delete(_path(other)).status_code == 204
    gone = [api.get(f"{_path(other)}{part}").status_code for part in ("", "/content", "/export")]
    assert gone == [404] * 3
    made_again = api.made(_PATH, {**request_, "seed": 5})
    assert made_again["job"] != other["job"]
    assert {**made_again, "job": "", "created_at": ""} == {**other, "job": "", "created_at": ""}


@pytest.mark.parametrize(
    ("changes", "status", "code", "pointer"),
    [
        ({"max_rules": 0}, 422, "validation_failed", "/max_rules"),
        ({"max_rules": 21}, 422, "validation_failed", "/max_rules"),
        ({"max_rules": 2.5}, 422, "validation_failed", "/max_rules"),
        ({"n_restarts": 0}, 422, "validation_failed", "/n_restarts"),
        ({"n_restarts": 1001}, 422, "validation_failed", "/n_restarts"),
        ({"n_restarts": True}, 422, "validation_failed", "/n_restarts"),
        ({"method": "gibbs"}, 422, "validation_failed", "/method"),
        ({"boxes": "best"}, 422, "validation_failed", "/boxes"),
        ({"omega": 0}, 422, "validation_failed", "/omega"),
        ({"start": "anywhere"}, 422, "validation_failed", "/start"),
        ({"labels": "guessed"}, 422, "validation_failed", "/labels"),
        ({"seed": -1}, 422, "validation_failed", "/seed"),
        ({"kind": "auto"}, 422, "unknown_field", "/kind"),
        ({"model": "mdl_gone"}, 404, "not_found", None),
        ({"dataset": "ds_gone"}, 404, "not_found", None),
        ({"evaluation_dataset": "ds_gone"}, 404, "not_found", None),
    ],
)
def test_what_cannot_be_is_refused_and_no_job_begun(
    api: Api, request_: Json, changes: dict[str, object], status: int, code: str, pointer: str | None
) -> None:
    newest = api.newest_job()

    refused = api.post(_PATH, {**request_, **changes})

    assert (refused.status_code, refused.json()["code"]) == (status, code)
    if pointer is not None:
        assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]
    assert api.newest_job() == newest


@pytest.mark.parametrize(
    ("changes", "pointer", "detail"),
    [
        (
            {"boxes": "shortened"},
            "/boxes",
            'is "shortened", which method rule_list does not use: leave it out, or take ',
        ),
        ({"method": "fab", "regions": "em"}, "/regions", "or take method rule_list"),
        (
            {"method": "em", "omega": 2.0},
            "/omega",
            "is 2.0, which method em does not use: leave it out, or take method ",
        ),
        (
            {"regions": "em", "omega": 2.0},
            "/omega",
            "which `regions: em` does not use: leave it out, or take regions fab",
        ),
        ({"method": "fab", "in_trees": {"max_depth": 2}}, "/in_trees", 'is {"max_depth":2}, which method fab does not'),
        ({"method": "in_trees", "start": "eta"}, "/start", "leave it out, or take method rule_list, fab or em"),
        ({"method": "in_trees", "node_harvest": {}}, "/node_harvest", "or take method node_harvest"),
        (
            {"method": "in_trees", "in_trees": {"n_levels": 5}},
            "/in_trees/n_levels",
            "is 5, which in_trees for the classes",
        ),
        ({"method": "in_trees", "max_rules": 3}, "/max_rules", "and raise in_trees.min_frequency for fewer rules"),
        ({"method": "node_harvest", "max_rules": 3}, "/max_rules", "is 3, which method node_harvest does not use"),
        ({"method": "decision_tree", "n_restarts": 3}, "/n_restarts", "which method decision_tree does not use"),
    ],
)
def test_what_a_method_does_not_use_is_refused_with_what_to_do(
    api: Api, forest: Registered, changes: Json, pointer: str, detail: str
) -> None:
    refused = api.post(_PATH, {"model": forest.model["id"], "dataset": forest.dataset["id"], **changes})

    assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
    assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]
    assert detail in refused.json()["detail"]


@pytest.mark.parametrize(("changes", "pointer"), [({"method": "trees"}, "/method"), ({"max_rules": 30}, "/max_rules")])
def test_a_wrong_value_is_named_and_no_default_that_follows_from_it(
    api: Api, request_: Json, changes: Json, pointer: str
) -> None:
    refused = api.post(_PATH, {**request_, **changes})

    assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]
    assert "default" not in refused.json()["detail"]


@pytest.mark.parametrize("rounds", [0, 101, 1.5, "all"])
def test_rounds_of_an_e_step_are_a_number_or_in_turn(api: Api, request_: Json, rounds: object) -> None:
    refused = api.post(_PATH, {**request_, "method": "fab", "e_step_rounds": rounds})

    assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
    assert {error["pointer"] for error in refused.json()["errors"]} == {"/e_step_rounds"}


def test_a_target_that_is_lacking_or_does_not_fit_is_refused(api: Api, forest: Registered, request_: Json) -> None:
    unlabelled = api.upload("/v1/datasets", csv_of(frame_of(forest.fitted).drop(columns="t"))).json()["id"]

    refused = api.post(_PATH, {**request_, "dataset": unlabelled, "labels": "target"})
    by_model = api.made(_PATH, {"model": request_["model"], "dataset": unlabelled, "method": "decision_tree"})

    assert (refused.status_code, refused.json()["code"]) == (422, "schema_mismatch")
    assert refused.json()["errors"][0]["pointer"] == "/labels"
    assert (by_model["status"], by_model["result"]["evaluation"]["measured_against"]) == ("ready", "model")
    assert by_model["result"]["evaluation"]["model"] is None


def test_a_model_whose_columns_are_mixed_has_no_rules_about_raw_features(api: Api) -> None:
    pipeline, table = fitted_pipeline("principal_components"), PIPELINES["principal_components"]()[1]
    names = list(pipeline.rows.names)
    model = api.upload("/v1/models", pipeline.onnx, {"feature_names": names, "ensemble": "random_forest"}).json()["id"]
    dataset = api.upload("/v1/datasets", parquet_of(table.features)).json()["id"]

    refused = api.post(_PATH, {"model": model, "dataset": dataset})

    assert (refused.status_code, refused.json()["code"]) == (422, "method_not_applicable")
    assert "cannot be mapped back" in refused.json()["detail"]


def test_rows_that_all_have_the_same_prediction_fail_the_job(api: Api, forest: Registered, request_: Json) -> None:
    labels = forest.fitted.library_labels()
    alike = frame_of(forest.fitted)[labels == labels[0]]
    dataset = api.upload("/v1/datasets", csv_of(alike), {"target": "t"}).json()["id"]

    failed = api.made(_PATH, {**request_, "dataset": dataset})
    early = [api.get(f"{_path(failed)}/{part}") for part in ("content", "export")]

    assert (failed["status"], failed["problem"]["code"]) == ("failed", "schema_mismatch")
    assert "nothing for rules to separate" in failed["problem"]["detail"]
    assert [(answer.status_code, answer.json()["code"]) for answer in early] == [(409, "artefact_not_ready")] * 2


@pytest.mark.long
def test_a_job_of_many_restarts_reports_how_far_it_is_and_stops_within_two_seconds(api: Api, request_: Json) -> None:
    requested = api.post(_PATH, {**request_, "n_restarts": 1000, "max_rules": 20, "method": "fab", "seed": 9}).json()
    seen: list[float] = []
    until = time.monotonic() + PATIENCE_SECONDS
    while len(seen) < 3 and time.monotonic() < until:
        progress = api.get(f"/v1/jobs/{requested['job']}").json()["progress"]
        if progress["stage"] == "fitting regions" and progress["fraction"] not in seen:
            seen.append(progress["fraction"])
        time.sleep(0.05)
    assert len(seen) == 3
    assert seen == sorted(seen)

    began = time.monotonic()
    api.post(f"/v1/jobs/{requested['job']}/cancel")
    ended = api.wait(requested["job"])

    assert ended["status"] == "cancelled"
    assert time.monotonic() - began < when_idle(2.5)  # of which the look for the status takes a part
    assert api.get(_path(requested)).json()["status"] == "cancelled"
