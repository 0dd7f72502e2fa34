"""The datasets of Hara & Hayashi (2018), table 1, drawn at random as often as requested."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tests.support.shared import shared_path
from tree_explainers.rows import Rows

STAND_INS = {"miniboone": "MAGIC gamma"}  # MiniBooNE could not be had
NOISY_SHARE = 0.1  # of the labels of Synthetic1 and Synthetic2 are turned round


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows and what they have."""

    features: NDArray[np.float64]  # (n_rows, n_features)
    target: NDArray[Any]  # (n_rows,) classes 0, 1 as int64, or values as float64


@dataclass(frozen=True, slots=True)
class Realisation:
    """One draw of training and test rows."""

    dataset: str
    seed: int
    names: tuple[str, ...]  # of the features
    train: Part
    test: Part

    @property
    def is_regression(self) -> bool:
        """Whether the target is a value."""
        return self.train.target.dtype == np.float64

    def rows(self, part: Part) -> Rows:
        """Return rows as the service takes them."""
        return Rows(self.names, tuple(np.ascontiguousarray(column) for column in part.features.T))


def realisation(dataset: str, seed: int) -> Realisation:
    """Return a draw; the same seed gives the same rows."""
    rng = np.random.default_rng(seed)
    if dataset in _BOUNDARIES:
        return _synthetic(dataset, seed, rng)
    source = _SOURCES[dataset]
    frame = pd.read_parquet(shared_path(f"data/{source.file}.parquet"))
    drawn = frame.iloc[rng.permutation(len(frame))[: 2 * source.n_each]]
    target = drawn[source.target].to_numpy()
    if not source.is_regression:
        target = np.searchsorted(np.unique(frame[source.target]), target)
    features = drawn.drop(columns=[source.target, *source.left_out])
    return _divided(dataset, seed, tuple(features.columns), features.to_numpy(np.float64), target)


class _Source(NamedTuple):
    file: str
    target: str
    n_each: int  # training rows, and as many test rows
    is_regression: bool = False
    left_out: tuple[str, ...] = ()


_SOURCES = {
    "spambase": _Source("spambase", "class", 1000),
    "miniboone": _Source("magic_gamma", "target", 5000),
    "higgs": _Source("higgs_11k", "label", 5000),
    "energy": _Source("energy_efficiency", "heating_load", 384, is_regression=True, left_out=("cooling_load",)),
}


def _synthetic(dataset: str, seed: int, rng: np.random.Generator) -> Realisation:
    """Draw as in section 7: uniform points, a boundary, and noise on the labels."""
    points = rng.uniform(size=(2000, 2))
    is_noise = rng.uniform(size=2000) < NOISY_SHARE
    labels = _BOUNDARIES[dataset](points[:, 0], points[:, 1]) ^ is_noise
    return _divided(dataset, seed, ("x1", "x2"), points, labels)


def _boxes(x1: NDArray[np.float64], x2: NDArray[np.float64]) -> NDArray[np.bool_]:
    return (x1 > 0.5) ^ (x2 > 0.5)


def _curve(x1: NDArray[np.float64], x2: NDArray[np.float64]) -> NDArray[np.bool_]:
    return x2 > 0.25 + 0.5 / (1 + np.exp(-20 * (x1 - 0.5))) + 0.05 * np.cos(2 * np.pi * x1)


_BOUNDARIES = {"synthetic1": _boxes, "synthetic2": _curve}
DATASETS = ("synthetic1", "synthetic2", "spambase", "miniboone", "higgs", "energy")  # as in the paper's tables


def _divided(
    dataset: str, seed: int, names: tuple[str, ...], features: NDArray[np.float64], target: NDArray[Any]
) -> Realisation:
    """Put the first half to training, the second to testing."""
    kind = np.float64 if target.dtype.kind == "f" else np.int64
    half = len(target) // 2
    parts = [Part(features[own], target[own].astype(kind)) for own in (slice(half), slice(half, None))]
    return Realisation(dataset, seed, names, *parts)
