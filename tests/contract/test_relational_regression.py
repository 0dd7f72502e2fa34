"""Relational forests of regression over HTTP: what they publish, and which methods take it."""

import io

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.support import naive_ism
from tests.support.api import Api, Json
from tests.support.bank import bank
from tests.support.printed_rules import run_python
from tests.support.relational_data import mutagenicity
from tests.support.relational_service import nested_instance, register_tables
from tests.support.sql_engines import ENGINES, by_example
from tests.support.targets_of_rows import without_target

_FORESTS, _TREES = "/v1/relational-forests", "/v1/approximation-trees"
_RAW = mutagenicity()
_REQUEST: Json = {"task": "regression", "n_trees": 4, "test_share": 0.1, "max_depth": 4, "seed": 2}


@pytest.fixture(scope="module")
def tables(api: Api) -> Json:
    return register_tables(api, _RAW, "molecules and how mutagenic they are")


@pytest.fixture(scope="module")
def forest(api: Api, tables: Json) -> Json:
    made = api.made(_FORESTS, {**_REQUEST, "relational_dataset": tables["id"]})
    assert made["status"] == "ready", made["problem"]
    return made


@pytest.fixture(scope="module")
def inputs(forest: Json) -> Json:
    return {name: forest["result"][name] for name in ("model", "dataset")}


@pytest.fixture(scope="module")
def tree(api: Api, inputs: Json) -> Json:
    made = api.made(_TREES, {**inputs, "max_pseudo_samples": 1_000, "max_depth": 2})
    assert made["status"] == "ready", made["problem"]
    return made


def test_the_published_model_predicts_the_published_values_as_its_evaluation_says(api: Api, forest: Json) -> None:
    result = forest["result"]
    model = api.get(f"/v1/models/{result['model']}").json()
    answer = api.get(f"/v1/datasets/{result['dataset']}/rows", Accept="application/vnd.apache.parquet")
    rows = pq.read_table(io.BytesIO(answer.content)).to_pylist()
    instances = [{name: row[name] for name in model["feature_names"]} for row in rows]

    data = api.post(f"/v1/models/{result['model']}/predictions", {"instances": instances}).json()["data"]

    assert (result["task"], model["task"], model["n_trees"]) == ("regression", "regression", 4)
    truth = np.array([row["log_mutagenicity"] for row in rows])
    assert truth.tolist() == _RAW.columns["molecule"]["log_mutagenicity"]
    errors = np.array([row["prediction"]["value"] for row in data]) - truth
    training, out_of_bag = result["evaluation"]["training"], result["evaluation"]["out_of_bag"]
    assert training["mean_squared_error"] == pytest.approx(np.mean(errors**2))
    assert training["r2"] == pytest.approx(1 - np.mean(errors**2) / truth.var())
    assert (training["accuracy"], training["balanced_accuracy"]) == (None, None)
    assert training["n_examples"] == 230 > out_of_bag["n_examples"]
    assert 0.2 < out_of_bag["r2"] < training["r2"] < 1


def test_what_regression_ignores_makes_no_other_forest(api: Api, forest: Json, tables: Json) -> None:
    request = {**_REQUEST, "relational_dataset": tables["id"], "criterion": "gain_ratio", "pruning": "none"}

    again = api.post(_FORESTS, request)

    assert (again.status_code, again.json()["id"]) == (200, forest["id"])


def test_a_target_that_is_no_number_is_refused(api: Api) -> None:
    of_labels = register_tables(api, bank(20, seed=5), "labels and no values")

    refused = api.post(_FORESTS, {"relational_dataset": of_labels["id"], "task": "regression"})

    assert (refused.status_code, refused.json()["code"]) == (422, "method_not_applicable")
    assert "'defaulted'" in refused.json()["detail"]


def test_a_target_of_many_numbers_is_one_of_regression(api: Api) -> None:
    n_rows = 1_001
    content = "\n".join(["id,size,price", *(f"{row},{row % 7},{row + 0.5}" for row in range(n_rows))])
    metadata = {"examples": {"table": "house", "target": "price"}, "tables": [{"name": "house", "primary_key": ["id"]}]}
    registered = api.upload_tables("/v1/relational-datasets", {"house.csv": content}, metadata).json()
    request = {"relational_dataset": registered["id"], "method": "tilde", "max_depth": 1}

    refused = api.post(_FORESTS, {**request, "task": "classification"})
    made = api.made(_FORESTS, request)

    assert (refused.status_code, refused.json()["code"]) == (422, "method_not_applicable")
    assert (made["request"]["task"], made["result"]["task"]) == ("regression", "regression")


def test_ism_learns_the_values_and_sta_is_the_default(api: Api, inputs: Json, tree: Json) -> None:
    made = api.made(_TREES, {**inputs, "method": "ism", "fitted_on": "dataset", "max_depth": 3})

    assert made["status"] == "ready", made["problem"]
    assert made["result"]["evaluation"]["fidelity"] > 0.3
    assert tree["request"]["method"] == "sta"


def test_ism_gives_leaves_the_mean_of_the_forest_and_first_asks_what_lowers_the_variance_most(
    api: Api, inputs: Json
) -> None:
    made = api.made(_TREES, {**inputs, "method": "ism", "fitted_on": "dataset", "max_depth": 3})
    nodes = made["result"]["nodes"]
    found = api.get(f"/v1/datasets/{inputs['dataset']}/rows?limit=230").json()["data"]
    rows = [{cell["name"]: cell["value"] for cell in row["values"]} for row in found]
    names = api.get(f"/v1/models/{inputs['model']}").json()["feature_names"]
    instances = [{name: row[name] for name in names} for row in rows]
    answers = api.post(f"/v1/models/{inputs['model']}/predictions", {"instances": instances}).json()["data"]
    values = np.array([each["prediction"]["value"] for each in answers])
    succeeds = [np.array([_succeeds(node, row) for row in rows]) for node in nodes if node["left"] is not None]

    def check(index: int, reached: np.ndarray) -> int:
        node = nodes[index]
        assert node["prediction"] == pytest.approx(values[reached].mean(), rel=1e-6)
        if node["left"] is None:
            return 1
        holds = np.array([_succeeds(node, row) for row in rows])
        return check(node["left"], reached & holds) + check(node["right"], reached & ~holds)

    assert check(0, np.ones(230, dtype=bool)) == made["result"]["n_leaves"] > 3
    decreases = [naive_ism.variance_decrease(values, test) for test in succeeds if 0 < test.mean() < 1]
    assert decreases[0] == pytest.approx(max(decreases))


def test_sql_of_an_ism_tree_reads_the_tables_and_gives_its_values(api: Api, inputs: Json) -> None:
    made = api.made(_TREES, {**inputs, "method": "ism", "fitted_on": "dataset", "max_depth": 3})
    rows = api.get(f"/v1/datasets/{inputs['dataset']}/rows?limit=230").json()["data"]
    sql, python = (api.get(f"{_TREES}/{made['id']}/export?format={form}").text for form in ("sql", "python"))
    expected = run_python(python, [{cell["name"]: cell["value"] for cell in row["values"]} for row in rows])

    for engine in ENGINES.values():
        with engine(_RAW) as run:
            assert [float(value) for (value,) in by_example(_RAW, run(sql))] == pytest.approx(expected)


def _succeeds(node: Json, row: Json) -> bool:
    value = row[node["column"]]
    if value is None:
        return bool(node["or_missing"])
    return bool((float(value) > node["value"]) == (node["operator"] == ">"))


def test_cart_learns_the_values(api: Api, inputs: Json) -> None:
    made = api.made(_TREES, {**inputs, "method": "cart", "max_pseudo_samples": 1_000, "max_depth": 3})

    assert made["status"] == "ready", made["problem"]
    assert made["result"]["evaluation"]["fidelity"] > 0.3


def test_proximities_and_rules_take_such_a_model(api: Api, inputs: Json) -> None:
    proximities = api.made("/v1/proximities", {**inputs, "n_neighbors": 3})
    rules = api.made("/v1/rule-sets", {**inputs, "max_rules": 4, "n_restarts": 1})

    assert proximities["result"]["n_rows"] == 230
    assert rules["status"] == "ready", rules["problem"]
    assert all(rule["text"] for rule in rules["result"]["rules"])


def test_nested_rows_are_explained_with_prototypes_as_the_dataset_s_own_are(api: Api, inputs: Json, tree: Json) -> None:
    prototypes = api.made("/v1/prototype-sets", {**inputs, "n_prototypes": 3})
    request = {"model": inputs["model"], "prototype_set": prototypes["id"], "approximation_tree": tree["id"]}
    explainer = api.post("/v1/explainers", request).json()
    ids = [_RAW.columns["molecule"]["id"][number] for number in (0, 99)]

    of_rows, of_nested = (
        api.post(f"/v1/explainers/{explainer['id']}/explanations", {"row_ids": ids, **each}).json()["data"]
        for each in (
            {"dataset": inputs["dataset"]},
            {"instances": [nested_instance(_RAW, number) for number in (0, 99)]},
        )
    )

    assert [row["status"] for row in of_nested] == ["ok", "ok"], of_nested
    assert of_nested == [without_target(row) for row in of_rows]
