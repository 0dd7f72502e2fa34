"""Changes and curves over HTTP: they are what the model itself predicts for rows with other values."""

import functools
import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.support.api import Api, Json, csv_of
from tests.support.models import fitted
from tests.support.sampling import mostly_long

_BANDS: list[Json] = [{"outcome": "approve", "below": 0.25}, {"outcome": "refer", "below": 0.6}, {"outcome": "decline"}]
_DECISIONS: dict[str, Json] = {
    "binary": {"score_of": "1", "bands": _BANDS},
    "regression": {"bands": [{"outcome": "low", "below": 150}, {"outcome": "high"}], "best_first": False},
}


class _Explained:
    """A registered model, an explainer, and rows."""

    def __init__(self, api: Api, task: str, decision: Json | None, n_leaf_rows: int = 1, **explainer: object) -> None:
        model = fitted(f"random_forest_{task}")
        self.api = api
        self.names = [f"x{index}" for index in range(model.features.shape[1])]
        self.rows = [dict(zip(self.names, row, strict=True)) for row in model.features[::40][:6].tolist()]
        metadata = {} if decision is None else {"decision": decision}
        self.model = api.upload("/v1/models", model.onnx, metadata).json()["id"]
        frame = pd.DataFrame(model.features, columns=self.names)
        self.dataset = api.upload("/v1/datasets", csv_of(frame), {}).json()["id"]
        prototypes = api.make(model=self.model, dataset=self.dataset, n_prototypes=6, min_leaf_rows=n_leaf_rows)
        request = {"model": self.model, "prototype_set": prototypes["id"], **explainer}
        self.id = api.post("/v1/explainers", request).json()["id"]

    def explain(self, rows: list[Json] | None = None, **request: object) -> list[Json]:
        answer = self.api.explain(self.id, rows or self.rows, include=["changes"], **request)["data"]
        return list(answer)

    @functools.cached_property
    def answers(self) -> list[Json]:
        """What is answered where nothing is requested beside changes, which takes seconds."""
        return self.explain()

    def refused(self, **request: object) -> Json:
        body = {"instances": self.rows[:1], **request}
        answer = self.api.post(f"/v1/explainers/{self.id}/explanations", body)
        assert answer.status_code == 422, answer.text
        problem: Json = answer.json()
        return problem

    def outcomes(self, rows: list[Json]) -> list[str]:
        answer = self.api.post(f"/v1/models/{self.model}/predictions", {"instances": rows}).json()
        return [_outcome(row) for row in answer["data"]]


def _outcome(row: Json) -> str:
    label: str = row["decision"]["outcome"] if "decision" in row else row["prediction"]["label"]
    return label


def _changed(row: Json, option: Json) -> Json:
    return {**row, **{part["feature"]: part["to"] for part in option["changes"]}}


@pytest.fixture(
    scope="module", params=mostly_long(["binary", "multiclass", "bands", "regression"], "multiclass", "bands")
)
def explained(api: Api, request: pytest.FixtureRequest) -> _Explained:
    task = "binary" if request.param == "bands" else request.param
    return _Explained(api, task, None if request.param in {"binary", "multiclass"} else _DECISIONS[task])


def test_the_model_gives_each_changed_row_the_wished_outcome(explained: _Explained) -> None:
    rows, wished = [], []
    for row, answer in zip(explained.rows, explained.answers, strict=True):
        for option in answer.get("changes", {"options": []})["options"]:
            rows.append(_changed(row, option))
            wished.append(option["outcome"])
            assert 1 <= len(option["changes"]) <= 2 or answer["changes"]["options"] == [option]
            assert all(part["value"] == row[part["feature"]] != part["to"] for part in option["changes"])
            assert option["outcome"] == answer["changes"]["outcome"] != _outcome(answer)
    assert len(rows) > 2
    assert explained.outcomes(rows) == wished


def test_the_nearest_row_and_the_typicality_are_those_of_the_changed_row(explained: _Explained) -> None:
    _check_nearest_row(explained)


def test_the_nearest_row_is_by_the_leaves_of_rows_where_prototypes_have_coarser_ones(api: Api) -> None:
    _check_nearest_row(_Explained(api, "binary", _DECISIONS["binary"], n_leaf_rows=20))


def _check_nearest_row(explained: _Explained) -> None:
    row, answer = next(
        (row, answer)
        for row, answer in zip(explained.rows, explained.answers, strict=True)
        if answer.get("changes", {}).get("options")
    )
    option = answer["changes"]["options"][0]
    wished = {"n_rows": 1, "classes": [option["outcome"]]}
    again = explained.api.explain(explained.id, [_changed(row, option)], include=["nearest_rows"], nearest_rows=wished)
    (changed,) = again["data"]
    near = changed["nearest_rows"][0]
    assert option["nearest_row"] == {"row_id": near["row_id"], "proximity": near["proximity"]}
    assert option["typicality"] == changed["typicality"]
    subject = "The decision would be" if "bands" in answer["decision"] else "It would be predicted as"
    assert f"{subject} {option['outcome']} if " in answer["summary"]


def test_changes_of_up_to_two_features_come_by_number_and_size_and_one_of_more_comes_alone(api: Api) -> None:
    explained = _Explained(api, "multiclass", None)
    numbers = [[len(option["changes"]) for option in _options(row)] for row in explained.answers]
    assert all(each == sorted(each) for each in numbers)
    assert all(each.count(n) <= 3 for each in numbers for n in (1, 2))
    few = [[len(option["changes"]) for option in _options(row)] for row in explained.explain(max_changed_features=2)]
    assert few == [[n for n in each if n <= 2] for each in numbers]


def test_fixed_features_never_change_and_one_feature_can_be_enough(explained: _Explained) -> None:
    answers = explained.explain(max_changed_features=1)
    used = {part["feature"] for row in answers for option in _options(row) for part in option["changes"]}
    fixed = sorted(used)[:3]
    for row in explained.explain(max_changed_features=1, fixed=fixed):
        for option in _options(row):
            assert len(option["changes"]) == 1
            assert option["changes"][0]["feature"] not in fixed
    everything = explained.explain(fixed=explained.names)
    assert not any(_options(row) for row in everything)
    assert all(row["changes"]["none_with_fewer"] for row in everything if "changes" in row)


def test_features_that_only_grow_or_shrink_do_so(explained: _Explained) -> None:
    free = _parts(explained.answers)
    down = sorted({part["feature"] for part in free if part["to"] < part["value"]})[:3]
    up = sorted({part["feature"] for part in free} - set(down))
    parts = _parts(explained.explain(only_up=down, only_down=up))
    assert parts
    assert all(part["to"] > part["value"] for part in parts if part["feature"] in down)
    assert all(part["to"] < part["value"] for part in parts if part["feature"] in up)


def _parts(answers: list[Json]) -> list[Json]:
    return [part for row in answers for option in _options(row) for part in option["changes"]]


def _options(row: Json) -> list[Json]:
    options: list[Json] = row.get("changes", {"options": []})["options"]
    return options


def test_a_better_outcome_is_wished_by_default_and_another_on_request(api: Api) -> None:
    explained = _Explained(api, "binary", _DECISIONS["binary"])
    better = {"decline": "refer", "refer": "approve", "approve": None}
    for row in explained.answers:
        assert row.get("changes", {}).get("outcome") == better[row["decision"]["outcome"]]
    for row in explained.explain(outcome="decline"):
        wished = row.get("changes", {}).get("outcome")
        assert wished == (None if row["decision"]["outcome"] == "decline" else "decline")


def test_hidden_features_are_neither_changed_nor_named(api: Api) -> None:
    shown = ["x0", "x1", "x2", "x3", "x4"]
    explained = _Explained(api, "binary", None, shown_features=shown)
    answers = explained.answers
    named = {part["feature"] for row in answers for option in _options(row) for part in option["changes"]}
    assert named <= set(shown)
    assert any("changes" in row for row in answers)


def test_a_changed_category_is_one_that_rows_have(api: Api, categories: Json) -> None:
    rows = categories["rows"]
    answers = api.explain(categories["explainer"], rows, include=["changes"], max_changed_features=1)["data"]
    changed, wished = [], []
    for row, answer in zip(rows, answers, strict=True):
        for option in _options(answer):
            changed.append(_changed(row, option))
            wished.append(option["outcome"])
    kinds = {type(part["to"]) for row in answers for option in _options(row) for part in option["changes"]}
    assert str in kinds
    assert {row["colour"] for row in changed} <= {"red", "green", "blue"}
    predicted = api.post(f"/v1/models/{categories['model']}/predictions", {"instances": changed}).json()["data"]
    assert [row["prediction"]["label"] for row in predicted] == wished


def test_categories_neither_grow_nor_shrink(api: Api, categories: Json) -> None:
    request = {"instances": categories["rows"][:1], "include": ["changes"], "only_up": ["size", "colour"]}
    answer = api.post(f"/v1/explainers/{categories['explainer']}/explanations", request)
    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["pointer"]) == (422, "/only_up/1")
    assert error["detail"].startswith("'colour' has categories, which have no order; name it in fixed")


def test_an_explanation_set_has_the_changes_of_calls(api: Api) -> None:
    explained = _Explained(api, "binary", None)
    rows = explained.rows[:3]
    dataset = api.upload("/v1/datasets", csv_of(pd.DataFrame(rows)), {}).json()["id"]
    request = {"explainer": explained.id, "dataset": dataset, "include": ["changes"]}
    options: Json = {"max_changed_features": 1, "only_up": explained.names[:20], "only_down": explained.names[20:25]}
    made = api.made("/v1/explanation-sets", {**request, **options})
    page = api.get(f"/v1/explanation-sets/{made['id']}/content", Accept="application/json").json()["data"]
    expected = explained.explain(rows, **options)
    changes = [(part["feature"], part["to"]) for part in _parts(expected)]
    assert changes
    assert [(part["feature"], part["to"]) for part in _parts(page)] == changes


def _scores(explained: _Explained, rows: list[Json], score_of: str | None) -> list[float]:
    answer = explained.api.post(f"/v1/models/{explained.model}/predictions", {"instances": rows}).json()
    predictions = [row["prediction"] for row in answer["data"]]
    if score_of is None:
        return [prediction["value"] for prediction in predictions]
    return [next(each["value"] for each in one["scores"] if each["label"] == score_of) for one in predictions]


def test_curves_are_predictions_on_both_sides_of_each_step(explained: _Explained) -> None:
    row = explained.rows[1]
    (answer,) = explained.api.explain(explained.id, [row], include=["curves"])["data"]
    changed, expected, slack = [], [], []
    for curve in answer["curves"]:
        steps = curve["steps"]
        assert 1 < len(steps) <= 50
        for before, step in itertools.pairwise(steps):
            below = float(np.nextafter(np.float32(step["from"]), np.float32(-np.inf)))
            changed += [{**row, curve["feature"]: value} for value in (below, step["from"])]
            expected += [before["score"], step["score"]]
            slack += [curve["resolution"]] * 2
        own = [step for step in steps if step.get("from", -np.inf) <= row[curve["feature"]]][-1]
        changed.append(row)
        expected.append(own["score"])
        slack.append(0.0)
    some = slice(None, None, max(1, len(changed) // 200))
    scores = np.array(_scores(explained, changed[some], answer["curves"][0].get("score_of")))
    # The row's own step has its own score, from which others of the step differ by twice as much at most.
    assert (np.abs(scores - expected[some]) <= 2 * np.array(slack[some]) + 1e-6 * np.abs(scores)).all()


def test_curves_of_categories_have_the_score_of_each(api: Api, categories: Json) -> None:
    row = categories["rows"][0]
    (answer,) = api.explain(categories["explainer"], [row], include=["curves"])["data"]
    (curve,) = [curve for curve in answer["curves"] if curve["feature"] == "colour"]
    steps = {step["value"]: step["score"] for step in curve["steps"] if "value" in step}
    assert steps.keys() == {"red", "green", "blue"}
    for colour, score in steps.items():
        body = {"instances": [{**row, "colour": colour}]}
        predicted = api.post(f"/v1/models/{categories['model']}/predictions", body).json()["data"][0]["prediction"]
        by_label = {each["label"]: each["value"] for each in predicted["scores"]}
        assert score == by_label[curve["score_of"]]


def test_hidden_features_have_no_curve(api: Api) -> None:
    shown = ["x0", "x20", "x22", "x27"]
    explained = _Explained(api, "binary", None, shown_features=shown)
    (answer,) = api.explain(explained.id, explained.rows[:1], include=["curves"])["data"]
    assert {curve["feature"] for curve in answer["curves"]} <= set(shown)
    assert answer["curves"]


def test_the_picture_says_what_would_change_it(explained: _Explained) -> None:
    answers = explained.answers
    row = next(row for row, answer in zip(explained.rows, answers, strict=True) if _options(answer))
    body = {"instances": [row], "include": ["changes"]}
    path = f"/v1/explainers/{explained.id}/explanations"
    page = explained.api.post(path, body, Accept="text/html").text
    (answer,) = explained.explain([row])
    assert "What would make it “<bdi>" in page
    assert answer["changes"]["options"][0]["changes"][0]["text"] in page.replace("<wbr>", "")


def test_full_detail_has_changes_only_where_they_are_included(api: Api) -> None:
    explained = _Explained(api, "multiclass", None)
    plain = api.explain(explained.id, explained.rows[:1], detail="full")["data"][0]
    assert "changes" not in plain
    assert "changes" in explained.explain(explained.rows[:1], detail="full")[0]


@pytest.mark.parametrize(
    ("request_", "pointer", "words"),
    [
        ({"include": ["changes"], "outcome": "maybe"}, "/outcome", "'maybe' is no outcome of the model"),
        ({"include": ["changes"], "fixed": ["x0", "age"]}, "/fixed/1", "'age' is no feature of the model"),
        ({"include": ["changes"], "fixed": ["xx0"]}, "/fixed/0", "; did you mean 'x0'?"),
        ({"include": ["changes"], "only_up": ["age"]}, "/only_up/0", "'age' is no feature of the model"),
        ({"include": ["changes"], "fixed": ["x1"], "only_up": ["x0", "x1"]}, "/only_up/1", "'x1' is in fixed, too"),
        ({"include": ["changes"], "only_up": ["x1"], "only_down": ["x1"]}, "/only_down/0", "'x1' is in only_up, too"),
        ({"include": ["changes"], "max_changed_features": 0}, "/max_changed_features", "1"),
        ({"fixed": ["x0"]}, "/fixed", "name changes in include"),
        ({"only_down": ["x0"]}, "/only_down", "name changes in include"),
    ],
)
def test_what_cannot_be_wished_is_refused(api: Api, request_: Json, pointer: str, words: str) -> None:
    problem = _Explained(api, "binary", None).refused(**request_)
    errors = [(each["pointer"], each["detail"]) for each in problem["errors"]]
    assert [at for at, _ in errors] == [pointer]
    assert words in errors[0][1]


def test_a_regression_without_outcomes_has_no_changes(api: Api) -> None:
    explained = _Explained(api, "regression", None)
    problem = explained.refused(include=["values", "changes"])
    assert problem["errors"][0]["pointer"] == "/include/1"
    assert "register the model with a decision" in problem["errors"][0]["detail"]
    body: Any = {"explainer": explained.id, "dataset": explained.dataset, "include": ["changes"]}
    assert api.post("/v1/explanation-sets", body).status_code == 422


@pytest.fixture(scope="module")
def categories(api: Api) -> Json:
    """Return a registered model whose only way to know a colour is an encoder."""
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    random = np.random.default_rng(0)
    frame = pd.DataFrame({"colour": random.choice(["red", "green", "blue"], 80), "size": random.normal(size=80)})
    frame["size"] = frame["size"].astype(np.float32)
    target = np.where((frame["colour"] == "red") | (frame["size"] > 1), "yes", "no")
    encoder = ColumnTransformer([("c", OneHotEncoder(), ["colour"])], remainder="passthrough")
    pipeline = make_pipeline(encoder, RandomForestClassifier(8, max_depth=4, random_state=0)).fit(frame, target)
    types = [("colour", StringTensorType([None, 1])), ("size", FloatTensorType([None, 1]))]
    onnx = to_onnx(pipeline, initial_types=types, options={"zipmap": False}).SerializeToString()
    model = api.upload("/v1/models", onnx, {}).json()["id"]
    dataset = api.upload("/v1/datasets", csv_of(frame), {}).json()["id"]
    prototypes = api.make(model=model, dataset=dataset, n_prototypes=4)
    explainer = api.post("/v1/explainers", {"model": model, "prototype_set": prototypes["id"]}).json()["id"]
    return {"model": model, "explainer": explainer, "rows": frame.head(30).to_dict("records")}
