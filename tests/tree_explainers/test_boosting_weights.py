"""Boosting weights: as the paper defines them, and with them targets give what each library predicts."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model
from lightgbm import LGBMRegressor
from numpy.typing import NDArray
from sklearn.datasets import make_friedman1
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from xgboost import XGBRegressor

from tests.support.converted import raw_rows, read_converted
from tests.support.naive_boosting_weights import refitted_predictions, weights_of_training_targets
from tree_explainers.boosting_weights import BoostingWeights, fitted_weights
from tree_explainers.effects.leaf_scores_in_scale import LeafScores
from tree_explainers.onnx_models.session import ModelSession

_N, _N_NEW, _N_TREES = 120, 15, 12
_RNG = np.random.default_rng(5)
_ROWS = _RNG.normal(size=(_N + _N_NEW, 4)).astype(np.float32)
_TARGETS = np.round(3 * _ROWS[:, 0] + _ROWS[:, 1] ** 2 + _RNG.normal(size=len(_ROWS)) + 20, 2)[:_N]
_LIGHT = {"n_estimators": _N_TREES, "min_child_samples": 8, "verbose": -1, "n_jobs": 1}
_EXTREME = {"n_estimators": _N_TREES, "max_depth": 4, "n_jobs": 1}
_HIST = {"max_iter": _N_TREES, "min_samples_leaf": 6}
# Model, learning rate, penalty, and whether it begins with the mean target.
_MODELS: dict[str, tuple[Any, float, float, bool]] = {
    "scikit-learn": (GradientBoostingRegressor(n_estimators=_N_TREES, random_state=0), 0.1, 0, True),
    "scikit-learn from 0": (GradientBoostingRegressor(n_estimators=12, init="zero", random_state=0), 0.1, 0, False),
    "histograms": (HistGradientBoostingRegressor(**_HIST), 0.1, 0, True),
    "histograms, penalty": (
        HistGradientBoostingRegressor(**_HIST, learning_rate=0.3, l2_regularization=2.5), 0.3, 2.5, True
    ),
    "LightGBM": (LGBMRegressor(**_LIGHT), 0.1, 0, True),
    "LightGBM, penalty": (LGBMRegressor(**_LIGHT, reg_lambda=4, learning_rate=0.2), 0.2, 4, True),
    "LightGBM from 0": (LGBMRegressor(**_LIGHT, boost_from_average=False), 0.1, 0, False),
    "XGBoost": (XGBRegressor(**_EXTREME), 0.3, 1, True),
    "XGBoost from a constant": (XGBRegressor(**_EXTREME, base_score=7.5, learning_rate=0.1), 0.1, 1, False),
    "XGBoost, penalty": (XGBRegressor(**_EXTREME, reg_lambda=0, learning_rate=0.25), 0.25, 0, True),
}  # fmt: skip


@dataclass(frozen=True)
class _Fitted:
    """A model, as the service reads it: leaves and their values of the graph."""

    model: Any
    codes: NDArray[np.int32]  # (n_trees, n_rows) of training rows and others
    offsets: NDArray[np.integer[Any]]
    values: NDArray[np.float64]
    offset: float

    def weights(self, targets: NDArray[Any] = _TARGETS, rows: slice = slice(_N)) -> BoostingWeights | None:
        return fitted_weights(self.codes[:, rows], self.offsets, self.values, self.offset, targets)


def _read(model: Any, rows: NDArray[Any] = _ROWS) -> _Fitted:
    frame = pd.DataFrame(rows, columns=[f"x{column}" for column in range(rows.shape[1])])
    converted = convert_model(model, frame)
    read = read_converted(converted.onnx, list(frame.columns))
    codes = ModelSession(read.leaf_graph, read.description).run_in_chunks(raw_rows(frame)).leaves.T
    assert read.description.raw_scores is not None
    scores = LeafScores.of(read.ensemble, read.description.raw_scores)
    (offset,) = scores.offsets.tolist()
    return _Fitted(model, codes, read.ensemble.leaf_offsets, scores.values_of(0), offset)


@cache
def _fitted(name: str) -> _Fitted:
    return _read(_MODELS[name][0].fit(_ROWS[:_N], _TARGETS))


@pytest.fixture(params=_MODELS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_rate_penalty_and_base_are_those_of_training(name: str) -> None:
    _, rate, penalty, is_mean = _MODELS[name]
    weights = _fitted(name).weights()
    assert weights is not None
    assert (weights.learning_rate, weights.l2_penalty, weights.is_mean_base) == (rate, penalty, is_mean)


def test_weights_are_as_defined(name: str) -> None:
    _, rate, penalty, is_mean = _MODELS[name]
    fitted, weights = _fitted(name), _fitted(name).weights()
    assert weights is not None
    expected = weights_of_training_targets(fitted.codes, fitted.codes[:, :_N], rate, penalty, is_mean_base=is_mean)
    together = weights.weights(fitted.codes.T)
    assert np.abs(together - expected).max() < 1e-14
    assert (together < 0).any()
    assert together[7].tolist() == weights.weights(fitted.codes[:, 7:8].T)[0].tolist()
    if is_mean:
        assert together.sum(axis=1) == pytest.approx(1, abs=1e-13)


def test_weighted_targets_are_the_prediction(name: str) -> None:
    _, rate, penalty, is_mean = _MODELS[name]
    fitted, weights = _fitted(name), _fitted(name).weights()
    assert weights is not None
    of_rows = weights.weights(fitted.codes.T)
    sums = np.array([row @ _TARGETS + weights.constant(row) for row in of_rows])
    base = None if is_mean else weights.base
    refitted = refitted_predictions(fitted.codes, fitted.codes[:, :_N], _TARGETS, rate, penalty, base)
    assert np.abs(sums - refitted).max() < 1e-10
    # Models and graphs add up in single precision; scikit-learn itself in double.
    single = 2e-6 * np.abs(_TARGETS).max()
    assert np.abs(sums - fitted.model.predict(_ROWS)).max() < (1e-12 if "scikit-learn" in name else single)


def test_another_target_moves_predictions_by_its_weight(name: str) -> None:
    _, rate, penalty, is_mean = _MODELS[name]
    fitted, weights = _fitted(name), _fitted(name).weights()
    assert weights is not None
    base, moved = None if is_mean else weights.base, _TARGETS.copy()
    moved[17] += 5
    before, after = (
        refitted_predictions(fitted.codes, fitted.codes[:, :_N], targets, rate, penalty, base)
        for targets in (_TARGETS, moved)
    )
    assert after - before == pytest.approx(5 * weights.weights(fitted.codes.T)[:, 17], abs=1e-12)
    values = weights.refitted(moved)
    sums = np.stack([values[of_row + fitted.offsets[:-1]].sum() for of_row in fitted.codes.T])
    assert sums + (moved.mean() if is_mean else weights.base) == pytest.approx(after, abs=1e-11)


def test_the_authors_own_trial_holds() -> None:
    """Their program's test: Friedman's first function, 51 trees after the mean, in and out of sample."""
    train, targets = make_friedman1(n_samples=100, n_features=16, noise=0, random_state=42)
    test, _ = make_friedman1(n_samples=200, n_features=16, noise=0, random_state=123)
    rows = np.concatenate([train, test]).astype(np.float32)
    model = LGBMRegressor(n_estimators=51, num_leaves=14, min_child_samples=2, learning_rate=0.01, verbose=-1)
    fitted = _read(model.fit(rows[:100], targets), rows)
    weights = fitted.weights(targets, slice(100))
    assert weights is not None
    of_rows = weights.weights(fitted.codes.T)
    assert of_rows @ targets == pytest.approx(model.predict(rows), abs=1e-6)


_WEIGHTED = _RNG.integers(1, 4, _N)
_OTHERS: dict[str, Any] = {
    "drawn rows": GradientBoostingRegressor(n_estimators=9, subsample=0.7, random_state=0),
    "medians": GradientBoostingRegressor(n_estimators=9, loss="absolute_error", random_state=0),
    "Huber": GradientBoostingRegressor(n_estimators=9, loss="huber", random_state=0),
    "early stopping": HistGradientBoostingRegressor(max_iter=9, early_stopping=True, random_state=0),
    "LightGBM, drawn rows": LGBMRegressor(**_LIGHT, subsample=0.7, subsample_freq=1),
    "LightGBM, dart": LGBMRegressor(**_LIGHT, boosting_type="dart", drop_rate=0.5),
    "LightGBM, L1": LGBMRegressor(**_LIGHT, reg_alpha=3),
    "LightGBM, quantile": LGBMRegressor(**_LIGHT, objective="quantile"),
    "XGBoost, drawn rows": XGBRegressor(**_EXTREME, subsample=0.7),
    "XGBoost, L1": XGBRegressor(**_EXTREME, reg_alpha=3),
    "XGBoost, Huber": XGBRegressor(**_EXTREME, objective="reg:pseudohubererror"),
}


@pytest.mark.parametrize("case", _OTHERS)
def test_leaves_that_do_not_follow_from_targets_have_no_weights(case: str) -> None:
    assert _read(_OTHERS[case].fit(_ROWS[:_N], _TARGETS)).weights() is None


@pytest.mark.parametrize("model", [LGBMRegressor(**_LIGHT), XGBRegressor(**_EXTREME)], ids=["LightGBM", "XGBoost"])
def test_rows_with_weights_have_none(model: Any) -> None:
    assert _read(model.fit(_ROWS[:_N], _TARGETS, sample_weight=_WEIGHTED)).weights() is None


def test_other_rows_have_none(name: str) -> None:
    fitted = _fitted(name)
    assert fitted.weights(_TARGETS[::-1]) is None
    assert fitted.weights(_TARGETS[:100], slice(100)) is None
    moved = _TARGETS.copy()
    moved[3] += 1
    assert fitted.weights(moved) is None
