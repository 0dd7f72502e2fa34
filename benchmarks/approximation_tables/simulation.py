"""The simulated study of Zhou & Hooker (2016), section 4.1: five uniform covariates and two classes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

N_TRAINING, N_NEW = 1_000, 10_000
NAMES = ("x1", "x2", "x3", "x4", "x5")


@dataclass(frozen=True, slots=True)
class Sample:
    """Some rows and their classes."""

    features: NDArray[np.float64]  # (n_rows, 5)
    target: NDArray[np.int64]  # (n_rows,)


def draw(n_rows: int, rng: np.random.Generator) -> Sample:
    """Draw rows as section 4.1 says."""
    features = rng.uniform(size=(n_rows, len(NAMES)))
    probability = 1 / (1 + np.exp(-_logit(features)))
    return Sample(features, (rng.uniform(size=n_rows) < probability).astype(np.int64))


def _logit(features: NDArray[np.float64]) -> NDArray[np.float64]:
    x1, x2, x3, x4, x5 = features.T
    curved = x3 + x4**2
    of_right = np.select([x2 > 0.7, x2 > 0.2], [2.0, -3.0], -4.0)
    of_left = np.where(x5 > 0.5, 2.0, np.select([curved >= 1.4, curved >= 0.5], [3.0, 2.0], -2.0))
    return np.where(x1 > 0.5, of_right, of_left)
