"""The datasets of A-PETE (2024) at the very rows of its authors' files, prepared as their program does.

Caltech-256 could not be had: what stands in for it with Tan et al. does so here, in one random division.

Preparation is ordinal encoding of *every* column of RHC and COMPAS, fitted on the training rows: a value that no
training row has becomes -1, numbers not excepted. Their min-max scaling is left out: it cannot change a tree.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import OrdinalEncoder

from tests.support.shared import shared_path

from .rows import Part, Split
from .tan_data import tan_split

_FILES = {"diabetes": "pima_diabetes", "compas": "compas_two_years"}
_PARTS = ("train", "valid", "test")
STAND_IN, _SEED_OF_STAND_IN = "caltech", 42


def apete_split(dataset: str) -> Split:
    """Return the authors' division of a dataset, or a random one of what stands in for it."""
    if dataset == STAND_IN:
        return replace(tan_split(dataset, _SEED_OF_STAND_IN), name=f"apete-{dataset}")
    frame, target, is_encoded = _DATASETS[dataset]()
    rows = apete_rows(dataset)
    parts = [frame.iloc[own] for own in rows]
    matrices = _encode(parts) if is_encoded else [part.to_numpy(np.float32) for part in parts]
    train, valid, test = (Part(matrix, target[own]) for matrix, own in zip(matrices, rows, strict=True))
    return Split(f"apete-{dataset}", train, valid, test)


def apete_rows(dataset: str) -> list[NDArray[np.int64]]:
    """Return which rows of a dataset are for training, validation and test."""
    splits = pd.read_parquet(shared_path("data/apete_splits.parquet"))
    splits = splits[splits["dataset"] == _FILES.get(dataset, dataset)]
    return [splits.loc[splits["split"] == part, "row"].to_numpy(np.int64) for part in _PARTS]


def _encode(parts: list[pd.DataFrame]) -> list[NDArray[np.float32]]:
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1, dtype=np.int64
    )
    encoder.fit(parts[0])
    return [encoder.transform(part).astype(np.float32) for part in parts]


_Data = tuple[pd.DataFrame, NDArray[np.int64], bool]


def _numbers(file: str) -> _Data:
    frame = pd.read_parquet(shared_path(f"data/{file}.parquet"))
    return frame.drop(columns="target"), frame["target"].to_numpy(np.int64), False


def _breast_cancer() -> _Data:
    return _numbers("breast_cancer")


def _diabetes() -> _Data:
    return _numbers("pima_diabetes")


def _compas() -> _Data:
    frame = pd.read_parquet(shared_path("data/compas_two_years.parquet"))
    priors = frame["priors_count"]
    columns = pd.DataFrame(
        {
            "sex": (frame["sex"] == "Female").astype(float),
            "race": (frame["race"] == "Caucasian").astype(float),
            "age_cat": frame["age_cat"].astype(object),
            "priors_count": np.select([priors <= 0, priors <= 3], ["0", "1 to 3"], "More than 3").astype(object),
            "c_charge_degree": frame["c_charge_degree"].astype(object),
        }
    )
    return columns, frame["two_year_recid"].to_numpy(np.int64), True


def _rhc() -> _Data:
    frame = pd.read_parquet(shared_path("data/rhc.parquet"))
    classes = np.unique(frame["cat1"].astype(str), return_inverse=True)[1].astype(np.int64)
    return _plain_objects(frame.drop(columns="cat1")), classes, True


def _plain_objects(frame: pd.DataFrame) -> pd.DataFrame:
    """Integers with missing values as floats and text as objects: what a CSV file reads as."""
    plain: dict[str, Any] = {}
    for name, column in frame.items():
        is_number = pd.api.types.is_numeric_dtype(column)
        plain[str(name)] = _numeric(column) if is_number else _text(column)
    return pd.DataFrame(plain)


def _numeric(column: "pd.Series[Any]") -> NDArray[Any]:
    return column.astype("Float64").to_numpy(np.float64, na_value=np.nan)


def _text(column: "pd.Series[Any]") -> NDArray[Any]:
    return column.astype(object).where(column.notna(), np.nan).to_numpy()


def _mnist_4v9() -> _Data:
    with np.load(shared_path("data/mnist.npz"), allow_pickle=False) as arrays:
        images = np.concatenate([arrays["X_train"], arrays["X_test"]])
        digits = np.concatenate([arrays["y_train"], arrays["y_test"]])
    return pd.DataFrame(images.reshape(len(images), -1)), (digits == 9).astype(np.int64), False


_DATASETS = {
    "breast_cancer": _breast_cancer,
    "diabetes": _diabetes,
    "compas": _compas,
    "rhc": _rhc,
    "mnist_4v9": _mnist_4v9,
}
