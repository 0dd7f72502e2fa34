"""Explanations over HTTP: each statement about a row holds by scikit-learn's own leaves and predictions."""

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
import pytest
from numpy.typing import NDArray

from schemas.explanations import ExplanationList
from tests.support.api import Api, Json, Registered, csv_of, frame_of, parquet_of, register, register_fitted
from tests.support.models import undecided_forest
from tests.support.pipelines import PIPELINES, fitted_pipeline, rows_of_frame
from tests.support.sampling import mostly_long

_N_ROWS = 120
_SHORT = {
    "object",
    "row_id",
    "status",
    "summary",
    "prediction",
    "decision",
    "effects",
    "typicality",
    "warnings",
    "nearest_prototypes",
}
_REASON = {"feature", "text", "value", "prototype_value", "share_of_trees"}


@dataclass(frozen=True)
class Explained:
    """Explanations of the first rows of a model's own data."""

    registered: Registered
    answer: Json
    leaves: NDArray[np.int64]  # (n_rows, n_trees) of all rows, as scikit-learn numbers them
    shared: NDArray[np.int64]  # (n_rows, n_prototypes)

    @property
    def data(self) -> list[Json]:
        found: list[Json] = self.answer["data"]
        return found

    @property
    def labels(self) -> list[str | None]:
        """Classes of the prototypes."""
        return [prototype["label"] for prototype in self.registered.prototype_set["result"]["prototypes"]]

    @property
    def outcome(self) -> str:
        """The field of a prototype that says what the model predicts for it."""
        return "label" if self.registered.fitted.is_classifier else "value"


@pytest.fixture(scope="module", params=mostly_long(["binary", "multiclass", "regression"], "multiclass"))
def explained(request: pytest.FixtureRequest, api: Api) -> Explained:
    registered = register(api, f"random_forest_{request.param}", min_leaf_rows=1)
    instances = [registered.instance(row) for row in range(_N_ROWS)]
    answer = api.explain(registered.explainer["id"], instances, detail="full", n_prototypes=5)
    leaves = registered.fitted.library_leaves()
    assert leaves is not None
    chosen = [prototype["row"] for prototype in registered.prototype_set["result"]["prototypes"]]
    shared = (leaves[:_N_ROWS, None, :] == leaves[chosen][None, :, :]).sum(axis=2)
    return Explained(registered, answer, leaves, shared)


def test_the_answer_is_the_contracts(explained: Explained) -> None:
    body = explained.answer

    assert ExplanationList.model_validate(body)
    assert set(body) == {"object", "explainer", "data", "provenance"}
    assert (body["object"], body["explainer"]) == ("list", explained.registered.explainer["id"])
    assert body["provenance"] == {
        "model_sha256": explained.registered.model["sha256"],
        "dataset_sha256": explained.registered.dataset["sha256"],
        "prototype_set": explained.registered.prototype_set["id"],
        "numerics": "float32",
        "service": body["provenance"]["service"],
    }
    assert [row["row_id"] for row in body["data"]] == [str(row) for row in range(_N_ROWS)]
    whole = _SHORT | {"prototype_prediction", "values", "nearest_rows"}
    whole = whole | {"contrasts"} if explained.outcome == "label" else whole - {"decision"}
    for row in body["data"]:
        assert set(row) == (whole if row["nearest_prototypes"] else whole - {"prototype_prediction"})
        assert (row["object"], row["status"]) == ("explanation", "ok")
        assert [each["code"] for each in row["warnings"]] == ["near_tie"] * ("near_tie" in row["prediction"])
        is_class = row["prediction"]["task"] == "classification"
        assert set(row["prediction"]) == ({"task", "label", "scores"} if is_class else {"task", "value"}) | (
            {"near_tie"} & set(row["prediction"])
        )
        for prototype in row["nearest_prototypes"]:
            assert set(prototype) == {
                *("row_id", explained.outcome, "target", "proximity", "reasons"),
                *("rank", "distance", "shared_trees", "n_trees", "coverage"),
            }
            assert all(set(reason) == _REASON | {"interval"} for reason in prototype["reasons"])
    assert b"null" not in orjson.dumps(body)


def test_an_answer_is_short_unless_more_is_requested(api: Api, explained: Explained) -> None:
    instances = [explained.registered.instance(row) for row in range(_N_ROWS)]

    answer = api.explain(explained.registered.explainer["id"], instances, n_prototypes=5)

    assert ExplanationList.model_validate(answer)
    for short, whole in zip(answer["data"], explained.data, strict=True):
        assert set(short) == (_SHORT if explained.outcome == "label" else _SHORT - {"decision"})
        lists = {"nearest_prototypes": 0, "effects": 0, "summary": 0}  # a summary names features that are listed
        assert {**short, **lists} == {name: whole[name] for name in short} | lists
        assert short["effects"]["features"] == whole["effects"]["features"][:5]
        for near, known in zip(short["nearest_prototypes"], whole["nearest_prototypes"], strict=True):
            reasons = [{name: reason[name] for name in _REASON} for reason in known["reasons"][:5]]
            assert near == {name: known[name] for name in near} | {"reasons": reasons}
            assert set(near) == {"row_id", explained.outcome, "target", "proximity", "reasons"}


@pytest.mark.parametrize("part", ["values", "intervals", "contrast"])
def test_each_part_is_added_where_it_is_included(api: Api, explained: Explained, part: str) -> None:
    field = {"values": "values", "contrast": "contrasts"}.get(part, "")
    instances = [explained.registered.instance(row) for row in range(20)]

    data = api.explain(explained.registered.explainer["id"], instances, include=[part], n_reasons=2, n_prototypes=5)

    for row, whole in zip(data["data"], explained.data, strict=False):
        assert set(row) - _SHORT == ({field} & set(whole))
        if part == "values":
            assert row[field] == [
                {name: each[name] for name in ("feature", "value", "prototype_values")} for each in whole[field]
            ]
        for near, known in zip(row["nearest_prototypes"], whole["nearest_prototypes"], strict=True):
            names = _REASON | ({"interval"} if part == "intervals" else set())
            assert near["reasons"] == [{name: reason[name] for name in names} for reason in known["reasons"][:2]]


@pytest.mark.parametrize("n_reasons", [0, 1, 100, "all"])
def test_as_many_reasons_are_given_as_are_requested(api: Api, forest: Registered, n_reasons: int | str) -> None:
    instances = [forest.instance(row) for row in range(20)]
    (whole, data) = (
        api.explain(forest.explainer["id"], instances, **request)["data"]
        for request in ({"detail": "full"}, {"n_reasons": n_reasons})
    )

    limit = n_reasons if isinstance(n_reasons, int) else None
    for row, known in zip(data, whole, strict=True):
        for near, full in zip(row["nearest_prototypes"], known["nearest_prototypes"], strict=True):
            texts = [reason["text"] for reason in full["reasons"]]
            assert [reason["text"] for reason in near["reasons"]] == texts[:limit]


def test_a_summary_names_the_prediction_and_the_nearest_prototype(explained: Explained) -> None:
    for row in explained.data:
        summary, prediction, number = row["summary"], row["prediction"], float(row["prediction"].get("value", 0))
        assert summary.startswith(f"Predicted as {prediction.get('label', f'{number:,.6g}')}")
        for nearest in row["nearest_prototypes"][:1]:
            assert f"row {nearest['row_id']}" in summary
            assert f" a proximity of {nearest['proximity']:.0%}" in summary
            agrees = row["prototype_prediction"].get("agrees", True)
            assert ("nearest is of another class" in summary or "prototype is of another class" in summary) != agrees
        effects = row["effects"]
        if effects["score"] != effects["reference"]["score"]:  # otherwise nothing has them differ
            assert f"Compared with row {effects['reference']['row_id']}" in summary
            difference = effects["score"] - effects["reference"]["score"]
            first = next(each for each in effects["features"] if each["effect"] * difference > 0)
            assert re.search(rf", (mostly|in part) by {re.escape(first['feature'])} \(", summary)


def test_a_registered_row_says_what_came_of_it(api: Api, forest: Registered) -> None:
    frame = frame_of(forest.fitted).head(3).astype({"t": str})
    (first, other), predicted = forest.model["classes"], forest.fitted.library_labels()[0]
    frame.loc[0, "t"] = other if predicted == first else first
    dataset = api.upload("/v1/datasets", parquet_of(frame), {"target": "t"}).json()
    request = {"dataset": dataset["id"], "row_ids": ["0", "1"], "n_reasons": 1}
    path = f"/v1/explainers/{forest.explainer['id']}/explanations"
    explained, drawn = api.post(path, request), api.http.post(path, json=request, headers={"Accept": "text/html"}).text

    rows = explained.json()["data"]
    assert [row["target"] for row in rows] == frame["t"].tolist()[:2]
    assert rows[0]["summary"].startswith(f"Predicted {predicted}, was {frame['t'][0]}. ")
    assert drawn.count("In the data: ") == 2
    without_target = api.upload("/v1/datasets", parquet_of(frame.drop(columns="t")), {}).json()
    (row, *_) = api.post(path, {**request, "dataset": without_target["id"]}).json()["data"]
    assert "target" not in row
    assert row["summary"].startswith(f"Predicted as {predicted}. ")


def test_predictions_are_the_librarys(explained: Explained) -> None:
    model = explained.registered.fitted
    predictions = [row["prediction"] for row in explained.data]

    if model.is_classifier:
        scores = [[score["value"] for score in prediction["scores"]] for prediction in predictions]
        np.testing.assert_allclose(scores, model.library_scores()[:_N_ROWS], atol=1e-6)
        assert [prediction["label"] for prediction in predictions] == model.library_labels()[:_N_ROWS].tolist()
    else:
        values = [prediction["value"] for prediction in predictions]
        np.testing.assert_allclose(values, model.library_scores()[:_N_ROWS, 0], rtol=1e-5)


def test_the_nearest_prototypes_share_most_of_scikit_learns_leaves(explained: Explained) -> None:
    prototypes = explained.registered.prototype_set["result"]["prototypes"]
    n_trees = explained.leaves.shape[1]
    for row, shared in zip(explained.data, explained.shared, strict=True):
        order = [place for place in np.argsort(-shared, kind="stable")[:5].tolist() if shared[place] > 0]
        nearest = row["nearest_prototypes"]

        assert [each["row_id"] for each in nearest] == [prototypes[place]["row_id"] for place in order]
        assert [each["rank"] for each in nearest] == list(range(1, len(order) + 1))
        for each, place in zip(nearest, order, strict=True):
            assert (each["shared_trees"], each["n_trees"]) == (shared[place], n_trees)
            assert each["proximity"] == pytest.approx(shared[place] / n_trees)
            assert each["distance"] == pytest.approx(1 - each["proximity"])
            assert each["coverage"] == prototypes[place]["coverage"]
            assert each[explained.outcome] == prototypes[place][explained.outcome]


def test_values_stand_side_by_side(explained: Explained) -> None:
    prototypes = {each["row_id"]: each for each in explained.registered.prototype_set["result"]["prototypes"]}
    for position, row in enumerate(explained.data):
        assert {each["feature"]: each["value"] for each in row["values"]} == explained.registered.instance(position)
        for place, near in enumerate(row["nearest_prototypes"]):
            beside = {each["feature"]: each["prototype_values"][place] for each in row["values"]}
            known = {cell["name"]: cell["value"] for cell in prototypes[near["row_id"]]["features"]}
            assert beside == known
            for reason in near["reasons"]:
                feature = reason["feature"]
                assert reason["value"] == explained.registered.instance(position)[feature]
                assert reason["prototype_value"] == known[feature]


def test_the_prototype_prediction_is_the_nearest_ones(explained: Explained) -> None:
    for row in explained.data:
        if not row["nearest_prototypes"]:
            assert "prototype_prediction" not in row
            continue
        nearest = row["nearest_prototypes"][0]
        expected = {explained.outcome: nearest[explained.outcome]}
        if explained.outcome == "label":
            expected["agrees"] = nearest["label"] == row["prediction"]["label"]
        assert row["prototype_prediction"] == expected


def test_the_contrast_is_the_nearest_prototype_of_another_class(explained: Explained) -> None:
    prototypes = explained.registered.prototype_set["result"]["prototypes"]
    for row, shared in zip(explained.data, explained.shared, strict=True):
        label = row["prediction"].get("label")
        if label is None:
            assert "contrasts" not in row
            continue
        others = [-1 if own == label else int(n) for own, n in zip(explained.labels, shared, strict=True)]
        place = int(np.argmax(others))
        expected = {
            "row_id": prototypes[place]["row_id"],
            "label": explained.labels[place],
            "proximity": pytest.approx(others[place] / explained.leaves.shape[1]),
        }
        found = [{name: each[name] for name in expected} for each in row["contrasts"]]
        assert found == [expected]


def test_reasons_hold_for_both_rows_and_are_sorted_by_the_trees_that_test_them(explained: Explained) -> None:
    for position, row in enumerate(explained.data):
        instance = explained.registered.instance(position)
        for prototype in row["nearest_prototypes"]:
            shares = [reason["share_of_trees"] for reason in prototype["reasons"]]
            assert shares == sorted(shares, reverse=True)
            assert all(0 < share <= 1 for share in shares)
            # What is as near by chance explains nothing.
            assert bool(prototype["reasons"]) == (prototype["shared_trees"] >= 2 and prototype["proximity"] >= 0.01)
            for reason in prototype["reasons"]:
                assert reason["value"] == instance[reason["feature"]]
                assert _holds(reason["interval"], reason["prototype_value"]), reason
                assert _holds(reason["interval"], reason["value"]), reason


def _holds(interval: Json, value: Any) -> bool:  # any cell
    if value in {None, "unknown"}:  # the token of one of the pipelines for what is missing
        return "or_missing" in interval or "is_missing" in interval
    if "is_missing" in interval or value in interval.get("excluded_categories", []):
        return False
    if "category" in interval:
        return bool(value == interval["category"])
    if isinstance(value, str):
        return True
    # Ends are printed in as many digits as float32 has, in which the model takes the values.
    value, low, high = (
        None if number is None else np.float32(number) for number in (value, interval.get("low"), interval.get("high"))
    )
    above = low is None or value > low or (interval["low_inclusive"] and value == low)
    below = high is None or value < high or (interval["high_inclusive"] and value == high)
    return bool(above and below)


def test_within_a_reason_the_shared_trees_cannot_separate_values_and_beyond_it_one_can(
    api: Api,
) -> None:
    forest = register(api, "random_forest_binary", min_leaf_rows=1)
    instance = forest.instance(3)
    (row,) = api.explain(forest.explainer["id"], [instance], n_prototypes=1, detail="full")["data"]
    nearest = row["nearest_prototypes"][0]
    prototype = {each["feature"]: each["prototype_values"][0] for each in row["values"]}
    leaves = _leaves(api, forest, [instance, prototype])
    shared = np.flatnonzero(leaves[0] == leaves[1])
    assert len(shared) == nearest["shared_trees"]

    for reason in nearest["reasons"]:
        interval = reason["interval"]
        low, high = interval.get("low", -1e6), interval.get("high", 1e6)
        inside = [{**instance, reason["feature"]: low + share * (high - low)} for share in (0.001, 0.5, 0.999)]
        beyond = [{**instance, reason["feature"]: low - 1e-3 * (1 + abs(low))}] if "low" in interval else []
        beyond += [{**instance, reason["feature"]: high + 1e-3 * (1 + abs(high))}] if "high" in interval else []
        assert (_leaves(api, forest, inside)[:, shared] == leaves[0, shared]).all()
        assert (_leaves(api, forest, beyond)[:, shared] != leaves[0, shared]).any(axis=1).all()


def _leaves(api: Api, registered: Registered, instances: list[Json]) -> NDArray[np.int64]:
    request = {"instances": instances, "include": ["leaves"]}
    answer = api.post(f"/v1/models/{registered.model['id']}/predictions", request).json()
    return np.array([row["leaves"] for row in answer["data"]])


def test_weighted_trees_give_the_proximity_of_boosting(api: Api) -> None:
    registered = register(api, "gradient_boosting_multiclass", "boosting", proximity_kind="boosting")
    rows = [registered.instance(row) for row in range(30)]
    answer = api.explain(registered.explainer["id"], rows, n_prototypes=8, detail="full")

    assert registered.prototype_set["result"]["proximity_kind"] == "boosting"
    near = [prototype for row in answer["data"] for prototype in row["nearest_prototypes"]]
    assert near
    assert all(0 < prototype["proximity"] <= 1 and prototype["n_trees"] == 60 for prototype in near)
    assert any(
        prototype["proximity"] != pytest.approx(prototype["shared_trees"] / prototype["n_trees"]) for prototype in near
    )
    itself = answer["data"][int(near[0]["row_id"])] if int(near[0]["row_id"]) < 30 else None
    assert itself is None or itself["nearest_prototypes"][0]["proximity"] == 1


def test_a_row_is_explained_alike_alone_among_others_and_by_position(api: Api, forest: Registered) -> None:
    instances = [forest.instance(row) for row in range(200)]
    together = api.explain(forest.explainer["id"], instances, include=["contrast"])["data"]

    for row in (0, 3, 77):
        (alone,) = api.explain(forest.explainer["id"], [instances[row]], include=["contrast"])["data"]
        (listed,) = api.explain(forest.explainer["id"], [list(instances[row].values())], include=["contrast"])["data"]
        assert {**alone, "row_id": ""} == {**together[row], "row_id": ""} == {**listed, "row_id": ""}


def test_rows_keep_their_callers_names(api: Api, forest: Registered) -> None:
    instances = [forest.instance(0), forest.instance(1), forest.instance(0)]

    answer = api.explain(forest.explainer["id"], instances, row_ids=["app-4711", "ü 2", "0"])

    assert [row["row_id"] for row in answer["data"]] == ["app-4711", "ü 2", "0"]


@pytest.mark.parametrize("include", [[], ["contrast"]])
def test_two_rows_of_one_name_are_refused_saying_which(api: Api, forest: Registered, include: list[str]) -> None:
    request = {"instances": [forest.instance(0)] * 4, "row_ids": ["a", "ü 2", "c", "ü 2"], "include": include}

    refused = api.post(f"/v1/explainers/{forest.explainer['id']}/explanations", request)

    assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
    assert refused.json()["detail"].startswith("rows 1 and 3 (counted from 0) have the same id 'ü 2'")
    assert refused.json()["errors"][0]["pointer"] == "/row_ids/3"


def test_a_label_that_rounding_may_have_decided_is_flagged_wherever_it_is_predicted(api: Api) -> None:
    model = undecided_forest()
    made = register_fitted(api, model, ensemble="random_forest")
    scores = model.library_scores()
    ties = np.flatnonzero(scores[:, 0] == scores[:, 1])[:5].tolist()
    others = np.flatnonzero(np.abs(scores[:, 0] - scores[:, 1]) > 0.2)[:5].tolist()
    instances = [made.instance(row) for row in (*ties, *others)]

    predicted = api.post(f"/v1/models/{made.model['id']}/predictions", {"instances": instances}).json()
    explained = api.explain(made.explainer["id"], instances)

    expected = [True] * 5 + [False] * 5
    for answer in (predicted, explained):
        assert [row["prediction"].get("near_tie", False) for row in answer["data"]] == expected


def test_bad_rows_stand_beside_good_ones(api: Api, forest: Registered) -> None:
    good = forest.instance(0)
    bad: dict[str, tuple[Any, str]] = {
        "lacking": ({name: value for name, value in good.items() if name != "f3"}, "schema_mismatch"),
        "too many": ({**good, "f30": 1}, "ok"),
        "too short": ([1.0, 2.0], "schema_mismatch"),
        "empty": ({}, "schema_mismatch"),
        "text": ({**good, "f3": "1"}, "bad_feature_type"),
        "list": ({**good, "f3": [1]}, "bad_feature_type"),
        "object": ({**good, "f3": {}}, "bad_feature_type"),
        "infinite in float32": ({**good, "f3": 3.5e38}, "non_finite_number"),
        "negative": ({**good, "f3": -1e300}, "non_finite_number"),
        "large integer": ({**good, "f3": 10**18}, "ok"),
        "boolean": ({**good, "f3": True}, "ok"),
        "missing": ({**good, "f3": None}, "ok"),
    }
    instances = [good, *(instance for instance, _ in bad.values()), good]

    answer = api.explain(forest.explainer["id"], instances, row_ids=["first", *bad, "last"])
    data = answer["data"]

    assert answer["ignored_columns"] == ["f30"]
    assert [row["row_id"] for row in data] == ["first", *bad, "last"]
    assert {**data[0], "row_id": ""} == {**data[-1], "row_id": ""}
    for row, (_, code) in zip(data[1:-1], bad.values(), strict=True):
        assert (row["problem"]["code"] if row["status"] == "error" else "ok") == code, row["row_id"]
        if code != "ok":
            assert set(row) == {"object", "row_id", "status", "problem"}
            assert set(row["problem"]) >= {"type", "title", "status", "detail", "code"}
    assert "'f3'" in data[1]["problem"]["detail"]
    for alone in (instance for instance, code in bad.values() if code != "ok"):
        refused = api.post(f"/v1/explainers/{forest.explainer['id']}/explanations", {"instances": [alone]})
        assert (refused.status_code, refused.json()["code"]) == (422, "every_row_failed")


def test_a_call_of_only_bad_rows_is_refused_naming_each(api: Api, forest: Registered) -> None:
    instances: list[Any] = [{}, [], {"f0": "x"}]

    refused = api.post(f"/v1/explainers/{forest.explainer['id']}/explanations", {"instances": instances})

    assert (refused.status_code, refused.json()["code"]) == (422, "every_row_failed")
    assert [each["pointer"] for each in refused.json()["errors"]] == [f"/instances/{row}" for row in range(3)]


def test_fewer_prototypes_than_requested_are_all_that_are_near(api: Api, forest: Registered) -> None:
    instances = [forest.instance(row) for row in range(50)]

    data = api.explain(forest.explainer["id"], instances, n_prototypes=100)["data"]

    for row in data:
        assert 1 <= len(row["nearest_prototypes"]) <= 8
        assert all(prototype["proximity"] > 0 for prototype in row["nearest_prototypes"])


def test_a_row_that_shares_no_leaf_with_any_prototype_is_unassigned(api: Api, forest: Registered) -> None:
    dataset = api.upload("/v1/datasets", csv_of(frame_of(forest.fitted)[:150]), {"target": "t"}).json()["id"]
    request = {"model": forest.model["id"], "dataset": dataset, "n_prototypes": 1}
    prototype_set = api.make(**request, min_leaf_rows=1)
    explainer = api.post("/v1/explainers", {"model": forest.model["id"], "prototype_set": prototype_set["id"]}).json()
    instances = [forest.instance(row) for row in range(150)]

    data = api.explain(explainer["id"], instances, detail="full")["data"]

    unassigned = [row for row in data if "prototype_prediction" not in row]
    assert len(unassigned) / len(data) == pytest.approx(prototype_set["result"]["evaluation"][0]["unassigned"])
    assert 0 < len(unassigned) < len(data)
    for row in unassigned:
        assert row["nearest_prototypes"] == []
        assert row["status"] == "ok"
        assert all(each["prototype_values"] == [] for each in row["values"])


@pytest.mark.parametrize("shown", [[], ["f7"], ["f22", "f7", "f2"]])
def test_of_features_that_are_not_shown_nothing_is_shown(api: Api, forest: Registered, shown: list[str]) -> None:
    request = {"model": forest.model["id"], "prototype_set": forest.prototype_set["id"]}
    explainer = api.post("/v1/explainers", {**request, "shown_features": shown}).json()["id"]
    instances = [forest.instance(row) for row in range(60)]

    answer = api.explain(explainer, instances, n_prototypes=8, detail="full")
    everything = api.explain(forest.explainer["id"], instances, n_prototypes=8, detail="full")

    for row, whole in zip(answer["data"], everything["data"], strict=True):
        parts = ("nearest_prototypes", "values", "summary", "nearest_rows", "contrasts", "warnings", "effects")
        hidden = dict.fromkeys(parts)
        assert {**row, **hidden} == {**whole, **hidden}
        assert [each["feature"] for each in row["values"]] == sorted(shown, key=forest.names.index)
        assert not any(name in row["summary"].split() for name in set(forest.names) - set(shown))
        effects, known = row["effects"], whole["effects"]["features"]
        assert effects["features"] == [each for each in known if each["feature"] in shown]
        assert effects["rest"]["n_features"] == len(known) - len(effects["features"])
        for part in ("nearest_prototypes", "nearest_rows"):
            for near, known in zip(row[part], whole[part], strict=True):
                reasons = [reason for reason in known["reasons"] if reason["feature"] in shown]
                assert near == {**known, "reasons": reasons}
        for near, known in zip(row["contrasts"], whole["contrasts"], strict=True):
            differences = [each for each in known["differences"] if each["feature"] in shown]
            assert near == {**known, "differences": differences}
    few = api.explain(explainer, instances, n_reasons=1)["data"]
    for row, whole in zip(few, answer["data"], strict=True):
        for prototype, known in zip(row["nearest_prototypes"], whole["nearest_prototypes"], strict=False):
            assert [each["text"] for each in prototype["reasons"]] == [each["text"] for each in known["reasons"][:1]]


@pytest.mark.parametrize("step", mostly_long([1, 5], 5))
def test_each_feature_that_is_hidden_in_turn_is_nowhere_in_an_answer(api: Api, forest: Registered, step: int) -> None:
    request = {"model": forest.model["id"], "prototype_set": forest.prototype_set["id"]}
    instances = [list(forest.instance(row).values()) for row in range(8)]
    everything = orjson.dumps(api.explain(forest.explainer["id"], instances, n_prototypes=3, detail="full"))
    mentioned = [name for name in forest.names if _mentions(everything, name)]
    for name in mentioned[::step]:
        shown = [other for other in forest.names if other != name]
        explainer = api.post("/v1/explainers", {**request, "shown_features": shown}).json()["id"]
        answers = [api.explain(explainer, instances, n_prototypes=3, **how) for how in ({}, {"detail": "full"})]
        costly = {"include": ["changes", "curves", "evidence"], "max_changed_features": 1}
        answers.append(api.explain(explainer, instances[:1], **costly))
        assert not any(_mentions(orjson.dumps(answer), name) for answer in answers)
    assert len(mentioned) > 10


def _mentions(answer: bytes, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b".encode(), answer) is not None


@pytest.mark.parametrize(
    ("request_part", "status", "code", "pointer"),
    [
        ({"instances": []}, 422, "validation_failed", "/instances"),
        ({"instances": [7]}, 422, "validation_failed", "/instances/0"),
        ({"instances": {}}, 422, "validation_failed", "/instances"),
        ({"row_ids": ["a", "b"]}, 422, "validation_failed", "/row_ids"),
        ({"row_ids": [""]}, 422, "validation_failed", "/row_ids/0"),
        ({"n_prototypes": 0}, 422, "validation_failed", "/n_prototypes"),
        ({"n_prototypes": 101}, 422, "validation_failed", "/n_prototypes"),
        ({"include": ["everything"]}, 422, "validation_failed", "/include/0"),
        ({"n_reasons": -1}, 422, "validation_failed", "/n_reasons"),
        ({"n_reasons": 101}, 422, "validation_failed", "/n_reasons"),
        ({"n_reasons": "some"}, 422, "validation_failed", "/n_reasons"),
        ({"detail": "fuller"}, 422, "validation_failed", "/detail"),
        ({"instance": {}}, 422, "unknown_field", "/instance"),
    ],
)
def test_a_request_that_cannot_be_is_refused_as_a_whole(
    api: Api, forest: Registered, request_part: dict[str, object], status: int, code: str, pointer: str
) -> None:
    request = {"instances": [forest.instance(0)], **request_part}

    refused = api.post(f"/v1/explainers/{forest.explainer['id']}/explanations", request)

    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert pointer in {error["pointer"] for error in refused.json()["errors"]}
    assert refused.headers["Content-Type"] == "application/problem+json"


def test_a_thousand_rows_are_answered_and_one_more_is_too_many(api: Api, forest: Registered) -> None:
    path = f"/v1/explainers/{forest.explainer['id']}/explanations"
    row = list(forest.instance(0).values())

    enough = api.post(path, {"instances": [row] * 1000})
    refused = api.post(path, {"instances": [row] * 1001})

    assert len(enough.json()["data"]) == 1000
    assert enough.headers["Server-Timing"].startswith("total;dur=")
    assert (refused.status_code, refused.json()["code"]) == (413, "too_many_rows")
    assert "1000" in refused.json()["detail"]
    assert "job" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("path", "status"),
    [("xpl_gone/explanations", 404), ("/explanations", 404), ("a/b/explanations", 404), ("%00/explanations", 404)],
)
def test_an_unknown_explainer_is_not_found(api: Api, path: str, status: int) -> None:
    answer = api.post(f"/v1/explainers/{path}", {"instances": [[1]]})

    assert (answer.status_code, answer.json()["code"]) == (status, "not_found")
    assert answer.headers["Content-Type"] == "application/problem+json"


# All of them are explained in tests/explanations, with a reader of its own to compare with.
_SOME_PIPELINES = [
    pytest.param(name, marks=[pytest.mark.long] * (name not in {"scaled_and_one_hot", "missing_kept"}))
    for name in PIPELINES
    if name != "one_matrix"
]


@pytest.fixture(scope="module", params=_SOME_PIPELINES)
def explained_pipeline(request: pytest.FixtureRequest, api: Api) -> tuple[list[Json], Json, str, Json]:
    """Explain rows of a real table with categories and missing values, one input per column."""
    pipeline, (_, table) = fitted_pipeline(request.param), PIPELINES[request.param]()
    names = list(pipeline.rows.names)
    model = api.upload("/v1/models", pipeline.onnx, {"feature_names": names, "ensemble": "random_forest"}).json()
    frame = table.features.assign(t=table.target)
    dataset = api.upload("/v1/datasets", parquet_of(frame), {"target": "t"}).json()
    made = api.make(model=model["id"], dataset=dataset["id"], n_prototypes=12)
    assert made["status"] == "ready", made["problem"]
    explainer = api.post("/v1/explainers", {"model": model["id"], "prototype_set": made["id"]}).json()["id"]
    columns = rows_of_frame(table.features).columns
    rows = [dict(zip(names, map(_plain, values), strict=True)) for values in zip(*columns, strict=True)][:60]
    return rows, api.explain(explainer, rows, detail="full"), explainer, model


def _plain(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


@pytest.mark.sampled("thirds")
def test_mixed_columns_with_missing_values_are_explained_in_raw_terms(
    explained_pipeline: tuple[list[Json], Json, str, Json],
) -> None:
    rows, answer, _, model = explained_pipeline
    raw = set(model["feature_names"])

    assert ExplanationList.model_validate(answer)
    n_reasons = 0
    for instance, row in zip(rows, answer["data"], strict=True):
        assert row["status"] == "ok"
        assert {each["feature"]: each["value"] for each in row["values"]} == instance
        for prototype in row["nearest_prototypes"]:
            for reason in prototype["reasons"]:
                is_transformed = reason["interval"].get("transformed", False)
                assert is_transformed == (reason["feature"] not in raw) == ("value" not in reason)
                if not is_transformed:
                    n_reasons += 1
                    assert reason["value"] == instance[reason["feature"]]
                    assert _holds(reason["interval"], reason["prototype_value"]), reason
                    assert _holds(reason["interval"], reason["value"]), reason
    assert n_reasons > 36


def test_a_value_that_a_pipeline_cannot_take_is_an_error_of_its_row(
    api: Api, explained_pipeline: tuple[list[Json], Json, str, Json]
) -> None:
    rows, answer, explainer, model = explained_pipeline
    types = dict(zip(model["feature_names"], model["feature_types"], strict=True))
    name = next(name for name, kind in types.items() if kind == "number")
    wrong = [{**rows[0], name: "x"}]
    wrong += [{**rows[0], text: 1.5} for text, kind in types.items() if kind == "category"]

    data = api.explain(explainer, [rows[0], *wrong], detail="full")["data"]

    assert data[0] == answer["data"][0]
    assert [row["problem"]["code"] for row in data[1:]] == ["bad_feature_type"] * len(wrong)


def test_a_category_that_the_graph_refuses_is_an_error_of_its_row_and_one_it_knows_not_is_not(api: Api) -> None:
    for name, is_refused in (("imputed_categories", True), ("scaled_and_one_hot", False)):
        pipeline, (_, table) = fitted_pipeline(name), PIPELINES[name]()
        names = list(pipeline.rows.names)
        model = api.upload("/v1/models", pipeline.onnx, {"feature_names": names, "ensemble": "random_forest"}).json()
        columns = rows_of_frame(table.features).columns
        known = {name: _plain(column[0]) for name, column in zip(names, columns, strict=True)}
        never_seen = {**known, "embarked": "Atlantis"}

        rows = api.post(f"/v1/models/{model['id']}/predictions", {"instances": [known, never_seen, known]}).json()

        assert [row["status"] for row in rows["data"]] == ["ok", "error" if is_refused else "ok", "ok"]
        if is_refused:
            assert "'embarked'" in rows["data"][1]["problem"]["detail"]
            assert "Atlantis" in rows["data"][1]["problem"]["detail"]
