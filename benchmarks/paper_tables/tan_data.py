"""The datasets of Tan et al. (2020), table 1, or what stands in for them.

Their rows of training, validation and test data are not published; sizes in table 1 are 60 : 20 : 20.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tests.support.shared import shared_path

from .rows import Split, split_at_random

STAND_INS = {
    "compas": "1,000 of ProPublica's 7,214 defendants; the 1,000 of the paper are not published",
    "caltech": "CIFAR-10 deer and frogs, ResNet-18 features, 122 and 93 rows: Caltech-256 could not be had",
}

_COMPAS_COLUMNS = [
    "age",
    "sex",
    "juv_fel_count",
    "juv_misd_count",
    "priors_count",
    "c_charge_degree",
    "c_charge_desc",
]
_RHC_TARGETS = ("swang1", "dth30", "death")
# An id, and what was known only after the patient's stay.
_RHC_LEFT_OUT = ["ptid", "sadmdte", "dschdte", "dthdte", "lstctdte", "t3d30", *_RHC_TARGETS]


def tan_split(dataset: str, seed: int, target: str | None = None) -> Split:
    """Return one random division of a dataset; ``target`` takes another column than usual (rhc)."""
    features, classes = _DATASETS[dataset](np.random.default_rng(seed), target)
    return split_at_random(f"tan-{dataset}-{target or ''}", features, classes, seed)


def ordinal_codes(frame: pd.DataFrame) -> NDArray[Any]:
    """Return columns as numbers: text by its rank among the values, missing as -1."""
    numbers = frame.copy()
    for name in frame.columns[~frame.dtypes.map(pd.api.types.is_numeric_dtype)]:
        numbers[name] = pd.Categorical(frame[name]).codes
    return numbers.astype("Float64").fillna(-1).to_numpy(np.float32)


_Data = tuple[NDArray[Any], NDArray[np.int64]]


def _table(file: str, target: str) -> _Data:
    frame = pd.read_parquet(shared_path(f"data/{file}.parquet"))
    return ordinal_codes(frame.drop(columns=target)), np.unique(frame[target], return_inverse=True)[1].astype(np.int64)


def _breast_cancer(_rng: np.random.Generator, _target: str | None) -> _Data:
    return _table("breast_cancer", "target")


def _diabetes(_rng: np.random.Generator, _target: str | None) -> _Data:
    return _table("pima_diabetes", "target")


def _compas(rng: np.random.Generator, _target: str | None) -> _Data:
    frame = pd.read_parquet(shared_path("data/compas_two_years.parquet"))
    frame = frame.iloc[np.sort(rng.choice(len(frame), 1000, replace=False))]
    return ordinal_codes(frame[_COMPAS_COLUMNS]), frame["two_year_recid"].to_numpy(np.int64)


def _rhc(_rng: np.random.Generator, target: str | None) -> _Data:
    frame = pd.read_parquet(shared_path("data/rhc.parquet"))
    known_later = [name for name in _RHC_LEFT_OUT if name != "swang1" or target in (None, "swang1")]
    classes = np.unique(frame[target or "swang1"].astype(str), return_inverse=True)[1]
    return ordinal_codes(frame.drop(columns=known_later)), classes.astype(np.int64)


def _mnist_4v9(rng: np.random.Generator, _target: str | None) -> _Data:
    with np.load(shared_path("data/mnist.npz"), allow_pickle=False) as arrays:
        images, digits = arrays["X_train"], arrays["y_train"]
    rows = np.sort(rng.choice(np.flatnonzero((digits == 4) | (digits == 9)), 5000, replace=False))
    return images[rows].reshape(len(rows), -1), (digits[rows] == 9).astype(np.int64)


def _caltech(rng: np.random.Generator, _target: str | None) -> _Data:
    frame = pd.read_parquet(shared_path("data/cifar10_resnet18_deer_frog.parquet"))
    target = np.unique(frame["target"], return_inverse=True)[1]
    chosen = [rng.choice(np.flatnonzero(target == value), n, replace=False) for value, n in ((0, 122), (1, 93))]
    rows = np.concatenate(chosen)
    return frame.drop(columns="target").to_numpy(np.float32)[rows], target[rows].astype(np.int64)


_DATASETS = {
    "breast_cancer": _breast_cancer,
    "diabetes": _diabetes,
    "compas": _compas,
    "rhc": _rhc,
    "mnist_4v9": _mnist_4v9,
    "caltech": _caltech,
}
