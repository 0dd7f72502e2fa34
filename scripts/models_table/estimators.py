"""Small estimators of each library, unfitted, with few trees, and ways to fit them that several cases share."""

from typing import Any

import numpy as np
from sklearn import ensemble

from .cases import Estimator, Fit, Prediction, Rows

FEW: dict[str, Any] = {"n_estimators": 5, "random_state": 0}


def forest(**settings: Any) -> Estimator:
    """Return a random forest."""
    return ensemble.RandomForestClassifier(**{**FEW, "max_depth": 4, **settings})


def forest_regressor(**settings: Any) -> Estimator:
    """Return a random forest for values."""
    return ensemble.RandomForestRegressor(**{**FEW, "max_depth": 4, **settings})


def boosting(**settings: Any) -> Estimator:
    """Return gradient boosting."""
    return ensemble.GradientBoostingClassifier(**{**FEW, **settings})


def boosting_regressor(**settings: Any) -> Estimator:
    """Return gradient boosting for values."""
    return ensemble.GradientBoostingRegressor(**{**FEW, **settings})


def histogram(**settings: Any) -> Estimator:
    """Return histogram-based gradient boosting."""
    return ensemble.HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5, random_state=0, **settings)


def histogram_regressor(**settings: Any) -> Estimator:
    """Return histogram-based gradient boosting for values."""
    return ensemble.HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=5, random_state=0, **settings)


def xgb(kind: str = "XGBClassifier", **settings: Any) -> Any:
    """Return what makes one of XGBoost's estimators."""

    def estimator() -> Estimator:
        import xgboost  # heavy

        return getattr(xgboost, kind)(**{"n_estimators": 4, "max_depth": 3, "n_jobs": 1, "random_state": 0, **settings})

    return estimator


def xgb_regressor(**settings: Any) -> Any:
    """Return what makes an XGBRegressor."""
    return xgb("XGBRegressor", **settings)


def lgb(kind: str = "LGBMClassifier", **settings: Any) -> Any:
    """Return what makes one of LightGBM's estimators."""

    def estimator() -> Estimator:
        import lightgbm  # heavy

        few = {
            "n_estimators": 4,
            "num_leaves": 6,
            "min_child_samples": 5,
            "n_jobs": 1,
            "random_state": 0,
            "verbose": -1,
        }
        return getattr(lightgbm, kind)(**{**few, **settings})

    return estimator


def lgb_regressor(**settings: Any) -> Any:
    """Return what makes an LGBMRegressor."""
    return lgb("LGBMRegressor", **settings)


def cat(kind: str = "CatBoostClassifier", **settings: Any) -> Any:
    """Return what makes one of CatBoost's estimators."""

    def estimator() -> Estimator:
        import catboost  # heavy

        few = {
            "n_estimators": 4,
            "depth": 3,
            "verbose": 0,
            "allow_writing_files": False,
            "thread_count": 1,
            "random_seed": 0,
        }
        return getattr(catboost, kind)(**{**few, **settings})

    return estimator


def cat_regressor(**settings: Any) -> Any:
    """Return what makes a CatBoostRegressor."""
    return cat("CatBoostRegressor", **settings)


# Fits.


def weighted(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
    """Fit with weights of rows."""
    return estimator.fit(rows, target, sample_weight=np.arange(len(rows)) % 3 + 0.5)


def going_on(name: str) -> Fit:
    """Return a fit that goes on from an earlier model, which an argument of this name takes."""

    def fit(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
        earlier = type(estimator)(**estimator.get_params()).fit(rows, target)
        return estimator.fit(rows, target, **{name: earlier.get_booster() if name == "xgb_model" else earlier})

    return fit


def validated(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
    """Fit with rows that end the training."""
    quiet = {"verbose": False} if type(estimator).__module__.startswith("xgboost") else {}
    return estimator.fit(rows, target, eval_set=[(rows.iloc[::2], target[::2])], **quiet)


def predict_native(model: Estimator, rows: Rows) -> Prediction:
    """Return what a library's own model predicts, without labels: values, or of classes the probabilities."""
    if type(model).__module__.startswith("xgboost"):
        import xgboost  # heavy

        predicted = model.predict(xgboost.DMatrix(rows))
    else:
        predicted = model.predict(rows)
    return Prediction(np.asarray(predicted, np.float64).reshape(len(rows), -1), None)


def predict_native_classes(model: Estimator, rows: Rows) -> Prediction:
    """Return what a library's own model predicts, as probabilities of classes that are numbered from 0."""
    scores = predict_native(model, rows).scores
    if scores.shape[1] == 1:
        scores = np.hstack([1 - scores, scores])
    return Prediction(scores, scores.argmax(axis=1).tolist())


def predict_raw_classes(model: Estimator, rows: Rows) -> Prediction:
    """Return what the base class of CatBoost predicts, of classes that are numbered from 0."""
    scores = np.asarray(model.predict(rows, prediction_type="Probability"), np.float64)
    return Prediction(scores, scores.argmax(axis=1).tolist())
