"""Training rows over HTTP: shares are as defined, and with them the targets of training rows give the prediction."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor

from tests.support.api import Api, Json
from tests.support.naive_training_rows import fewest_that_make_half, quantile, shares_of_training_rows

_N_ROWS, _N_NEW, _NAMES = 150, 5, ["a", "b", "c"]
_RNG = np.random.default_rng(3)
_ROWS = _RNG.normal(size=(_N_ROWS + _N_NEW, 3)).astype(np.float32)
_VALUES = np.round(2 * _ROWS[:, 0] + _RNG.normal(size=len(_ROWS)) + 20, 1)
_LABELS = (_ROWS[:, 1] + _RNG.normal(size=len(_ROWS)) > 0).astype(int) + (_ROWS[:, 0] > 1)
_TAILS = (Fraction(1, 20), Fraction(19, 20))
_FORESTS = {
    "regression": RandomForestRegressor(15, min_samples_leaf=3, oob_score=True, random_state=0),
    "classes": RandomForestClassifier(15, min_samples_leaf=2, oob_score=True, random_state=0),
    "without bags": ExtraTreesRegressor(9, min_samples_leaf=4, random_state=0),
}


class _Known(NamedTuple):
    """A registered forest, and an explainer by its training rows."""

    forest: Any
    explainer: str
    dataset: str

    @property
    def is_regression(self) -> bool:
        return not hasattr(self.forest, "predict_proba")

    @property
    def targets(self) -> list[float]:
        targets: list[float] = (_VALUES if self.is_regression else _LABELS)[:_N_ROWS].tolist()
        return targets

    def shares(self, row: NDArray[Any], counted: NDArray[np.bool_] | None = None) -> list[Any]:
        """The exact share of each training row, by some of the trees."""
        forest = self.forest
        drawn = forest.estimators_samples_ if forest.bootstrap else [np.arange(_N_ROWS)] * len(forest.estimators_)
        counts = np.stack([np.bincount(rows, minlength=_N_ROWS) for rows in drawn])
        trees = slice(None) if counted is None else counted
        leaves, of_rows = forest.apply(row[None])[0], forest.apply(_ROWS[:_N_ROWS]).T
        return shares_of_training_rows(leaves[trees].tolist(), of_rows[trees].tolist(), counts[trees].tolist())

    def is_out_of_bag(self, row: int) -> NDArray[np.bool_]:
        return np.array([row not in drawn for drawn in self.forest.estimators_samples_])

    def explain(self, api: Api, body: Json) -> list[Json]:
        path = f"/v1/explainers/{self.explainer}/explanations"
        answer = api.post(path, {**body, "include": ["training_rows"]})
        assert answer.status_code == 200, answer.text
        data: list[Json] = answer.json()["data"]
        return data


def _register(
    api: Api, model: Any, target: NDArray[Any], *, with_bags: bool = True, order: slice = slice(None), **request: int
) -> tuple[str, str]:
    """Register a model that was fitted to the rows, a dataset of them, and an explainer."""
    frame = pd.DataFrame(_ROWS[:_N_ROWS], columns=_NAMES).assign(t=target[:_N_ROWS])
    converted = convert_model(model, frame[_NAMES])
    metadata = converted.metadata() if with_bags else {**converted.metadata(), "bags": None}
    registered = api.upload("/v1/models", converted.onnx, metadata).json()
    dataset = api.upload("/v1/datasets", frame.iloc[order].to_csv(index=False).encode(), {"target": "t"}).json()["id"]
    options = {"n_prototypes": 4, **request}
    prototypes = api.make(model=registered["id"], dataset=dataset, **options)
    body = {"model": registered["id"], "prototype_set": prototypes["id"]}
    return dataset, api.post("/v1/explainers", body).json()["id"]


@pytest.fixture(scope="module", params=_FORESTS)
def known(api: Api, request: pytest.FixtureRequest) -> _Known:
    forest = _FORESTS[request.param]
    target = _LABELS if hasattr(forest, "predict_proba") else _VALUES
    forest.fit(_ROWS[:_N_ROWS], target[:_N_ROWS])
    # Prototypes of coarse leaves: shares are of the forest's own.
    dataset, explainer = _register(api, forest, target, min_leaf_rows=20)
    return _Known(forest, explainer, dataset)


def test_a_new_row_is_made_of_these_training_rows(api: Api, known: _Known) -> None:
    answers = known.explain(api, {"instances": _ROWS[_N_ROWS:].tolist()})
    for row, answer in zip(_ROWS[_N_ROWS:], answers, strict=True):
        part, shares = answer["training_rows"], known.shares(row)
        assert (part["n_training_rows"], part["n_rows"]) == (_N_ROWS, sum(share > 0 for share in shares))
        assert part["n_half"] == fewest_that_make_half(shares)
        assert part["effective_rows"] == pytest.approx(float(1 / sum(share**2 for share in shares)))
        assert [listed["share"] for listed in part["rows"]] == pytest.approx(
            [float(share) for share in sorted(shares, reverse=True)[:10]], abs=1e-8
        )
        for listed in part["rows"]:
            assert listed["share"] == pytest.approx(float(shares[int(listed["row_id"])]), abs=1e-8)
            assert float(listed["target"]) == known.targets[int(listed["row_id"])]
        assert not {"out_of_bag"}.intersection(part)
        half = f"Half of the prediction comes from {part['n_half']} of the {_N_ROWS} training rows."
        assert half in answer["summary"]


def test_shares_and_targets_give_what_is_predicted(api: Api, known: _Known) -> None:
    new = _ROWS[_N_ROWS:]
    for index, answer in enumerate(known.explain(api, {"instances": new.tolist()})):
        part = answer["training_rows"]
        if known.is_regression:
            assert part["value"] == pytest.approx(known.forest.predict(new)[index], abs=1e-12)
            shares = known.shares(new[index])
            expected = [quantile(known.targets, shares, level) for level in _TAILS]
            assert [part["interval"][end] for end in ("level", "low", "high")] == [0.9, *expected]
        else:
            assert [share["label"] for share in part["shares"]] == ["0", "1", "2"]
            expected = known.forest.predict_proba(new)[index].tolist()
            assert [share["share"] for share in part["shares"]] == pytest.approx(expected, abs=1e-8)
            assert "interval" not in part


def test_a_training_row_has_the_prediction_of_the_trees_that_did_not_learn_from_it(api: Api, known: _Known) -> None:
    picked = [3, 70, 149]
    answers = known.explain(api, {"dataset": known.dataset, "row_ids": [str(row) for row in picked]})
    for row, answer in zip(picked, answers, strict=True):
        part = answer["training_rows"]
        assert [int(listed["row_id"]) for listed in part["rows"] if "is_explained_row" in listed] in ([], [row])
        if not known.forest.bootstrap:
            assert not {"out_of_bag", "interval"}.intersection(part)
            continue
        is_out = known.is_out_of_bag(row)
        assert part["out_of_bag"]["n_trees"] == is_out.sum()
        if known.is_regression:
            assert part["out_of_bag"]["value"] == pytest.approx(known.forest.oob_prediction_[row], abs=1e-12)
            shares = known.shares(_ROWS[row], is_out)
            expected = [quantile(known.targets, shares, level) for level in _TAILS]
            assert [part["interval"]["low"], part["interval"]["high"]] == expected
        else:
            by_others = [share["share"] for share in part["out_of_bag"]["shares"]]
            assert by_others == pytest.approx(known.forest.oob_decision_function_[row].tolist(), abs=1e-8)


def test_an_interval_says_how_often_those_of_training_rows_hold(api: Api, known: _Known) -> None:
    answers = known.explain(api, {"dataset": known.dataset, "row_ids": [str(row) for row in range(_N_ROWS)]})
    intervals = {row: answer["training_rows"].get("interval") for row, answer in enumerate(answers)}
    are_held = [each["low"] <= known.targets[row] <= each["high"] for row, each in intervals.items() if each]
    (answer,) = known.explain(api, {"instances": _ROWS[_N_ROWS : _N_ROWS + 1].tolist()})
    interval = answer["training_rows"].get("interval", {})
    assert ("coverage" in interval) == bool(are_held)
    if are_held:
        assert interval["coverage"] == pytest.approx(sum(are_held) / len(are_held), abs=1e-8)
        assert " of training rows lie in theirs." in answer["summary"]
        assert 0 < sum(are_held) < len(are_held)


@pytest.mark.sampled("thirds")
def test_a_set_has_what_calls_have_and_the_picture_shows_it(api: Api, known: _Known) -> None:
    request = {"explainer": known.explainer, "dataset": known.dataset, "include": ["training_rows"]}
    made = api.made("/v1/explanation-sets", request)
    page = api.get(f"/v1/explanation-sets/{made['id']}/content?limit=2", Accept="application/json").json()["data"]
    called = known.explain(api, {"dataset": known.dataset, "row_ids": ["0", "1"]})
    assert [row["training_rows"] for row in page] == [row["training_rows"] for row in called]
    body = {"dataset": known.dataset, "row_ids": ["0"], "include": ["training_rows"]}
    picture = api.post(f"/v1/explainers/{known.explainer}/explanations", body, Accept="text/html").text
    assert "Which training rows made the prediction" in picture
    assert ("that did not learn from this row predict" in picture) == known.forest.bootstrap


def test_everything_is_not_to_include_it(api: Api, known: _Known) -> None:
    (answer,) = api.explain(known.explainer, _ROWS[:1].tolist(), detail="full")["data"]
    assert "training_rows" not in answer


_OTHER_VALUES = "the leaves' values are not the means of the reference rows' targets"
_WEIGHTED = RandomForestClassifier(9, class_weight={0: 5.0, 1: 1.0, 2: 1.0}, min_samples_leaf=5, random_state=0)
_MEDIANS = RandomForestRegressor(9, criterion="absolute_error", min_samples_leaf=5, random_state=0)


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        (_WEIGHTED, {}, _OTHER_VALUES),
        (_MEDIANS, {}, _OTHER_VALUES),
        (RandomForestRegressor(9, random_state=0), {"with_bags": False}, "is to be registered with its `bags`"),
        (RandomForestRegressor(9, random_state=0), {"order": slice(None, None, -1)}, "in their order"),
        (ExtraTreesRegressor(9, random_state=0), {"order": slice(90)}, _OTHER_VALUES),
    ],
    ids=["class weights", "medians", "unknown bags", "another order", "fewer rows"],
)
@pytest.mark.sampled("thirds")
def test_where_shares_would_not_be_exact_they_are_refused(api: Api, model: Any, options: Json, words: str) -> None:
    target = _LABELS if hasattr(model, "predict_proba") else _VALUES
    _, explainer = _register(api, model.fit(_ROWS[:_N_ROWS], target[:_N_ROWS]), target, **options)
    body = {"instances": _ROWS[:1].tolist(), "include": ["values", "training_rows"]}
    answer = api.post(f"/v1/explainers/{explainer}/explanations", body)
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["pointer"] == "/include/1"
    assert words in error["detail"]


@pytest.mark.sampled("thirds")
def test_without_targets_they_are_refused(api: Api, known: _Known) -> None:
    frame = pd.DataFrame(_ROWS[:_N_ROWS], columns=_NAMES)
    model = api.get(f"/v1/explainers/{known.explainer}").json()["model"]
    dataset = api.upload("/v1/datasets", frame.to_csv(index=False).encode(), {}).json()["id"]
    prototypes = api.make(model=model, dataset=dataset, n_prototypes=4)
    explainer = api.post("/v1/explainers", {"model": model, "prototype_set": prototypes["id"]}).json()["id"]
    body = {"instances": _ROWS[:1].tolist(), "include": ["training_rows"]}
    answer = api.post(f"/v1/explainers/{explainer}/explanations", body)
    assert answer.status_code == 422
    assert "register the rows that the model was trained on as a dataset with its target" in answer.text
