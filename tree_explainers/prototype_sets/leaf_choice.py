"""In which leaves rows are compared with prototypes: those by which the nearest prototype predicts other rows best.

How many rows find a prototype says nothing of what they find: in leaves of hundreds of rows all do, and the prototype
may have quite another outcome. So each step of ``min_leaf_rows``, and each weighting of the trees, is scored by what
its nearest prototypes have. A share of the rows must be near enough to one, and the first step at which it is stays
unless another one is better by more than its error: scores of some hundred rows differ by chance.
``benchmarks/likeness.py`` holds the choice against that by coverage alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .classifier import UNASSIGNED

MOST_ROWS, _FEWEST_ROWS, _MOST_CELLS = 20_000, 1_000, 20_000_000
_MOST_COMPARISONS, _CANDIDATES_OF_EACH = 4_000_000_000, 10
_MOST_CANDIDATES_OF_ALL = 2_000

Floats = NDArray[np.float64]


def n_tried_rows(n_rows: int, n_trees: int) -> int:
    """Return on how many rows steps are tried: at most 20,000, and fewer of very many trees."""
    return min(n_rows, MOST_ROWS, max(_FEWEST_ROWS, _MOST_CELLS // max(1, n_trees)))


def n_tried_candidates(n_rows: int, n_trees: int, n_prototypes: int) -> int:
    """Return how many of the rows on which steps are tried may become prototypes there, so that a step takes seconds.

    There are ten for each prototype at least, up to 2,000 of them.
    """
    affordable = _MOST_COMPARISONS // max(1, n_rows * n_trees)
    wanted = max(n_prototypes, min(_CANDIDATES_OF_EACH * n_prototypes, _MOST_CANDIDATES_OF_ALL))
    return min(n_rows, max(affordable, wanted))


class Gain(NamedTuple):
    """By how much one way to compare rows predicts better than another, and the standard error of that."""

    value: float
    standard_error: float

    @property
    def is_sure(self) -> bool:
        """Whether it is above 0 by more than its error."""
        return self.value > self.standard_error


@dataclass(frozen=True, slots=True, eq=False)
class PrototypeErrors:
    """By how much the nearest prototype's outcome or value differs from each row's own.

    The score is 1 less the sum of errors in parts of the sum of ``scales``: of outcomes it is the share of rows whose
    nearest prototype has theirs, of values R2.
    """

    errors: Floats  # (n_rows,) not negative
    scales: Floats  # (n_rows,) the errors of a constant guess, or 1
    is_prototype: NDArray[np.bool_]  # (n_rows,) these do not count: each is nearest to itself

    @staticmethod
    def of_classes(
        nearest: NDArray[np.int64], prototypes: NDArray[np.int64], classes: NDArray[np.int64]
    ) -> "PrototypeErrors":
        """Return where the nearest prototype has another outcome; a row without any counts as wrong.

        Parameters
        ----------
        nearest : (n_rows,) int64
            Position of each row's nearest prototype, or ``UNASSIGNED``.
        prototypes : (n_prototypes,) int64
            Their rows.
        classes : (n_rows,) int64
            Outcome of each row.
        """
        is_wrong = (nearest == UNASSIGNED) | (classes[prototypes][nearest] != classes)
        return PrototypeErrors(is_wrong.astype(np.float64), np.ones(len(classes)), _are_among(prototypes, len(classes)))

    @staticmethod
    def of_values(nearest: NDArray[np.int64], prototypes: NDArray[np.int64], values: Floats) -> "PrototypeErrors":
        """Return the squared errors of the nearest prototype's value; a row without any gets the mean of ``values``."""
        mean = values.mean()
        guesses = np.where(nearest == UNASSIGNED, mean, values[prototypes][nearest])
        return PrototypeErrors((guesses - values) ** 2, (values - mean) ** 2, _are_among(prototypes, len(values)))

    @property
    def score(self) -> float | None:
        """The share of right outcomes, 0 to 1, or R2, at most 1; ``None`` where nothing varies or no row counts."""
        total = float(self.scales[~self.is_prototype].sum())
        return 1 - float(self.errors[~self.is_prototype].sum()) / total if total else None

    def gain_over(self, other: "PrototypeErrors") -> Gain:
        """Return how much higher the score is than another one of the same rows, on rows that are prototypes of none.

        It is a ratio of means, whose standard error is the root of the sum of (d - gain s)^2, divided by the sum of the
        scales s, for differences d of errors.
        """
        counts = ~(self.is_prototype | other.is_prototype)
        differences, scales = (other.errors - self.errors)[counts], self.scales[counts]
        total = float(scales.sum())
        if total == 0:
            return Gain(0.0, 0.0)
        value = float(differences.sum()) / total
        return Gain(value, sqrt(float(((differences - value * scales) ** 2).sum())) / total)


@dataclass(frozen=True, slots=True, eq=False)
class TriedStep:
    """A way to compare rows that was tried: some leaves and weights of trees."""

    n_near: int  # rows near enough to a prototype
    errors: PrototypeErrors
    is_own_kind: bool  # whether trees weigh what they do by default for such a model


class StepChoice(NamedTuple):
    """The step that is taken."""

    chosen: int  # its index
    by_coverage: int  # index of the one that coverage alone would take
    gains: tuple[Gain, ...]  # of each over that one


def choose_step(steps: Sequence[TriedStep], n_needed: int) -> StepChoice:
    """Return the step whose nearest prototypes predict best, among those with enough rows near a prototype.

    Parameters
    ----------
    steps
        From small leaves to large ones; at least one of the model's own kind.
    n_needed
        How many rows are to be near a prototype. Where they are in no step of the own kind, that with the most such
        rows says how many are.

    Returns
    -------
    StepChoice
        The first of the own kind with enough rows, unless others score higher by more than a standard error: then that
        with the largest gain (ties: the earlier).
    """
    own = [index for index, step in enumerate(steps) if step.is_own_kind]
    enough = [index for index in own if steps[index].n_near >= n_needed]
    by_coverage = enough[0] if enough else max(own, key=lambda index: steps[index].n_near)
    least = min(n_needed, steps[by_coverage].n_near)
    gains = tuple(step.errors.gain_over(steps[by_coverage].errors) for step in steps)
    better = [index for index, step in enumerate(steps) if step.n_near >= least and gains[index].is_sure]
    return StepChoice(max(better, key=lambda index: gains[index].value, default=by_coverage), by_coverage, gains)


def _are_among(rows: NDArray[np.int64], n_rows: int) -> NDArray[np.bool_]:
    is_among = np.zeros(n_rows, dtype=np.bool_)
    is_among[rows] = True
    return is_among
