"""/v1/prototype-sets over HTTP, made by a real worker: ask, ask again, read whole in three forms, fail, delete."""

import io
import json
from typing import Any

import numpy as np
import onnxruntime
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from leafspace_client.conversion import convert_model
from sklearn.ensemble import RandomForestClassifier

from schemas.prototype_classifiers import PrototypeClassifier
from schemas.prototype_sets import PrototypeSet, PrototypeSetResult
from tests.support.api import Api, Json, Registered, csv_of, frame_of
from tests.support.tree_graphs import regressor, stump

_FIELDS = {*("object", "id", "status", "job", "reused", "created_at", "request", "problem", "result")}
_RESULT_FIELDS = {
    *("proximity_kind", "task", "classes"),
    *(
        "min_leaf_rows",
        "n_trees_used",
        "leaf_steps",
        "leaf_choice",
        "row_coverage",
        "typicality",
        "nearest_rows",
        "validation",
    ),
    *("n_rows", "n_trees", "n_candidates", "n_selected", "n_swaps", "nested", "objective", "objective_mean"),
    *("objective_upper_bound", "certificate", "certificate_scope", "certificate_objective"),
    *("all_rows_upper_bound", "all_rows_certificate"),
    *("stopped_by", "prototypes", "quality", "evaluation", "evaluated_on", "measured_against", "baseline"),
    *("classes_without_prototypes", "cautions", "criticisms"),
}
_PROTOTYPE_FIELDS = {
    *("rank", "row_id", "row", "label", "value", "predicted", "target"),
    *("gain", "objective", "coverage", "quality", "features"),
}
_QUALITY_FIELDS = {
    *("coverage", "voting_frequency", "consistent_votes", "in_class_similarity", "out_of_class_similarity"),
    *("mean_distance", "distance_deviation"),
}
_EVALUATION_FIELDS = {
    *("n_prototypes", "balanced_accuracy", "accuracy", "fidelity", "balanced_fidelity", "r2", "mean_absolute_error"),
    "unassigned",
}


def _request(forest: Registered, **changes: object) -> dict[str, object]:
    return {"model": forest.model["id"], "dataset": forest.dataset["id"], **changes}


def test_a_new_set_is_accepted_with_a_job_to_look_at(api: Api, forest: Registered) -> None:
    answer = api.post("/v1/prototype-sets", _request(forest, n_prototypes=3, seed=41))

    body = answer.json()
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/v1/jobs/{body['job']}"
    assert answer.headers["Content-Location"] == f"/v1/prototype-sets/{body['id']}"
    assert int(answer.headers["Retry-After"]) >= 1
    assert answer.headers["Server-Timing"].startswith("total;dur=")
    assert set(body) == _FIELDS
    assert (body["object"], body["status"], body["reused"]) == ("prototype_set", "pending", False)
    assert (body["id"][:4], body["job"][:4]) == ("prs_", "job_")
    assert body["result"] is None
    job = api.wait(body["job"])
    assert (job["status"], job["artefact"], job["kind"]) == ("succeeded", body["id"], "prototype_sets")


def test_a_ready_set_shows_its_request_with_all_defaults(forest: Registered) -> None:
    body = forest.prototype_set

    assert set(body) == _FIELDS
    assert PrototypeSet.model_validate(body).model_dump(mode="json") == body
    result = body["result"]
    assert (body["status"], body["problem"], result["proximity_kind"], result["task"]) == (
        "ready",
        None,
        "random_forest",
        "classification",
    )
    assert body["request"] == {
        **_request(forest),
        "run_on": "auto",
        "method": "sm_a",
        "n_prototypes": 8,
        "per_outcome": "auto",
        "n_per_outcome": None,
        "coverage": None,
        "min_leaf_rows": "auto",
        "nearest_rows": {"min_leaf_rows": 1, "proximity_kind": "random_forest"},
        "alpha": 0.05,
        "labels": "predicted",
        "proximity_kind": "random_forest",
        "refine": "none",
        "n_candidates": None,
        "evaluation_dataset": None,
        "selected_on": "dataset",
        "metric": "balanced_accuracy",
        "seed": 0,
    }


def test_a_ready_set_shows_all_that_was_found(forest: Registered) -> None:
    result = forest.prototype_set["result"]

    assert (result["nested"], result["n_selected"], result["n_rows"], result["n_trees"]) == (True, 8, 569, 20)
    assert (result["n_candidates"], result["n_swaps"]) == (569, 0)
    assert result["stopped_by"]["reason"] == "n_prototypes"
    assert 0 < result["objective_mean"] <= 1
    assert result["objective_mean"] == pytest.approx(result["objective"] / result["n_rows"])
    assert result["objective"] <= result["objective_upper_bound"]
    assert result["certificate"] == pytest.approx(result["objective"] / result["objective_upper_bound"])
    assert result["certificate_scope"] == "all_rows"
    assert result["certificate_objective"] == {
        "name": "coverage",
        "value": result["objective"],
        "constraint": "n_prototypes",
    }
    for rank, prototype in enumerate(result["prototypes"], 1):
        assert set(prototype) == _PROTOTYPE_FIELDS
        assert prototype["rank"] == rank
        assert set(prototype["coverage"]) == {"n_rows", "share"}
        assert set(prototype["quality"]) == {*_QUALITY_FIELDS, "vote_entropy"}
        assert [set(cell) for cell in prototype["features"]] == [{"name", "value"}] * 30
        assert prototype["row_id"] == str(prototype["row"])
    assert set(result["quality"]) == {*_QUALITY_FIELDS, "hubness_entropy", "n_rows", "labels", "by_class"}
    assert [each["label"] for each in result["quality"]["by_class"]] == result["classes"]
    assert (result["quality"]["n_rows"], result["quality"]["labels"]) == (569, "predicted")
    assert [set(each) for each in result["evaluation"]] == [_EVALUATION_FIELDS] * 8
    assert set(result["baseline"]) == {"model", "one_nearest_neighbor", "constant"}
    assert {"prediction", "model_prediction", "fidelity"} <= set(result["baseline"]["constant"])
    assert result["classes_without_prototypes"] == []
    assert (result["evaluated_on"], result["measured_against"]) == ("dataset", "target")


def test_requested_again_a_ready_set_is_answered_at_once(api: Api, forest: Registered) -> None:
    answer = api.post("/v1/prototype-sets", _request(forest, n_prototypes=8))

    assert answer.status_code == 200
    assert "Location" not in answer.headers
    assert answer.headers["Content-Location"] == f"/v1/prototype-sets/{forest.prototype_set['id']}"
    assert answer.json() == {**forest.prototype_set, "reused": True}


def test_defaults_spelled_out_are_the_same_question(api: Api, forest: Registered) -> None:
    spelled = _request(
        forest, method="sm_a", n_prototypes=8, labels="predicted", proximity_kind="auto", refine="none", seed=0
    )

    assert api.post("/v1/prototype-sets", spelled).json()["id"] == forest.prototype_set["id"]


def test_a_request_as_it_is_answered_is_the_same_question(api: Api, forest: Registered) -> None:
    answer = api.post("/v1/prototype-sets", forest.prototype_set["request"])

    assert (answer.status_code, answer.json()["id"]) == (200, forest.prototype_set["id"])


def test_lists_hold_sets_without_what_was_found(api: Api, forest: Registered) -> None:
    listed = api.get("/v1/prototype-sets?limit=1000").json()

    (found,) = (each for each in listed["data"] if each["id"] == forest.prototype_set["id"])
    assert set(found) == _FIELDS
    assert found["status"] == "ready"
    assert found["result"] is None


@pytest.mark.parametrize("method", ["sm_u", "sm_a", "sm_wa", "sg", "a_pete"])
@pytest.mark.parametrize("kind", ["random_forest", "boosting"])
@pytest.mark.sampled("values")
def test_every_method_and_proximity_is_made(api: Api, forest: Registered, method: str, kind: str) -> None:
    evaluation = api.upload("/v1/datasets", csv_of(frame_of(forest.fitted).tail(100)), {"target": "t"}).json()["id"]
    size = {} if method == "a_pete" else {"n_prototypes": 4}

    made = api.make(**_request(forest, method=method, proximity_kind=kind, evaluation_dataset=evaluation, **size))

    result = made["result"]
    assert (made["status"], result["proximity_kind"], result["evaluated_on"]) == ("ready", kind, "evaluation_dataset")
    assert result["n_selected"] == len(result["prototypes"])
    assert result["n_selected"] >= 2 if method == "a_pete" else result["n_selected"] == 4
    assert result["stopped_by"]["reason"] == ("alpha" if method == "a_pete" else "n_prototypes")


def _content(api: Api, prototype_set: Json, accept: str) -> bytes:
    answer = api.get(f"/v1/prototype-sets/{prototype_set['id']}/content", Accept=accept)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"].partition(";")[0] == accept
    return answer.content


def test_the_content_as_json_is_the_set_without_how_it_came_about(api: Api, forest: Registered) -> None:
    content = json.loads(_content(api, forest.prototype_set, "application/json"))

    assert PrototypeSetResult.model_validate(content)
    assert content == forest.prototype_set["result"]
    assert set(content) == _RESULT_FIELDS


def test_the_classifier_is_exported_and_predicts_what_explanations_say(api: Api, forest: Registered) -> None:
    path = f"/v1/prototype-sets/{forest.prototype_set['id']}/export"
    python, document, onnx = (api.get(f"{path}?format={form}") for form in ("python", "json", "onnx"))

    names: dict[str, Any] = {}
    exec(compile(python.text, "exported classifier", "exec"), names)  # noqa: S102  # that is what it is for
    explained = api.explain(forest.explainer["id"], [forest.instance(row) for row in range(20)], detail="full")["data"]
    found = [names["predict"](forest.instance(row)) for row in range(20)]
    assert found == [each["prototype_prediction"]["label"] for each in explained]
    assert PrototypeClassifier.model_validate_json(document.content).refusal is None
    assert (python.headers["Content-Type"], onnx.headers["Content-Type"]) == (
        "text/x-python; charset=utf-8",
        "application/octet-stream",
    )
    outputs = onnxruntime.InferenceSession(onnx.content).get_outputs()
    assert [each.name for each in outputs] == ["label", "nearest_prototype", "proximity"]
    assert api.get(f"{path}?format=pickle").status_code == 422


def test_the_content_as_csv_and_parquet_has_a_row_for_each_prototype(api: Api, forest: Registered) -> None:
    as_csv = pd.read_csv(io.BytesIO(_content(api, forest.prototype_set, "text/csv")), dtype={"row_id": str})
    parquet = _content(api, forest.prototype_set, "application/vnd.apache.parquet")
    as_parquet = pq.read_table(io.BytesIO(parquet)).to_pandas()

    prototypes = forest.prototype_set["result"]["prototypes"]
    for table in (as_csv, as_parquet):
        assert table["rank"].tolist() == [prototype["rank"] for prototype in prototypes]
        assert table["row_id"].tolist() == [prototype["row_id"] for prototype in prototypes]
        assert table["coverage_n_rows"].tolist() == [prototype["coverage"]["n_rows"] for prototype in prototypes]
        for name in (*_QUALITY_FIELDS, "vote_entropy"):
            values = [prototype["quality"][name] for prototype in prototypes]
            assert table[f"quality_{name}"].tolist() == pytest.approx(values)
        for position, name in enumerate(forest.names):
            values = [prototype["features"][position]["value"] for prototype in prototypes]
            assert table[f"feature:{name}"].tolist() == pytest.approx(values)


@pytest.mark.parametrize(
    ("accept", "given"),
    [
        ("*/*", "application/json"),
        ("text/html, */*;q=0.8", "application/json"),
        ("text/csv;q=0.5, application/json", "application/json"),
        ("application/json;q=0.1, text/csv", "text/csv"),
        ("text/*", "text/csv"),
        ("TEXT/CSV; charset=utf-8", "text/csv"),
        ("application/json;q=0, text/csv;q=0.1", "text/csv"),
        ("application/json;q=0, */*", "text/csv"),
        ("application/json;q=0, application/*", "application/vnd.apache.parquet"),
    ],
)
def test_the_form_liked_best_is_given(api: Api, forest: Registered, accept: str, given: str) -> None:
    answer = api.get(f"/v1/prototype-sets/{forest.prototype_set['id']}/content", Accept=accept)

    assert answer.status_code == 200
    assert answer.headers["Content-Type"].partition(";")[0] == given


@pytest.mark.parametrize("accept", ["text/html", "image/png, text/plain", "application/json;q=0"])
def test_another_form_is_not_acceptable(api: Api, forest: Registered, accept: str) -> None:
    answer = api.get(f"/v1/prototype-sets/{forest.prototype_set['id']}/content", Accept=accept)

    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")


def test_cells_that_a_spreadsheet_would_run_are_neutralised_in_csv_alone(api: Api, forest: Registered) -> None:
    frame = frame_of(forest.fitted).assign(id=[f"=cmd({row})" for row in range(569)])
    dataset = api.upload("/v1/datasets", csv_of(frame), {"target": "t", "row_id": "id"}).json()["id"]
    made = api.make(**_request(forest, dataset=dataset, n_prototypes=2))

    table = pd.read_csv(io.BytesIO(_content(api, made, "text/csv")))

    assert all(prototype["row_id"].startswith("=cmd(") for prototype in made["result"]["prototypes"])
    assert table["row_id"].str.startswith("'=cmd(").all()


def test_a_failed_job_says_why_and_can_be_tried_again(api: Api, forest: Registered) -> None:
    frame = frame_of(forest.fitted)
    dataset = api.upload("/v1/datasets", csv_of(frame[frame["t"] == 1].head(9)), {"target": "t"}).json()["id"]
    request = _request(forest, dataset=dataset, n_prototypes=2)
    first = api.post("/v1/prototype-sets", request).json()
    job = api.wait(first["job"])
    failed = api.get(f"/v1/prototype-sets/{first['id']}").json()

    assert (job["status"], failed["status"]) == ("failed", "failed")
    assert failed["problem"] == job["problem"]
    assert failed["problem"]["code"] == "schema_mismatch"
    assert "at least two classes" in failed["problem"]["detail"]
    content = api.get(f"/v1/prototype-sets/{first['id']}/content")
    assert (content.status_code, content.json()["code"]) == (409, "artefact_not_ready")
    explainer = api.post("/v1/explainers", {"model": forest.model["id"], "prototype_set": first["id"]})
    assert (explainer.status_code, explainer.json()["code"]) == (409, "artefact_not_ready")

    again = api.post("/v1/prototype-sets", request)

    assert (again.status_code, again.json()["id"]) == (202, first["id"])
    assert again.json()["job"] != first["job"]
    assert again.json()["problem"] is None
    api.wait(again.json()["job"])
    assert api.delete(f"/v1/prototype-sets/{first['id']}").status_code == 204


def test_a_deleted_set_is_made_again_by_a_new_job(api: Api, forest: Registered) -> None:
    request = _request(forest, n_prototypes=2, seed=42)
    first = api.make(**request)
    path = f"/v1/prototype-sets/{first['id']}"
    assert api.delete(path).status_code == 204
    assert [api.get(path).status_code, api.get(f"{path}/content").status_code, api.delete(path).status_code] == [
        404
    ] * 3

    again = api.make(**request)

    assert again["job"] != first["job"]
    assert {**again, "job": "", "created_at": ""} == {**first, "job": "", "created_at": ""}


def test_a_set_in_use_is_not_deleted(api: Api, forest: Registered) -> None:
    answer = api.delete(f"/v1/prototype-sets/{forest.prototype_set['id']}")

    assert (answer.status_code, answer.json()["code"]) == (409, "in_use")
    assert forest.explainer["id"] in answer.json()["detail"]


@pytest.mark.long
def test_more_prototypes_than_a_result_has_room_for_are_refused_before_a_job_is_made(api: Api) -> None:
    n_columns, n_rows = 7000, 200
    graph = regressor(stump(), n_features=n_columns).SerializeToString()
    names = [f"f{column:04}" for column in range(n_columns)]
    model = api.upload("/v1/models", graph, {"feature_names": names, "ensemble": "random_forest"}).json()["id"]
    values = np.random.default_rng(0).random((n_columns, n_rows))
    target = io.BytesIO()
    pq.write_table(pa.table(dict(zip(names, values, strict=True))), target)
    dataset = api.upload("/v1/datasets", target.getvalue(), {}).json()["id"]
    request = {"model": model, "dataset": dataset, "n_prototypes": 200}

    refused = api.post("/v1/prototype-sets", request)

    problem = refused.json()
    assert (refused.status_code, problem["code"]) == (422, "resource_estimate_exceeds_limit"), problem
    assert problem["errors"][0]["pointer"] == "/n_prototypes"
    assert "33,554,432" in problem["detail"]
    n_fitting = int(problem["detail"].rpartition("at most ")[2])
    made = api.make(**{**request, "n_prototypes": n_fitting})
    # The trees have nothing to gain from a second one.
    assert (made["status"], len(made["result"]["prototypes"])) == ("ready", 1)
    n_shown = 1 + len(made["result"]["criticisms"])  # with all values, too
    n_bytes_each = len(api.get(f"/v1/prototype-sets/{made['id']}/content").content) / n_shown
    assert 0.8 < n_fitting * n_bytes_each / (32 << 20) <= 1


@pytest.mark.parametrize("change", [{"n_prototypes": 3}, {"per_outcome": "equal"}, {"n_per_outcome": 0}])
def test_numbers_of_outcomes_take_the_place_of_other_numbers(
    api: Api, forest: Registered, change: dict[str, object]
) -> None:
    counts = [{"outcome": forest.model["classes"][0], "n_prototypes": change.get("n_per_outcome", 2)}]
    request = {**_request(forest), "n_prototypes": None, **change, "n_per_outcome": counts}

    refused = api.post("/v1/prototype-sets", request)

    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/n_per_outcome")


@pytest.mark.parametrize(
    ("changes", "status", "code", "pointer"),
    [
        ({"n_prototypes": 570}, 422, "validation_failed", "/n_prototypes"),
        ({"n_prototypes": 0}, 422, "validation_failed", "/n_prototypes"),
        ({"n_prototypes": "many"}, 422, "validation_failed", "/n_prototypes"),
        ({"n_prototypes": 2.5}, 422, "validation_failed", "/n_prototypes"),
        ({"method": "a_pete", "n_prototypes": 2}, 422, "validation_failed", "/n_prototypes"),
        ({"method": "magic"}, 422, "validation_failed", "/method"),
        ({"alpha": 1}, 422, "validation_failed", "/alpha"),
        ({"alpha": 0.1}, 422, "validation_failed", "/alpha"),
        ({"method": "sg", "refine": "swap"}, 422, "method_not_applicable", "/refine"),
        ({"nearest_rows": {"min_leaf_rows": 285}}, 422, "validation_failed", "/nearest_rows/min_leaf_rows"),
        ({"nearest_rows": {"min_leaf_rows": "auto"}}, 422, "validation_failed", "/nearest_rows/min_leaf_rows"),
        ({"nearest_rows": {"proximity_kind": "euclidean"}}, 422, "validation_failed", "/nearest_rows/proximity_kind"),
        (
            {"proximity_kind": "euclidean", "nearest_rows": {"min_leaf_rows": 2}},
            422,
            "method_not_applicable",
            "/nearest_rows",
        ),
        ({"refine": "swaps"}, 422, "validation_failed", "/refine"),
        ({"per_outcome": "fair"}, 422, "validation_failed", "/per_outcome"),
        ({"per_outcome": "equal", "method": "sm_u"}, 422, "method_not_applicable", "/per_outcome"),
        (
            {"per_outcome": "by_rows", "method": "a_pete", "n_prototypes": None},
            422,
            "method_not_applicable",
            "/per_outcome",
        ),
        ({"per_outcome": "equal", "n_prototypes": None, "coverage": 0.5}, 422, "method_not_applicable", "/per_outcome"),
        ({"n_per_outcome": []}, 422, "validation_failed", "/n_per_outcome"),
        (
            {"n_per_outcome": [{"outcome": "maybe", "n_prototypes": 2}], "n_prototypes": None},
            422,
            "validation_failed",
            "/n_per_outcome/0/outcome",
        ),
        ({"n_candidates": 1}, 422, "validation_failed", "/n_candidates"),
        ({"n_candidates": 50.5}, 422, "validation_failed", "/n_candidates"),
        ({"n_candidates": True}, 422, "validation_failed", "/n_candidates"),
        ({"n_candidates": 20, "n_prototypes": 21}, 422, "validation_failed", "/n_prototypes"),
        ({"seed": -1}, 422, "validation_failed", "/seed"),
        ({"labels": "guessed"}, 422, "validation_failed", "/labels"),
        ({"model": None}, 422, "validation_failed", "/model"),
        ({"modell": "mdl_1"}, 422, "unknown_field", "/modell"),
        ({"model": "mdl_gone"}, 404, "not_found", None),
        ({"dataset": "ds_gone"}, 404, "not_found", None),
        ({"evaluation_dataset": "ds_gone"}, 404, "not_found", None),
    ],
)
def test_what_cannot_be_is_refused_and_no_job_begun(
    api: Api, forest: Registered, changes: dict[str, object], status: int, code: str, pointer: str | None
) -> None:
    newest = api.newest_job()

    refused = api.post("/v1/prototype-sets", _request(forest, **changes))

    assert (refused.status_code, refused.json()["code"]) == (status, code)
    if pointer is not None:
        assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]
    assert api.newest_job() == newest


def test_rows_that_do_not_fit_the_model_are_refused_before_a_job(api: Api, forest: Registered) -> None:
    frame = frame_of(forest.fitted)
    cases = {
        "lacks 'f7'": frame.drop(columns="f7"),
        "'f7' is a category": frame.assign(f7="text"),
    }
    for said, rows in cases.items():
        dataset = api.upload("/v1/datasets", csv_of(rows), {"target": "t"}).json()["id"]
        for changes in ({"dataset": dataset}, {"evaluation_dataset": dataset}):
            refused = api.post("/v1/prototype-sets", _request(forest, **changes))
            assert (refused.status_code, refused.json()["code"]) == (422, "schema_mismatch")
            assert said in refused.json()["detail"]


def test_classes_of_a_target_need_a_target_with_two_of_them(api: Api, forest: Registered) -> None:
    frame = frame_of(forest.fitted)
    without = api.upload("/v1/datasets", csv_of(frame.drop(columns="t"))).json()["id"]
    alike = api.upload("/v1/datasets", csv_of(frame.assign(t=1)), {"target": "t"}).json()["id"]

    for dataset, said in ((without, "has none"), (alike, "at least two classes")):
        refused = api.post("/v1/prototype-sets", _request(forest, dataset=dataset, labels="target"))
        assert (refused.status_code, refused.json()["code"]) == (422, "schema_mismatch")
        assert said in refused.json()["detail"]


def test_a_model_of_one_class_is_not_advised_to_take_other_rows(api: Api) -> None:
    rows = pd.DataFrame({"x0": [0.0, 1.0, 2.0], "x1": [1.0, 0.0, 2.0]})
    converted = convert_model(RandomForestClassifier(2, random_state=0).fit(rows, ["a"] * 3), rows)
    model = api.upload("/v1/models", converted.onnx, converted.metadata()).json()["id"]
    dataset = api.upload("/v1/datasets", csv_of(rows.assign(t="a")), {"target": "t"}).json()["id"]

    request = {"model": model, "dataset": dataset, "n_prototypes": 1, "labels": "target"}
    made = api.wait(api.post("/v1/prototype-sets", request).json()["job"])

    assert made["status"] == "failed"
    assert made["problem"]["detail"].endswith("take a model of at least two classes")


def test_requests_with_the_same_answer_are_one_prototype_set(api: Api, forest: Registered) -> None:
    spelled = {"n_prototypes": 8, "proximity_kind": "random_forest", "evaluation_dataset": _request(forest)["dataset"]}

    answer = api.post("/v1/prototype-sets", {**_request(forest), **spelled})

    assert (answer.status_code, answer.json()["id"]) == (200, forest.prototype_set["id"])


def test_the_rows_of_a_prototype_are_those_that_it_covers(api: Api, forest: Registered) -> None:
    path = f"/v1/prototype-sets/{forest.prototype_set['id']}/rows"
    prototypes = forest.prototype_set["result"]["prototypes"]
    listed = {each["rank"]: _all_rows(api, f"{path}?rank={each['rank']}") for each in prototypes}

    for prototype in prototypes:
        rows = listed[prototype["rank"]]
        assert len(rows) == prototype["coverage"]["n_rows"]
        order = [(-row["proximity"], row["row"]) for row in rows]
        assert order == sorted(order)
        assert (rows[0]["proximity"], {row["rank"] for row in rows}) == (1, {prototype["rank"]})
        assert prototype["row_id"] in {row["row_id"] for row in rows if row["proximity"] == 1}
    everyone = [row["row"] for rows in listed.values() for row in rows]
    assert len(everyone) == len(set(everyone))
    one = api.get(f"{path}?rank=1&limit=1&cursor=1").json()
    assert (one["data"], one["next_cursor"]) == (listed[1][1:2], "2")
    assert api.get(f"{path}?rank=99").status_code == 404
    assert api.get(path).status_code == 422


def _all_rows(api: Api, path: str) -> list[Json]:
    found: list[Json] = api.get(f"{path}&limit=1000").json()["data"]
    return found
