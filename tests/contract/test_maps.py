"""/v1/maps over HTTP, made by a real worker: rows in two dimensions, and places of new ones."""

import io

import numpy as np
import pyarrow.parquet as pq
import pytest

from schemas.maps import Map, MapRow, PlaceList
from tests.support.api import Api, Json, Registered, csv_of, frame_of, register

_PATH = "/v1/maps"


def _about(forest: Registered) -> Json:
    return {"model": forest.model["id"], "dataset": forest.dataset["id"]}


@pytest.fixture(scope="module")
def made(api: Api, forest: Registered) -> Json:
    request = {**_about(forest), "prototype_set": forest.prototype_set["id"], "n_rows": 90, "n_neighbors": 20}
    return api.made(_PATH, request)


def test_a_map_has_the_rows_that_were_requested_with_all_prototypes(api: Api, forest: Registered, made: Json) -> None:
    result = made["result"]
    rows = list(api.pages(f"{_PATH}/{made['id']}/content", 40))

    assert made["id"].startswith("map_")
    assert Map.model_validate(made).model_dump(mode="json") == made
    assert all(MapRow.model_validate(row) for row in rows)
    assert len(rows) == result["n_rows_shown"] == 90
    prototypes = {each["row"]: each["rank"] for each in forest.prototype_set["result"]["prototypes"]}
    assert {row["row"]: row["prototype_rank"] for row in rows if row["prototype_rank"]} == prototypes
    assert result["n_prototypes"] == len(prototypes)
    assert result["trustworthiness"] > 0.85
    assert 1 >= result["neighbors_kept"] > result["neighbors_kept_by_chance"] > 0
    assert result["trustworthiness"] > result["trustworthiness_by_chance"] > 0.3
    frame = frame_of(forest.fitted)
    assert [row["label"] for row in rows] == [str(frame["t"][row["row"]]) for row in rows]
    labels = forest.fitted.library_labels()
    assert [row["predicted_label"] for row in rows] == [str(labels[row["row"]]) for row in rows]
    preview = result["preview"]
    assert preview["rows"] == [row["row"] for row in rows]
    assert preview["x"] == pytest.approx([row["x"] for row in rows], abs=5e-4)
    assert [result["classes"][place] for place in preview["class_indices"]] == [row["label"] for row in rows]
    as_parquet = pq.read_table(io.BytesIO(api.content(f"{_PATH}/{made['id']}", "application/vnd.apache.parquet")))
    assert as_parquet.to_pylist() == rows


def test_rows_of_the_map_sent_again_stand_near_their_place_and_refused_ones_have_none(
    api: Api, forest: Registered, made: Json
) -> None:
    rows = api.get(f"{_PATH}/{made['id']}/content?limit=20").json()["data"]
    features = forest.fitted.features.astype(np.float64)
    instances = [features[row["row"]].tolist() for row in rows]

    answer = api.post(f"{_PATH}/{made['id']}/places", {"instances": [*instances, [1.0]]})

    found = answer.json()
    shown = PlaceList.model_validate(found).model_dump(mode="json")["data"]
    assert shown[:20] == found["data"][:20]
    assert [each["status"] for each in found["data"]] == ["ok"] * 20 + ["error"]
    assert all(each["proximity"] == 1 for each in found["data"][:20])
    spread = np.std([row["x"] for row in rows])
    distances = [
        np.hypot(each["x"] - row["x"], each["y"] - row["y"]) for each, row in zip(found["data"], rows, strict=False)
    ]
    assert np.median(distances) < spread
    refused = found["data"][-1]
    assert (refused["x"], refused["proximity"], refused["problem"]["code"]) == (None, None, "schema_mismatch")


def test_a_regression_has_values_and_no_labels(api: Api) -> None:
    regression = register(api, "random_forest_regression")
    made = api.made(_PATH, {**_about(regression), "n_rows": 30, "n_neighbors": 9, "min_leaf_rows": 2})

    row = api.get(f"{_PATH}/{made['id']}/content?limit=1").json()["data"][0]

    assert (row["label"], row["predicted_label"]) == (None, None)
    assert isinstance(row["value"], float)
    assert isinstance(row["target"], float)
    assert set(made["result"]["preview"]["class_indices"]) == {None}
    placed = api.post(f"{_PATH}/{made['id']}/places", {"instances": [regression.instance(0)]}).json()["data"][0]
    assert placed["status"] == "ok"


def test_what_cannot_be_is_refused_and_no_job_begun(api: Api, forest: Registered) -> None:
    newest = api.newest_job()
    other = api.upload("/v1/datasets", csv_of(frame_of(forest.fitted).iloc[:50]), {"target": "t"}).json()["id"]

    def refused(**changes: object) -> tuple[int, str, str]:
        answer = api.post(_PATH, {**_about(forest), **changes})
        problem = answer.json()
        return answer.status_code, problem["code"], problem["errors"][0]["pointer"]

    assert refused(n_rows=20, n_neighbors=20) == (422, "validation_failed", "/n_neighbors")
    assert refused(n_rows=20_001) == (422, "validation_failed", "/n_rows")
    assert refused(dataset=other, n_neighbors=50) == (422, "validation_failed", "/n_neighbors")
    assert refused(dataset=other, prototype_set=forest.prototype_set["id"])[:2] == (409, "conflict")
    assert api.newest_job() == newest
