"""Small models that split categories themselves, of each library, on real rows; as the SDK converts them."""

import functools
from typing import Any

import numpy as np
import pandas as pd
from leafspace_client.conversion import convert_model
from sklearn.ensemble import HistGradientBoostingClassifier

from tests.support.models import Estimator, library
from tests.support.shared import shared_path

NATIVE = ("native_lightgbm", "native_xgboost", "native_histogram", "native_catboost")
CATEGORIES = ("workclass", "occupation", "relationship", "education_num")  # the last in numbers
_NUMBERS = ["age", "capital_gain", "hours_per_week"]
_N_ROWS = 1500


@functools.cache
def native_table() -> pd.DataFrame:
    """Return who earns how much: texts with gaps, numbers, and the target ``income``."""
    names = ["age", "workclass", "occupation", "capital_gain", "relationship", "education_num", "hours_per_week"]
    frame = pd.read_parquet(shared_path("data/adult.parquet")).head(_N_ROWS)
    texts = {name: frame[name].astype(object).where(frame[name].notna(), None) for name in CATEGORIES[:-1]}
    numbers = {name: frame[name].astype(np.float64) for name in (*_NUMBERS, "education_num")}
    return frame[names].assign(**texts, **numbers, income=frame["income"].astype(str))


def native_rows(name: str) -> pd.DataFrame:
    """Return the features as a library takes them."""
    features = native_table().drop(columns="income").astype({CATEGORIES[-1]: int})
    if name == "native_catboost":
        texts = {column: features[column].where(features[column].notna(), "nan") for column in CATEGORIES[:-1]}
        return features.assign(**texts)
    return features.astype(dict.fromkeys(CATEGORIES[:-1], "str")).astype(dict.fromkeys(CATEGORIES, "category"))


@functools.cache
def native_model(name: str) -> tuple[Estimator, bytes]:
    """Return a fitted model, and its ONNX form."""
    rows = native_rows(name)
    estimator = _maker(name).fit(rows, native_target(name))
    return estimator, convert_model(estimator, rows, parity=False).onnx


def native_target(name: str) -> Any:  # an array
    """Return who earns how much, as a library takes it: XGBoost takes numbers only."""
    income = native_table()["income"].to_numpy()
    return np.unique(income, return_inverse=True)[1] if name == "native_xgboost" else income


def _maker(name: str) -> Estimator:
    if name == "native_histogram":
        return HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=12, min_samples_leaf=8, random_state=0)
    settings: dict[str, dict[str, Any]] = {
        "native_lightgbm": {"num_leaves": 12, "min_data_per_group": 10, "cat_smooth": 2, "cat_l2": 1, "verbose": -1},
        "native_xgboost": {"max_depth": 4, "enable_categorical": True, "max_cat_to_onehot": 3},
        "native_catboost": {
            "depth": 4,
            "one_hot_max_size": 20,
            "cat_features": list(CATEGORIES),
            "verbose": 0,
            "allow_writing_files": False,
        },
    }
    kind = {"native_lightgbm": "LGBMClassifier", "native_xgboost": "XGBClassifier"}.get(name, "CatBoostClassifier")
    return getattr(library(name.removeprefix("native_")), kind)(
        n_estimators=20, random_state=0, **settings[name], **({} if name == "native_catboost" else {"n_jobs": 1})
    )
