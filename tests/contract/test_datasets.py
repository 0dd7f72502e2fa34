"""/v1/datasets over HTTP: register in three formats, list, read rows, delete."""

import json
from collections.abc import Callable

import pandas as pd
import pytest

from schemas.datasets import Dataset, DatasetRow
from tests.support.api import Api, Json, Registered, csv_of, frame_of, parquet_of
from tests.support.naive import quantiles_of
from tests.support.shared import shared_path

_FIELDS = {
    "source",
    "held_out",
    "images",
    "ignored_columns",
    "feature_set",
    "object",
    "id",
    "name",
    "sha256",
    "size_bytes",
    "n_rows",
    "n_columns",
    "n_features",
    "target",
    "row_id",
    "columns",
    "created_at",
}
_COLUMN_FIELDS = {
    "name",
    "title",
    "unit",
    "description",
    "type",
    "role",
    "n_missing",
    "n_infinite",
    "n_categories",
    "categories",
    "min",
    "max",
    "category_because",
} | {
    "quantiles",
    "category_counts",
    "decimals",
    "is_single_precision",
}
_FRAME = pd.DataFrame(
    {
        "name": ["a", "b", "c"],
        "age": [22.5, None, 80.0],
        "city": ["Köln", None, "=1+1"],
        "member": [True, False, True],
        "label": ["yes", "no", "yes"],
    }
)
_METADATA = {"target": "label", "row_id": "name"}
_VALUES: dict[str, list[object]] = {
    "name": ["a", "b", "c"],
    "age": [22.5, None, 80.0],
    "city": ["Köln", None, "=1+1"],
    "member": [True, False, True],
    "label": ["yes", "no", "yes"],
}


def _json_rows(frame: pd.DataFrame) -> bytes:
    return frame.to_json(orient="records").encode()


@pytest.mark.parametrize("write", [csv_of, parquet_of, _json_rows])
def test_each_format_gives_the_same_dataset(api: Api, write: Callable[[pd.DataFrame], bytes]) -> None:
    answer = api.upload("/v1/datasets", write(_FRAME), _METADATA)

    body = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/datasets/{body['id']}"
    assert answer.headers["Server-Timing"].startswith("total;dur=")
    assert set(body) == _FIELDS
    assert body["id"].startswith("ds_")
    assert (body["n_rows"], body["target"], body["row_id"]) == (3, "label", "name")
    assert Dataset.model_validate(body).model_dump(mode="json") == body
    assert api.get(answer.headers["Location"]).json() == body
    columns = {column["name"]: column for column in body["columns"]}
    assert set(columns["age"]) == _COLUMN_FIELDS
    assert [(name, column["type"], column["role"]) for name, column in columns.items()] == [
        ("name", "category", "row_id"),
        ("age", "number", "feature"),
        ("city", "category", "feature"),
        ("member", "boolean", "feature"),
        ("label", "category", "target"),
    ]
    assert (columns["age"]["n_missing"], columns["age"]["min"], columns["age"]["max"]) == (1, 22.5, 80.0)
    assert columns["city"]["categories"] == ["=1+1", "Köln"]
    assert columns["label"]["categories"] == ["no", "yes"]


def _rows(api: Api, dataset: str, limit: int) -> list[Json]:
    rows: list[Json] = []
    path = f"/v1/datasets/{dataset}/rows?limit={limit}"
    page = api.get(path).json()
    while True:
        assert set(page) == {"object", "data", "next_cursor"}
        assert len(page["data"]) <= limit
        rows += page["data"]
        if page["next_cursor"] is None:
            return rows
        page = api.get(f"{path}&cursor={page['next_cursor']}").json()


@pytest.mark.parametrize("limit", [1, 2, 3, 1000])
def test_rows_are_read_page_by_page_as_they_were_sent(api: Api, limit: int) -> None:
    dataset = api.upload("/v1/datasets", parquet_of(_FRAME), _METADATA).json()["id"]

    rows = _rows(api, dataset, limit)

    for position, row in enumerate(rows):
        assert DatasetRow.model_validate(row)
        assert (row["object"], row["row"], row["row_id"]) == ("row", position, "abc"[position])
        assert {cell["name"]: cell["value"] for cell in row["values"]} == {
            name: values[position] for name, values in _VALUES.items()
        }
    assert len(rows) == 3


@pytest.mark.parametrize("cursor", ["3", "99", "9" * 30])
def test_past_the_last_row_there_is_nothing(api: Api, cursor: str) -> None:
    dataset = api.upload("/v1/datasets", parquet_of(_FRAME), _METADATA).json()["id"]

    answer = api.get(f"/v1/datasets/{dataset}/rows?cursor={cursor}")

    assert answer.json() == {"object": "list", "data": [], "next_cursor": None}


@pytest.mark.parametrize("cursor", ["x", "-1", "1.5", "²"])
def test_a_cursor_that_is_no_position_is_refused(api: Api, cursor: str) -> None:
    dataset = api.upload("/v1/datasets", parquet_of(_FRAME), _METADATA).json()["id"]

    answer = api.get(f"/v1/datasets/{dataset}/rows?cursor={cursor}")

    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert answer.json()["errors"][0]["pointer"] == "/cursor"


def test_the_same_bytes_and_metadata_again_are_the_same_dataset(api: Api) -> None:
    first = api.upload("/v1/datasets", csv_of(_FRAME), {"name": "one"})
    again = api.upload("/v1/datasets", csv_of(_FRAME), {"name": "one"})
    other = api.upload("/v1/datasets", csv_of(_FRAME), {"name": "two"})

    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 201)
    assert again.json() == first.json()
    assert other.json()["id"] != first.json()["id"]


def test_without_row_ids_rows_are_called_by_their_numbers(api: Api) -> None:
    dataset = api.upload("/v1/datasets", csv_of(_FRAME)).json()["id"]

    assert [row["row_id"] for row in _rows(api, dataset, 10)] == ["0", "1", "2"]


def test_features_are_kept_in_the_order_declared_and_others_ignored(api: Api) -> None:
    body = api.upload("/v1/datasets", csv_of(_FRAME), {"features": ["member", "age"], "target": "label"}).json()

    roles = [(column["name"], column["role"]) for column in body["columns"]]
    assert roles[:2] == [("member", "feature"), ("age", "feature")]
    assert dict(roles) == {
        "member": "feature",
        "age": "feature",
        "name": "ignored",
        "city": "ignored",
        "label": "target",
    }


@pytest.mark.parametrize("odd", ["1_000", "-", "1,5", "true"])
@pytest.mark.sampled("thirds")
def test_a_decimal_column_with_one_odd_cell_says_which(api: Api, forest: Registered, odd: str) -> None:
    frame = frame_of(forest.fitted)
    frame["f0"] = frame["f0"].astype(object)
    frame.loc[17, "f0"] = odd

    dataset = api.upload("/v1/datasets", csv_of(frame), {"target": "t"}).json()
    refused = api.post("/v1/prototype-sets", {"model": forest.model["id"], "dataset": dataset["id"]})

    columns = {column["name"]: column for column in dataset["columns"]}
    assert columns["f0"]["type"] == "category"
    assert columns["f0"]["category_because"] == {"row": 17, "text": odd}
    assert [column["category_because"] for column in dataset["columns"]].count(None) == len(columns) - 1
    assert (refused.status_code, refused.json()["code"]) == (422, "schema_mismatch")
    assert f"'f0' is a category because of row 17 (counted from 0): {odd!r}" in refused.json()["detail"]
    assert "correct the cell" in refused.json()["detail"]


def test_a_decimal_column_with_one_long_integer_is_one_of_numbers(api: Api, forest: Registered) -> None:
    frame = frame_of(forest.fitted)
    frame["f0"] = frame["f0"].astype(object)
    frame.loc[17, "f0"] = "12345678901234567890"

    dataset = api.upload("/v1/datasets", csv_of(frame), {"target": "t"}).json()
    made = api.make(model=forest.model["id"], dataset=dataset["id"], n_prototypes=2)

    column = next(column for column in dataset["columns"] if column["name"] == "f0")
    assert (column["type"], column["max"], column["category_because"]) == ("number", 12345678901234567890.0, None)
    assert made["status"] == "ready"


@pytest.mark.parametrize("write", [csv_of, parquet_of, _json_rows])
@pytest.mark.sampled("thirds")
def test_the_first_repeated_row_id_is_named_with_both_rows(api: Api, write: Callable[[pd.DataFrame], bytes]) -> None:
    frame = pd.DataFrame({"id": ["u", "v", "w", "v", "u"], "x": [1.5, 2.5, 3.5, 4.5, 5.5]})

    refused = api.upload("/v1/datasets", write(frame), {"row_id": "id"})

    assert (refused.status_code, refused.json()["code"]) == (422, "dataset_bad_columns")
    assert "holds 'v' in row 1 and again in row 3 (counted from 0)" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("metadata", "code", "message"),
    [
        ({"target": "lable"}, "dataset_bad_columns", "'lable'"),
        ({"row_id": "x"}, "dataset_bad_columns", "'x'"),
        ({"features": ["age", "x"]}, "dataset_bad_columns", "'x'"),
        ({"features": ["age", "age"]}, "dataset_bad_columns", "'age'"),
        ({"target": "age", "features": ["age"]}, "dataset_bad_columns", "'age'"),
        ({"features": []}, "dataset_bad_columns", ""),
        ({"tarket": "label"}, "unknown_field", "did you mean 'target'"),
        ({"target": 7}, "validation_failed", "`metadata.target` must be a text"),
    ],
)
@pytest.mark.sampled("thirds")
def test_a_declaration_that_does_not_fit_the_columns_is_refused(
    api: Api, metadata: dict[str, object], code: str, message: str
) -> None:
    refused = api.upload("/v1/datasets", csv_of(_FRAME), metadata)

    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert message in refused.json()["detail"]


def test_a_dataset_is_deleted_unless_it_is_in_use(api: Api, forest: Registered) -> None:
    used = api.delete(f"/v1/datasets/{forest.dataset['id']}")
    path = api.upload("/v1/datasets", csv_of(_FRAME), {"name": "to be deleted"}).headers["Location"]

    assert (used.status_code, used.json()["code"]) == (409, "in_use")
    assert forest.prototype_set["id"][:4] == "prs_"
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404
    assert api.get(f"{path}/rows").status_code == 404
    assert api.delete(path).status_code == 404
    assert api.upload("/v1/datasets", csv_of(_FRAME), {"name": "to be deleted"}).status_code == 201


def test_a_real_table_is_summarised_as_pandas_sees_it(api: Api) -> None:
    path = shared_path("data/titanic.parquet")
    frame = pd.read_parquet(path)

    body = api.upload("/v1/datasets", path.read_bytes(), {"target": "survived"}).json()

    assert body["n_rows"] == len(frame)
    for column in body["columns"]:
        values = frame[column["name"]]
        assert column["n_missing"] == values.isna().sum()
        if column["type"] == "number":
            assert (column["min"], column["max"]) == pytest.approx((values.min(), values.max()))
            assert tuple(column["quantiles"]) == quantiles_of(values.dropna().tolist(), 101)
            assert column["decimals"] == max(len(f"{value:g}".partition(".")[2]) for value in values.dropna())
        elif column["type"] == "category":
            assert column["n_categories"] == values.nunique()
            counts = dict(zip(column["categories"] or (), column["category_counts"] or (), strict=True))
            assert counts in ({}, values.value_counts().to_dict())


def test_rows_are_read_by_their_numbers_in_any_order(api: Api, forest: Registered) -> None:
    path = f"/v1/datasets/{forest.dataset['id']}/rows"
    whole = api.get(f"{path}?limit=100").json()["data"]

    page = api.get(f"{path}?rows=7,0,7,63&columns=t").json()

    assert page["next_cursor"] is None
    assert [row["row"] for row in page["data"]] == [7, 0, 7, 63]
    assert page["data"] == [{**whole[row], "values": whole[row]["values"][-1:]} for row in (7, 0, 7, 63)]
    assert api.get(f"{path}?rows=7,0&cursor=1").json()["data"] == whole[:1]
    for rows, detail in (("999999", "has no row 999999"), ("1,", ""), ("-1", ""), (",".join("1" * 101), "")):
        refused = api.get(f"{path}?rows={rows}")
        assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
        assert detail in refused.json()["detail"]


def test_nothing_but_json_numbers_is_answered(api: Api) -> None:
    frame = pd.DataFrame({"a": [1e308, -1e308, None], "b": [2**53, 0, -1], "c": [None, None, None]})
    dataset = api.upload("/v1/datasets", parquet_of(frame))

    for answer in (dataset, api.get(f"/v1/datasets/{dataset.json().get('id')}/rows")):
        json.loads(answer.text, parse_constant=pytest.fail)


def test_what_columns_mean_is_kept_for_people(api: Api) -> None:
    age = {"name": "age", "title": "Age", "unit": "years", "description": "At the last birthday."}
    table = b"age,a,b,c,d\n30,1,2,3,4\n31,5,6,7,8\n"
    image = {"columns": ["a", "b", "c", "d"], "width": 2, "height": 2}

    made = api.upload("/v1/datasets", table, {"columns": [age], "images": [image]})

    assert made.status_code in {200, 201}, made.text
    found = api.get(made.headers["Location"]).json()
    assert found == made.json()
    assert {name: found["columns"][0][name] for name in age} == age
    assert (found["columns"][1]["title"], found["images"]) == (None, [{**image, "channels": 1, "highest": 255}])
    plain = api.upload("/v1/datasets", table).json()
    assert plain["id"] != found["id"]
    assert api.upload("/v1/datasets", table, {"columns": [], "images": []}).json()["id"] == plain["id"]
    for wrong, detail in (
        ({"columns": [{"name": "size"}]}, "'size'"),
        ({"images": [{**image, "width": 3}]}, "6 values"),
        ({"images": [{**image, "columns": ["a", "b", "c", "z"]}]}, "'z'"),
    ):
        refused = api.upload("/v1/datasets", table, wrong)
        assert (refused.status_code, refused.json()["code"]) == (422, "dataset_bad_columns")
        assert detail in refused.json()["detail"]


def test_how_a_file_is_read_makes_another_dataset(api: Api) -> None:
    content = b"zip;n;label\n01234;?;a\n00001;-999;b\n99999;2;a\n"
    plain = api.upload("/v1/datasets", content, {"target": "label"}).json()
    options = {"target": "label", "categories": ["zip"], "missing_values": ["?", "-999"], "separator": ";"}
    read = api.upload("/v1/datasets", content, options).json()

    types = {column["name"]: (column["type"], column["n_missing"]) for column in read["columns"]}
    assert types == {"zip": ("category", 0), "n": ("number", 2), "label": ("category", 0)}
    assert [column["type"] for column in plain["columns"]] == ["number", "category", "category"]
    assert plain["id"] != read["id"]
    assert api.upload("/v1/datasets", content, {"target": "label", "missing_values": []}).json()["id"] == plain["id"]
