"""Approximation trees over HTTP in their other forms, which predict what the tree does, and one is a model again."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.support.api import Api, Json, parquet_of
from tests.support.pipelines import PIPELINES, fitted_pipeline, rows_of_frame
from tests.support.printed_rules import Row, run_python, run_sql
from tests.support.printed_trees import plain_rows

_PATH = "/v1/approximation-trees"
_NAME = "missing_kept"
_N_ROWS = 1000
_MEDIA_TYPES = {
    "json": "application/json",
    "text": "text/plain; charset=utf-8",
    "graphviz": "text/vnd.graphviz; charset=utf-8",
    "svg": "image/svg+xml",
    "sql": "application/sql",
    "python": "text/x-python; charset=utf-8",
    "onnx": "application/octet-stream",
}


@pytest.fixture(scope="module")
def dataset(api: Api) -> str:
    _, table = PIPELINES[_NAME]()
    uploaded = api.upload("/v1/datasets", parquet_of(table.features.assign(t=table.target)), {"target": "t"})
    identifier: str = uploaded.json()["id"]
    return identifier


@pytest.fixture(scope="module")
def tree(api: Api, dataset: str) -> Json:
    pipeline = fitted_pipeline(_NAME)
    metadata = {"feature_names": list(pipeline.rows.names), "ensemble": "random_forest"}
    model = api.upload("/v1/models", pipeline.onnx, metadata).json()["id"]
    made = api.made(_PATH, {"model": model, "dataset": dataset, "max_pseudo_samples": 1000})
    assert made["status"] == "ready", made["problem"]
    return made


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return plain_rows(rows_of_frame(PIPELINES[_NAME]()[1].features))[:_N_ROWS]


def _exported(api: Api, tree: Json, form: str) -> Any:  # what httpx answers
    answer = api.get(f"{_PATH}/{tree['id']}/export?format={form}")
    assert answer.status_code == 200, answer.text
    return answer


def _walked(tree: Json, row: Row) -> str:
    """Return what the tree's own words come to."""
    node = tree["result"]["nodes"][0]
    while node["left"] is not None:
        value = row[node["column"]]
        if value is None:
            holds = node["or_missing"] or node["operator"] == "is missing"
        elif node["operator"] == "<=":
            holds = value <= node["value"]
        else:
            holds = value in (node["value"] if isinstance(node["value"], list) else [node["value"]])
        node = tree["result"]["nodes"][node["left" if holds else "right"]]
    prediction: str = node["prediction"]
    return prediction


@pytest.mark.parametrize("form", _MEDIA_TYPES)
def test_every_form_comes_as_what_it_is(api: Api, tree: Json, form: str) -> None:
    answer = _exported(api, tree, form)

    assert answer.headers["content-type"] == _MEDIA_TYPES[form]
    assert answer.content


def test_sql_and_python_predict_for_all_rows_what_the_tree_predicts(api: Api, tree: Json, rows: list[Row]) -> None:
    expected = [_walked(tree, row) for row in rows]
    texts = frozenset(each["name"] for each in tree["result"]["features"] if each["type"] == "category")

    assert run_sql(_exported(api, tree, "sql").text, rows, texts) == expected
    assert run_python(_exported(api, tree, "python").text, rows) == expected
    assert len(set(expected)) > 1
    assert any(None in row.values() for row in rows)


def test_a_drawing_is_shown_under_the_policy_that_comes_with_it(api: Api, tree: Json) -> None:
    answer = _exported(api, tree, "svg")

    assert "default-src 'none'" in answer.headers["content-security-policy"]
    elements = list(ET.fromstring(answer.text).iter())  # noqa: S314  # our own
    assert not [each for each in elements if each.tag.endswith(("style", "script", "image")) or each.get("style")]


def test_the_onnx_file_is_a_model_that_says_what_the_tree_says_and_can_be_explained(
    api: Api, tree: Json, dataset: str, rows: list[Row]
) -> None:
    registered = api.upload("/v1/models", _exported(api, tree, "onnx").content, {"ensemble": "random_forest"})
    assert registered.status_code == 201, registered.text
    model = registered.json()
    tested = [each["name"] for each in tree["result"]["features"]]
    instances = [{name: row[name] for name in tested} for row in rows]

    data = api.post(f"/v1/models/{model['id']}/predictions", {"instances": instances}).json()["data"]

    assert [each["prediction"]["label"] for each in data] == [_walked(tree, row) for row in rows]
    leaves = {node["id"]: node for node in tree["result"]["nodes"] if node["left"] is None}
    explained = {tuple(score["value"] for score in each["prediction"]["scores"]) for each in data}
    assert explained <= {tuple(score["value"] for score in node["scores"]) for node in leaves.values()}
    assert (model["n_trees"], model["n_leaves"]) == (1, tree["result"]["n_leaves"])
    freely = {"method": "ism", "max_depth": 10, "min_samples_leaf": 1}
    again = api.made(_PATH, {"model": model["id"], "dataset": dataset, **freely})
    assert again["status"] == "ready", again["problem"]
    assert again["result"]["evaluation"]["fidelity"] == 1
