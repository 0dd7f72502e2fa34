"""Rule sets over HTTP as they are used: exported, in explanations, and in explanation sets."""

import io
import json
import math

import pyarrow.parquet as pq
import pytest

from tests.support.api import Api, Json, Registered, parquet_of
from tests.support.pipelines import PIPELINES, fitted_pipeline, rows_of_frame
from tests.support.printed_rules import run_python, run_sql
from tests.support.sampling import mostly_long

_PATH = "/v1/rule-sets"
_FEW = {"n_restarts": 2, "max_rules": 4}
_PARQUET = "application/vnd.apache.parquet"


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
def explainer(api: Api, forest: Registered, made: Json) -> Json:
    request = {"model": forest.model["id"], "prototype_set": forest.prototype_set["id"], "rule_set": made["id"]}
    answer = api.post("/v1/explainers", request)
    assert answer.status_code == 201, answer.text
    found: Json = answer.json()
    return found


@pytest.mark.parametrize("name", mostly_long(["scaled_and_one_hot", "missing_kept"], "missing_kept"))
def test_exports_predict_for_all_rows_what_explanations_predict(api: Api, name: str) -> None:
    pipeline, table = fitted_pipeline(name), PIPELINES[name]()[1]
    names = list(pipeline.rows.names)
    model = api.upload("/v1/models", pipeline.onnx, {"feature_names": names, "ensemble": "random_forest"}).json()["id"]
    dataset = api.upload("/v1/datasets", parquet_of(table.features.assign(t=table.target)), {"target": "t"}).json()[
        "id"
    ]
    rule_set = api.made(_PATH, {"model": model, "dataset": dataset, **_FEW})
    prototypes = api.make(model=model, dataset=dataset, n_prototypes=3)
    request = {"model": model, "prototype_set": prototypes["id"], "rule_set": rule_set["id"]}
    explainer = api.post("/v1/explainers", request).json()["id"]
    columns = rows_of_frame(table.features).columns
    rows = [dict(zip(names, map(_plain, values), strict=True)) for values in zip(*columns, strict=True)][:1000]

    explained = [row["rules"] for row in api.explain(explainer, rows, include=["rules"], n_prototypes=1)["data"]]

    served = [rules[0]["prediction"] if rules else rule_set["result"]["default_prediction"] for rules in explained]
    texts = frozenset(feature for feature in names if table.features[feature].dtype == object)
    assert any(None in row.values() for row in rows)
    assert run_sql(api.get(f"{_path(rule_set)}/export?format=sql").text, rows, texts) == served
    assert run_python(api.get(f"{_path(rule_set)}/export?format=python").text, rows) == served
    assert len(set(served)) > 1


def _plain(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


@pytest.mark.parametrize(
    ("form", "media_type"),
    [
        ("json", "application/json"),
        ("markdown", "text/markdown"),
        ("sql", "application/sql"),
        ("python", "text/x-python"),
    ],
)
def test_exports_come_with_their_types(api: Api, made: Json, form: str, media_type: str) -> None:
    answer = api.get(f"{_path(made)}/export?format={form}")

    assert answer.status_code == 200
    assert answer.headers["Content-Type"].partition(";")[0] == media_type
    assert made["result"]["rules"][0]["text"] in answer.text
    if form == "json":
        assert answer.json() == api.get(f"{_path(made)}/export").json()
        assert answer.json()["rules"] == made["result"]["rules"]


def test_the_rules_that_hold_are_rendered_in_their_order(
    api: Api, forest: Registered, made: Json, explainer: Json
) -> None:
    rows = [forest.instance(row) for row in range(200)]

    data = api.explain(explainer["id"], rows, include=["rules"])["data"]

    known = {rule["rank"]: rule for rule in made["result"]["rules"]}
    for row in data:
        ranks = [rule["rank"] for rule in row["rules"]]
        assert ranks == sorted(ranks)
        for rule in row["rules"]:
            assert rule == {name: known[rule["rank"]][name] for name in ("rank", "text", "prediction")}
    counts = [sum(rank in {rule["rank"] for rule in row["rules"]} for row in data) for rank in known]
    assert any(counts)
    assert not any("rules" in row for row in api.explain(explainer["id"], rows[:3])["data"])


@pytest.mark.long
def test_explanation_sets_give_the_same_rules_byte_for_byte(api: Api, forest: Registered, explainer: Json) -> None:
    question = {"explainer": explainer["id"], "dataset": forest.dataset["id"], "include": ["rules", "contrast"]}

    found = api.made("/v1/explanation-sets", question)

    lines = api.content(f"/v1/explanation-sets/{found['id']}", "application/x-ndjson").splitlines()
    rows = {"dataset": forest.dataset["id"], "row_ids": [str(row) for row in range(60)]}
    alone = api.post(f"/v1/explainers/{explainer['id']}/explanations", {**rows, "include": ["rules", "contrast"]})
    assert alone.content.partition(b'"data":[')[2].startswith(b",".join(lines[:60]))
    table = pq.read_table(io.BytesIO(api.content(f"/v1/explanation-sets/{found['id']}", _PARQUET))).to_pylist()
    assert [row["summary"] for row in table] == [json.loads(line)["summary"] for line in lines]


def test_rules_cannot_be_included_where_there_are_none(api: Api, forest: Registered) -> None:
    body = {"instances": [forest.instance(0)], "include": ["rules"]}
    of_one = api.post(f"/v1/explainers/{forest.explainer['id']}/explanations", body)
    question = {"explainer": forest.explainer["id"], "dataset": forest.dataset["id"], "include": ["rules"]}
    of_all = api.post("/v1/explanation-sets", question)

    for refused in (of_one, of_all):
        assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
        assert refused.json()["errors"][0]["pointer"] == "/include"


def test_rules_of_another_model_are_a_conflict(api: Api, forest: Registered, made: Json) -> None:
    metadata = {"feature_names": forest.names, "ensemble": "random_forest", "name": "its other twin"}
    twin = api.upload("/v1/models", forest.fitted.onnx, metadata).json()["id"]
    prototypes = api.make(model=twin, dataset=forest.dataset["id"], n_prototypes=2)["id"]

    refused = api.post("/v1/explainers", {"model": twin, "prototype_set": prototypes, "rule_set": made["id"]})

    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert made["id"] in refused.json()["detail"]


def test_a_form_that_nobody_writes_is_refused(api: Api, made: Json) -> None:
    refused = api.get(f"{_path(made)}/export?format=prolog")

    assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")


def test_rules_in_use_stay(api: Api, made: Json, explainer: Json) -> None:
    used = api.delete(_path(made))

    assert (used.status_code, used.json()["code"]) == (409, "in_use")
    assert explainer["id"] in used.json()["detail"]
