"""Approximation trees over HTTP as they are used: exported, in explanations, and in explanation sets."""

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from tests.support.api import Api, Json, Registered, parquet_of
from tests.support.pipelines import PIPELINES, fitted_pipeline, rows_of_frame
from tests.support.printed_rules import run_python, run_sql

_PATH = "/v1/approximation-trees"
_FEW = {"max_depth": 4, "max_pseudo_samples": 1000}


@dataclass(frozen=True)
class ShownTree:
    """A tree with an explainer that shows its paths, and rows as callers send them."""

    tree: Json
    explainer: Json
    rows: list[Json]

    @property
    def path(self) -> str:
        return f"{_PATH}/{self.tree['id']}"


def _shown(api: Api, model: str, dataset: str, rows: list[Json], **changes: object) -> ShownTree:
    tree = api.made(_PATH, {"model": model, "dataset": dataset, **_FEW, **changes})
    assert tree["status"] == "ready", tree["problem"]
    prototypes = api.make(model=model, dataset=dataset, n_prototypes=3)["id"]
    request = {"model": model, "prototype_set": prototypes, "approximation_tree": tree["id"]}
    answer = api.post("/v1/explainers", request)
    assert answer.status_code in {200, 201}, answer.text
    return ShownTree(tree, answer.json(), rows)


def _of_pipeline(api: Api, name: str, **changes: object) -> ShownTree:
    pipeline, table = fitted_pipeline(name), PIPELINES[name]()[1]
    names = list(pipeline.rows.names)
    model = api.upload("/v1/models", pipeline.onnx, {"feature_names": names, "ensemble": "random_forest"}).json()["id"]
    frame = parquet_of(table.features.assign(t=table.target))
    dataset = api.upload("/v1/datasets", frame, {"target": "t"}).json()["id"]
    columns = rows_of_frame(table.features).columns
    rows = [dict(zip(names, map(_plain, values), strict=True)) for values in zip(*columns, strict=True)]
    return _shown(api, model, dataset, rows[:700], **changes)


def _plain(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


@pytest.fixture(scope="module")
def shown(api: Api, forest: Registered) -> ShownTree:
    rows = [forest.instance(row) for row in range(100)]
    return _shown(api, forest.model["id"], forest.dataset["id"], rows)


def _answers_of_onnx(onnx: bytes, shown: ShownTree) -> list[Any]:
    session = onnxruntime.InferenceSession(onnx)
    missing_texts = {feature["name"]: feature["missing_text"] for feature in shown.tree["result"]["features"]}
    feeds = {each.name: _column(shown.rows, each.name, missing_texts[each.name]) for each in session.get_inputs()}
    answers: list[Any] = (
        session.run(["label" if shown.tree["result"]["classes"] else "value"], feeds)[0].ravel().tolist()
    )
    return answers


def _column(rows: list[Json], name: str, missing_text: str | None) -> NDArray[Any]:
    values = [row[name] for row in rows]
    if missing_text is None:
        return np.array([math.nan if value is None else value for value in values], np.float64)[:, None]
    return np.array([missing_text if value is None else value for value in values], dtype=object)[:, None]


@pytest.mark.parametrize(
    ("name", "method"),
    [
        pytest.param("scaled_and_one_hot", "ism", marks=pytest.mark.long),
        ("missing_kept", "sta"),
        pytest.param("principal_components", "cart", marks=pytest.mark.long),
    ],
)
def test_exports_predict_for_all_rows_what_explanations_predict(api: Api, name: str, method: str) -> None:
    shown = _of_pipeline(api, name, method=method)

    data = api.explain(shown.explainer["id"], shown.rows, include=["approximation_path"], n_prototypes=1)["data"]

    served = [row["approximation_path"]["leaf"]["prediction"] for row in data]
    texts = frozenset(name for row in shown.rows for name, value in row.items() if isinstance(value, str))
    assert len(set(served)) > 1
    assert name == "principal_components" or any(None in row.values() for row in shown.rows)
    assert run_sql(api.get(f"{shown.path}/export?format=sql").text, shown.rows, texts) == served
    assert run_python(api.get(f"{shown.path}/export?format=python").text, shown.rows) == served
    assert _answers_of_onnx(api.get(f"{shown.path}/export?format=onnx").content, shown) == served


@pytest.mark.parametrize(
    ("form", "media_type"),
    [
        ("json", "application/json"),
        ("text", "text/plain"),
        ("graphviz", "text/vnd.graphviz"),
        ("svg", "image/svg+xml"),
        ("sql", "application/sql"),
        ("python", "text/x-python"),
        ("onnx", "application/octet-stream"),
    ],
)
def test_exports_come_with_their_types(api: Api, shown: ShownTree, form: str, media_type: str) -> None:
    answer = api.get(f"{shown.path}/export?format={form}")

    assert answer.status_code == 200
    assert answer.headers["Content-Type"].partition(";")[0] == media_type
    assert shown.tree["result"]["features"][0]["name"].encode() in answer.content
    if form == "json":
        assert answer.json() == api.get(f"{shown.path}/export").json()
        assert answer.json()["nodes"][0]["text"] == shown.tree["result"]["nodes"][0]["text"]


def test_a_form_that_nobody_writes_is_refused(api: Api, shown: ShownTree) -> None:
    refused = api.get(f"{shown.path}/export?format=prolog")

    assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")


def test_paths_are_rendered_from_the_root_to_a_leaf(api: Api, shown: ShownTree) -> None:
    nodes = shown.tree["result"]["nodes"]

    data = api.explain(shown.explainer["id"], shown.rows, include=["approximation_path"])["data"]

    agreements = []
    for row, instance in zip(data, shown.rows, strict=True):
        path, at = row["approximation_path"], 0
        for step in path["nodes"]:
            holds = instance[nodes[at]["column"]] <= nodes[at]["value"]
            assert step == {"id": at, "feature": nodes[at]["feature"], "text": nodes[at]["text"], "holds": holds}
            at = nodes[at]["left" if holds else "right"]
        assert nodes[at]["left"] is None
        leaf = {name: nodes[at][name] for name in ("id", "prediction", "scores", "n_samples")}
        assert path == {
            "agrees": leaf["prediction"] == row["prediction"]["label"],
            "nodes": path["nodes"],
            "leaf": leaf,
        }
        agreements.append(path["agrees"])
    assert set(agreements) == {False, True}
    others = api.explain(shown.explainer["id"], shown.rows[:3])["data"]
    assert not any("approximation_path" in row for row in others)


@pytest.mark.long
def test_explanation_sets_give_the_same_paths_byte_for_byte(api: Api, forest: Registered, shown: ShownTree) -> None:
    include = ["approximation_path", "contrast"]
    question = {"explainer": shown.explainer["id"], "dataset": forest.dataset["id"], "include": include}

    found = api.made("/v1/explanation-sets", question)

    lines = api.content(f"/v1/explanation-sets/{found['id']}", "application/x-ndjson").splitlines()
    body = {"dataset": forest.dataset["id"], "row_ids": [str(row) for row in range(60)], "include": include}
    alone = api.post(f"/v1/explainers/{shown.explainer['id']}/explanations", body)
    assert alone.content.partition(b'"data":[')[2].startswith(b",".join(lines[:60]))
    assert all(json.loads(line)["approximation_path"]["nodes"] for line in lines)


def test_paths_cannot_be_included_where_there_is_no_tree(api: Api, forest: Registered) -> None:
    body = {"instances": [forest.instance(0)], "include": ["approximation_path"]}
    of_one = api.post(f"/v1/explainers/{forest.explainer['id']}/explanations", body)
    question = {"explainer": forest.explainer["id"], "dataset": forest.dataset["id"], "include": body["include"]}
    of_all = api.post("/v1/explanation-sets", question)

    for refused in (of_one, of_all):
        assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
        assert refused.json()["errors"][0]["pointer"] == "/include"


def test_a_tree_of_another_model_is_a_conflict(api: Api, forest: Registered, shown: ShownTree) -> None:
    metadata = {"feature_names": forest.names, "ensemble": "random_forest", "name": "its third twin"}
    twin = api.upload("/v1/models", forest.fitted.onnx, metadata).json()["id"]
    prototypes = api.make(model=twin, dataset=forest.dataset["id"], n_prototypes=2)["id"]

    request = {"model": twin, "prototype_set": prototypes, "approximation_tree": shown.tree["id"]}
    refused = api.post("/v1/explainers", request)

    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert shown.tree["id"] in refused.json()["detail"]


def test_a_tree_in_use_stays(api: Api, shown: ShownTree) -> None:
    used = api.delete(shown.path)

    assert (used.status_code, used.json()["code"]) == (409, "in_use")
    assert shown.explainer["id"] in used.json()["detail"]


@pytest.mark.parametrize("name", ["scaled_and_one_hot", "missing_kept"])
@pytest.mark.sampled("thirds")
def test_a_questionnaire_has_no_more_questions_than_the_path_of_the_row(api: Api, name: str) -> None:
    shown = _of_pipeline(api, name, method="sta")
    data = api.explain(shown.explainer["id"], shown.rows[:10], include=["approximation_path"], n_prototypes=1)["data"]

    for row, explained in zip(shown.rows[:10], data, strict=True):
        answers: Json = {}
        while (found := _next(api, shown, answers))["question"] is not None:
            assert found["prediction"] is None
            assert found["question"]["column"] not in answers
            assert found["n_asked"] == len(answers)
            assert found["question"]["text"] == shown.tree["result"]["nodes"][found["question"]["node"]]["text"]
            answers[found["question"]["column"]] = row[found["question"]["column"]]
        path = explained["approximation_path"]
        assert found["path"] == path["nodes"]
        assert (found["prediction"], found["scores"]) == (path["leaf"]["prediction"], path["leaf"]["scores"])
        assert (found["n_asked"], found["n_features"]) == (len(answers), len(row))
        assert len(answers) <= 4
        assert set(answers) == {shown.tree["result"]["nodes"][step["id"]]["column"] for step in path["nodes"]}


def _next(api: Api, shown: ShownTree, answers: Json) -> Json:
    answer = api.post(f"{shown.path}/next-question", {"answers": answers})
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def test_a_question_contains_all_that_it_takes_to_put_it(api: Api) -> None:
    shown = _of_pipeline(api, "scaled_and_one_hot", method="ism")
    root = shown.tree["result"]["nodes"][0]

    first = api.post(f"{shown.path}/next-question", {}).json()

    assert set(first) == {
        *("object", "approximation_tree", "question", "prediction", "scores", "n_asked", "n_features", "path"),
    }
    assert (first["object"], first["approximation_tree"]) == ("next_question", shown.tree["id"])
    assert (first["n_asked"], first["path"], first["scores"]) == (0, [], root["scores"])
    question = first["question"]
    path_of_root = {name: root[name] for name in ("feature", "column", "text", "operator", "value", "or_missing")}
    assert {name: question[name] for name in path_of_root} == path_of_root
    named = {
        str(text)
        for node in shown.tree["result"]["nodes"]
        if node["column"] == question["column"]
        for text in (node["value"] if isinstance(node["value"], list) else [node["value"]])
    }
    assert question["categories"] == (sorted(named) if question["type"] == "category" else [])


def test_answers_that_nobody_requested_change_nothing(api: Api, shown: ShownTree) -> None:
    answers = {
        name: value for name, value in shown.rows[0].items() if name != shown.tree["result"]["nodes"][0]["column"]
    }

    assert _next(api, shown, answers) == _next(api, shown, {})
    assert _next(api, shown, shown.rows[0])["question"] is None


@pytest.mark.parametrize(
    ("answers", "code", "pointer"),
    [
        ({"f99": 1}, "unknown_feature", "/answers/f99"),
        ({"a/b~": 1}, "unknown_feature", "/answers/a~1b~0"),
        ({"f0": "large"}, "bad_feature_type", "/answers/f0"),
        ({"f0": [1]}, "bad_feature_type", "/answers/f0"),
        ({"f0": 1e300}, "non_finite_number", "/answers/f0"),
        ([1.0], "validation_failed", "/answers"),
    ],
)
def test_answers_that_do_not_fit_are_refused_by_name(
    api: Api, shown: ShownTree, answers: object, code: str, pointer: str
) -> None:
    refused = api.post(f"{shown.path}/next-question", {"answers": answers})

    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]
