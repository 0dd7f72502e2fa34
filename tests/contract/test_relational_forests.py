"""Relational forests and feature sets over HTTP: what they publish, how it is protected, and each way they fail."""

import io
from dataclasses import replace
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.support.api import Api, Json
from tests.support.bank import bank
from tests.support.raw_tables import RawTables
from tests.support.relational_service import nested_instance, register_tables
from tests.support.sql_engines import by_example, in_duckdb, same_value

_FORESTS, _SETS, _DATASETS = "/v1/relational-forests", "/v1/feature-sets", "/v1/datasets"
_REQUEST: Json = {"n_trees": 3, "seed": 7, "min_samples_leaf": 3}
_BY_ACCOUNT = {"id": "a", "table": "account", "from": "example", "by": "account.customer_id"}
_HAS_CREDIT: Json = {
    "kind": "exists",
    "variables": [_BY_ACCOUNT],
    "conditions": [{"variable": "a", "column": "kind", "operator": "=", "value": "credit"}],
}
_HIGHEST: Json = {
    "kind": "max",
    "name": "highest limit",
    "variables": [_BY_ACCOUNT],
    "measure": {"variable": "a", "column": "limit"},
}
_REGION: Json = {"kind": "value", "name": "region", "measure": {"variable": "example", "column": "region"}}
_LISTED = [_HAS_CREDIT, _HIGHEST, _REGION]


@pytest.fixture(scope="module")
def raw() -> RawTables:
    """Return a bank whose first customers have no label."""
    tables = bank(150, seed=3, mean_transactions=8)
    labels = [None] * 10 + list(tables.columns["customer"]["defaulted"][10:])
    return replace(tables, columns={**tables.columns, "customer": {**tables.columns["customer"], "defaulted": labels}})


@pytest.fixture(scope="module")
def tables(api: Api, raw: RawTables) -> Json:
    return register_tables(api, raw, "a bank")


@pytest.fixture(scope="module")
def made(api: Api, tables: Json) -> Json:
    made = api.made(_FORESTS, {**_REQUEST, "relational_dataset": tables["id"]})
    assert made["status"] == "ready", made["problem"]
    return made


def test_a_forest_is_published_as_a_feature_set_a_model_and_a_dataset(api: Api, made: Json, tables: Json) -> None:
    result = made["result"]
    features = api.get(f"{_SETS}/{result['feature_set']}").json()
    model = api.get(f"/v1/models/{result['model']}").json()
    dataset = api.get(f"{_DATASETS}/{result['dataset']}").json()

    names = [feature["name"] for feature in features["result"]["features"]]
    assert features["status"] == "ready"
    assert features["job"] is None
    assert model["feature_names"] == names
    assert (model["task"], model["classes"], model["ensemble"]) == ("classification", ["no", "yes"], "random_forest")
    assert model["n_trees"] == len(result["trees"]) == 3
    assert (dataset["feature_set"], dataset["n_rows"], dataset["target"]) == (result["feature_set"], 150, "defaulted")
    types = {column["name"]: column["type"] for column in dataset["columns"] if column["role"] == "feature"}
    assert types == {feature["name"]: feature["type"] for feature in features["result"]["features"]}
    assert {feature["type"] for feature in features["result"]["features"] if feature["kind"] == "exists"} <= {"boolean"}
    assert dataset["row_id"] == "id"
    assert tables["id"] == features["request"]["relational_dataset"]
    assert made["request"]["task"] == "classification"


def test_the_published_model_predicts_the_published_dataset_as_its_evaluation_says(api: Api, made: Json) -> None:
    result = made["result"]
    rows = _rows(api, result["dataset"])
    names = api.get(f"/v1/models/{result['model']}").json()["feature_names"]
    instances = [{name: row[name] for name in names} for row in rows]

    predicted = api.post(f"/v1/models/{result['model']}/predictions", {"instances": instances}).json()["data"]

    labels = [row["prediction"]["label"] for row in predicted]
    labelled = [index for index, row in enumerate(rows) if row["defaulted"] is not None]
    training = result["evaluation"]["training"]
    assert training["n_examples"] == len(labelled) == 140
    right = [labels[index] == rows[index]["defaulted"] for index in labelled]
    assert training["accuracy"] == pytest.approx(sum(right) / 140)
    assert 0.5 < result["evaluation"]["out_of_bag"]["accuracy"] <= 1
    n_nodes = sum(tree["n_nodes"] for tree in result["trees"])
    assert result["evaluation"]["n_nodes"] == n_nodes
    assert result["evaluation"]["n_leaves"] == n_nodes + 3


def test_nested_rows_have_the_values_of_the_dataset(api: Api, made: Json, raw: RawTables) -> None:
    result = made["result"]
    rows = _rows(api, result["dataset"])
    instances = [nested_instance(raw, example) for example in range(20)]

    answer = api.post(f"{_SETS}/{result['feature_set']}/rows", {"instances": instances})

    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert [row["row_id"] for row in found["data"]] == [str(example) for example in range(20)]
    for row, of_dataset in zip(found["data"], rows, strict=False):
        values = dict(zip(found["features"], row["values"], strict=True))
        assert values == {name: of_dataset[name] for name in values}


def test_the_same_request_makes_the_same_bytes_after_everything_was_deleted(api: Api, raw: RawTables) -> None:
    tables = register_tables(api, raw, "to be made twice")
    request = {**_REQUEST, "method": "bagging", "relational_dataset": tables["id"]}
    first = api.made(_FORESTS, request)
    things = _things(api, first["result"])

    again = api.post(_FORESTS, request)
    assert (again.status_code, again.json()["reused"]) == (200, True)
    _delete_all(api, first)
    second = api.made(_FORESTS, request)

    assert second["id"] == first["id"]
    assert second["result"] == first["result"]
    assert _things(api, second["result"]) == things
    _delete_all(api, second)
    assert api.delete(f"/v1/relational-datasets/{tables['id']}").status_code == 204


def test_nothing_is_deleted_while_something_rests_on_it(api: Api, made: Json, tables: Json) -> None:
    result = made["result"]
    for path, user in (
        (f"/v1/relational-datasets/{tables['id']}", ""),
        (f"{_SETS}/{result['feature_set']}", result["dataset"]),
        (f"/v1/models/{result['model']}", made["id"]),
        (f"{_DATASETS}/{result['dataset']}", made["id"]),
    ):
        refused = api.delete(path)
        assert (refused.status_code, refused.json()["code"]) == (409, "in_use"), path
        assert user in refused.json()["detail"]


def test_requests_with_the_same_answer_are_one(api: Api, tables: Json) -> None:
    request = {"relational_dataset": tables["id"], "method": "tilde", "max_depth": 2}

    made = api.made(_FORESTS, {**request, "n_trees": 50, "test_share": 0.1, "seed": 3})
    same = api.post(_FORESTS, request).json()

    assert same["id"] == made["id"]
    assert made["result"]["evaluation"]["out_of_bag"] is None
    assert [tree["depth"] <= 2 for tree in made["result"]["trees"]] == [True]


# Feature sets.


def test_a_list_of_features_is_a_set_at_once(api: Api, tables: Json) -> None:
    request = {"relational_dataset": tables["id"], "features": _LISTED}

    created = api.post(_SETS, request)
    again = api.post(_SETS, request)

    assert created.status_code == 201, created.text
    body = created.json()
    assert created.headers["Location"] == f"{_SETS}/{body['id']}"
    assert (body["status"], body["job"], body["reused"]) == ("ready", None, False)
    assert [feature["name"] for feature in body["result"]["features"]][1:] == ["highest limit", "region"]
    assert [feature["type"] for feature in body["result"]["features"]] == ["boolean", "number", "category"]
    assert (again.status_code, again.json()["reused"]) == (200, True)
    assert again.json()["id"] == body["id"]
    exported = api.get(f"{_SETS}/{body['id']}/export?format=json").json()
    again = api.post(_SETS, {**request, "features": [_plain(feature) for feature in exported]})
    assert again.json()["id"] == body["id"]


def test_a_set_becomes_a_dataset_of_its_own_tables_and_of_another_delivery(
    api: Api, raw: RawTables, tables: Json
) -> None:
    listed = api.post(_SETS, {"relational_dataset": tables["id"], "features": _LISTED}).json()["id"]
    later = bank(40, seed=9, mean_transactions=2)
    customers = {**later.columns["customer"], "region": ["abroad", *later.columns["customer"]["region"][1:]]}
    other = register_tables(api, replace(later, columns={**later.columns, "customer": customers}), "a later delivery")

    for request, source in (({}, raw), ({"relational_dataset": other["id"]}, None)):
        answer = api.post(f"{_SETS}/{listed}/datasets", request)
        assert answer.status_code == 202, answer.text
        made = answer.json()
        assert answer.headers["Location"] == f"/v1/jobs/{made['job']}"
        assert api.wait(made["job"])["status"] == "succeeded"
        again = api.post(f"{_SETS}/{listed}/datasets", request)
        assert (again.status_code, again.json()) == (200, {**made, "status": "ready", "job": None})
        rows = _rows(api, made["dataset"])
        assert api.get(f"{_DATASETS}/{made['dataset']}").json()["feature_set"] == listed
        if source is not None:
            regions = source.columns["customer"]["region"]
            assert [row["region"] for row in rows] == list(regions)
            credit = {
                customer
                for customer, kind in zip(
                    source.columns["account"]["customer_id"], source.columns["account"]["kind"], strict=True
                )
                if kind == "credit"
            }
            (name,) = {name for name in rows[0] if name not in {"id", "defaulted", "region", "highest limit"}}
            assert [row[name] for row in rows] == [number in credit for number in range(150)]
        else:
            assert len(rows) == 40


@pytest.mark.parametrize(
    ("features", "code", "pointer"),
    [
        ([{**_REGION, "measure": {"variable": "example", "column": "defaulted"}}], "unknown_feature", "/features/0"),
        ([_REGION, {**_HIGHEST, "measure": {"variable": "a", "column": "none"}}], "unknown_feature", "/features/1"),
        ([_HAS_CREDIT, {**_HAS_CREDIT, "name": "the same"}], "validation_failed", "/features/1"),
        ([_HIGHEST, {**_HAS_CREDIT, "name": "highest limit"}], "validation_failed", "/features/1"),
        ([{**_HIGHEST, "kind": "mode"}], "validation_failed", "/features/0"),
        ([{**_HAS_CREDIT, "colour": "red"}], "unknown_field", "/features/0/colour"),
        ([], "validation_failed", "/features"),
    ],
)
def test_features_that_cannot_be_asked_are_refused_with_their_place(
    api: Api, tables: Json, features: list[Json], code: str, pointer: str
) -> None:
    refused = api.post(_SETS, {"relational_dataset": tables["id"], "features": features})

    assert (refused.status_code, refused.json()["code"]) == (422, code), refused.text
    assert refused.json()["errors"][0]["pointer"] == pointer


def test_a_set_is_listed_or_generated(api: Api, tables: Json) -> None:
    for request in ({}, {"features": _LISTED, "generate": {"depth": 1}}):
        refused = api.post(_SETS, {"relational_dataset": tables["id"], **request})
        assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")


def test_rows_that_cannot_be_read_are_refused_one_by_one_and_too_many_together(
    api: Api, raw: RawTables, tables: Json
) -> None:
    listed = api.post(_SETS, {"relational_dataset": tables["id"], "features": _LISTED}).json()["id"]
    good = nested_instance(raw, 0)
    bad: list[Json] = [
        {**good, "branch": [{"id": 1}]},
        {name: rows for name, rows in good.items() if name != "customer"},
        {**good, "customer": good["customer"] * 2},
        {**good, "account": [*good["account"], good["account"][0]]},
        {**good, "account": [{**good["account"][0], "customer_id": 77}]},
    ]

    answer = api.post(f"{_SETS}/{listed}/rows", {"instances": [good, *bad]}).json()["data"]

    assert [row["status"] for row in answer] == ["ok", *["error"] * len(bad)]
    assert {row["problem"]["code"] for row in answer[1:]} == {"schema_mismatch"}
    many = api.post(f"{_SETS}/{listed}/rows", {"instances": [{"customer": []}] * 101})
    assert (many.status_code, many.json()["code"]) == (413, "too_many_rows")
    wide: Json = {"customer": [{}] * 100_001}
    assert api.post(f"{_SETS}/{listed}/rows", {"instances": [wide]}).json()["code"] == "too_many_rows"


def test_more_values_than_one_answer_holds_are_refused_with_what_to_do(api: Api) -> None:
    texts = [f"{level}{'x' * 50_000}" for level in range(2)]
    files = {"person.csv": "id,a,b\n" + "".join(f"{row},{text},{text}\n" for row, text in enumerate(texts))}
    metadata = {"examples": {"table": "person"}, "tables": [{"name": "person", "primary_key": ["id"]}]}
    tables = api.upload_tables("/v1/relational-datasets", files, metadata).json()
    features = [{"kind": "value", "measure": {"variable": "example", "column": name}} for name in "ab"]
    made = api.post(_SETS, {"relational_dataset": tables["id"], "features": features}).json()
    instances = [{"person": [{"id": row, "a": texts[0], "b": texts[1]}]} for row in range(50)]

    answer = api.post(f"{_SETS}/{made['id']}/rows", {"instances": instances[:40]})
    refused = api.post(f"{_SETS}/{made['id']}/rows", {"instances": instances})

    assert [row["values"] for row in answer.json()["data"]] == [texts] * 40
    assert (refused.status_code, refused.json()["code"]) == (413, "too_many_rows")
    assert "the first 42 of 50 examples" in refused.json()["detail"]


def test_a_set_that_was_deleted_is_evaluated_no_more(api: Api, raw: RawTables, tables: Json) -> None:
    features = [{**_REGION, "name": "a region to be deleted"}]
    made = api.post(_SETS, {"relational_dataset": tables["id"], "features": features}).json()
    request = {"instances": [nested_instance(raw, 3)]}
    assert api.post(f"{_SETS}/{made['id']}/rows", request).status_code == 200

    assert api.delete(f"{_SETS}/{made['id']}").status_code == 204

    assert api.post(f"{_SETS}/{made['id']}/rows", request).status_code == 404


def test_another_schema_is_no_delivery(api: Api, raw: RawTables, tables: Json) -> None:
    listed = api.post(_SETS, {"relational_dataset": tables["id"], "features": _LISTED}).json()["id"]
    accounts = {name: values for name, values in raw.columns["account"].items() if name != "limit"}
    schema = raw.schema
    columns = {name: of for name, of in schema.tables["account"].columns.items() if name != "limit"}
    without = replace(schema, tables={**schema.tables, "account": replace(schema.tables["account"], columns=columns)})
    other = register_tables(api, RawTables(without, {**raw.columns, "account": accounts}), "another schema")

    refused = api.post(f"{_SETS}/{listed}/datasets", {"relational_dataset": other["id"]})

    assert (refused.status_code, refused.json()["code"]) == (422, "schema_mismatch")
    assert "'limit'" in refused.json()["detail"]


def test_features_are_generated_by_a_job(api: Api, tables: Json) -> None:
    made = api.made(_SETS, {"relational_dataset": tables["id"], "generate": {"depth": 1}})

    assert made["status"] == "ready", made["problem"]
    kinds = {feature["kind"] for feature in made["result"]["features"]}
    assert {"value", "count", "mean", "max", "mode"} <= kinds
    assert made["result"]["n_features"] == len(made["result"]["features"])
    dataset = api.post(f"{_SETS}/{made['id']}/datasets", {}).json()
    assert api.wait(dataset["job"])["status"] == "succeeded"
    summary = api.get(f"{_DATASETS}/{dataset['dataset']}").json()
    assert summary["n_features"] == made["result"]["n_features"]


def test_features_as_sql_have_the_values_of_the_dataset(api: Api, made: Json, raw: RawTables) -> None:
    sql = api.get(f"{_SETS}/{made['result']['feature_set']}/export?format=sql").text
    names = api.get(f"/v1/models/{made['result']['model']}").json()["feature_names"]

    with in_duckdb(raw) as run:
        found = by_example(raw, run(sql))

    for values, row in zip(found, _rows(api, made["result"]["dataset"]), strict=True):
        assert all(same_value(value, row[name]) for name, value in zip(names, values, strict=True))


# Forests that cannot be learned.


def test_ways_back_to_other_examples_are_refused_where_their_columns_have_no_time(api: Api) -> None:
    tables = register_tables(api, bank(40, seed=3, mean_transactions=3, cutoffs=True), "a bank with cutoffs")
    other = {"id": "b", "table": "customer", "from": "a", "by": "account.customer_id"}
    feature = {"kind": "max", "variables": [_BY_ACCOUNT, other], "measure": {"variable": "b", "column": "age"}}
    of_parent = {"variable": "a", "column": "age", "parents": ["account.customer_id"]}
    requests: list[tuple[str, Json, str]] = [
        (_FORESTS, {"language": {"through_examples": True}}, "/language/through_examples"),
        (_SETS, {"features": [_HAS_CREDIT, feature]}, "/features/1"),
        (_SETS, {"features": [{"kind": "max", "variables": [_BY_ACCOUNT], "measure": of_parent}]}, "/features/0"),
    ]

    for path, request, pointer in requests:
        refused = api.post(path, {**request, "relational_dataset": tables["id"]})
        assert (refused.status_code, refused.json()["code"]) == (422, "relational_time_type"), refused.text
        assert refused.json()["errors"][0]["pointer"] == pointer
    assert api.post(_SETS, {"features": [_HAS_CREDIT, _HIGHEST], "relational_dataset": tables["id"]}).is_success


@pytest.mark.parametrize(
    ("language", "code", "pointer"),
    [
        ({"relationships": ["account.owner"]}, "unknown_feature", "/language/relationships"),
        ({"tables": {"branch": {}}}, "unknown_feature", "/language/tables/branch"),
        ({"tables": {"account": {"columns": ["colour"]}}}, "unknown_feature", "/language/tables/account/columns"),
        ({"tables": {"customer": {"columns": ["defaulted"]}}}, "unknown_feature", "/language/tables/customer/columns"),
        (
            {"relationships": [], "tables": {"customer": {"columns": []}}},
            "relational_language_empty",
            "/language",
        ),
    ],
)
def test_a_language_of_unknown_names_or_of_no_test_is_refused(
    api: Api, tables: Json, language: Json, code: str, pointer: str
) -> None:
    refused = api.post(_FORESTS, {"relational_dataset": tables["id"], "language": language})

    assert (refused.status_code, refused.json()["code"]) == (422, code), refused.text
    assert refused.json()["errors"][0]["pointer"] == pointer


def test_a_misspelt_name_of_a_language_is_answered_with_the_near_one(api: Api, tables: Json) -> None:
    meant = {
        "account.customer_id": {"relationships": ["acount.customer_id"]},
        "account": {"tables": {"acount": {}}},
        "limit": {"tables": {"account": {"columns": ["limmit"]}}},
    }
    for name, language in meant.items():
        refused = api.post(_FORESTS, {"relational_dataset": tables["id"], "language": language})
        assert refused.json()["detail"].endswith(f"; did you mean {name!r}?"), refused.text


@pytest.mark.parametrize("labels", [["no"] * 20, ["no"] * 15 + [None] * 5])
def test_one_class_is_nothing_to_learn(api: Api, labels: list[Any]) -> None:
    tables = bank(20, seed=1)
    columns = {**tables.columns, "customer": {**tables.columns["customer"], "defaulted": labels}}
    registered = register_tables(api, replace(tables, columns=columns), "one class")

    refused = api.post(_FORESTS, {"relational_dataset": registered["id"]})

    assert (refused.status_code, refused.json()["code"]) == (422, "method_not_applicable")


def test_without_a_target_there_is_nothing_to_learn_but_features_of_it(api: Api) -> None:
    tables = bank(20, seed=2)
    registered = register_tables(api, replace(tables, schema=replace(tables.schema, target=None)), "no target")

    refused = api.post(_FORESTS, {"relational_dataset": registered["id"]})

    assert (refused.status_code, refused.json()["code"]) == (422, "method_not_applicable")
    listed = api.post(_SETS, {"relational_dataset": registered["id"], "features": _LISTED}).json()["id"]
    made = api.post(f"{_SETS}/{listed}/datasets", {}).json()
    assert api.wait(made["job"])["status"] == "succeeded"
    assert api.get(f"{_DATASETS}/{made['dataset']}").json()["target"] is None


def test_labels_that_no_test_separates_fail_the_job_and_publish_nothing(api: Api) -> None:
    tables = bank(20, seed=4)
    registered = register_tables(api, tables, "no test")
    request = {"relational_dataset": registered["id"], "min_samples_leaf": 19}

    failed = api.made(_FORESTS, request)

    assert (failed["status"], failed["problem"]["code"]) == ("failed", "method_not_applicable")
    assert api.delete(f"{_FORESTS}/{failed['id']}").status_code == 204
    assert api.delete(f"/v1/relational-datasets/{registered['id']}").status_code == 204


def _rows(api: Api, dataset: str) -> list[Json]:
    answer = api.get(f"{_DATASETS}/{dataset}/rows", Accept="application/vnd.apache.parquet")
    found: list[Json] = pq.read_table(io.BytesIO(answer.content)).to_pylist()
    return found


def _plain(feature: Json) -> Json:
    return {name: value for name, value in feature.items() if name not in {"id", "type"}}


def _things(api: Api, result: Json) -> list[Any]:
    model, dataset = api.get(f"/v1/models/{result['model']}").json(), api.get(f"{_DATASETS}/{result['dataset']}").json()
    features = api.get(f"{_SETS}/{result['feature_set']}").json()["result"]
    return [model["sha256"], dataset["sha256"], dataset["columns"], features]


def _delete_all(api: Api, made: Json) -> None:
    result = made["result"]
    paths = [f"{_FORESTS}/{made['id']}", f"/v1/models/{result['model']}", f"{_DATASETS}/{result['dataset']}"]
    for path in (*paths, f"{_SETS}/{result['feature_set']}"):
        deleted = api.delete(path)
        assert deleted.status_code == 204, deleted.text
