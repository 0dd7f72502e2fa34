"""Small models around and in other models, rows for them, and whether they are converted as they are."""

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.declared import Declared
from leafspace_client.conversion.voting import vote_shares
from numpy.typing import NDArray
from sklearn import datasets, ensemble
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import (
    GridSearchCV,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    OneHotEncoder,
    StandardScaler,
)

from .converted import outcome_of_converted
from .models import library

Estimator: TypeAlias = Any
Make: TypeAlias = Callable[[], Estimator]
Data: TypeAlias = tuple[Any, Any]
N_ROWS = 120


def _rows(n_classes: int) -> Data:
    features, target = datasets.make_classification(
        N_ROWS, 6, n_informative=4, n_classes=n_classes, flip_y=0.3, random_state=n_classes
    )
    return np.round(features, 1), target


def _amounts() -> Data:
    features, target = datasets.make_regression(N_ROWS, 6, noise=10, random_state=0)
    return np.round(features, 1), np.abs(target) / 100


def _mixed() -> Data:
    features, target = _rows(2)
    frame = pd.DataFrame(features, columns=list("abcdef"))
    frame["text"] = np.random.default_rng(0).choice(["u", "v", "w"], N_ROWS)
    return frame, target


BINARY, THREE, AMOUNTS, MIXED = _rows(2), _rows(3), _amounts(), _mixed()
TEXTS = (BINARY[0], np.where(BINARY[1] == 1, "yes", "no"))


def _categories() -> Data:
    """Return rows with texts and whole numbers that are categories, some of them missing, and a class of theirs."""
    features, _ = _rows(2)
    random = np.random.default_rng(1)
    frame = pd.DataFrame(features[:, :2], columns=["a", "b"])
    frame["city"] = pd.Categorical(random.choice(["u", "v", "w"], N_ROWS))
    frame["code"] = pd.Categorical(random.choice([10, 20, 30], N_ROWS))
    frame.loc[5::17, "city"] = np.nan
    return frame, ((frame["city"].astype(object) == "u") ^ (features[:, 0] > 0)).to_numpy(int)


CATEGORIES = _categories()


def forest(**parameters: Any) -> Estimator:
    return ensemble.RandomForestClassifier(4, max_depth=3, random_state=0, **parameters)


def regression_forest() -> Estimator:
    return ensemble.RandomForestRegressor(4, max_depth=3, random_state=0)


def boosting(**parameters: Any) -> Estimator:
    return ensemble.GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0, **parameters)


def histogram() -> Estimator:
    return ensemble.HistGradientBoostingClassifier(max_iter=3, max_depth=3, random_state=0)


def xgboost() -> Estimator:
    return library("xgboost").XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1)


def lightgbm() -> Estimator:
    return library("lightgbm").LGBMClassifier(n_estimators=3, max_depth=3, n_jobs=1, verbose=-1, min_child_samples=5)


def with_categories(name: str) -> Estimator:
    if name == "xgboost":
        return xgboost().set_params(enable_categorical=True)
    if name == "lightgbm":
        return lightgbm().set_params(min_data_per_group=1, cat_smooth=0, max_cat_to_onehot=1)
    return histogram().set_params(categorical_features="from_dtype")


def catboost() -> Estimator:
    return library("catboost").CatBoostClassifier(
        iterations=3, depth=2, verbose=0, allow_writing_files=False, thread_count=1
    )


def scaled(estimator: Estimator) -> Estimator:
    return make_pipeline(StandardScaler(), estimator)


def searched(estimator: Estimator) -> Estimator:
    return GridSearchCV(estimator, {}, cv=2)


def mixed_columns(estimator: Estimator) -> Estimator:
    steps = [("text", OneHotEncoder(), ["text"]), ("scaled", StandardScaler(), ["a", "b"])]
    return make_pipeline(ColumnTransformer(steps, remainder="passthrough"), estimator)


def fitted(make: Make, data: Data) -> Estimator:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make().fit(*data)


def library_scores(estimator: Estimator, rows: Any) -> NDArray[np.float64]:
    """Return what scikit-learn itself predicts; in hard voting, which has no scores, the shares of the votes."""
    if getattr(estimator, "voting", None) == "hard":
        shares: NDArray[np.float64] = vote_shares(estimator, rows)
        return shares
    predict = estimator.predict_proba if hasattr(estimator, "predict_proba") else estimator.predict
    return np.asarray(predict(rows), np.float64).reshape(len(rows), -1)


def assert_same(estimator: Estimator, rows: Any, *, oracle_only: bool = False) -> None:
    """Assert that labels and scores of the converted model are the estimator's own, on all rows."""
    converted = convert_model(estimator, rows, Declared(oracle_only=oracle_only), parity=False)
    classes = converted.declared.classes
    declared = None if classes is None else tuple(classes)
    outcome = outcome_of_converted(converted.onnx, rows, declared, oracle_only=oracle_only)
    np.testing.assert_allclose(outcome.scores, library_scores(estimator, rows), rtol=1e-6, atol=1e-6)
    if classes is not None:
        assert outcome.labels is not None
        labels = np.array(classes)[outcome.labels]
        np.testing.assert_array_equal(labels, estimator.predict(rows).ravel().astype(str))
