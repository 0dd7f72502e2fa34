"""Training rows of boosting over HTTP: weights are as the paper defines them, and give the prediction."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model
from lightgbm import LGBMRegressor
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from xgboost import XGBRegressor

from tests.support.api import Api, Json
from tests.support.naive_boosting_weights import weights_of_training_targets

_N_ROWS, _N_NEW, _NAMES = 120, 4, ["a", "b", "c"]
_RNG = np.random.default_rng(4)
_ROWS = _RNG.normal(size=(_N_ROWS + _N_NEW, 3)).astype(np.float32)
_VALUES = np.round(2 * _ROWS[:, 0] + _RNG.normal(size=len(_ROWS)) + 20, 1)[:_N_ROWS]
_NEW = _ROWS[_N_ROWS:].tolist()


def _explainer(api: Api, model: Any, order: slice = slice(None), targets: Any = _VALUES) -> tuple[str, str]:
    """Register a model that was fitted to the rows, a dataset of them, and an explainer."""
    frame = pd.DataFrame(_ROWS[:_N_ROWS], columns=_NAMES).assign(t=targets)
    converted = convert_model(model, frame[_NAMES])
    registered = api.upload("/v1/models", converted.onnx, converted.metadata()).json()["id"]
    dataset = api.upload("/v1/datasets", frame.iloc[order].to_csv(index=False).encode(), {"target": "t"}).json()["id"]
    prototypes = api.make(model=registered, dataset=dataset, n_prototypes=4)
    made = api.post("/v1/explainers", {"model": registered, "prototype_set": prototypes["id"]}).json()
    return dataset, made["id"]


def _explained(api: Api, explainer: str, body: Json) -> list[Json]:
    answer = api.post(f"/v1/explainers/{explainer}/explanations", {**body, "include": ["training_rows"]})
    assert answer.status_code == 200, answer.text
    data: list[Json] = answer.json()["data"]
    return data


def test_weighted_targets_are_the_prediction_of_scikit_learn(api: Api) -> None:
    model = GradientBoostingRegressor(n_estimators=10, learning_rate=0.2, random_state=0).fit(_ROWS[:_N_ROWS], _VALUES)
    dataset, explainer = _explainer(api, model)
    leaves = model.apply(_ROWS).T
    expected = weights_of_training_targets(leaves[:, _N_ROWS:], leaves[:, :_N_ROWS], 0.2)
    answers = _explained(api, explainer, {"instances": _NEW})
    for answer, weights, predicted in zip(answers, expected, model.predict(_ROWS[_N_ROWS:]), strict=True):
        part = answer["training_rows"]
        assert part["value"] == pytest.approx(predicted, abs=1e-12)
        assert {int(row["row_id"]): row["weight"] for row in part["rows"]} == pytest.approx(
            {int(row): weights[row] for row in np.argsort(-np.abs(weights), kind="stable")[:10]}, abs=1e-8
        )
        assert [row["target"] for row in part["rows"]] == [_VALUES[int(row["row_id"])] for row in part["rows"]]
        assert part["weights"] == pytest.approx(
            {
                "sum": 1, "negative": weights[weights < 0].sum(), "n_negative": (weights < 0).sum(), "constant": 0,
                "learning_rate": 0.2, "l2_penalty": 0,
            },
            abs=1e-8,
        )  # fmt: skip
        descending = np.cumsum(np.sort(np.abs(weights))[::-1])
        assert part["n_half"] == np.searchsorted(descending, descending[-1] / 2) + 1
        assert part["effective_rows"] == pytest.approx(descending[-1] ** 2 / (weights**2).sum(), abs=1e-7)
        assert not {"interval", "out_of_bag", "shares"}.intersection(part)
        assert f"half lies on {part['n_half']} of the {_N_ROWS} training rows" in answer["summary"]
    request = {"explainer": explainer, "dataset": dataset, "include": ["training_rows"]}
    made = api.made("/v1/explanation-sets", request)
    page = api.get(f"/v1/explanation-sets/{made['id']}/content?limit=2", Accept="application/json").json()["data"]
    called = _explained(api, explainer, {"dataset": dataset, "row_ids": ["0", "1"]})
    assert [row["training_rows"] for row in page] == [row["training_rows"] for row in called]
    assert any("is_explained_row" in row for answer in called for row in answer["training_rows"]["rows"])
    body = {"dataset": dataset, "row_ids": ["0"], "include": ["training_rows"]}
    picture = api.post(f"/v1/explainers/{explainer}/explanations", body, Accept="text/html").text
    assert "It is the sum of their targets by these weights" in picture
    assert ("negative weights add up to" in picture) == (called[0]["training_rows"]["weights"]["n_negative"] > 0)


@pytest.mark.parametrize(
    "model",
    [
        LGBMRegressor(n_estimators=10, min_child_samples=8, reg_lambda=2, verbose=-1, n_jobs=1),
        XGBRegressor(n_estimators=10, max_depth=3, base_score=3.0, n_jobs=1),
    ],
    ids=["LightGBM", "XGBoost"],
)
def test_libraries_that_add_up_in_single_precision_are_met_to_it(api: Api, model: Any) -> None:
    _, explainer = _explainer(api, model.fit(_ROWS[:_N_ROWS], _VALUES))
    parts = [answer["training_rows"] for answer in _explained(api, explainer, {"instances": _NEW})]
    assert [part["value"] for part in parts] == pytest.approx(model.predict(_ROWS[_N_ROWS:]).tolist(), rel=2e-6)
    assert {part["weights"]["l2_penalty"] for part in parts} == {2 if isinstance(model, LGBMRegressor) else 1}
    are_all = [part["weights"]["constant"] == 0 for part in parts]
    assert are_all == [isinstance(model, LGBMRegressor)] * _N_NEW


_NOT_REFITTED = "do not follow from the reference rows' targets"


@pytest.mark.parametrize(
    ("model", "order", "words"),
    [
        (GradientBoostingRegressor(n_estimators=5, subsample=0.6, random_state=0), slice(None), _NOT_REFITTED),
        (GradientBoostingRegressor(n_estimators=5, loss="huber", random_state=0), slice(None), _NOT_REFITTED),
        (LGBMRegressor(n_estimators=5, min_child_samples=8, verbose=-1, n_jobs=1), slice(90), _NOT_REFITTED),
        (GradientBoostingClassifier(n_estimators=5, random_state=0), slice(None), "boosting of classes has log loss"),
        (LGBMRegressor(min_child_samples=10_000, verbose=-1, n_jobs=1), slice(None), "no tree of the model splits"),
        (XGBRegressor(n_estimators=2, gamma=1e9, n_jobs=1), slice(None), "no tree of the model splits"),
    ],
    ids=["drawn rows", "Huber", "fewer rows", "classes", "LightGBM without splits", "XGBoost without splits"],
)
@pytest.mark.sampled("thirds")
def test_where_weights_would_not_be_exact_they_are_refused(api: Api, model: Any, order: slice, words: str) -> None:
    is_regression = not isinstance(model, GradientBoostingClassifier)
    targets = _VALUES if is_regression else (_VALUES > 20).astype(int)
    _, explainer = _explainer(api, model.fit(_ROWS[:_N_ROWS], targets), order, targets)
    body = {"instances": _NEW[:1], "include": ["values", "training_rows"]}
    answer = api.post(f"/v1/explainers/{explainer}/explanations", body)
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["pointer"] == "/include/1"
    assert words in error["detail"]


def test_calls_that_would_take_long_are_refused(api: Api) -> None:
    rows = _RNG.normal(size=(2_000, 3)).astype(np.float32)
    frame = pd.DataFrame(rows, columns=_NAMES).assign(t=rows.sum(axis=1))
    model = LGBMRegressor(n_estimators=600, num_leaves=3, verbose=-1, n_jobs=1).fit(frame[_NAMES], frame["t"])
    converted = convert_model(model, frame[_NAMES].head(50))
    registered = api.upload("/v1/models", converted.onnx, converted.metadata()).json()["id"]
    dataset = api.upload("/v1/datasets", frame.to_csv(index=False).encode(), {"target": "t"}).json()["id"]
    prototypes = api.make(model=registered, dataset=dataset, n_prototypes=1, n_candidates=10)
    explainer = api.post("/v1/explainers", {"model": registered, "prototype_set": prototypes["id"]}).json()["id"]
    body = {"instances": rows[:1000].tolist(), "include": ["training_rows"], "n_prototypes": 1, "n_reasons": 0}

    answer = api.post(f"/v1/explainers/{explainer}/explanations", body)

    assert (answer.status_code, answer.json()["code"]) == (413, "too_many_rows"), answer.text
    assert "training_rows of 1000 rows take" in answer.json()["detail"]
    assert len(_explained(api, explainer, {"instances": rows[:1].tolist()})) == 1
