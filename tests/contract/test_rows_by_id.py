"""Rows of a registered dataset, explained by their ids: as if they had been sent."""

import numpy as np
import pandas as pd
import pytest

from tests.support.api import Api, Json, Registered, csv_of, frame_of, parquet_of
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tests.support.targets_of_rows import without_target


def _post(api: Api, registered: Registered, **request: object) -> tuple[int, Json]:
    answer = api.post(f"/v1/explainers/{registered.explainer['id']}/explanations", request)
    return answer.status_code, answer.json()


def test_rows_are_explained_as_if_they_had_been_sent(api: Api, forest: Registered) -> None:
    rows = [7, 3, 200, 0]
    names = [str(row) for row in rows]
    sent = api.explain(
        forest.explainer["id"], [forest.instance(row) for row in rows], row_ids=names, include=["values", "contrast"]
    )

    status, found = _post(api, forest, dataset=forest.dataset["id"], row_ids=names, include=["values", "contrast"])

    assert status == 200
    assert [row["target"] for row in found["data"]] == [str(forest.fitted.target[row]) for row in rows]
    assert {**found, "data": [without_target(row) for row in found["data"]]} == sent


def test_a_row_has_the_id_that_its_dataset_gives_it(api: Api, forest: Registered) -> None:
    frame = frame_of(forest.fitted).drop(columns="t").head(40)
    frame.loc[5, "f1"] = np.nan
    frame["f2"] = frame["f2"] > frame["f2"].median()
    named = frame.assign(id=[f'row "{row}", é' for row in frame.index])
    dataset = api.upload("/v1/datasets", parquet_of(named), {"row_id": "id"}).json()["id"]
    cells = frame.astype(object).where(frame.notna(), None)

    row_ids = ['row "5", é', 'row "39", é']
    status, found = _post(api, forest, dataset=dataset, row_ids=row_ids, include=["values"])

    assert status == 200
    assert [row["row_id"] for row in found["data"]] == row_ids
    instances = [dict(cells.loc[row]) for row in (5, 39)]
    sent = api.explain(forest.explainer["id"], instances, row_ids=row_ids, include=["values"])
    assert found["data"] == sent["data"]  # a dataset without targets
    values = {cell["feature"]: cell["value"] for cell in found["data"][0]["values"]}
    assert values["f1"] is None
    assert isinstance(values["f2"], bool)


def test_a_dataset_that_was_read_before_answers_the_same_until_it_is_deleted(api: Api, forest: Registered) -> None:
    frame = frame_of(forest.fitted).head(30).assign(id=[f"row {row}" for row in range(30)])
    frame.loc[3, "f0"] = np.nan
    dataset = api.upload("/v1/datasets", parquet_of(frame), {"row_id": "id", "target": "t"}).json()["id"]
    request = {"dataset": dataset, "row_ids": ["row 3", "row 29", "row 3 "], "include": ["values"]}

    first, again = _post(api, forest, **request), _post(api, forest, **request)
    others = _post(api, forest, dataset=dataset, row_ids=["row 0", "row 29"], include=["values"])
    assert api.http.delete(f"/v1/datasets/{dataset}").status_code == 204
    status, refused = _post(api, forest, **request)

    assert first == again
    assert first[1]["data"][1] == others[1]["data"][1]
    assert [row["status"] for row in first[1]["data"]] == ["ok", "ok", "error"]
    assert (status, refused["code"]) == (404, "not_found")


def test_an_id_that_no_row_has_is_that_rows_error(api: Api, forest: Registered) -> None:
    n_rows = forest.dataset["n_rows"]
    row_ids = ["01", "0", str(n_rows - 1), str(n_rows), "-1", "row 7", "٣"]

    status, found = _post(api, forest, dataset=forest.dataset["id"], row_ids=row_ids)

    assert status == 200
    assert [row["row_id"] for row in found["data"]] == row_ids
    assert [row["status"] for row in found["data"]] == ["error", "ok", "ok", "error", "error", "error", "error"]
    refused = found["data"][5]["problem"]
    assert (refused["code"], refused["status"]) == ("not_found", 404)
    assert "'row 7'" in refused["detail"]
    assert forest.dataset["id"] in refused["detail"]


def test_categories_come_from_the_dataset_as_they_were_sent(api: Api) -> None:
    table = PIPELINES["imputed_categories"]()[1]
    frame = table.features.assign(t=table.target)
    model = api.upload("/v1/models", fitted_pipeline("imputed_categories").onnx, {"ensemble": "random_forest"}).json()
    dataset = api.upload("/v1/datasets", parquet_of(frame), {"target": "t"}).json()
    made = api.make(model=model["id"], dataset=dataset["id"], n_prototypes=5)
    explainer = api.post("/v1/explainers", {"model": model["id"], "prototype_set": made["id"]}).json()["id"]
    cells = table.features.astype(object).where(table.features.notna(), None)
    row_ids = [str(row) for row in range(0, 40, 3)]
    sent = api.explain(explainer, [dict(cells.loc[int(row)]) for row in row_ids], row_ids=row_ids)

    found = api.post(f"/v1/explainers/{explainer}/explanations", {"dataset": dataset["id"], "row_ids": row_ids})

    assert [without_target(row) for row in found.json()["data"]] == sent["data"]


@pytest.mark.parametrize(
    ("part", "status", "code", "pointer"),
    [
        ({"row_ids": None}, 422, "validation_failed", "/row_ids"),
        ({"row_ids": []}, 422, "validation_failed", "/row_ids"),
        ({"row_ids": ["3", "3"]}, 422, "validation_failed", "/row_ids/1"),
        ({"row_ids": ["3"] * 1001}, 413, "too_many_rows", None),
        ({"dataset": "ds_gone"}, 404, "not_found", None),
        ({"dataset": None}, 422, "validation_failed", "/instances"),
        ({"instances": [[1]]}, 422, "validation_failed", "/instances"),
    ],
)
def test_what_names_no_rows_is_refused_as_a_whole(
    api: Api, forest: Registered, part: Json, status: int, code: str, pointer: str | None
) -> None:
    request: Json = {"dataset": forest.dataset["id"], "row_ids": ["3"]} | part

    found_status, problem = _post(api, forest, **request)

    assert (found_status, problem["code"]) == (status, code)
    assert pointer is None or pointer in {error["pointer"] for error in problem["errors"]}


def test_a_dataset_that_does_not_fit_the_model_is_refused(api: Api, forest: Registered) -> None:
    dataset = api.upload("/v1/datasets", csv_of(pd.DataFrame({"f0": [1.0]}))).json()["id"]

    status, problem = _post(api, forest, dataset=dataset, row_ids=["0"])

    assert (status, problem["code"]) == (422, "schema_mismatch")
    assert "'f1'" in problem["detail"]


def test_rows_with_more_text_than_a_call_may_have_are_refused(api: Api) -> None:
    table = PIPELINES["imputed_categories"]()[1]
    model = api.upload("/v1/models", fitted_pipeline("imputed_categories").onnx, {"ensemble": "random_forest"}).json()
    dataset = api.upload("/v1/datasets", parquet_of(table.features.assign(t=table.target)), {"target": "t"}).json()
    made = api.make(model=model["id"], dataset=dataset["id"], n_prototypes=5)
    explainer = api.post("/v1/explainers", {"model": model["id"], "prototype_set": made["id"]}).json()["id"]
    text = next(column for column in table.features.columns if table.features[column].dtype == object)
    long = table.features.head(100).assign(**{text: "x" * 100_000})
    rows = api.upload("/v1/datasets", parquet_of(long)).json()["id"]
    path = f"/v1/explainers/{explainer}/explanations"

    few = api.post(path, {"dataset": rows, "row_ids": ["0", "1"]})
    many = api.post(path, {"dataset": rows, "row_ids": [str(row) for row in range(100)]})

    assert few.status_code in {200, 422}
    assert (many.status_code, many.json()["code"]) == (413, "too_many_rows")


def test_a_call_of_which_every_row_failed_is_a_problem_with_theirs(api: Api, forest: Registered) -> None:
    with_text: Json = {**forest.instance(0), "f3": "x"}

    status, problem = _post(api, forest, instances=[{}, with_text, [1.0]])

    assert (status, problem["code"]) == (422, "every_row_failed")
    assert [error["pointer"] for error in problem["errors"]] == ["/instances/0", "/instances/1", "/instances/2"]
    codes = [error["code"] for error in problem["errors"]]
    assert codes == ["schema_mismatch", "bad_feature_type", "schema_mismatch"]
    assert "none of the 3 rows" in problem["detail"]
    _, alone = _post(api, forest, instances=[{}])
    assert alone["detail"].startswith("the row could not be explained: ")
    assert problem["errors"][0]["detail"] in problem["detail"]
    # Some of them failed: an answer as before.
    status, found = _post(api, forest, instances=[{}, forest.instance(0)])
    assert (status, [row["status"] for row in found["data"]]) == (200, ["error", "ok"])


def test_rows_of_a_dataset_may_all_fail_too(api: Api, forest: Registered) -> None:
    status, problem = _post(api, forest, dataset=forest.dataset["id"], row_ids=["x", "y"])

    assert (status, problem["code"]) == (422, "every_row_failed")
    assert [(each["pointer"], each["code"]) for each in problem["errors"]] == [
        ("/row_ids/0", "not_found"),
        ("/row_ids/1", "not_found"),
    ]


def test_a_thousand_failures_are_all_listed(api: Api, forest: Registered) -> None:
    status, problem = _post(api, forest, instances=[{}] * 1000)

    assert status == 422
    assert len(problem["errors"]) == 1000
