"""Rules with weights: a row's prediction is the weighted mean over the rules that hold for it.

Sums are of integers, so that every language in which rules are written down predicts the same, to the last digit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .rule_lists import Box, RuleList

WEIGHT_UNIT = 1e-6  # of which weights are whole multiples
HALF = 0.5  # a row of a greater share of the second class is of that class
_LARGEST = 2.0**52  # sums are exact as doubles


class WholeSums(NamedTuple):
    """What rules add up to: with the sums over those that hold, a row's mean is ``parts / weights / scale``."""

    weights: list[int]  # (n_rules,) in units of 1e-6
    parts: list[int]  # (n_rules,) weight times mean times scale, rounded
    scale: float  # a power of ten


def whole_sums_of(weights: Sequence[float], means: Sequence[float]) -> WholeSums:
    """Return what each rule adds to the two sums; all of its sums are below 2^52.

    Parameters
    ----------
    weights : (n_rules,)
        0 or more, multiples of 1e-6.
    means : (n_rules,)
        Value of each rule, or the share of the second class less a half: a row whose sum of parts is positive is of
        that class.
    """
    units = [round(weight / WEIGHT_UNIT) for weight in weights]
    largest = sum(unit * abs(mean) for unit, mean in zip(units, means, strict=True))
    scale = 10.0 ** -ceil(log10((largest or 1.0) / _LARGEST))
    parts = [round(unit * mean * scale) for unit, mean in zip(units, means, strict=True)]
    return WholeSums(units, parts, scale)


@dataclass(frozen=True, slots=True)
class WeightedRules:
    """Rules with weights, the heaviest first; one of them has no conditions and holds for every row."""

    boxes: tuple[Box, ...]
    weights: NDArray[np.float64]  # (n_rules,) positive multiples of 1e-6
    means: NDArray[np.float64]  # (n_rules,) value, or share of the second class, of the training rows that it covers
    n_covered: NDArray[np.int64]  # (n_rules,) these rows
    is_regression: bool

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return len(self.boxes)

    def predict(self, fires: NDArray[np.bool_]) -> NDArray[np.int64] | NDArray[np.float64]:
        """Return each row's value or class, (n_rows,); a share of a half is the first class's.

        Parameters
        ----------
        fires : (n_rows, n_rules)
            Which rules hold for each row: at least one.
        """
        sums = whole_sums_of(self.weights.tolist(), (self.means - (0 if self.is_regression else HALF)).tolist())
        parts, weights = (fires @ np.array(each, np.int64) for each in (sums.parts, sums.weights))
        values: NDArray[np.float64] = parts / weights / sums.scale
        return values if self.is_regression else (parts > 0).astype(np.int64)

    def as_list(self) -> RuleList:
        """Return the rules and what each predicts alone; the default, which no row gets, is that of all rows."""
        whole = next(index for index, box in enumerate(self.boxes) if not box.features)
        order = np.array([*range(self.n_rules), whole])
        n_decided = np.append(self.n_covered, 0)
        if self.is_regression:
            return RuleList(self.boxes, self.means[order], None, n_decided)
        shares = np.column_stack([1 - self.means, self.means])[order]
        return RuleList(self.boxes, (self.means[order] > HALF).astype(np.int64), shares, n_decided)
