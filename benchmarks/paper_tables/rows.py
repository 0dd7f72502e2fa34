"""Training, validation and test rows as the experiments see them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows and their true classes."""

    features: NDArray[np.float32]  # (n_rows, n_features)
    classes: NDArray[np.int64]  # (n_rows,) 0, 1, …


@dataclass(frozen=True, slots=True)
class Split:
    """One division of a dataset; models learn from ``train``, settings come from ``valid``, scores from ``test``."""

    name: str  # dataset and seed: also what its fitted models are kept under
    train: Part
    valid: Part
    test: Part


def split_at_random(name: str, features: NDArray[Any], classes: NDArray[np.int64], seed: int) -> Split:
    """Divide 60 : 20 : 20 with the classes' shares kept."""
    rest, test = train_test_split(np.arange(len(classes)), test_size=0.2, stratify=classes, random_state=seed)
    train, valid = train_test_split(rest, test_size=0.25, stratify=classes[rest], random_state=seed)
    return split_at(f"{name}-{seed}", features, classes, (train, valid, test))


def split_at(
    name: str, features: NDArray[Any], classes: NDArray[np.int64], rows: tuple[NDArray[np.int64], ...]
) -> Split:
    """Divide at given rows."""
    train, valid, test = (Part(np.asarray(features[own], dtype=np.float32), classes[own]) for own in rows)
    return Split(name, train, valid, test)
