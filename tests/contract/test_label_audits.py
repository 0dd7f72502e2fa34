"""/v1/label-audits over HTTP, made by a real worker: which labels look wrong, page by page and whole."""

import io

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from onnx import ModelProto

from schemas.label_audits import AuditedRow, LabelAudit
from tests.support import naive, naive_label_audit
from tests.support.api import Api, Json, csv_of, frame_of
from tests.support.models import FittedModel, fitted

_PATH = "/v1/label-audits"
_FIELDS = {*("object", "id", "status", "job", "reused", "created_at", "request", "problem", "result")}
_RESULT_FIELDS = {
    *("proximity_kind", "classes", "n_rows"),
    *(
        "n_trees",
        "method",
        "use_scores",
        "n_neighbors",
        "mean_agreement",
        "n_suggested",
        "estimated_wrong",
        "by_class",
        "n_without_neighbors",
        "model_agreement",
        "cautions",
    ),
    *("n_trees_used", "min_leaf_rows", "leaf_steps", "rows"),
}
_ROW_FIELDS = [
    *("rank", "row", "row_id", "label", "agreement", "score", "support", "n_neighbors", "disagreeing_proximity"),
    *("suggested_label", "predicted_label", "wrong_probability"),
]
_CSV, _PARQUET = "text/csv", "application/vnd.apache.parquet"


def _flipped(model: FittedModel, n_flipped: int = 30) -> pd.DataFrame:
    """Return a model's rows, some with the label of the next class."""
    frame = frame_of(model)
    rows = np.random.default_rng(2).choice(len(frame), n_flipped, replace=False)
    frame.loc[rows, "t"] = (frame.loc[rows, "t"] + 1) % (frame["t"].max() + 1)
    return frame


def _register(api: Api, name: str, frame: pd.DataFrame | None = None) -> Json:
    """Register a fitted model and rows; return the request that audits them."""
    model = fitted(name)
    metadata = {"feature_names": list(model.rows.names), "ensemble": "random_forest"}
    rows = _flipped(model) if frame is None else frame
    return {
        "model": api.upload("/v1/models", model.onnx, metadata).json()["id"],
        "dataset": api.upload("/v1/datasets", csv_of(rows), {"target": "t"}).json()["id"],
    }


@pytest.fixture(scope="module")
def request_(api: Api) -> Json:
    return _register(api, "random_forest_binary")


@pytest.fixture(scope="module")
def made(api: Api, request_: Json) -> Json:
    return api.made(_PATH, request_)


def _path(made: Json) -> str:
    return f"{_PATH}/{made['id']}"


def test_a_new_audit_is_accepted_with_a_job_to_look_at(api: Api, request_: Json) -> None:
    answer = api.post(_PATH, {**request_, "min_leaf_rows": 3})

    body = answer.json()
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/v1/jobs/{body['job']}"
    assert answer.headers["Content-Location"] == _path(body)
    assert set(body) == _FIELDS
    assert (body["object"], body["status"], body["result"]) == ("label_audit", "pending", None)
    assert body["id"].startswith("lba_")
    job = api.wait(body["job"])
    assert (job["status"], job["artefact"], job["kind"]) == ("succeeded", body["id"], "label_audits")


def test_a_ready_audit_shows_its_most_suspect_rows(api: Api, request_: Json, made: Json) -> None:
    assert set(made["result"]) == _RESULT_FIELDS
    assert LabelAudit.model_validate(made).model_dump(mode="json") == made
    spelled_out = {"method": "auto", "use_scores": True, "n_neighbors": None, "min_leaf_rows": "auto", "seed": 0}
    assert made["request"] == {**request_, **spelled_out, "proximity_kind": "random_forest", "run_on": "auto"}
    result = made["result"]
    assert (result["method"], result["n_neighbors"], result["min_leaf_rows"]) == ("all_rows", None, 1)
    assert (result["classes"], result["n_rows"], result["n_trees"]) == (["0", "1"], 569, 20)
    assert 0 < result["n_suggested"] < 100
    assert 0.9 < result["model_agreement"] < 0.97
    assert result["cautions"] == []
    assert [row["rank"] for row in result["rows"]] == list(range(1, 101))
    (listed,) = (each for each in api.get(f"{_PATH}?limit=1000").json()["data"] if each["id"] == made["id"])
    assert (listed["status"], listed["result"]) == ("ready", None)


@pytest.mark.parametrize(
    ("name", "method"), [("random_forest_binary", "all_rows"), ("extra_trees_multiclass", "neighbors")]
)
def test_rows_rank_by_the_librarys_own_leaves(api: Api, name: str, method: str) -> None:
    model = fitted(name)
    made = api.made(_PATH, {**_register(api, name), "method": method, "min_leaf_rows": 1})

    rows = list(api.pages(f"{_path(made)}/content", 100))

    leaves = model.library_leaves()
    assert leaves is not None
    proximity = naive.proximity_matrix(leaves.astype(np.int32), np.ones(leaves.shape[1], np.int64))
    labels = _flipped(model)["t"].to_numpy()
    scores = model.session.predict(model.rows).scores.astype(np.float64)[np.arange(len(labels)), labels]
    by_all = naive_label_audit.audit_by_all(proximity, labels, scores)
    expected = by_all if method == "all_rows" else naive_label_audit.audit(proximity, labels, 50, scores)
    assert [row["rank"] for row in rows] == list(range(1, len(labels) + 1))
    assert rows[:100] == made["result"]["rows"]
    for row, each in zip(rows, expected, strict=True):
        assert list(row) == _ROW_FIELDS
        assert AuditedRow.model_validate(row)
        assert (row["row"], row["row_id"], row["label"]) == (each.row, str(each.row), str(labels[each.row]))
        assert row["agreement"] == (None if each.agreement is None else float(each.agreement))
        assert row["score"] == scores[each.row]
        is_suggested = each.suggested >= 0 and row["rank"] <= made["result"]["estimated_wrong"]["number"]
        assert row["suggested_label"] == (str(each.suggested) if is_suggested else None)
        assert row["disagreeing_proximity"] == each.disagreeing / leaves.shape[1]


def _with_raw_scores(api: Api) -> str:
    """Register a model of three classes whose scores are sums without a link; return its id."""
    model = ModelProto.FromString(fitted("xgboost_multiclass").onnx)
    (trees,) = (node for node in model.graph.node if node.op_type == "TreeEnsembleClassifier")
    (link,) = (attribute for attribute in trees.attribute if attribute.name == "post_transform")
    link.s = b"NONE"
    metadata = {"feature_names": list(fitted("xgboost_multiclass").rows.names), "ensemble": "boosting"}
    model_id: str = api.upload("/v1/models", model.SerializeToString(), metadata).json()["id"]
    return model_id


def test_votes_alone_count_where_scores_are_no_probabilities(api: Api) -> None:
    given = {**_register(api, "random_forest_multiclass"), "model": _with_raw_scores(api)}

    made = api.made(_PATH, given)
    refused = api.post(_PATH, {**given, "use_scores": True})

    assert made["request"]["use_scores"] is made["result"]["use_scores"] is False
    assert all(row["score"] is None and row["support"] == row["agreement"] for row in made["result"]["rows"])
    assert (refused.status_code, refused.json()["code"]) == (422, "method_not_applicable")
    assert refused.json()["errors"][0]["pointer"] == "/use_scores"
    assert "are no probabilities" in refused.json()["errors"][0]["detail"]


def test_flipped_labels_come_first_with_the_right_label_suggested(made: Json) -> None:
    frame, truth = _flipped(fitted("random_forest_binary")), frame_of(fitted("random_forest_binary"))
    is_flipped = (frame["t"] != truth["t"]).to_numpy()

    first = made["result"]["rows"][:30]

    assert np.mean([is_flipped[row["row"]] for row in first]) > 0.8  # by chance 0.05
    assert all(row["suggested_label"] == str(truth["t"][row["row"]]) for row in first if is_flipped[row["row"]])


def test_pages_csv_and_parquet_say_the_same(api: Api, made: Json) -> None:
    rows = list(api.pages(f"{_path(made)}/content", 200))
    texts = dict.fromkeys(("row_id", "label", "suggested_label", "predicted_label"), str)
    as_csv = pd.read_csv(io.BytesIO(api.content(_path(made), _CSV)), dtype=texts)
    as_parquet = pq.read_table(io.BytesIO(api.content(_path(made), _PARQUET))).to_pylist()

    assert as_parquet == rows
    assert as_csv.columns.tolist() == _ROW_FIELDS
    assert as_csv.astype(object).where(as_csv.notna(), None).to_dict("records") == rows


def test_what_the_model_was_shown_is_named_as_a_weakness(api: Api) -> None:
    model = fitted("random_forest_binary")
    labels = model.library_labels().astype(int)

    made = api.made(_PATH, _register(api, "random_forest_binary", frame_of(model).assign(t=labels)))

    assert made["result"]["model_agreement"] == 1
    assert "may have learned the wrong labels, too" in made["result"]["cautions"][0]["detail"]


@pytest.mark.long
def test_requested_again_a_ready_audit_is_answered_at_once_and_deleted_it_is_made_again(
    api: Api, request_: Json
) -> None:
    two = {**request_, "method": "neighbors", "n_neighbors": 2}
    first = api.made(_PATH, two)
    again = api.post(_PATH, {**two, "proximity_kind": "random_forest"})
    assert (again.status_code, again.json()) == (200, {**first, "reused": True})

    assert api.delete(_path(first)).status_code == 204
    gone = [api.get(_path(first)), api.get(f"{_path(first)}/content"), api.delete(_path(first))]
    assert [answer.status_code for answer in gone] == [404] * 3

    renewed = api.made(_PATH, two)
    assert renewed["job"] != first["job"]
    assert renewed["result"]["rows"] == first["result"]["rows"]


@pytest.mark.parametrize(
    ("changes", "status", "code", "pointer"),
    [
        ({"n_neighbors": 10}, 422, "validation_failed", "/n_neighbors"),
        ({"method": "neighbors", "n_neighbors": 569}, 422, "validation_failed", "/n_neighbors"),
        ({"method": "neighbors", "n_neighbors": 1001}, 422, "validation_failed", "/n_neighbors"),
        ({"method": "neighbors", "n_neighbors": True}, 422, "validation_failed", "/n_neighbors"),
        ({"labels": "target"}, 422, "unknown_field", "/labels"),
        ({"model": "mdl_gone"}, 404, "not_found", None),
        ({"dataset": "ds_gone"}, 404, "not_found", None),
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


def test_numbers_and_rows_without_labels_are_not_audited(api: Api, request_: Json) -> None:
    regression = api.post(
        _PATH, _register(api, "random_forest_regression", frame_of(fitted("random_forest_regression")))
    )
    unlabelled = frame_of(fitted("random_forest_binary")).drop(columns="t")
    dataset = api.upload("/v1/datasets", csv_of(unlabelled)).json()["id"]
    without = api.post(_PATH, {**request_, "dataset": dataset})

    assert (regression.status_code, regression.json()["code"]) == (422, "method_not_applicable")
    assert (without.status_code, without.json()["code"]) == (422, "schema_mismatch")
    assert without.json()["errors"][0]["pointer"] == "/dataset"


def test_an_unknown_label_fails_the_job_and_can_be_tried_again(api: Api, request_: Json) -> None:
    frame = frame_of(fitted("random_forest_binary"))
    frame.loc[7, "t"] = 5
    dataset = api.upload("/v1/datasets", csv_of(frame), {"target": "t"}).json()["id"]

    failed = api.made(_PATH, {**request_, "dataset": dataset})
    content = api.get(f"{_path(failed)}/content")
    again = api.post(_PATH, {**request_, "dataset": dataset})

    assert (failed["status"], failed["problem"]["code"]) == ("failed", "schema_mismatch")
    assert "row 7" in failed["problem"]["detail"]
    assert (content.status_code, content.json()["code"]) == (409, "artefact_not_ready")
    assert (again.status_code, again.json()["id"]) == (202, failed["id"])
    api.wait(again.json()["job"])


def test_labels_that_a_spreadsheet_would_run_are_neutralised_in_csv_alone(api: Api) -> None:
    model = fitted("random_forest_binary")
    classes = ["=bad()", "@good"]
    named = {"feature_names": list(model.rows.names), "ensemble": "random_forest", "classes": classes}
    frame = frame_of(model)
    rows = frame.assign(t=[classes[label] for label in frame["t"]])
    dataset = api.upload("/v1/datasets", csv_of(rows), {"target": "t"}).json()["id"]
    model_id = api.upload("/v1/models", model.onnx, named).json()["id"]

    made = api.made(_PATH, {"model": model_id, "dataset": dataset})

    as_csv = pd.read_csv(io.BytesIO(api.content(_path(made), _CSV)))
    assert set(as_csv["label"]) == {"'=bad()", "'@good"}
    assert {row["label"] for row in made["result"]["rows"]} <= set(classes)
