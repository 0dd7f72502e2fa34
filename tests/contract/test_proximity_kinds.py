"""Kinds of proximity that look at the rows of leaves, over HTTP: as defined, and refused where they are not known."""

from fractions import Fraction
from typing import Any, NamedTuple, get_args

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model
from numpy.typing import NDArray
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from schemas.artefacts import RowKind
from schemas.proximities import Proximities
from tests.support import naive_proximity_kinds as naive
from tests.support.api import Api, Json
from tree_explainers.leaf_space.counted_table import CountedKind

_N, _NAMES = 60, ["a", "b", "c"]
_RNG = np.random.default_rng(3)
_ROWS = _RNG.normal(size=(_N, 3)).astype(np.float32)
_VALUES = np.round(2 * _ROWS[:, 0] + _RNG.normal(size=_N) + 20, 1)
_LABELS = (_ROWS[:, 1] + _RNG.normal(size=_N) > 0).astype(int) + (_ROWS[:, 0] > 1)
_FORESTS = {
    "regression": RandomForestRegressor(15, min_samples_leaf=3, oob_score=True, random_state=0),
    "classes": RandomForestClassifier(15, min_samples_leaf=2, oob_score=True, random_state=0),
}


class _Known(NamedTuple):
    """A registered forest, and its training rows."""

    forest: Any
    model: str
    dataset: str

    def defined(self, kind: RowKind, row: int) -> dict[int, Fraction]:
        """The other rows that are near to a row, and how near."""
        of_rows = self.forest.apply(_ROWS).T.tolist()
        drawn = [np.bincount(rows, minlength=_N).tolist() for rows in self.forest.estimators_samples_]
        leaves = [leaf_of[row] for leaf_of in of_rows]
        through = [tree.decision_path(_ROWS) for tree in self.forest.estimators_]
        paths = [[ways[other].indices.tolist() for ways in through] for other in range(_N)]

        def proximity(other: int) -> Fraction:
            if kind == "graded":
                return naive.graded(paths[row], paths[other], [1] * len(leaves))
            if kind == "kernel":
                return naive.kernel(leaves, other, of_rows, [1] * len(leaves))
            return {"gap": naive.gap, "oob": naive.oob}[kind](leaves, row, other, of_rows, drawn)

        return {other: value for other in range(_N) if other != row and (value := proximity(other))}


def _register(
    api: Api, model: Any, target: NDArray[Any], *, with_bags: bool = True, order: slice = slice(None)
) -> tuple[str, str]:
    frame = pd.DataFrame(_ROWS, columns=_NAMES).assign(t=target)
    converted = convert_model(model, frame[_NAMES])
    metadata = converted.metadata() if with_bags else {**converted.metadata(), "bags": None}
    registered = api.upload("/v1/models", converted.onnx, metadata).json()["id"]
    dataset = api.upload("/v1/datasets", frame.iloc[order].to_csv(index=False).encode(), {"target": "t"}).json()["id"]
    return registered, dataset


@pytest.fixture(scope="module", params=_FORESTS)
def known(api: Api, request: pytest.FixtureRequest) -> _Known:
    forest = _FORESTS[request.param]
    target = _LABELS if hasattr(forest, "predict_proba") else _VALUES
    return _Known(forest.fit(_ROWS, target), *_register(api, forest, target))


def _made(api: Api, known: _Known, kind: str, **request: object) -> Json:
    body = {"model": known.model, "dataset": known.dataset, "proximity_kind": kind, "n_neighbors": _N - 1, **request}
    return api.made("/v1/proximities", body)


@pytest.mark.parametrize("kind", get_args(RowKind))
@pytest.mark.sampled("values")
def test_neighbours_are_those_of_the_definition(api: Api, known: _Known, kind: RowKind) -> None:
    made = _made(api, known, kind)
    assert Proximities.model_validate(made).model_dump(mode="json") == made
    assert (made["status"], made["result"]["proximity_kind"], made["result"]["n_trees_used"]) == ("ready", kind, 15)
    for line in api.pages(f"/v1/proximities/{made['id']}/content", 20):
        row = line["row"]
        if row % 13:
            continue
        expected = known.defined(kind, row)
        neighbors = {near["row"]: near["proximity"] for near in line["neighbors"]}
        assert neighbors == pytest.approx({other: float(value) for other, value in expected.items()}, abs=1e-12)
        assert list(neighbors.values()) == sorted(neighbors.values(), reverse=True)


def test_the_votes_of_gap_are_the_prediction_out_of_bag(api: Api, known: _Known) -> None:
    made = _made(api, known, "gap")
    shares = np.zeros((_N, _N))
    for line in api.pages(f"/v1/proximities/{made['id']}/content", 20):
        for near in line["neighbors"]:
            shares[line["row"], near["row"]] = near["proximity"]
    if hasattr(known.forest, "predict_proba"):
        assert np.abs(shares @ np.eye(3)[_LABELS] - known.forest.oob_decision_function_).max() < 1e-12
    else:
        assert np.abs(shares @ _VALUES - known.forest.oob_prediction_).max() < 1e-11


def test_graded_looks_above_coarser_leaves_where_these_are_asked_for(api: Api, known: _Known) -> None:
    own, coarser = (_made(api, known, "graded", min_leaf_rows=n)["result"] for n in (1, 20))
    assert coarser["n_trees_used"] < own["n_trees_used"] == 15
    assert coarser["mean_nearest_proximity"] > own["mean_nearest_proximity"]


def test_kernel_counts_the_rows_of_coarser_leaves_where_these_are_asked_for(api: Api, known: _Known) -> None:
    own, coarser = (_made(api, known, "kernel", min_leaf_rows=n)["result"] for n in (1, 12))
    assert coarser["min_leaf_rows"] == 12
    assert coarser["n_pairs"] > own["n_pairs"]
    assert coarser["mean_nearest_proximity"] < 1 / 12


_FOREST = RandomForestRegressor(9, random_state=0)
_BOOSTING = GradientBoostingRegressor(n_estimators=9, random_state=0)


class _Refused(NamedTuple):
    """A request that is refused, and what is said of it."""

    model: Any
    pointer: str
    words: str
    registered: Json | None = None
    request: Json | None = None


_REFUSED = {
    "unknown bags": _Refused(_FOREST, "/proximity_kind", "register the forest with its `bags`", {"with_bags": False}),
    "no bags": _Refused(ExtraTreesRegressor(9), "/proximity_kind", "register the forest with its `bags`"),
    "boosting": _Refused(_BOOSTING, "/proximity_kind", "boosting has no trees that drew rows of their own: take `ker"),
    "fewer rows": _Refused(_FOREST, "/dataset", "50 rows, while the forest was trained on 60", {"order": slice(50)}),
    "coarser leaves": _Refused(_FOREST, "/min_leaf_rows", "min_leaf_rows is 3", request={"min_leaf_rows": 3}),
}


@pytest.mark.parametrize("kind", ["gap", "oob"])
@pytest.mark.parametrize("refused", _REFUSED.values(), ids=_REFUSED)
@pytest.mark.sampled("values")
def test_where_it_is_not_known_which_trees_learned_from_which_rows_it_is_refused(
    api: Api, refused: _Refused, kind: str
) -> None:
    model, dataset = _register(api, refused.model.fit(_ROWS, _VALUES), _VALUES, **(refused.registered or {}))
    body = {"model": model, "dataset": dataset, "proximity_kind": kind, **(refused.request or {})}
    answer = api.post("/v1/proximities", body)
    assert (answer.status_code, answer.json()["code"]) == (422, "method_not_applicable")
    (error,) = answer.json()["errors"]
    assert error["pointer"] == refused.pointer
    assert f"`{kind}`" in error["detail"]
    assert refused.words in error["detail"]


def test_rows_in_another_order_end_the_job_with_what_to_do(api: Api) -> None:
    model, dataset = _register(api, _FOREST.fit(_ROWS, _VALUES), _VALUES, order=slice(None, None, -1))
    made = api.made("/v1/proximities", {"model": model, "dataset": dataset, "proximity_kind": "gap"})
    assert (made["status"], made["problem"]["code"]) == ("failed", "method_not_applicable")
    assert "or not in their order: send these, or take proximity_kind `kernel`" in made["problem"]["detail"]


@pytest.mark.parametrize(("kind", "most"), [("kernel", 0.5), ("graded", 1)])
def test_boosting_has_kinds_too_that_look_at_no_bags(api: Api, kind: str, most: float) -> None:
    model, dataset = _register(api, _BOOSTING.fit(_ROWS, _VALUES), _VALUES)
    body = {"model": model, "dataset": dataset, "proximity_kind": kind, "n_neighbors": 5}
    made = api.made("/v1/proximities", body)
    assert made["status"] == "ready"
    assert 0 < made["result"]["mean_nearest_proximity"] <= most


@pytest.mark.parametrize("noun", ["prototype-sets", "label-audits", "maps"])
@pytest.mark.parametrize("kind", get_args(RowKind))
def test_where_each_tree_has_a_weight_they_are_refused_by_name(api: Api, known: _Known, noun: str, kind: str) -> None:
    body = {"model": known.model, "dataset": known.dataset, "proximity_kind": kind}
    answer = api.post(f"/v1/{noun}", body)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    (error,) = answer.json()["errors"]
    assert error["pointer"] == "/proximity_kind"
    assert f"proximity_kind is {kind}, which names the nearest rows in proximities alone" in error["detail"]
    assert "take auto, or request proximities" in error["detail"]


@pytest.mark.parametrize("kind", get_args(RowKind))
def test_a_few_rows_are_not_compared_by_them_with_a_few_others(api: Api, known: _Known, kind: str) -> None:
    path, rows = f"/v1/models/{known.model}/proximities", _ROWS[:2].tolist()
    refused = api.post(path, {"instances": rows, "others": rows, "proximity_kind": kind})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/proximity_kind")
    assert f"proximity_kind is {kind}, which names the nearest rows" in refused.json()["errors"][0]["detail"]
    weights_of = _made(api, known, kind)["id"]
    refused = api.post(path, {"instances": rows, "others": rows, "weights_of": weights_of})
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert f"kind {kind!r}" in refused.json()["detail"]


def test_the_contract_names_the_kinds_that_there_are() -> None:
    assert set(get_args(RowKind)) == {*get_args(CountedKind), "graded"}
