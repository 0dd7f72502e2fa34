"""/v1/approximation-trees over HTTP, made by a real worker: requested, read, refused, cancelled, deleted."""

import io
import json
import time

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline

from schemas.approximation_trees import ApproximationTree
from tests.support import naive_ism
from tests.support.api import Api, Json, Registered, csv_of, frame_of
from tests.support.ism_training import ism_case
from tests.support.models import fitted, matrix_data
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.pipelines import matrix_onnx
from tests.support.sampling import mostly_long
from tree_explainers.approximation_trees.ism import IsmSettings, grow_ism
from tree_explainers.approximation_trees.ordered_tests import OrderedTests
from tree_explainers.approximation_trees.tree_growth import TreeLimits

_PATH = "/v1/approximation-trees"
_FIELDS = set(ApproximationTree.model_fields)
_FEW = {"max_depth": 3, "max_pseudo_samples": 1000}
_CSV, _PARQUET = "text/csv", "application/vnd.apache.parquet"
_MEASURES = {"accuracy", "balanced_accuracy"}


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


@pytest.fixture(scope="module")
def votes(api: Api) -> str:
    """Return a model of AdaBoost."""
    model = fitted("ada_boost_binary")
    metadata = {"feature_names": list(model.rows.names), "ensemble": "other"}
    identifier: str = api.upload("/v1/models", model.onnx, metadata).json()["id"]
    return identifier


def test_a_new_tree_is_accepted_with_a_job_to_look_at(api: Api, request_: Json) -> None:
    answer = api.post(_PATH, {**request_, "seed": 1})

    body = answer.json()
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/v1/jobs/{body['job']}"
    assert answer.headers["Content-Location"] == _path(body)
    assert set(body) == _FIELDS
    assert (body["object"], body["status"], body["result"]) == ("approximation_tree", "pending", None)
    assert body["id"].startswith("apt_")
    job = api.wait(body["job"])
    assert (job["status"], job["artefact"], job["kind"]) == ("succeeded", body["id"], "approximation_trees")


def test_a_ready_tree_shows_its_nodes_and_how_well_it_represents_the_model(
    api: Api, request_: Json, made: Json
) -> None:
    assert set(made) == _FIELDS
    assert ApproximationTree.model_validate(made).model_dump(mode="json") == made
    defaults = {"method": "sta", "max_leaves": None, "min_samples_leaf": 5, "significance": 0.1, "n_repeats": 1}
    assert made["request"] == {
        "run_on": "auto",
        **request_,
        **defaults,
        "generator": {"method": "ranks", "bandwidth": 0.1, "neighbor_probability": 0.1},
        "fitted_on": "generator",
        "choose_by": "fidelity",
        "candidates": None,
        "compare": "all",
        "significance_level_of": "node",
        "criterion": "gain",
        "leaf_probabilities": "rows",
        "smearing_probability": 0.25,
        "stop_when_pure": False,
        "evaluation_dataset": None,
        "seed": 0,
    }
    result = made["result"]
    assert (result["task"], result["classes"], result["method"]) == ("classification", ["0", "1"], "sta")
    assert (result["n_rows"], result["n_trees"], result["n_features"]) == (569, 20, 30)
    assert (result["stability"], result["n_repeats"]) == (None, 1)
    assert result["smoothing"] == {
        "bandwidth": None,
        "rank_bandwidth": 0.1,
        "move_probability": 0.1,
        "swap_probability": None,
    }
    assert result["evaluation"] == result["training_evaluation"]
    assert result["evaluation"]["fidelity"] > 0.9
    (listed,) = (each for each in api.get(f"{_PATH}?limit=1000").json()["data"] if each["id"] == made["id"])
    assert (listed["status"], listed["result"]) == ("ready", None)


def test_nodes_are_in_preorder_and_say_how_sure_each_question_is(made: Json) -> None:
    result = made["result"]
    nodes = result["nodes"]
    assert [node["id"] for node in nodes] == list(range(result["n_nodes"]))
    assert result["n_leaves"] == sum(node["left"] is None for node in nodes)
    assert result["depth"] == max(node["depth"] for node in nodes) <= 3
    assert (nodes[0]["n_samples"], nodes[0]["depth"]) == (569, 0)
    for node in nodes:
        assert sum(score["value"] for score in node["scores"]) == pytest.approx(1)
        if node["left"] is None:
            of_splits = ("feature", "column", "operator", "value", "or_missing", "text", "right", "p_value", "at_cap")
            assert {node[name] for name in of_splits} == {None}
            assert node["n_samples"] >= 5
            continue
        left, right = nodes[node["left"]], nodes[node["right"]]
        assert left["id"] == node["id"] + 1 < right["id"]
        assert left["depth"] == right["depth"] == node["depth"] + 1
        assert left["n_samples"] + right["n_samples"] == node["n_samples"]
        assert 0 <= node["p_value"] <= 1
        assert node["at_cap"] == (node["p_value"] > 0.1)
        assert 0 < node["n_pseudo_samples"] <= 1000
    asked_about = {node["column"] for node in nodes if node["column"]}
    assert asked_about == {feature["name"] for feature in result["features"]}


@pytest.mark.parametrize(
    ("name", "method"),
    [
        pytest.param("random_forest_multiclass", "ism", marks=pytest.mark.long),
        pytest.param("gradient_boosting_multiclass", "sta", marks=pytest.mark.long),
        pytest.param("random_forest_regression", "ism", marks=pytest.mark.long),
        ("random_forest_regression", "born_again"),
        pytest.param("lightgbm_multiclass", "cart", marks=pytest.mark.long),
        pytest.param("ada_boost_binary", "born_again", marks=pytest.mark.long),
    ],
)
def test_models_of_every_kind_have_a_tree_by_every_method(api: Api, name: str, method: str) -> None:
    model = fitted(name)
    metadata = {"feature_names": list(model.rows.names), "ensemble": "random_forest"}
    question = {
        "model": api.upload("/v1/models", model.onnx, metadata).json()["id"],
        "dataset": api.upload("/v1/datasets", csv_of(frame_of(model)), {"target": "t"}).json()["id"],
    }

    found = api.made(_PATH, {**question, **_FEW, "method": method})

    assert found["status"] == "ready", found["problem"]
    assert ApproximationTree.model_validate(found)
    result = found["result"]
    is_number = result["task"] == "regression"
    assert {type(node["prediction"]) for node in result["nodes"]} == {float if is_number else str}
    assert result["classes"] == ([] if is_number else [str(each) for each in np.unique(model.target)])
    assert result["smoothing"] is not None
    assert result["evaluation"]["fidelity"] > 0.5
    assert (result["evaluation"]["probability_l1"] is None) == is_number
    for scores in (result["evaluation"], result["evaluation"]["model"]):
        measures = {name for name in (*_MEASURES, "mean_squared_error", "r2") if scores[name] is not None}
        assert measures == ({"mean_squared_error", "r2"} if is_number else _MEASURES)


@pytest.mark.parametrize("method", mostly_long(["sta", "ism", "born_again", "cart"], "sta"))
def test_a_model_of_a_single_class_is_a_leaf_that_says_it(api: Api, method: str) -> None:
    features, _ = matrix_data("multiclass")
    forest = RandomForestClassifier(3, random_state=0).fit(features, np.ones(len(features), np.int64))
    frame = pd.DataFrame(features.astype(np.float64)).rename(columns=str)
    metadata = {"feature_names": list(frame), "ensemble": "random_forest"}
    question = {
        "model": api.upload("/v1/models", matrix_onnx(forest, features), metadata).json()["id"],
        "dataset": api.upload("/v1/datasets", csv_of(frame.assign(t=1)), {"target": "t"}).json()["id"],
    }

    found = api.made(_PATH, {**question, **_FEW, "method": method})

    assert found["status"] == "ready", found["problem"]
    result = found["result"]
    (leaf,) = result["nodes"]
    assert (leaf["prediction"], leaf["scores"]) == ("1", [{"label": "1", "value": 1.0}])
    assert (result["evaluation"]["fidelity"], result["evaluation"]["accuracy"]) == (1, 1)


@pytest.mark.long
def test_repeats_measure_how_stable_the_tree_is_and_leave_it_as_it_is(api: Api, request_: Json, made: Json) -> None:
    found = api.made(_PATH, {**request_, "n_repeats": 2})

    result = found["result"]
    assert result["nodes"] == made["result"]["nodes"]
    assert result["n_repeats"] == 2
    assert [each["depth"] for each in result["stability"]] == [1, 2, 3]
    counts = [each["n_structures"] for each in result["stability"]]
    assert counts == sorted(counts)
    assert 1 <= counts[0] <= counts[-1] <= 2


def test_a_tree_may_have_fewer_leaves_than_its_depth_allows(api: Api, request_: Json, made: Json) -> None:
    found = api.made(_PATH, {**request_, "max_leaves": 3})
    as_many = api.post(_PATH, {**request_, "max_leaves": 8}).json()

    assert found["result"]["n_leaves"] == 3
    assert found["result"]["nodes"][0]["text"] == made["result"]["nodes"][0]["text"]
    assert as_many["id"] == made["id"]


def test_leaves_of_ism_that_are_settled_are_marked_in_every_form(api: Api) -> None:
    model = fitted("decision_tree_multiclass")
    metadata = {"feature_names": list(model.rows.names), "ensemble": "random_forest"}
    request = {
        "model": api.upload("/v1/models", model.onnx, metadata).json()["id"],
        "dataset": api.upload("/v1/datasets", csv_of(frame_of(model)), {"target": "t"}).json()["id"],
    }

    found = api.made(_PATH, {**request, "method": "ism", "fitted_on": "dataset", "min_samples_leaf": 1})

    settled = [node["settled"] for node in found["result"]["nodes"]]
    rows = pq.read_table(io.BytesIO(api.content(_path(found), _PARQUET))).to_pylist()
    assert {True, False, None} == set(settled)
    assert [row["settled"] for row in rows] == settled
    text = api.get(f"{_path(found)}/export?format=text").text
    assert text.count("settled]") == settled.count(True)
    html = api.get(f"{_path(found)}/export?format=html").text
    assert html.count("✓ settled") == settled.count(True) + 1


def test_a_node_of_one_true_class_may_end_the_questions_of_ism(api: Api, request_: Json) -> None:
    whole = api.made(_PATH, {**request_, "method": "ism", "max_depth": 6, "min_samples_leaf": 1})
    pure = api.made(_PATH, {**request_, "method": "ism", "max_depth": 6, "min_samples_leaf": 1, "stop_when_pure": True})

    assert pure["result"]["n_leaves"] < whole["result"]["n_leaves"]


def test_a_tree_is_evaluated_on_other_rows_when_requested(api: Api, forest: Registered, request_: Json) -> None:
    frame = frame_of(forest.fitted)
    halves = [csv_of(frame.iloc[:400]), csv_of(frame.iloc[400:])]
    first, second = (api.upload("/v1/datasets", half, {"target": "t"}).json()["id"] for half in halves)

    found = api.made(_PATH, {**request_, "dataset": first, "evaluation_dataset": second})

    result = found["result"]
    on = {
        part: (result[part]["n_rows"], result[part]["evaluated_on"]) for part in ("evaluation", "training_evaluation")
    }
    assert on == {"evaluation": (169, "evaluation_dataset"), "training_evaluation": (400, "dataset")}
    assert result["evaluation"]["accuracy"] > 0.75
    on_itself = api.post(_PATH, {**request_, "evaluation_dataset": request_["dataset"]})
    assert on_itself.json()["request"]["evaluation_dataset"] is None


def test_without_a_target_a_tree_is_held_against_the_model_alone(api: Api, forest: Registered, request_: Json) -> None:
    unlabelled = api.upload("/v1/datasets", csv_of(frame_of(forest.fitted).drop(columns="t"))).json()["id"]

    found = api.made(_PATH, {**request_, "dataset": unlabelled})

    assert found["status"] == "ready"
    result = found["result"]
    assert result["evaluation"]["fidelity"] > 0.9
    assert (result["evaluation"]["accuracy"], result["evaluation"]["model"]) == (None, None)


def test_content_comes_in_three_forms(api: Api, made: Json) -> None:
    whole = json.loads(api.content(_path(made), "application/json"))
    as_csv = pd.read_csv(io.BytesIO(api.content(_path(made), _CSV)))
    as_parquet = pq.read_table(io.BytesIO(api.content(_path(made), _PARQUET))).to_pylist()

    result = made["result"]
    assert whole["nodes"] == result["nodes"]
    assert as_csv["id"].tolist() == [node["id"] for node in result["nodes"]]
    assert as_csv["settled"].isna().all()  # which only ISM proves
    for row, node in zip(as_parquet, result["nodes"], strict=True):
        plain = ("feature", "operator", "or_missing", "text", "left", "right", "prediction", "n_samples", "p_value")
        assert {name: row[name] for name in plain} == {name: node[name] for name in plain}
        assert row["value"] == (None if node["value"] is None else json.dumps(node["value"]))
        assert row["score:1"] == node["scores"][1]["value"]


def test_requests_with_the_same_answer_are_one(api: Api, request_: Json) -> None:
    by_ism = {**request_, "method": "ism", "fitted_on": "dataset"}
    first, second = (
        api.post(_PATH, each).json()["id"] for each in (by_ism, {**by_ism, "seed": 7, "max_pseudo_samples": 5000})
    )
    third = api.post(_PATH, {**by_ism, "max_depth": 2}).json()["id"]

    assert first == second != third


@pytest.mark.parametrize(
    ("changes", "pointer", "detail"),
    [
        (
            {"method": "sta", "criterion": "gain_ratio"},
            "/criterion",
            'is "gain_ratio", which method sta does not use: ',
        ),
        ({"method": "sta", "smearing_probability": 0.5}, "/smearing_probability", "or take method born_again"),
        ({"method": "ism", "compare": "best_two"}, "/compare", "leave it out, or take method sta"),
        ({"method": "cart", "choose_by": "gain"}, "/choose_by", "leave it out, or take method sta or ism"),
        ({"method": "cart", "significance": 0.2}, "/significance", "is 0.2, which method cart does not use"),
        (
            {"method": "born_again", "generator": {"method": "bootstrap"}},
            "/generator",
            'is {"method":"bootstrap"}, which method born_again does not use: leave it out, or take method sta, ',
        ),
        (
            {"method": "cart", "fitted_on": "dataset", "generator": {"method": "kernel"}},
            "/generator",
            "which method cart on the dataset's rows does not use: leave it out, or send fitted_on=generator",
        ),
        ({"method": "born_again", "candidates": [{"feature": "f0"}]}, "/candidates", "or take method sta"),
        ({"method": "born_again", "stop_when_pure": True}, "/stop_when_pure", "or take method ism"),
        ({"method": "ism", "max_depth": "validate"}, "/max_depth", "send a depth, or take method sta"),
    ],
)
def test_what_a_method_does_not_use_is_refused_with_what_to_do(
    api: Api, request_: Json, changes: Json, pointer: str, detail: str
) -> None:
    refused = api.post(_PATH, {**request_, **changes})

    assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
    assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]
    assert detail in refused.json()["detail"]


@pytest.mark.long
def test_requested_again_a_tree_is_answered_at_once_and_deleted_it_is_made_again(api: Api, request_: Json) -> None:
    other = api.made(_PATH, {**request_, "seed": 5})
    again = api.post(_PATH, {**request_, "seed": 5})
    assert (again.status_code, again.json()) == (200, {**other, "reused": True})
    assert api.delete(_path(other)).status_code == 204
    gone = [api.get(f"{_path(other)}{part}").status_code for part in ("", "/content", "/export", "/export?format=onnx")]
    assert gone == [404] * 4
    made_again = api.made(_PATH, {**request_, "seed": 5})
    assert made_again["job"] != other["job"]
    assert {**made_again, "job": "", "created_at": ""} == {**other, "job": "", "created_at": ""}


@pytest.mark.parametrize(
    ("changes", "status", "code", "pointer"),
    [
        ({"max_depth": 0}, 422, "validation_failed", "/max_depth"),
        ({"max_depth": 31}, 422, "validation_failed", "/max_depth"),
        ({"max_leaves": 1}, 422, "validation_failed", "/max_leaves"),
        ({"max_leaves": 1025}, 422, "validation_failed", "/max_leaves"),
        ({"min_samples_leaf": 0}, 422, "validation_failed", "/min_samples_leaf"),
        ({"min_samples_leaf": 10**30}, 422, "validation_failed", "/min_samples_leaf"),
        ({"significance": 0}, 422, "validation_failed", "/significance"),
        ({"significance": 1}, 422, "validation_failed", "/significance"),
        ({"significance": "0.1"}, 422, "validation_failed", "/significance"),
        ({"significance": True}, 422, "validation_failed", "/significance"),
        ({"stop_when_pure": "yes"}, 422, "validation_failed", "/stop_when_pure"),
        ({"max_pseudo_samples": 999}, 422, "validation_failed", "/max_pseudo_samples"),
        ({"max_pseudo_samples": 10_000_001}, 422, "validation_failed", "/max_pseudo_samples"),
        ({"n_repeats": 0}, 422, "validation_failed", "/n_repeats"),
        ({"n_repeats": 201}, 422, "validation_failed", "/n_repeats"),
        ({"n_repeats": True}, 422, "validation_failed", "/n_repeats"),
        ({"n_repeats": 2, "method": "ism", "fitted_on": "dataset"}, 422, "validation_failed", "/n_repeats"),
        ({"n_repeats": 2, "method": "cart", "fitted_on": "dataset"}, 422, "validation_failed", "/n_repeats"),
        ({"fitted_on": "dataset"}, 422, "validation_failed", "/fitted_on"),
        ({"max_depth": "validate", "method": "cart"}, 422, "validation_failed", "/max_depth"),
        ({"candidates": [{"feature": "no such"}]}, 422, "unknown_feature", "/candidates/0/feature"),
        ({"candidates": [{"feature": "f0"}], "method": "ism"}, 422, "validation_failed", "/candidates"),
        ({"generator": {"method": "kernel", "bandwidth": 0}}, 422, "validation_failed", "/generator/bandwidth"),
        ({"generator": {"method": "dataset", "dataset": "ds_gone"}}, 404, "not_found", None),
        ({"stop_when_pure": True}, 422, "validation_failed", "/stop_when_pure"),
        ({"stop_when_pure": True, "method": "cart"}, 422, "validation_failed", "/stop_when_pure"),
        ({"method": "id3"}, 422, "validation_failed", "/method"),
        ({"seed": -1}, 422, "validation_failed", "/seed"),
        ({"labels": "predicted"}, 422, "unknown_field", "/labels"),
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


def test_ism_is_refused_where_there_are_no_class_probabilities(api: Api, request_: Json, votes: str) -> None:
    answer = api.post(_PATH, {**request_, "model": votes, "method": "ism"})

    assert (answer.status_code, answer.json()["code"]) == (422, "method_not_applicable")
    assert answer.json()["errors"][0]["pointer"] == "/method"
    assert "sta" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("name", "ensemble", "changes"),
    [
        ("random_forest_regression", "random_forest", {"stop_when_pure": True}),
        ("random_forest_regression", "random_forest", {"leaf_probabilities": "independent"}),
        ("random_forest_regression", "random_forest", {"criterion": "gain_ratio"}),
        ("gradient_boosting_multiclass", "boosting", {"leaf_probabilities": "independent"}),
        ("catboost_binary", "boosting", {"leaf_probabilities": "independent"}),
        ("lightgbm_binary", "random_forest", {"leaf_probabilities": "independent"}),  # whatever the caller calls it
    ],
)
def test_what_ism_cannot_do_for_a_kind_of_model_is_refused_before_a_job(
    api: Api, name: str, ensemble: str, changes: Json
) -> None:
    model, newest = fitted(name), api.newest_job()
    metadata = {"feature_names": list(model.rows.names), "ensemble": ensemble}
    request = {
        "model": api.upload("/v1/models", model.onnx, metadata).json()["id"],
        "dataset": api.upload("/v1/datasets", csv_of(frame_of(model)), {"target": "t"}).json()["id"],
    }

    refused = api.post(_PATH, {**request, "method": "ism", **changes})

    assert (refused.status_code, refused.json()["code"]) == (422, "method_not_applicable")
    assert [error["pointer"] for error in refused.json()["errors"]] == [f"/{field}" for field in changes]
    assert api.newest_job() == newest


@pytest.fixture(scope="module")
def of_classes(api: Api) -> Json:
    """Return a request about a forest of several classes, whose tests ISM chooses on the dataset's rows."""
    model = fitted("random_forest_multiclass")
    metadata = {"feature_names": list(model.rows.names), "ensemble": "random_forest"}
    return {
        "model": api.upload("/v1/models", model.onnx, metadata).json()["id"],
        "dataset": api.upload("/v1/datasets", csv_of(frame_of(model)), {"target": "t"}).json()["id"],
        "method": "ism",
        "fitted_on": "dataset",
        "max_depth": 2,
    }


def test_the_criterion_of_ism_is_the_one_that_was_requested(api: Api, of_classes: Json) -> None:
    case = ism_case("random_forest_multiclass")
    scores, tests, rows = case.training.scores, OrderedTests(case.training.binned), np.arange(len(case.rows))
    all_ratios = [
        naive_ism.gain_ratio(scores, given)
        for given in (tests.holds(test, rows) for test in range(tests.n_tests))
        if 5 <= given.sum() <= len(rows) - 5
    ]

    by_gain, by_ratio = (
        api.made(_PATH, {**of_classes, "criterion": criterion})["result"]["nodes"][0]
        for criterion in ("gain", "gain_ratio")
    )

    ratio_of_gain, ratio = (
        naive_ism.gain_ratio(scores, case.rows.select([root["column"]]).columns[0] <= root["value"])
        for root in (by_gain, by_ratio)
    )
    assert ratio == pytest.approx(max(all_ratios), abs=1e-6)
    assert ratio_of_gain < ratio - 1e-3


def test_the_leaf_probabilities_of_ism_are_those_that_were_requested(api: Api, of_classes: Json) -> None:
    case = ism_case("random_forest_multiclass")
    settings = IsmSettings(TreeLimits(2, 5), leaf_probabilities="independent")
    expected = grow_ism(case.training, case.read.ensemble, case.read.description, settings)

    by_rows, independent = (
        _conditions(api.made(_PATH, {**of_classes, "leaf_probabilities": each})) for each in ("rows", "independent")
    )

    assert independent == [(node.condition.column, node.condition.value) for node in expected.nodes if node.condition]
    assert by_rows != independent


def _conditions(made: Json) -> list[tuple[str, float]]:
    return [(node["column"], node["value"]) for node in made["result"]["nodes"] if node["left"] is not None]


def test_the_p_values_of_sta_are_those_of_the_splits_that_were_requested(api: Api, request_: Json) -> None:
    """On the same pseudo rows, the chance that one other split is better is at most a half; of all, it is their sum."""
    of_root = {**request_, "max_depth": 1, "max_pseudo_samples": 1000, "choose_by": "gain"}

    of_all, of_two = (
        api.made(_PATH, {**of_root, "compare": compare})["result"]["nodes"][0] for compare in ("all", "best_two")
    )

    assert (of_all["column"], of_all["value"]) == (of_two["column"], of_two["value"])
    assert of_all["n_pseudo_samples"] == of_two["n_pseudo_samples"] == 1000
    assert 0 < of_two["p_value"] <= 0.5 < of_all["p_value"]


def test_a_tree_may_be_grown_on_rows_of_another_dataset_which_then_stays(
    api: Api, forest: Registered, request_: Json
) -> None:
    own = frame_of(forest.fitted).drop(columns="t").iloc[::2]
    other = api.upload("/v1/datasets", csv_of(own)).json()["id"]
    generator = {"method": "dataset", "dataset": other}

    found = api.made(_PATH, {**request_, "generator": generator})
    refused = api.delete(f"/v1/datasets/{other}")

    assert found["status"] == "ready", found["problem"]
    assert (found["request"]["generator"], found["result"]["smoothing"]) == (generator, None)
    assert (refused.status_code, refused.json()["code"]) == (409, "in_use")
    assert api.delete(_path(found)).status_code == 204
    assert api.delete(f"/v1/datasets/{other}").status_code == 204


@pytest.mark.long
def test_a_tree_may_split_on_what_the_caller_says_as_deep_as_is_confirmed(api: Api, request_: Json) -> None:
    candidates = [{"feature": "f7", "thresholds": [0.02, 0.05, 0.08]}, {"feature": "f23"}]

    found = api.made(_PATH, {**request_, "candidates": candidates, "max_depth": "validate", "min_samples_leaf": 40})

    nodes = [node for node in found["result"]["nodes"] if node["left"] is not None]
    assert found["request"]["max_depth"] == "validate"
    assert 1 <= found["result"]["depth"] <= 10
    assert {node["feature"] for node in nodes} <= {"f7", "f23"}
    assert {node["value"] for node in nodes if node["feature"] == "f7"} <= {0.02, 0.05, 0.08}


def test_cart_on_the_rows_of_the_dataset_makes_no_rows_up(api: Api, request_: Json) -> None:
    found = api.made(_PATH, {**request_, "method": "cart", "fitted_on": "dataset", "max_leaves": 4})

    result = found["result"]
    assert (result["n_leaves"], result["smoothing"]) == (4, None)
    assert result["evaluation"]["fidelity"] > 0.9
    assert found["request"]["max_pseudo_samples"] == 100_000  # the default: it is not used


def test_a_generator_that_the_paper_fills_in_is_left_out_where_nothing_is_drawn(api: Api, request_: Json) -> None:
    on_rows = {**request_, "method": "cart", "fitted_on": "dataset", "max_leaves": 4}

    by_paper = api.made(_PATH, {**on_rows, "max_depth": 4, "settings": "paper"})

    assert by_paper["id"] == api.made(_PATH, {**on_rows, "max_depth": 4})["id"]
    assert by_paper["request"]["generator"]["method"] == "ranks"  # the default, which is not used


@pytest.mark.parametrize("changes", [{"fitted_on": "dataset", "max_leaves": 4}, {"fitted_on": "generator"}])
def test_ism_says_that_leaves_are_those_of_the_largest_gains_where_none_are_chosen(
    api: Api, request_: Json, changes: Json
) -> None:
    by_ism = {**request_, "method": "ism", **changes}

    found = [api.made(_PATH, {**by_ism, **more}) for more in ({}, {"choose_by": "gain"}, {"choose_by": "fidelity"})]

    assert len({made["id"] for made in found}) == 1
    assert found[0]["request"]["choose_by"] == "gain"


def test_figures_on_the_rows_that_a_tree_was_grown_from_are_cautioned_of(api: Api, request_: Json) -> None:
    frame = frame_of(fitted("random_forest_binary"))
    other = api.upload("/v1/datasets", csv_of(frame.iloc[::2]), {"target": "t"}).json()["id"]
    on_others = {**request_, "evaluation_dataset": other, "method": "cart"}

    drawn, given = (
        api.made(_PATH, {**on_others, "generator": generator})["result"]
        for generator in ({"method": "ranks"}, {"method": "dataset", "dataset": other})
    )

    code = "grown_from_its_evaluation_rows"
    assert code in [each["code"] for each in given["cautions"]]
    assert code not in [each["code"] for each in drawn["cautions"]]


def test_ism_is_refused_where_columns_are_mixed_and_sta_is_not(api: Api, forest: Registered) -> None:
    features, target = forest.fitted.features, forest.fitted.target
    mixed = Pipeline([("mixed", PCA(5)), ("trees", RandomForestClassifier(10, max_depth=5, random_state=0))])
    onnx = matrix_onnx(mixed.fit(features, target), features)
    metadata = {"feature_names": forest.names, "ensemble": "random_forest"}
    question = {"model": api.upload("/v1/models", onnx, metadata).json()["id"], "dataset": forest.dataset["id"], **_FEW}

    by_questions, by_answers = api.post(_PATH, {**question, "method": "ism"}), api.made(_PATH, question)

    assert (by_questions.status_code, by_questions.json()["code"]) == (422, "method_not_applicable")
    assert "cannot be mapped back" in by_questions.json()["detail"]
    assert by_answers["status"] == "ready", by_answers["problem"]
    assert {feature["name"] for feature in by_answers["result"]["features"]} <= set(forest.names)


def test_the_purity_of_nodes_takes_a_target(api: Api, forest: Registered, request_: Json) -> None:
    unlabelled = api.upload("/v1/datasets", csv_of(frame_of(forest.fitted).drop(columns="t"))).json()["id"]

    refused = api.post(_PATH, {**request_, "dataset": unlabelled, "method": "ism", "stop_when_pure": True})

    assert (refused.status_code, refused.json()["code"]) == (422, "schema_mismatch")
    assert refused.json()["errors"][0]["pointer"] == "/stop_when_pure"


def test_a_tree_that_is_not_ready_says_so_and_its_job_stops_within_two_seconds(api: Api, request_: Json) -> None:
    slow = {**request_, "max_depth": 8, "max_pseudo_samples": 1_000_000, "significance": 1e-6, "n_repeats": 200}
    requested = api.post(_PATH, slow).json()
    seen: list[float] = []
    until = time.monotonic() + PATIENCE_SECONDS
    while not (seen and seen[-1] > 0) and time.monotonic() < until:
        progress = api.get(f"/v1/jobs/{requested['job']}").json()["progress"]
        if progress["stage"] == "growing the tree":
            seen.append(progress["fraction"])
        time.sleep(0.05)
    early = [api.get(f"{_path(requested)}/{part}") for part in ("content", "export", "export?format=onnx")]
    early.append(api.post(f"{_path(requested)}/next-question", {}))

    began = time.monotonic()
    api.post(f"/v1/jobs/{requested['job']}/cancel")
    ended = api.wait(requested["job"])

    assert seen
    assert [(answer.status_code, answer.json()["code"]) for answer in early] == [(409, "artefact_not_ready")] * 4
    assert ended["status"] == "cancelled"
    assert time.monotonic() - began < when_idle(2.5)  # of which the look for the status takes a part
    assert api.get(_path(requested)).json()["status"] == "cancelled"
