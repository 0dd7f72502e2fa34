"""The ten classification datasets, and two of regression, on which methods are held against their peers.

They differ in what makes methods fail: few rows and many, noisy labels, rare classes, more than two classes, heavy
tails, missing cells, categories, images. At most 3,000 rows are drawn by the seed; 70 % of them are for training.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from tests.support.shared import shared_path

TARGETS = {
    "breast_cancer": "target",
    "pima_diabetes": "target",
    "titanic": "survived",
    "spambase": "class",
    "magic_gamma": "target",
    "adult": "income",
    "covertype_20k": "cover_type",
    "sick_thyroid": "class",
    "higgs_11k": "label",
    "mnist": "4 or 9",
}
REGRESSIONS = {"california_housing": "median_house_value", "energy_efficiency": "heating_load"}
LEFT_OUT = ("source_split", "cooling_load", "name", "ticket", "cabin")  # what is no feature, or a name
MAX_ROWS, TEST_SHARE = 3_000, 0.3


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows of a dataset: categories as indicators, missing cells as NaN."""

    names: tuple[str, ...]  # of the features
    features: NDArray[np.float32]  # (n_rows, n_features)
    target: NDArray[Any]  # (n_rows,) int64 classes from 0 on, or float64 values


@dataclass(frozen=True, slots=True)
class Division:
    """Training rows and new rows of a dataset."""

    train: Drawn
    test: Drawn


def divided(name: str, seed: int) -> Division:
    """Return 70 % of a draw for training and the rest for testing; the same seed gives the same rows."""
    drawn = draw(name, seed)
    stratify = None if name in REGRESSIONS else drawn.target
    train, test = train_test_split(
        np.arange(len(drawn.target)), test_size=TEST_SHARE, random_state=seed, stratify=stratify
    )
    return Division(*(Drawn(drawn.names, drawn.features[rows], drawn.target[rows]) for rows in (train, test)))


def draw(name: str, seed: int) -> Drawn:
    """Return at most 3,000 rows of a dataset."""
    if name == "mnist":
        return _digits(seed)
    frame = pd.read_parquet(shared_path(f"data/{name}.parquet"))
    frame = frame.sample(min(len(frame), MAX_ROWS), random_state=seed)
    column = (TARGETS | REGRESSIONS)[name]
    features = pd.get_dummies(frame.drop(columns=[column, *LEFT_OUT], errors="ignore"), dtype=np.float32)
    target = frame[column].to_numpy(np.float64) if name in REGRESSIONS else pd.factorize(frame[column], sort=True)[0]
    values = features.astype("float64").to_numpy(np.float32, na_value=np.nan)
    return Drawn(tuple(features.columns), values, target)


def _digits(seed: int) -> Drawn:
    with np.load(shared_path("data/mnist.npz")) as archive:
        images, digits = archive["X_train"], archive["y_train"]
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(np.isin(digits, (4, 9))))[:MAX_ROWS]
    pixels = images[rows].reshape(len(rows), -1).astype(np.float32)
    names = tuple(f"pixel {row},{column}" for row in range(28) for column in range(28))
    return Drawn(names, pixels, (digits[rows] == 9).astype(np.int64))
