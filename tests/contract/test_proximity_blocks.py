"""/v1/models/{id}/proximities over HTTP: a few rows compared with a few others, while the caller waits."""

import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from schemas.proximities import ProximityBlock
from tests.support import naive
from tests.support.api import Api, Json, Registered, csv_of, frame_of
from tests.support.models import FittedModel, fitted
from tests.support.patience import when_idle
from tests.support.sampling import mostly_long

_FIELDS = {"object", "model", "proximity_kind", "n_trees", "weights_of", "instances", "others", "proximities"}


def _register(api: Api, name: str, ensemble: str) -> tuple[FittedModel, str, str]:
    """Register a fitted model with its rows; return it, and the ids of both."""
    model = fitted(name)
    metadata = {"feature_names": list(model.rows.names), "ensemble": ensemble}
    model_id = api.upload("/v1/models", model.onnx, metadata).json()["id"]
    dataset = api.upload("/v1/datasets", csv_of(frame_of(model)), {"target": "t"}).json()["id"]
    return model, model_id, dataset


def _instances(model: FittedModel, rows: NDArray[np.int64]) -> list[list[float]]:
    return [[float(value) for value in model.features[row]] for row in rows]


def _compare(api: Api, model_id: str, instances: list[Any], others: list[Any], **request: object) -> Json:
    body = {"instances": instances, "others": others, **request}
    answer = api.post(f"/v1/models/{model_id}/proximities", body)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Server-Timing"].startswith("total;dur=")
    found: Json = answer.json()
    assert set(found) == _FIELDS
    assert ProximityBlock.model_validate(found).model_dump(mode="json", exclude_none=True)
    return found


def _weights(model: FittedModel, leaves: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the trees' weights over rows by the paper's formula, from the leaf values as ONNX holds them."""
    ensemble = model.read.ensemble
    values = np.split(ensemble.leaf_values, ensemble.leaf_offsets[1:-1])
    return np.array(naive.boosting_weights(values, leaves), dtype=np.int64)


@pytest.mark.parametrize("name", ["random_forest_binary", "extra_trees_multiclass", "random_forest_regression"])
@pytest.mark.sampled("thirds")
def test_forests_compare_by_the_share_of_trees_with_one_leaf(api: Api, name: str) -> None:
    model, model_id, _ = _register(api, name, "random_forest")
    instances, others = np.arange(7), np.arange(5, 40)

    found = _compare(api, model_id, _instances(model, instances), _instances(model, others))

    leaves = model.library_leaves()
    assert leaves is not None
    shared = [[int((leaves[row] == leaves[other]).sum()) for other in others] for row in instances]
    assert found["proximities"] == [[count / 20 for count in line] for line in shared]
    assert (found["object"], found["model"], found["proximity_kind"]) == ("proximity_block", model_id, "random_forest")
    assert (found["n_trees"], found["weights_of"]) == (20, None)
    for side, n_rows in (("instances", 7), ("others", 35)):
        assert found[side] == [{"row_id": str(row), "status": "ok", "problem": None} for row in range(n_rows)]
    assert found["proximities"][5][0] == found["proximities"][6][1] == 1


@pytest.mark.parametrize(
    "name",
    mostly_long(
        [f"gradient_boosting_{task}" for task in ("binary", "multiclass", "regression")] + ["xgboost_multiclass"],
        "gradient_boosting_multiclass",
    ),
)
def test_boosted_trees_weigh_by_the_rows_of_the_call(api: Api, name: str) -> None:
    model, model_id, _ = _register(api, name, "boosting")
    instances, others = np.arange(0, 60, 7), np.arange(50, 90)

    found = _compare(api, model_id, _instances(model, instances), _instances(model, others))

    leaves = model.session.run_in_chunks(model.rows).leaves
    weights = _weights(model, leaves[np.concatenate([instances, others])])
    proximity = naive.proximity_matrix(leaves, weights)[np.ix_(instances, others)]
    assert found["proximity_kind"] == "boosting"
    assert found["proximities"] == (proximity / 2**31).tolist()


@pytest.mark.parametrize("noun", ["proximities", "label-audits", "prototype-sets"])
def test_trees_can_count_as_they_do_in_what_a_job_made(api: Api, noun: str) -> None:
    model, model_id, dataset = _register(api, "gradient_boosting_multiclass", "boosting")
    made = api.made(f"/v1/{noun}", {"model": model_id, "dataset": dataset})
    rows = np.arange(0, 170, 13)

    found = _compare(api, model_id, _instances(model, rows), _instances(model, rows), weights_of=made["id"])

    leaves = model.session.run_in_chunks(model.rows).leaves
    proximity = naive.proximity_matrix(leaves, _weights(model, leaves))[np.ix_(rows, rows)]
    assert found["weights_of"] == made["id"]
    assert found["proximities"] == (proximity / 2**31).tolist()


@pytest.mark.parametrize("min_leaf_rows", [1, 9])
@pytest.mark.sampled("thirds")
def test_blocks_say_what_the_table_of_all_neighbours_says(api: Api, min_leaf_rows: int) -> None:
    model, model_id, dataset = _register(api, "gradient_boosting_multiclass", "boosting")
    made = api.made(
        "/v1/proximities", {"model": model_id, "dataset": dataset, "n_neighbors": 3} | {"min_leaf_rows": min_leaf_rows}
    )
    row = next(api.pages(f"/v1/proximities/{made['id']}/content", 1))
    near = np.array([neighbor["row"] for neighbor in row["neighbors"]])

    found = _compare(api, model_id, _instances(model, np.array([0])), _instances(model, near), weights_of=made["id"])

    assert found["proximities"][0] == [neighbor["proximity"] for neighbor in row["neighbors"]]


def test_bad_rows_have_problems_of_their_own_and_no_numbers(api: Api, forest: Registered) -> None:
    good = [forest.instance(row) for row in range(4)]
    whole = _compare(api, forest.model["id"], good, good)["proximities"]
    bad = [{"f0": 1}, {**forest.instance(0), "f3": "wide"}, [1e300] * 30]

    instances, others = [bad[0], good[0], good[1]], [good[2], bad[1], good[3], bad[2]]
    found = _compare(api, forest.model["id"], instances, others)

    assert [row["status"] for row in found["instances"]] == ["error", "ok", "ok"]
    assert [row["status"] for row in found["others"]] == ["ok", "error", "ok", "error"]
    codes = [row["problem"] and row["problem"]["code"] for row in found["instances"] + found["others"]]
    assert codes == ["schema_mismatch", None, None, None, "bad_feature_type", None, "non_finite_number"]
    expected = [[whole[row][2], None, whole[row][3], None] for row in range(2)]
    assert found["proximities"] == [None, *expected]


def test_compared_rows_keep_their_callers_names(api: Api, forest: Registered) -> None:
    rows = [forest.instance(0), {}]
    found = _compare(api, forest.model["id"], rows, rows, row_ids=["a", "b"], other_row_ids=["b", "a"])
    unnamed = _compare(api, forest.model["id"], rows, rows)

    for side, names in (("instances", ["a", "b"]), ("others", ["b", "a"])):
        assert [row["row_id"] for row in found[side]] == names
        assert [row["row_id"] for row in unnamed[side]] == ["0", "1"]
    for name in ("row_ids", "other_row_ids"):
        body = {"instances": rows, "others": rows, name: ["c", "c"]}
        refused = api.post(f"/v1/models/{forest.model['id']}/proximities", body).json()
        assert (refused["code"], refused["errors"][0]["pointer"]) == ("validation_failed", f"/{name}/1")
        assert "rows 0 and 1" in refused["detail"]


@pytest.mark.parametrize("kind", ["random_forest", "boosting"])
def test_where_no_row_can_be_read_there_are_no_numbers(api: Api, forest: Registered, kind: str) -> None:
    found = _compare(api, forest.model["id"], [{}], [[], [1]], proximity_kind=kind)
    half = _compare(api, forest.model["id"], [forest.instance(0)], [[], [1]], proximity_kind=kind)

    assert (found["proximities"], half["proximities"]) == ([None], [[None, None]])


def test_a_thousand_rows_are_compared_with_a_thousand_and_no_more(api: Api, forest: Registered) -> None:
    rows = _instances(forest.fitted, np.arange(1000) % 569)

    began = time.monotonic()
    found = _compare(api, forest.model["id"], rows, rows)
    seconds = time.monotonic() - began

    assert len(found["proximities"]) == 1000
    assert all(line[position] == 1 for position, line in enumerate(found["proximities"]))
    assert found["proximities"] == [list(line) for line in zip(*found["proximities"], strict=True)]
    assert seconds < when_idle(10)
    for too_many in ({"instances": [*rows, rows[0]], "others": rows}, {"instances": rows, "others": [*rows, rows[0]]}):
        refused = api.post(f"/v1/models/{forest.model['id']}/proximities", too_many)
        assert (refused.status_code, refused.json()["code"]) == (413, "too_many_rows")
        assert "at most 1000" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("changes", "status", "code", "pointer"),
    [
        ({"instances": []}, 422, "validation_failed", "/instances"),
        ({"others": None}, 422, "validation_failed", "/others"),
        ({"others": [7]}, 422, "validation_failed", "/others/0"),
        ({"proximity_kind": "euclidean"}, 422, "validation_failed", "/proximity_kind"),
        ({"dataset": "ds_1"}, 422, "unknown_field", "/dataset"),
        ({"weights_of": "prx_gone"}, 404, "not_found", None),
        ({"weights_of": "mdl_gone"}, 404, "not_found", None),
    ],
)
def test_what_cannot_be_is_refused(
    api: Api, forest: Registered, changes: dict[str, object], status: int, code: str, pointer: str | None
) -> None:
    row = forest.instance(0)
    path = f"/v1/models/{forest.model['id']}/proximities"

    refused = api.post(path, {"instances": [row], "others": [row], **changes})

    assert (refused.status_code, refused.json()["code"]) == (status, code)
    if pointer is not None:
        assert pointer in [error["pointer"] for error in refused.json()["errors"]]


def test_weights_of_another_model_or_kind_are_refused(api: Api, forest: Registered) -> None:
    _, model_id, dataset = _register(api, "gradient_boosting_multiclass", "boosting")
    others = api.made("/v1/proximities", {"model": model_id, "dataset": dataset})["id"]
    own = forest.prototype_set["id"]
    row = forest.instance(0)
    path = f"/v1/models/{forest.model['id']}/proximities"

    of_another_model = api.post(
        path, {"instances": [row], "others": [row], "proximity_kind": "boosting", "weights_of": others}
    )
    of_another_kind = api.post(
        path, {"instances": [row], "others": [row], "proximity_kind": "boosting", "weights_of": own}
    )

    for refused in (of_another_model, of_another_kind):
        assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
        assert refused.json()["errors"][0]["pointer"] == "/weights_of"


def test_an_unknown_model_is_reported_and_another_kind_of_ensemble_counts_all_trees_alike(
    api: Api, forest: Registered
) -> None:
    body = {"instances": [forest.instance(0)], "others": [forest.instance(1)]}
    metadata = {"feature_names": forest.names, "ensemble": "other"}
    model = api.upload("/v1/models", forest.fitted.onnx, metadata).json()["id"]

    gone = api.post("/v1/models/mdl_gone/proximities", body)
    of_other, of_forest = (api.post(f"/v1/models/{each}/proximities", body) for each in (model, forest.model["id"]))

    assert (gone.status_code, gone.json()["code"]) == (404, "not_found")
    assert of_other.json()["proximity_kind"] == "random_forest"
    assert of_other.json()["proximities"] == of_forest.json()["proximities"]
    assert api.post(f"/v1/models/{model}/proximities", {**body, "proximity_kind": "boosting"}).status_code == 200
