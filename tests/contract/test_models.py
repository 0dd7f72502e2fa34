"""/v1/models over HTTP: register, list, read, draw, predict, delete."""

import math

import numpy as np
import pytest

from schemas.models import Model, ModelSummary, PredictionList, Tree
from tests.support.api import Api, Registered
from tests.support.models import fitted
from tests.support.pipelines import PIPELINES, fitted_pipeline, rows_of_frame
from tests.support.sampling import mostly_long

_FIELDS = {
    *("object", "id", "name", "sha256", "size_bytes", "task", "ensemble", "engine", "ensemble_inferred", "classes"),
    *(
        "n_classes",
        "n_features",
        "feature_names",
        "feature_types",
        "n_trees",
        "n_bagged_rows",
        "n_nodes",
        "n_leaves",
        "max_depth",
        "operators",
    ),
    *(
        "column_map",
        "parity",
        "warnings",
        "decision",
        "oracle_only",
        "finite_only",
        "seconds_per_1000_rows",
        "created_at",
    ),
}
_TASKS = {"binary": ["0", "1"], "multiclass": ["0", "1", "2"], "regression": []}


@pytest.mark.parametrize("task", mostly_long(_TASKS, "multiclass"))
def test_a_model_is_registered_and_found_again(api: Api, task: str) -> None:
    model = fitted(f"random_forest_{task}")
    rows, scores = model.features[:20].tolist(), model.library_scores()[:20].tolist()
    metadata = {
        "name": f"a {task} forest",
        "ensemble": "random_forest",
        "parity": {"rows": rows, "predictions": scores},
    }

    answer = api.upload("/v1/models", model.onnx, metadata)

    body = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/models/{body['id']}"
    assert answer.headers["Server-Timing"].startswith("total;dur=")
    assert set(body) == _FIELDS
    assert body["id"].startswith("mdl_")
    assert body["task"] == ("regression" if task == "regression" else "classification")
    assert body["classes"] == _TASKS[task]
    assert (body["n_trees"], body["n_features"]) == (20, model.features.shape[1])
    assert body["n_nodes"] == sum(tree.tree_.node_count for tree in model.estimator.estimators_)
    assert body["n_leaves"] == sum(tree.tree_.n_leaves for tree in model.estimator.estimators_)
    assert body["max_depth"] == max(tree.tree_.max_depth for tree in model.estimator.estimators_)
    assert body["feature_names"] == [f"x{column}" for column in range(model.features.shape[1])]
    assert body["parity"]["n_rows"] == 20
    assert body["parity"]["max_difference"] < 1e-3
    assert api.get(answer.headers["Location"]).json() == body
    listed = {name: body[name] for name in ModelSummary.model_fields}
    assert listed in api.get("/v1/models?limit=1000").json()["data"]
    assert Model.model_validate(body).model_dump(mode="json") == body


def test_the_same_bytes_and_metadata_again_are_the_same_model(api: Api, forest: Registered) -> None:
    metadata = {"feature_names": forest.names, "ensemble": "random_forest"}
    again = api.upload("/v1/models", forest.fitted.onnx, metadata)
    other = api.upload("/v1/models", forest.fitted.onnx, {**metadata, "name": "other"})

    assert (again.status_code, again.json()) == (200, forest.model)
    assert again.headers["Location"] == f"/v1/models/{forest.model['id']}"
    assert other.status_code == 201
    assert other.json()["id"] != forest.model["id"]
    assert other.json()["sha256"] == forest.model["sha256"]


@pytest.mark.parametrize(
    "parity",
    [
        {"predictions": [[0.5, 0.5]]},
        {"predictions": [[0.5, 0.5], [0.5, 0.5]]},
        {"rows": [[1.0]]},
        {"rows": [["text"] * 30]},
    ],
)
@pytest.mark.sampled("thirds")
def test_a_model_that_does_not_predict_what_was_declared_is_refused(
    api: Api, forest: Registered, parity: dict[str, object]
) -> None:
    declared = {"rows": forest.fitted.features[:1].tolist(), "predictions": [[1.0, 0.0]], **parity}

    refused = api.upload("/v1/models", forest.fitted.onnx, {"name": "not equal", "parity": declared})

    assert refused.status_code == 422
    assert refused.json()["code"] in {"model_parity_failed", "validation_failed", "bad_feature_type"}
    assert all(model["name"] != "not equal" for model in api.get("/v1/models?limit=1000").json()["data"])


def test_an_ensemble_of_unknown_kind_is_not_guessed_at(api: Api, forest: Registered) -> None:
    answer = api.upload("/v1/models", forest.fitted.onnx).json()

    assert (answer["ensemble"], answer["ensemble_inferred"]) in {(None, False), ("random_forest", True)}


def test_a_model_is_deleted_unless_it_is_in_use(api: Api, forest: Registered) -> None:
    used = api.delete(f"/v1/models/{forest.model['id']}")
    path = api.upload("/v1/models", forest.fitted.onnx, {"name": "to be deleted"}).headers["Location"]

    deleted = api.delete(path)

    assert (used.status_code, used.json()["code"]) == (409, "in_use")
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert api.get(path).status_code == 404
    assert api.delete(path).status_code == 404
    assert api.upload("/v1/models", forest.fitted.onnx, {"name": "to be deleted"}).status_code == 201
    assert api.post(f"/v1/models/{forest.model['id']}/predictions", {"instances": [forest.instance(0)]}).is_success


@pytest.mark.parametrize("task", mostly_long(_TASKS, "multiclass", "regression"))
def test_predictions_have_one_shape_whatever_the_task(api: Api, task: str) -> None:
    model = fitted(f"random_forest_{task}")
    path = api.upload("/v1/models", model.onnx).headers["Location"]
    request = {"instances": model.features.tolist(), "include": ["leaves"]}

    answer = api.post(f"{path}/predictions", request)

    body = answer.json()
    assert answer.status_code == 200
    assert PredictionList.model_validate(body)
    predictions = [row["prediction"] for row in body["data"]]
    for prediction in predictions:
        assert set(prediction) == ({"task", "value"} if task == "regression" else {"task", "label", "scores"})
    if task == "regression":
        values = [prediction["value"] for prediction in predictions]
        np.testing.assert_allclose(values, model.library_scores()[:, 0], rtol=1e-5)
    else:
        assert [prediction["label"] for prediction in predictions] == model.library_labels().tolist()
        scores = [[score["value"] for score in prediction["scores"]] for prediction in predictions]
        np.testing.assert_allclose(scores, model.library_scores(), atol=1e-6)
        assert [score["label"] for score in predictions[0]["scores"]] == _TASKS[task]
    leaves = np.array([row["leaves"] for row in body["data"]])
    library = model.library_leaves()
    assert library is not None
    for ours, theirs in zip(leaves.T, library.T, strict=True):
        assert len({*zip(ours.tolist(), theirs.tolist(), strict=True)}) == len({*theirs.tolist()})


def test_predictions_are_named_by_their_rows(api: Api, forest: Registered) -> None:
    path = f"/v1/models/{forest.model['id']}/predictions"
    request = {"instances": [forest.instance(0), {}, forest.instance(1)]}

    unnamed = api.post(path, request).json()["data"]
    named = api.post(path, {**request, "row_ids": ["a", "b", "7"]}).json()["data"]
    refused = [api.post(path, {**request, "row_ids": row_ids}).json() for row_ids in (["a", "b", "a"], ["a"])]

    assert [row["row_id"] for row in unnamed] == ["0", "1", "2"]
    assert [(row["row_id"], row["status"]) for row in named] == [("a", "ok"), ("b", "error"), ("7", "ok")]
    assert [answer["code"] for answer in refused] == ["validation_failed"] * 2
    assert [answer["errors"][0]["pointer"] for answer in refused] == ["/row_ids/2", "/row_ids"]


def test_bad_rows_do_not_fail_good_ones(api: Api, forest: Registered) -> None:
    good = forest.instance(0)
    lacking = {name: value for name, value in good.items() if name != "f3"}
    rows = [good, lacking, {**lacking, " F3": 1}, [1, 2], {**good, "f3": "much"}, {**good, "f3": 1e39}, good]

    body = api.post(f"/v1/models/{forest.model['id']}/predictions", {"instances": rows}).json()

    codes = [row.get("problem") and row["problem"]["code"] for row in body["data"]]
    assert codes == [
        None,
        "schema_mismatch",
        "schema_mismatch",
        "schema_mismatch",
        "bad_feature_type",
        "non_finite_number",
        None,
    ]
    assert {**body["data"][0], "row_id": "6"} == body["data"][6]
    assert "'f3'" in body["data"][1]["problem"]["detail"]
    assert body["data"][2]["problem"]["detail"] == "the instance lacks the feature 'f3'; did you mean it by ' F3'?"
    assert [row["status"] for row in body["data"]] == ["ok", *["error"] * 5, "ok"]


def test_columns_that_the_model_does_not_read_are_ignored_and_named_once(api: Api, forest: Registered) -> None:
    good = forest.instance(0)
    many = {f"column {number}": number for number in range(150)}
    path = f"/v1/models/{forest.model['id']}/predictions"

    plain, whole, wide = (
        api.post(path, {"instances": instances}).json()
        for instances in ([good], [{"id": "a", **good}, {**good, "target": "x" * 12_000}], [many | good])
    )

    assert "ignored_columns" not in plain
    assert whole["ignored_columns"] == ["id", "target"]
    assert wide["ignored_columns"] == list(many)[:100]
    for row in (*whole["data"], *wide["data"]):
        assert row["prediction"] == plain["data"][0]["prediction"]


def test_each_tree_is_drawn_as_scikit_learn_has_it(api: Api, forest: Registered) -> None:
    for number, estimator in enumerate(forest.fitted.estimator.estimators_[:3]):
        answer = api.get(f"/v1/models/{forest.model['id']}/trees/{number}")
        body, theirs = answer.json(), estimator.tree_

        assert answer.status_code == 200
        assert Tree.model_validate(body)
        assert (body["object"], body["model"], body["tree"]) == ("tree", forest.model["id"], number)
        assert len(body["nodes"]) == theirs.node_count
        assert sorted(node["value"] for node in body["nodes"] if node["leaf"] is None) == pytest.approx(
            sorted(theirs.threshold[theirs.children_left >= 0])
        )


def test_the_features_that_trees_ask_about_are_those_of_the_drawn_trees(api: Api, forest: Registered) -> None:
    path = f"/v1/models/{forest.model['id']}"
    trees = [api.get(f"{path}/trees/{number}").json()["nodes"] for number in range(20)]
    tested = [[node["feature"] for node in nodes if node["leaf"] is None] for nodes in trees]

    found = api.get(f"{path}/features").json()

    n_questions = sum(map(len, tested))
    assert (found["n_trees"], found["n_questions"]) == (20, n_questions)
    assert sorted(each["feature"] for each in found["data"]) == sorted(forest.names)
    order = [(each["share_of_trees"], each["share_of_questions"]) for each in found["data"]]
    assert order == sorted(order, reverse=True)
    for each in found["data"]:
        assert each["share_of_trees"] == sum(each["feature"] in own for own in tested) / 20
        assert each["share_of_questions"] == sum(own.count(each["feature"]) for own in tested) / n_questions


@pytest.mark.parametrize("number", ["20", "-1", "999999999999999999"])
def test_a_tree_that_is_not_there_is_not_found(api: Api, forest: Registered, number: str) -> None:
    answer = api.get(f"/v1/models/{forest.model['id']}/trees/{number}")

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert "has trees 0 to 19" in answer.json()["detail"]


@pytest.mark.parametrize("name", mostly_long(PIPELINES, "scaled_and_one_hot", "principal_components"))
def test_a_drawn_tree_leads_raw_rows_to_the_leaves_of_the_model(api: Api, name: str) -> None:
    pipeline, (_, table) = fitted_pipeline(name), PIPELINES[name]()
    names = list(pipeline.rows.names)
    model = api.upload("/v1/models", pipeline.onnx, {"feature_names": names, "ensemble": "random_forest"}).json()
    columns = rows_of_frame(table.features).columns
    rows = [dict(zip(names, map(_plain, values), strict=True)) for values in zip(*columns, strict=True)][:150]
    path = f"/v1/models/{model['id']}"

    leaves = [row["leaves"] for row in api.post(f"{path}/predictions", _with_leaves(rows)).json()["data"]]
    trees = [api.get(f"{path}/trees/{number}").json()["nodes"] for number in range(6)]

    is_raw = [not any(node["transformed"] for node in nodes) for nodes in trees]
    assert any(is_raw) or name == "principal_components"
    for number, nodes in enumerate(trees):
        if is_raw[number]:
            found = [_leaf(nodes, row) for row in rows]
            expected = [row_leaves[number] for row_leaves in leaves]
            assert [each if leaf is None else leaf for leaf, each in zip(found, expected, strict=True)] == expected
            assert found.count(None) < len(rows) / 10


def _with_leaves(rows: list[dict[str, object]]) -> dict[str, object]:
    return {"instances": rows, "include": ["leaves"]}


def _plain(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


def _leaf(nodes: list[dict[str, object]], row: dict[str, object]) -> object:
    """Return the leaf that the drawing leads to; none where scaling rounds a value onto the line between two."""
    node = nodes[0]
    while node["leaf"] is None:
        if node["operator"] in {"<=", "<", ">=", ">"} and row[str(node["feature"])] == pytest.approx(
            node["value"], rel=1e-6
        ):
            return None
        side = "left" if _goes_left(node, row[str(node["feature"])]) else "right"
        node = nodes[int(str(node[side]))]
    return node["leaf"]


def _goes_left(node: dict[str, object], given: object) -> bool:
    if given is None:
        return bool(node["or_missing"])
    operator, wanted, categories = node["operator"], node["value"], node["categories"]
    if operator in {"in", "not in"}:
        assert isinstance(categories, list)
        return (given in categories) == (operator == "in")
    if operator in {"is", "is not"}:
        return (given == wanted) == (operator == "is")
    assert isinstance(given, float | int)
    assert isinstance(wanted, float)
    return {"<=": given <= wanted, "<": given < wanted, ">": given > wanted, ">=": given >= wanted}[str(operator)]


def test_metadata_is_read_strictly(api: Api, forest: Registered) -> None:
    cases = {
        '{"nam": "x"}': (422, "unknown_field", "/metadata/nam"),
        '{"ensemble": "bush"}': (422, "validation_failed", "/metadata/ensemble"),
        '{"name": ""}': (422, "validation_failed", "/metadata/name"),
        '{"name": "\\u0000"}': (422, "bad_string", None),
        '{"name": NaN}': (400, "malformed_json", None),
        "{": (400, "malformed_json", None),
        "[]": (422, "validation_failed", "/metadata"),
        '{"parity": {"rows": [[{}]], "predictions": [[1]]}}': (422, "validation_failed", "/metadata/parity/rows/0/0"),
    }
    for metadata, (status, code, pointer) in cases.items():
        refused = api.upload("/v1/models", forest.fitted.onnx, metadata)
        problem = refused.json()
        assert (refused.status_code, problem["code"]) == (status, code), metadata
        if pointer is not None:
            assert pointer in {error["pointer"] for error in problem["errors"]}


def test_feature_names_of_another_number_are_refused(api: Api, forest: Registered) -> None:
    refused = api.upload("/v1/models", forest.fitted.onnx, {"feature_names": ["a", "b"]})

    assert refused.status_code == 422
    assert "30" in refused.json()["detail"]
