"""/v1/proximities over HTTP, made by a real worker: made, made again, read page by page, whole, cancel, delete."""

import io
import json
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from schemas.proximities import NeighborsOfRow, Proximities
from tests.support import naive, naive_label_audit
from tests.support.api import Api, Json, Registered, csv_of, frame_of, parquet_of
from tests.support.models import FittedModel, fitted

_PATH = "/v1/proximities"
_PAGE_BYTES = 4 << 20
_FIELDS = {*("object", "id", "status", "job", "reused", "created_at", "request", "problem", "result")}
_RESULT_FIELDS = {
    *("proximity_kind", "n_rows", "n_trees", "min_leaf_rows", "n_trees_used"),
    *("n_neighbors", "n_pairs", "mean_nearest_proximity", "share_without_neighbors"),
    "read_off",
}
_CSV, _PARQUET = "text/csv", "application/vnd.apache.parquet"


def _request(forest: Registered, **changes: object) -> Json:
    return {"model": forest.model["id"], "dataset": forest.dataset["id"], **changes}


def _registered(api: Api, name: str, ensemble: str = "random_forest") -> tuple[FittedModel, Json]:
    """Register a fitted model with its rows; return it, and the request for its neighbours."""
    model = fitted(name)
    metadata = {"feature_names": list(model.rows.names), "ensemble": ensemble}
    model_id = api.upload("/v1/models", model.onnx, metadata).json()["id"]
    dataset = api.upload("/v1/datasets", csv_of(frame_of(model)), {"target": "t"}).json()["id"]
    return model, {"model": model_id, "dataset": dataset}


@pytest.fixture(scope="module")
def made(api: Api, forest: Registered) -> Json:
    return api.made(_PATH, _request(forest, n_neighbors=4))


def _path(made: Json) -> str:
    return f"{_PATH}/{made['id']}"


def _lines(rows: list[Json]) -> list[tuple[int, str, int, int, str, float]]:
    """Return pages as the lines of the table."""
    return [
        (row["row"], row["row_id"], rank, near["row"], near["row_id"], near["proximity"])
        for row in rows
        for rank, near in enumerate(row["neighbors"], 1)
    ]


def test_new_ones_are_accepted_with_a_job_to_look_at(api: Api, forest: Registered) -> None:
    answer = api.post(_PATH, _request(forest, n_neighbors=37))

    body = answer.json()
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/v1/jobs/{body['job']}"
    assert answer.headers["Content-Location"] == _path(body)
    assert int(answer.headers["Retry-After"]) >= 1
    assert set(body) == _FIELDS
    assert (body["object"], body["status"], body["reused"], body["result"]) == ("proximities", "pending", False, None)
    assert body["id"].startswith("prx_")
    job = api.wait(body["job"])
    assert (job["status"], job["artefact"], job["kind"]) == ("succeeded", body["id"], "proximities")
    assert job["progress"]["fraction"] == 1


def test_ready_ones_report_what_is_known_of_all_rows_together(api: Api, forest: Registered, made: Json) -> None:
    assert set(made["result"]) == _RESULT_FIELDS
    assert Proximities.model_validate(made).model_dump(mode="json") == made
    spelled_out = {"proximity_kind": "random_forest", "n_neighbors": 4, "min_leaf_rows": 1, "run_on": "auto"}
    assert made["request"] == {**_request(forest), **spelled_out}
    result = made["result"]
    assert (result["proximity_kind"], result["n_rows"], result["n_trees"], result["n_neighbors"]) == (
        "random_forest",
        569,
        20,
        4,
    )
    assert (result["min_leaf_rows"], result["n_trees_used"]) == (1, 20)
    assert 569 < result["n_pairs"] <= 569 * 4
    assert 0 < result["mean_nearest_proximity"] <= 1
    assert 0 <= result["share_without_neighbors"] < 0.1
    (listed,) = (each for each in api.get(f"{_PATH}?limit=1000").json()["data"] if each["id"] == made["id"])
    assert (listed["status"], listed["result"]) == ("ready", None)


@pytest.mark.parametrize("name", ["random_forest_binary", "extra_trees_multiclass", "random_forest_regression"])
@pytest.mark.sampled("thirds")
def test_neighbours_are_those_of_the_librarys_own_leaves(api: Api, name: str) -> None:
    model, request = _registered(api, name)
    made = api.made(_PATH, {**request, "n_neighbors": 6})

    found = list(api.pages(f"{_path(made)}/content", 100))

    leaves = model.library_leaves()
    assert leaves is not None
    proximity = naive.proximity_matrix(leaves.astype(np.int32), np.ones(leaves.shape[1], np.int64))
    assert [row["row"] for row in found] == list(range(len(proximity)))
    for row in found:
        nearest = naive_label_audit.nearest(proximity, row["row"], 6)
        assert NeighborsOfRow.model_validate(row)
        assert [near["row"] for near in row["neighbors"]] == nearest
        assert [near["proximity"] for near in row["neighbors"]] == [
            proximity[row["row"], other] / leaves.shape[1] for other in nearest
        ]
        assert [near["distance"] for near in row["neighbors"]] == [1 - near["proximity"] for near in row["neighbors"]]


def test_rows_of_which_no_two_share_a_leaf_have_no_neighbours(api: Api) -> None:
    model, request = _registered(api, "extra_trees_multiclass")
    leaves = model.library_leaves()
    assert leaves is not None
    apart = next([0, row] for row in range(1, len(leaves)) if not (leaves[0] == leaves[row]).any())
    rows = api.upload("/v1/datasets", csv_of(frame_of(model).iloc[apart]), {"target": "t"}).json()["id"]

    made = api.made(_PATH, {**request, "dataset": rows, "n_neighbors": 1})

    result = made["result"]
    assert (result["n_pairs"], result["mean_nearest_proximity"], result["share_without_neighbors"]) == (0, 0, 1)
    page = api.get(f"{_path(made)}/content").json()
    assert [(row["row"], row["neighbors"]) for row in page["data"]] == [(0, []), (1, [])]
    table = api.content(_path(made), _CSV).decode()
    assert table == '"row","row_id","rank","neighbor_row","neighbor_row_id","proximity"\n'


@pytest.mark.parametrize("name", ["gradient_boosting_multiclass", "gradient_boosting_regression"])
@pytest.mark.sampled("thirds")
def test_boosted_models_are_explained_by_their_own_proximity(api: Api, name: str) -> None:
    _, request = _registered(api, name, "boosting")

    made = api.made(_PATH, request)

    assert (made["status"], made["result"]["proximity_kind"], made["result"]["n_neighbors"]) == (
        "ready",
        "boosting",
        10,
    )
    assert made["id"] == api.made(_PATH, {**request, "proximity_kind": "boosting"})["id"]
    assert made["id"] != api.made(_PATH, {**request, "proximity_kind": "random_forest"})["id"]


def test_requested_again_ready_ones_are_answered_at_once(api: Api, forest: Registered, made: Json) -> None:
    answer = api.post(_PATH, _request(forest, n_neighbors=4, proximity_kind="auto"))

    assert (answer.status_code, answer.json()) == (200, {**made, "reused": True})
    assert answer.headers["Content-Location"] == _path(made)
    assert "Location" not in answer.headers


def test_pages_csv_and_parquet_say_the_same(api: Api, made: Json) -> None:
    rows = list(api.pages(f"{_path(made)}/content", 250))
    as_csv = pd.read_csv(io.BytesIO(api.content(_path(made), _CSV)), dtype={"row_id": str, "neighbor_row_id": str})
    parquet = api.get(f"{_path(made)}/content", Accept=_PARQUET)
    as_parquet = pq.read_table(io.BytesIO(parquet.content)).to_pandas()

    assert [row["row"] for row in rows] == list(range(569))
    assert len(_lines(rows)) == made["result"]["n_pairs"]
    assert int(parquet.headers["Content-Length"]) == len(parquet.content)
    for table in (as_csv, as_parquet):
        assert table.columns.tolist() == ["row", "row_id", "rank", "neighbor_row", "neighbor_row_id", "proximity"]
        assert list(table.itertuples(index=False, name=None)) == _lines(rows)


def test_a_page_ends_at_four_mebibytes_where_rows_have_long_names(api: Api, forest: Registered) -> None:
    names = [f"{row:03d}{'n' * 252}" for row in range(569)]
    frame = frame_of(forest.fitted).assign(name=names)
    dataset = api.upload("/v1/datasets", csv_of(frame), {"target": "t", "row_id": "name"}).json()["id"]
    made = api.made(_PATH, _request(forest, dataset=dataset, n_neighbors=100))

    pages = [api.get(f"{_path(made)}/content?limit=1000")]
    while (cursor := pages[-1].json()["next_cursor"]) is not None:
        pages.append(api.get(f"{_path(made)}/content?limit=1000&cursor={cursor}"))

    assert len(pages) > 1
    assert max(len(page.content) for page in pages) <= _PAGE_BYTES + 100
    assert [row["row_id"] for page in pages for row in page.json()["data"]] == names
    n_neighbors = sum(len(row["neighbors"]) for page in pages for row in page.json()["data"])
    assert n_neighbors == len(pq.read_table(io.BytesIO(api.content(_path(made), _PARQUET))))


def test_rows_of_few_rows_have_all_others_as_neighbours_at_most(api: Api, forest: Registered) -> None:
    dataset = api.upload("/v1/datasets", csv_of(frame_of(forest.fitted).head(5)), {"target": "t"}).json()["id"]

    made = api.made(_PATH, _request(forest, dataset=dataset, n_neighbors=4))

    assert made["status"] == "ready"
    for row in api.pages(f"{_path(made)}/content", 2):
        assert {near["row"] for near in row["neighbors"]} <= set(range(5)) - {row["row"]}


def test_a_page_of_rows_with_very_many_neighbours_is_short(api: Api, forest: Registered) -> None:
    made = api.made(_PATH, _request(forest, n_neighbors=568))

    answer = api.get(f"{_path(made)}/content?limit=1000")

    page = answer.json()
    assert _PAGE_BYTES // 2 < len(answer.content) <= _PAGE_BYTES + 100
    assert len(page["data"]) < 569
    following = api.get(f"{_path(made)}/content?limit=1000&cursor={page['next_cursor']}").json()
    assert following["data"][0]["row"] == page["data"][-1]["row"] + 1


@pytest.mark.parametrize("cursor", ["569", "99999999999999999999999"])
def test_behind_the_last_row_there_is_nothing(api: Api, made: Json, cursor: str) -> None:
    page = api.get(f"{_path(made)}/content?cursor={cursor}").json()

    assert page == {"object": "list", "data": [], "next_cursor": None}


@pytest.mark.parametrize("query", ["cursor=-1", "cursor=x", "limit=0", "limit=1001"])
def test_an_odd_place_in_the_content_is_refused_by_name(api: Api, made: Json, query: str) -> None:
    refused = api.get(f"{_path(made)}/content?{query}")

    assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
    assert refused.json()["errors"][0]["pointer"] == f"/{query.partition('=')[0]}"


def test_another_form_is_not_acceptable(api: Api, made: Json) -> None:
    answer = api.get(f"{_path(made)}/content", Accept="text/html")

    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")


def test_cells_that_a_spreadsheet_would_run_are_neutralised_in_csv_alone(api: Api, forest: Registered) -> None:
    frame = frame_of(forest.fitted).head(40).assign(id=[f"=cmd({row})" for row in range(40)])
    dataset = api.upload("/v1/datasets", csv_of(frame), {"target": "t", "row_id": "id"}).json()["id"]
    made = api.made(_PATH, _request(forest, dataset=dataset, n_neighbors=2))

    as_csv = pd.read_csv(io.BytesIO(api.content(_path(made), _CSV)))
    as_parquet = pq.read_table(io.BytesIO(api.content(_path(made), _PARQUET))).to_pandas()

    for column in ("row_id", "neighbor_row_id"):
        assert as_csv[column].str.startswith("'=cmd(").all()
        assert as_parquet[column].str.startswith("=cmd(").all()
    assert next(api.pages(f"{_path(made)}/content", 1))["row_id"] == "=cmd(0)"


def test_deleted_ones_are_found_again_by_a_new_job(api: Api, forest: Registered) -> None:
    first = api.made(_PATH, _request(forest, n_neighbors=5))
    content = api.content(_path(first), _PARQUET)
    assert api.delete(_path(first)).status_code == 204
    gone = [api.get(_path(first)), api.get(f"{_path(first)}/content"), api.delete(_path(first))]
    assert [answer.status_code for answer in gone] == [404] * 3
    assert "list the proximities" in gone[0].json()["detail"]

    again = api.made(_PATH, _request(forest, n_neighbors=5))

    assert again["job"] != first["job"]
    assert {**again, "job": "", "created_at": ""} == {**first, "job": "", "created_at": ""}
    assert api.content(_path(again), _PARQUET) == content


def test_what_they_were_made_from_cannot_go_before_them(api: Api, forest: Registered, made: Json) -> None:
    for path in (f"/v1/datasets/{forest.dataset['id']}", f"/v1/models/{forest.model['id']}"):
        answer = api.delete(path)
        assert (answer.status_code, answer.json()["code"]) == (409, "in_use")
    assert api.get(_path(made)).status_code == 200


@pytest.mark.parametrize(
    ("changes", "status", "code", "pointer"),
    [
        ({"n_neighbors": 569}, 422, "validation_failed", "/n_neighbors"),
        ({"n_neighbors": 1001}, 422, "validation_failed", "/n_neighbors"),
        ({"n_neighbors": 0}, 422, "validation_failed", "/n_neighbors"),
        ({"n_neighbors": 2.5}, 422, "validation_failed", "/n_neighbors"),
        ({"proximity_kind": "nearest"}, 422, "validation_failed", "/proximity_kind"),
        ({"model": None}, 422, "validation_failed", "/model"),
        ({"neighbors": 3}, 422, "unknown_field", "/neighbors"),
        ({"model": "mdl_gone"}, 404, "not_found", None),
        ({"dataset": "ds_gone"}, 404, "not_found", None),
    ],
)
def test_what_cannot_be_is_refused_and_no_job_begun(
    api: Api, forest: Registered, changes: dict[str, object], status: int, code: str, pointer: str | None
) -> None:
    newest = api.newest_job()

    refused = api.post(_PATH, _request(forest, **changes))

    assert (refused.status_code, refused.json()["code"]) == (status, code)
    if pointer is not None:
        assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]
    assert api.newest_job() == newest


def test_a_number_too_large_is_refused_with_the_largest_there_is(api: Api, forest: Registered) -> None:
    assert "568 others" in api.post(_PATH, _request(forest, n_neighbors=569)).json()["detail"]


def test_a_single_row_has_no_neighbours_to_request(api: Api, forest: Registered) -> None:
    dataset = api.upload("/v1/datasets", csv_of(frame_of(forest.fitted).head(1)), {"target": "t"}).json()["id"]

    refused = api.post(_PATH, _request(forest, dataset=dataset, n_neighbors=1))

    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/dataset")


def test_rows_that_do_not_fit_the_model_are_refused_before_a_job(api: Api, forest: Registered) -> None:
    dataset = api.upload("/v1/datasets", csv_of(frame_of(forest.fitted).drop(columns="f7"))).json()["id"]

    refused = api.post(_PATH, _request(forest, dataset=dataset))

    assert (refused.status_code, refused.json()["code"]) == (422, "schema_mismatch")


def _many_rows(api: Api, model: FittedModel) -> Any:  # an id
    rng = np.random.default_rng(0)
    drawn = model.features[rng.integers(0, len(model.features), 20_000)]
    frame = pd.DataFrame((drawn * rng.normal(1, 0.2, drawn.shape)).astype(np.float32), columns=list(model.rows.names))
    return api.upload("/v1/datasets", parquet_of(frame)).json()["id"]


@pytest.mark.long
def test_finding_many_is_reported_as_it_goes_and_can_be_cancelled(api: Api, forest: Registered) -> None:
    created = api.post(_PATH, _request(forest, dataset=_many_rows(api, forest.fitted), n_neighbors=1000)).json()
    fractions: list[float] = []
    with api.http.stream("GET", f"/v1/jobs/{created['job']}/events") as events:
        for line in events.iter_lines():
            if "finding nearest rows" in line:
                fraction = json.loads(line.removeprefix("data:"))["progress"]["fraction"]
                fractions += [fraction] if fraction not in fractions else []  # an event may be about something else
            if len(fractions) == 2:
                break
    pending = api.get(f"{_path(created)}/content")

    cancelled = api.post(f"/v1/jobs/{created['job']}/cancel")

    assert (pending.status_code, pending.json()["code"]) == (409, "artefact_not_ready")
    assert cancelled.status_code == 202
    assert api.wait(created["job"])["status"] == "cancelled"
    assert api.get(_path(created)).json()["status"] == "cancelled"
    assert 0.25 < fractions[0] < fractions[1] < 1
    assert api.delete(_path(created)).status_code == 204
