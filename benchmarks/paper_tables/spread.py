"""Several seeds' figures in one: mean, standard deviation, and how far off a single one is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

_ROUNDING = 0.005  # figures of the papers have two digits


class Divisions(NamedTuple):
    """One cell's scores in many divisions of a dataset."""

    scores: list[float]

    def share_beyond(self, printed: float, mean: float) -> float:
        """Return the share of divisions that come out as far on the printed figure's side of the mean, or farther."""
        side = -1 if printed < mean else 1
        return sum(side * score >= side * printed - _ROUNDING for score in self.scores) / len(self.scores)


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation (n - 1) of some figures."""

    mean: float
    deviation: float
    n: int

    @staticmethod
    def of(figures: Sequence[float]) -> "Spread":
        """Summarise figures; a single one has no deviation."""
        return Spread(
            float(np.mean(figures)), float(np.std(figures, ddof=1)) if len(figures) > 1 else 0.0, len(figures)
        )

    def deviations_off(self, figure: float, deviation: float) -> float:
        """Return how many standard deviations a figure from one more seed is off, the mean's own error included."""
        return abs(figure - self.mean) / max(deviation * math.sqrt(1 + 1 / self.n), 1e-12)

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.deviation:.3f}" if self.n > 1 else f"{self.mean:.3f}"


def pooled_deviation(spreads: Sequence[Spread]) -> float:
    """Return the standard deviation that spreads of the same kind have in common."""
    return math.sqrt(float(np.mean([spread.deviation**2 for spread in spreads])))
