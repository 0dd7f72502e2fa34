"""XGBoost takes what a sparse matrix does not hold for missing, be it made by steps or sent as rows."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import VotingClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import KBinsDiscretizer, MaxAbsScaler, OneHotEncoder, StandardScaler

from tests.support.converted import outcome_of_converted
from tests.support.models import library

Estimator: TypeAlias = Any
_RNG = np.random.default_rng(0)
ROWS = pd.DataFrame(
    {
        "town": np.array(["Ulm", "Köln", "Bonn"])[_RNG.integers(3, size=120)],
        "rooms": _RNG.integers(0, 5, 120).astype(float),
        "debt": np.round(_RNG.normal(size=120), 1),
    }
)
TARGET = ((ROWS["town"] == "Ulm") ^ (ROWS["rooms"] > 2)).to_numpy().astype(int)


def xgboost(**settings: Any) -> Estimator:  # settings
    return library("xgboost").XGBClassifier(n_estimators=4, max_depth=3, n_jobs=1, **settings)


def columns(threshold: float = 1.0) -> Estimator:
    towns = (OneHotEncoder(handle_unknown="ignore"), ["town"])
    return make_column_transformer(towns, (StandardScaler(), ["debt"]), sparse_threshold=threshold)


PIPELINES: dict[str, Callable[[], Estimator]] = {
    "encoder": lambda: make_pipeline(
        make_column_transformer((OneHotEncoder(), ["town"]), sparse_threshold=1), xgboost()
    ),
    "encoder and scaler": lambda: make_pipeline(columns(), xgboost()),
    "dense": lambda: make_pipeline(columns(threshold=0), xgboost()),
    "selection": lambda: make_pipeline(columns(), SelectKBest(k=3), xgboost()),
    "scaled": lambda: make_pipeline(columns(), MaxAbsScaler(), xgboost()),
    "bins": lambda: make_pipeline(
        make_column_transformer((KBinsDiscretizer(4, strategy="uniform"), ["rooms"]), sparse_threshold=1), xgboost()
    ),
    "union": lambda: make_pipeline(make_union(columns(), columns(threshold=0)), xgboost()),
    "calibrated": lambda: make_pipeline(columns(), CalibratedClassifierCV(xgboost(), cv=2)),
    "vote": lambda: make_pipeline(
        columns(), VotingClassifier([("one", xgboost()), ("other", xgboost(base_score=0.3))], voting="soft")
    ),
}


@pytest.mark.parametrize("case", PIPELINES)
@pytest.mark.sampled("thirds")
def test_zeros_of_sparse_columns_are_missing_to_xgboost(case: str) -> None:
    pipeline = PIPELINES[case]().fit(ROWS, TARGET)
    is_sparse = sparse.issparse(pipeline[:-1].transform(ROWS))

    graph = convert_model(pipeline, ROWS).onnx

    outcome = outcome_of_converted(graph, ROWS, ("0", "1"))
    assert is_sparse == (case != "dense")
    np.testing.assert_allclose(outcome.scores, pipeline.predict_proba(ROWS), atol=1e-6)
    np.testing.assert_array_equal(outcome.labels, pipeline.predict(ROWS))


def test_zeros_of_sparse_rows_are_missing_to_xgboost() -> None:
    dense = ROWS[["rooms", "debt"]].to_numpy() * (_RNG.random((120, 2)) < 0.6)
    rows = sparse.csr_matrix(dense)
    estimator = xgboost().fit(rows, TARGET)
    assert (estimator.predict_proba(rows) != estimator.predict_proba(dense)).any()

    converted = convert_model(estimator, rows)

    outcome = outcome_of_converted(converted.onnx, pd.DataFrame(dense, columns=["x0", "x1"]), ("0", "1"))
    np.testing.assert_allclose(outcome.scores, estimator.predict_proba(rows), atol=1e-6)
    assert np.isnan(estimator.missing)
