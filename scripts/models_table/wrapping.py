"""Ways to wrap an estimator, and the estimators that are wrapped."""

from collections.abc import Callable
from typing import Any

from sklearn import (
    calibration,
    frozen,
    model_selection,
)

from .cases import Estimator, Rows
from .estimators import (
    boosting,
    cat,
    forest,
    forest_regressor,
    histogram,
    histogram_regressor,
    lgb,
    lgb_regressor,
    xgb,
    xgb_regressor,
)

THREE = {"n_estimators": 3, "random_state": 0}


def around(wrap: Callable[..., Estimator], make: Callable[[], Estimator], **settings: Any) -> Callable[[], Estimator]:
    """Return what makes a wrapper of an estimator."""
    return lambda: wrap(make(), **settings)


def frozen_fit(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
    """Fit, and freeze."""
    return frozen.FrozenEstimator(estimator.fit(rows, target))


def frozen_then(wrap: Any) -> Any:
    """Return a fit of a wrapper around a frozen model."""

    def fit(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
        return wrap(frozen_fit(estimator, rows, target)).fit(rows, target)

    return fit


def search(estimator: Estimator, **grid: Any) -> Estimator:
    """Return a search over a grid."""
    return model_selection.GridSearchCV(estimator, grid, cv=2)


def fixed(estimator: Estimator, threshold: float = 0.3) -> Estimator:
    """Return a classifier with a cut-off."""
    return model_selection.FixedThresholdClassifier(estimator, threshold=threshold, response_method="predict_proba")


def tuned(estimator: Estimator, **settings: Any) -> Estimator:
    """Return a classifier with a tuned cut-off."""
    return model_selection.TunedThresholdClassifierCV(estimator, scoring="recall", cv=2, thresholds=5, **settings)


def calibrated(estimator: Estimator, **settings: Any) -> Estimator:
    """Return a calibrated classifier."""
    return calibration.CalibratedClassifierCV(estimator, cv=2, **settings)


INNER = {
    "a forest": (forest, forest_regressor),
    "GradientBoosting": (boosting, None),
    "HistGradientBoosting": (histogram, histogram_regressor),
    "XGBoost": (xgb(), xgb_regressor()),
    "LightGBM": (lgb(), lgb_regressor()),
    "CatBoost": (cat(), None),
}
