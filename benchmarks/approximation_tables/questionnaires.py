"""Questionnaires that stand in for the private CAT-MDD of Zhou & Hooker (2016), section 4.2."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tests.support.shared import shared_path

from .oracles import OracleCase, fitted_forest

_TARGETS = {"divorce_questionnaire": "divorced", "bfi_questionnaire": "gender"}
_NO_ITEMS = ["age", "education"]
QUESTIONNAIRES = {"divorce_questionnaire": 54, "bfi_questionnaire": 25}  # numbers of items
_TRAINING_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Divided:
    """A questionnaire with its persons divided at random."""

    items: tuple[str, ...]
    train: NDArray[np.float64]  # (n_persons, n_items) answers; NaN where one is missing
    train_target: NDArray[np.int64]  # (n_persons,)
    new: NDArray[np.float64]  # the other persons' answers
    new_target: NDArray[np.int64]

    def forest(self, seed: int) -> OracleCase:
        """Return a forest of the training persons."""
        return fitted_forest(self.items, self.train, self.train_target, seed)


def divided(name: str, seed: int) -> Divided:
    """Return a questionnaire with seven tenths of the persons for training."""
    frame = pd.read_parquet(shared_path(f"data/{name}.parquet"))
    target = np.unique(frame.pop(_TARGETS[name]), return_inverse=True)[1].astype(np.int64)
    items = frame.drop(columns=[each for each in _NO_ITEMS if each in frame])
    answers = items.to_numpy(np.float64, na_value=np.nan)
    order = np.random.default_rng(seed).permutation(len(frame))
    train, new = np.split(order, [int(_TRAINING_SHARE * len(frame))])
    return Divided(tuple(items.columns), answers[train], target[train], answers[new], target[new])
