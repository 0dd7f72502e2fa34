"""/v1/explanation-sets over HTTP, made by a real worker: every row is explained as in a call for it alone."""

import io
import json
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import TypeAdapter

from schemas.explanation_sets import ExplanationSet
from schemas.explanations import Explanation
from tests.support.api import Api, Json, Registered, csv_of, frame_of, parquet_of, register
from tests.support.sampling import mostly_long

_PATH = "/v1/explanation-sets"
_NDJSON, _PARQUET = "application/x-ndjson", "application/vnd.apache.parquet"
_FIELDS = {*("object", "id", "status", "job", "reused", "created_at", "request", "problem", "result")}
_RESULT_FIELDS = {
    *("model", "n_rows", "n_explained", "n_abstained", "n_refused", "n_unassigned"),
    *(
        "typicality",
        "warnings",
        "agreement",
        "labels",
        "outcomes",
        "mean_proximity",
        "mean_absolute_effects",
        "effects_scale",
        "dictionary",
        "n_bytes",
    ),
}


@dataclass(frozen=True)
class Made:
    """An explanation set beside the rows that it explains."""

    registered: Registered
    dataset: Json
    made: Json
    lines: list[bytes]

    @property
    def path(self) -> str:
        return f"{_PATH}/{self.made['id']}"

    @property
    def data(self) -> list[Json]:
        return [json.loads(line) for line in self.lines]

    @property
    def request(self) -> Json:
        request: Json = self.made["request"]
        return request


def _odd_rows(registered: Registered) -> pd.DataFrame:
    """Return a model's rows, some odd: missing, boolean and whole numbers, and numbers that are too large."""
    frame = frame_of(registered.fitted).drop(columns="t").head(130)
    frame.loc[frame.index % 50 == 3, "f1"] = np.nan
    frame.loc[frame.index % 70 == 8, "f0"] = 3.5e38
    frame["f2"] = frame["f2"] > frame["f2"].median()
    frame["f3"] = frame["f3"].round()
    return frame.assign(id=[f'row "{row}", é' for row in frame.index])


@pytest.fixture(scope="module", params=mostly_long(["binary", "multiclass", "regression"], "binary"))
def made(request: pytest.FixtureRequest, api: Api) -> Made:
    registered = register(api, f"random_forest_{request.param}")
    dataset = api.upload("/v1/datasets", parquet_of(_odd_rows(registered)), {"row_id": "id"}).json()
    request_ = {"explainer": registered.explainer["id"], "dataset": dataset["id"], "detail": "full"}
    found = api.made(_PATH, request_)
    assert found["status"] == "ready", found["problem"]
    return Made(registered, dataset, found, api.content(f"{_PATH}/{found['id']}", _NDJSON).splitlines())


def test_a_new_set_is_accepted_with_a_job_to_look_at(api: Api, forest: Registered) -> None:
    request = {"explainer": forest.explainer["id"], "dataset": forest.dataset["id"], "n_prototypes": 37}
    answer = api.post(_PATH, request)

    body = answer.json()
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/v1/jobs/{body['job']}"
    assert answer.headers["Content-Location"] == f"{_PATH}/{body['id']}"
    assert set(body) == _FIELDS
    assert (body["object"], body["status"], body["result"]) == ("explanation_set", "pending", None)
    assert body["id"].startswith("exs_")
    defaults = {"include": [], "n_reasons": 5, "n_contrasts": 1, "nearest_rows": None, "detail": "short"}
    defaults |= {
        "run_on": "auto",
        "outcome": None,
        "reference": None,
        "max_changed_features": 10,
        "fixed": [],
        "only_up": [],
        "only_down": [],
    }
    assert body["request"] == {**request, **defaults}
    job = api.wait(body["job"])
    assert (job["status"], job["artefact"], job["kind"]) == ("succeeded", body["id"], "explanation_sets")
    assert api.get(f"{_PATH}/{body['id']}").json()["status"] == "ready"
    again = api.post(_PATH, {**request, "include": []})
    assert (again.status_code, again.json()["reused"]) == (200, True)


def test_each_line_is_byte_for_byte_what_a_call_for_that_row_answers(api: Api, made: Made) -> None:
    features = set(made.registered.names)
    rows = list(api.pages(f"/v1/datasets/{made.dataset['id']}/rows", 1000))
    instances = [{cell["name"]: cell["value"] for cell in row["values"] if cell["name"] in features} for row in rows]
    request = {"instances": instances, "row_ids": [row["row_id"] for row in rows], "detail": "full"}
    answer = api.post(f"/v1/explainers/{made.registered.explainer['id']}/explanations", request)

    joined = b",".join(made.lines)
    assert answer.status_code == 200
    assert b'"data":[%b],"provenance"' % joined in answer.content
    assert {row["status"] for row in made.data} == {"ok", "error"}


def test_the_set_counts_what_the_lines_say(made: Made) -> None:
    explained = [row for row in made.data if row["status"] == "ok"]
    near = [row["nearest_prototypes"] for row in explained]

    assert set(made.made["result"]) == _RESULT_FIELDS
    assert ExplanationSet.model_validate(made.made).model_dump(mode="json") == made.made
    result = made.made["result"]
    assert result["model"] == made.registered.model["id"]
    assert result["n_rows"] == made.dataset["n_rows"] == len(made.lines)
    assert (result["n_explained"], result["n_refused"]) == (len(explained), len(made.lines) - len(explained))
    assert result["n_unassigned"] == sum(not own for own in near)
    levels = Counter(row["typicality"]["level"] for row in explained)
    assert {each["level"]: each["n_rows"] for each in result["typicality"] if each["n_rows"]} == levels
    codes = Counter(code for row in explained for code in {each["code"] for each in row["warnings"]})
    assert {each["code"]: each["n_rows"] for each in result["warnings"]} == codes
    assert result["n_abstained"] == 0
    mean = np.mean([own[0]["proximity"] if own else 0 for own in near])
    assert result["mean_proximity"] == pytest.approx(mean)
    _check_mean_effects(result, [row["effects"] for row in explained if "effects" in row])
    counted = Counter(row["prediction"].get("label") for row in explained)
    classes = made.registered.model["classes"]
    assert result["labels"] == [{"label": label, "n_rows": counted[label]} for label in classes]
    agreeing = np.mean([row.get("prototype_prediction", {}).get("agrees", False) for row in explained])
    assert result["agreement"] == (pytest.approx(agreeing) if classes else None)


def _check_mean_effects(result: Json, effects: list[Json]) -> None:
    """Means are over all rows with effects, of which ``detail: full`` lists all."""
    sums: Counter[str] = Counter()
    for each in effects:
        sums.update({entry["feature"]: abs(entry["effect"]) for entry in each["features"]})
    means = {entry["feature"]: entry["effect"] for entry in result["mean_absolute_effects"]}
    assert effects
    assert {each["scale"] for each in effects} == {result["effects_scale"]}
    printed = {name: total / len(effects) for name, total in sums.items()}  # each in seven digits of the score
    assert means == pytest.approx(printed, rel=1e-5, abs=1e-6 * max(abs(each["score"]) for each in effects))
    assert list(means.values()) == sorted(means.values(), reverse=True)


def test_lines_come_in_several_wrappings(api: Api, made: Made) -> None:
    lines = b"".join(line + b"\n" for line in made.lines)

    for accept, media_type in (("*/*", _NDJSON), ("application/*;q=0.5", _NDJSON), ("application/jsonl",) * 2):
        answer = api.get(f"{made.path}/content", Accept=accept)
        assert answer.headers["Content-Type"] == media_type
        assert answer.content == lines
    compressed = api.get(f"{made.path}/content", Accept="application/zstd")
    assert compressed.headers["Content-Type"] == "application/zstd"
    assert int(compressed.headers["Content-Length"]) == len(compressed.content)
    with pa.CompressedInputStream(pa.BufferReader(compressed.content), "zstd") as stream:
        assert stream.read() == lines
    sizes = made.made["result"]["n_bytes"]
    assert (sizes["json_lines"], sizes["json_lines_compressed"]) == (len(lines), len(compressed.content))


@pytest.mark.parametrize("limit", [60, 1000])
@pytest.mark.sampled("values")
def test_pages_of_json_hold_all_rows_in_order(api: Api, made: Made, limit: int) -> None:
    data: list[Json] = []
    cursor: str | None = "0"
    while cursor is not None:
        answer = api.get(f"{made.path}/content?limit={limit}&cursor={cursor}", Accept="application/json")
        page = answer.json()
        assert answer.headers["Content-Type"] == "application/json"
        assert 0 < len(page["data"]) <= limit
        data += page["data"]
        cursor = page["next_cursor"]

    assert data == made.data
    assert TypeAdapter(list[Explanation]).validate_python(data)
    beyond = api.get(f"{made.path}/content?cursor={len(data)}", Accept="application/json").json()
    assert beyond == {"object": "list", "data": [], "next_cursor": None}


def test_parquet_says_what_the_lines_say(api: Api, made: Made) -> None:
    content = api.content(made.path, _PARQUET)

    table = pq.read_table(io.BytesIO(content))
    assert len(content) == made.made["result"]["n_bytes"]["parquet"]
    assert table.column("row").to_pylist() == list(range(len(made.lines)))
    for row_of_table, line in zip(table.to_pylist(), made.data, strict=True):
        assert (row_of_table["row_id"], row_of_table["status"]) == (line["row_id"], line["status"])
        if line["status"] == "error":
            assert row_of_table["problem_code"] == line["problem"]["code"]
            assert (row_of_table["summary"], row_of_table["reasons"]) == (None, None)
            continue
        assert row_of_table["summary"] == line["summary"]
        assert row_of_table["warnings"] == [{"feature": None, **warning} for warning in line["warnings"]]
        assert row_of_table["typicality_level"] == line["typicality"]["level"]
        assert row_of_table["typicality_percentile"] == line["typicality"]["percentile"]
        _check_prediction(row_of_table, line)
        _check_nearest(row_of_table, line)
        _check_effects(row_of_table, line)


def _check_prediction(row_of_table: Json, line: Json) -> None:
    prediction = line["prediction"]
    if prediction["task"] == "regression":
        assert row_of_table["value"] == prediction["value"]
        assert "label" not in row_of_table
        return
    assert (row_of_table["label"], row_of_table["scores"]) == (prediction["label"], prediction["scores"])
    assert {"label": prediction["label"], "value": row_of_table["score"]} in prediction["scores"]
    assert "value" not in row_of_table


def _check_nearest(row_of_table: Json, line: Json) -> None:
    """Of the prototypes, the table has the nearest alone; values of features are texts."""
    near: Json = next(iter(line["nearest_prototypes"]), {"reasons": []})
    outcome = "label" if line["prediction"]["task"] == "classification" else "value"
    assert row_of_table["prototype_row_id"] == near.get("row_id")
    assert row_of_table["proximity"] == near.get("proximity")
    assert row_of_table[f"prototype_{outcome}"] == near.get(outcome)
    for column, reason in zip(row_of_table["reasons"], near["reasons"], strict=True):
        for name in ("feature", "text", "share_of_trees"):
            assert column[name] == reason[name]
        for name in ("value", "prototype_value"):
            assert (None if column[name] is None else json.loads(column[name])) == reason[name]


def _check_effects(row_of_table: Json, line: Json) -> None:
    decision, effects = line.get("decision", {}), line.get("effects")
    assert (row_of_table["outcome"], row_of_table["decision_score"]) == (decision.get("outcome"), decision.get("score"))
    listed = effects and [
        {name: entry.get(name) for name in ("feature", "effect", "points")} for entry in effects["features"]
    ]
    assert row_of_table["effects"] == listed
    for name in ("kind", "row_id", "outcome", "score"):
        assert row_of_table[f"reference_{name}"] == (effects and effects["reference"].get(name))
    if effects:  # the table alone says that they add up
        total = sum(entry["effect"] for entry in row_of_table["effects"]) + row_of_table["other_effects"]
        assert total == pytest.approx(row_of_table["effects_score"] - row_of_table["reference_score"], abs=1e-6)


def test_other_tools_read_the_table_as_plain_columns(api: Api, made: Made) -> None:
    frame = pd.read_parquet(io.BytesIO(api.content(made.path, _PARQUET)))

    assert len(frame) == len(made.lines)
    is_explained = frame["status"] == "ok"
    assert frame["proximity"][is_explained].between(0, 1).any()
    if classes := made.registered.model["classes"]:
        assert frame["label"][is_explained].isin(classes).all()
    else:
        assert pd.api.types.is_float_dtype(frame["value"])


@pytest.mark.parametrize("accept", ["text/csv", "image/png", "application/json;q=0"])
def test_another_form_is_not_acceptable(api: Api, made: Made, accept: str) -> None:
    answer = api.get(f"{made.path}/content", Accept=accept)

    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")
    assert _NDJSON in answer.json()["detail"]


@pytest.mark.parametrize("query", ["cursor=x", "cursor=-1", "limit=0", "limit=1001"])
def test_an_odd_page_is_refused(api: Api, made: Made, query: str) -> None:
    answer = api.get(f"{made.path}/content?{query}", Accept="application/json")

    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")


def test_what_a_request_spells_out_in_other_words_is_the_same_set(api: Api, made: Made) -> None:
    again = api.post(_PATH, {**made.request, "include": [], "n_prototypes": 3, "n_reasons": 5})

    assert again.status_code == 200
    assert (again.json()["id"], again.json()["reused"]) == (made.made["id"], True)


@pytest.mark.parametrize(
    ("part", "status", "code", "pointer"),
    [
        ({"explainer": "xpl_gone"}, 404, "not_found", None),
        ({"dataset": "ds_gone"}, 404, "not_found", None),
        ({"n_prototypes": 0}, 422, "validation_failed", "/n_prototypes"),
        ({"n_prototypes": 101}, 422, "validation_failed", "/n_prototypes"),
        ({"n_prototypes": 3.5}, 422, "validation_failed", "/n_prototypes"),
        ({"include": ["everything"]}, 422, "validation_failed", "/include/0"),
        ({"explainer": None}, 422, "validation_failed", "/explainer"),
        ({"instances": []}, 422, "unknown_field", "/instances"),
    ],
)
def test_what_cannot_be_done_is_refused_at_once(
    api: Api, forest: Registered, part: Json, status: int, code: str, pointer: str | None
) -> None:
    request = {"explainer": forest.explainer["id"], "dataset": forest.dataset["id"], **part}

    refused = api.post(_PATH, request)

    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert pointer is None or pointer in {error["pointer"] for error in refused.json()["errors"]}


def test_a_dataset_that_lacks_features_is_refused_at_once(api: Api, forest: Registered) -> None:
    frame = frame_of(forest.fitted).drop(columns=["f3", "t"])
    dataset = api.upload("/v1/datasets", csv_of(frame)).json()["id"]

    refused = api.post(_PATH, {"explainer": forest.explainer["id"], "dataset": dataset})

    assert (refused.status_code, refused.json()["code"]) == (422, "schema_mismatch")
    assert "'f3'" in refused.json()["detail"]


def test_a_set_outlives_its_explainer_and_holds_its_model_and_rows(api: Api) -> None:
    registered = register(api, "extra_trees_binary")
    explainer, dataset = registered.explainer["id"], registered.dataset["id"]
    made = api.made(_PATH, {"explainer": explainer, "dataset": dataset, "n_prototypes": 1})
    path = f"{_PATH}/{made['id']}"
    before = api.content(path, _NDJSON)

    assert api.delete(f"/v1/explainers/{explainer}").status_code == 204
    assert api.content(path, _NDJSON) == before
    for held in (f"/v1/models/{registered.model['id']}", f"/v1/datasets/{dataset}"):
        assert api.delete(held).json()["code"] == "in_use"
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404
    assert api.get(f"{path}/content").status_code == 404
