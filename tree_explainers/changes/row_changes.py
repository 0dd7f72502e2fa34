"""Changes of a row that give it a wished outcome, and what is proved of those that are not there."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .value_axes import RawValue


@dataclass(frozen=True, slots=True)
class FeatureChange:
    """A feature's part of a change."""

    feature: str
    value: RawValue  # of the row; of a one-hot group its category
    to: RawValue
    raw_values: dict[int, RawValue]  # what is written into the row, by index among the model's features
    size: float  # see ``feature_moves``


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a row that gives it the wished outcome, as the model itself says."""

    parts: tuple[FeatureChange, ...]  # one or two; more where all are values of one real row
    row: tuple[RawValue, ...]  # (n_features,) the changed row
    scores: NDArray[np.floating[Any]]  # (n_scores,)
    label: int | None  # index of the class; None for a regression

    @property
    def size(self) -> float:
        """The sum of its parts' sizes."""
        return sum(part.size for part in self.parts)


@dataclass(frozen=True, slots=True)
class Changes:
    """The smallest changes of a row."""

    options: tuple[Change, ...]  # by number of features, then by size
    n_features_searched: int  # 1 or 2: changes of so many features were searched for all
    none_of_one: bool  # it is proved that no change of one feature that is allowed gives the outcome
    none_of_two: bool  # nor one of two
    not_searched: tuple[str, ...]  # features that may be changed, and of which it is not known what the trees read
    n_pairs_left: int  # pairs of features for which the number of cells did not suffice

    @property
    def none_with_fewer(self) -> bool:
        """Whether it is proved that changes of fewer features than those of the first option do not give it."""
        n_features = len(self.options[0].parts) if self.options else self.n_features_searched + 1
        return n_features < 4 and (n_features < 2 or self.none_of_one) and (n_features < 3 or self.none_of_two)
