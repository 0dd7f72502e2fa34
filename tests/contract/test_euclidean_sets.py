"""Prototype sets by plain distance over HTTP: made, read and drawn; what needs leaves says why it cannot use them."""

import pytest
from leafspace_client.texts import describe_prototypes
from leafspace_client.types import PrototypeSetResult

from schemas.prototype_sets import PrototypeSet
from tests.support.api import Api, Json, Registered


@pytest.fixture(scope="module")
def by_distance(api: Api, forest: Registered) -> Json:
    request = {"model": forest.model["id"], "dataset": forest.dataset["id"], "labels": "target", "n_prototypes": 4}
    return api.made("/v1/prototype-sets", {**request, "proximity_kind": "euclidean"})


def test_a_set_by_distance_is_evaluated_beside_the_model(by_distance: Json) -> None:
    result = by_distance["result"]

    assert PrototypeSet.model_validate(by_distance).model_dump(mode="json") == by_distance
    assert (result["proximity_kind"], result["certificate"], result["min_leaf_rows"]) == ("euclidean", None, None)
    assert by_distance["request"]["min_leaf_rows"] == 1
    assert [each["n_prototypes"] for each in result["evaluation"]] == [1, 2, 3, 4]
    assert 0.8 < result["evaluation"][-1]["balanced_accuracy"] <= result["baseline"]["model"]["balanced_accuracy"]


def test_the_sdk_prints_it_without_a_certificate(by_distance: Json) -> None:
    lines = describe_prototypes(PrototypeSetResult.from_dict(by_distance["result"])).splitlines()

    bound = lines.index("Rows are compared by plain distance, not by the trees, so that no bound is known.")
    assert lines[bound + 1].startswith("Represented least: row ")
    assert lines[bound + 2] == "Measured on 569 rows, the rows that it was made from:"


def test_proximities_by_distance_are_read_page_by_page(api: Api, forest: Registered) -> None:
    request = {"model": forest.model["id"], "dataset": forest.dataset["id"], "n_neighbors": 2}

    made = api.made("/v1/proximities", {**request, "proximity_kind": "euclidean"})
    row = next(api.pages(f"/v1/proximities/{made['id']}/content", 1))

    assert (made["result"]["proximity_kind"], made["result"]["min_leaf_rows"]) == ("euclidean", None)
    assert len(row["neighbors"]) == 2
    assert row["neighbors"][0]["proximity"] == 1 - row["neighbors"][0]["distance"]


def test_its_rows_and_drawings_are_there(api: Api, forest: Registered, by_distance: Json) -> None:
    path = f"/v1/prototype-sets/{by_distance['id']}"

    rows = api.get(f"{path}/rows?rank=1").json()["data"]
    drawing = api.get(f"{path}/export?format=html").text
    on_a_map = {"model": forest.model["id"], "dataset": forest.dataset["id"], "prototype_set": by_distance["id"]}
    made = api.made("/v1/maps", on_a_map)

    assert len(rows) > 0
    assert rows[0]["proximity"] == 1
    assert "plain distance" in drawing
    assert made["result"]["n_prototypes"] == 4


@pytest.mark.parametrize("form", ["json", "python", "sql", "onnx"])
def test_its_classifier_is_not_exported(api: Api, by_distance: Json, form: str) -> None:
    refused = api.get(f"/v1/prototype-sets/{by_distance['id']}/export?format={form}")

    assert (refused.status_code, refused.json()["code"]) == (422, "method_not_applicable")
    assert "needs the leaves of trees: request the set with another proximity_kind" in refused.json()["detail"]


def test_it_explains_no_rows(api: Api, forest: Registered, by_distance: Json) -> None:
    refused = api.post("/v1/explainers", {"model": forest.model["id"], "prototype_set": by_distance["id"]})

    assert (refused.status_code, refused.json()["code"]) == (422, "method_not_applicable")
    assert refused.json()["errors"][0]["pointer"] == "/prototype_set"
    assert "an explainer needs the leaves of trees" in refused.json()["detail"]


def test_it_has_no_tree_weights_to_compare_rows_by(api: Api, forest: Registered, by_distance: Json) -> None:
    row = forest.instance(0)
    request = {"instances": [row], "others": [row], "weights_of": by_distance["id"]}

    refused = api.post(f"/v1/models/{forest.model['id']}/proximities", request)

    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert "kind 'euclidean'" in refused.json()["detail"]


@pytest.mark.parametrize("noun", ["label-audits", "maps"])
def test_other_nouns_compare_rows_by_leaves_alone(api: Api, forest: Registered, noun: str) -> None:
    request = {"model": forest.model["id"], "dataset": forest.dataset["id"], "proximity_kind": "euclidean"}

    refused = api.post(f"/v1/{noun}", request)

    assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
    assert refused.json()["errors"][0]["pointer"] == "/proximity_kind"
