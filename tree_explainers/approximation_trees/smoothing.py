"""Columns of training rows, ready to be smoothed: values near those that are there, inside a node's box.

Noise for continuous numbers, by their own scale or by ranks; neighbouring values for discrete ones, other categories
for categories. A missing value remains missing.
"""

from collections import Counter
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol, Self

import numpy as np
import scipy  # which loads its parts when they are first used
from numpy.typing import NDArray

from .node_boxes import ValueRange, is_missing

MOST_FEW = 10  # a number with at most this many distinct values is discrete
_MOST_BANDWIDTHS = 10  # no noise is larger
_LARGEST = float(np.finfo(np.float32).max)  # noise must not take a number beyond what models read
Floats = NDArray[np.float64]


class SmoothedColumn(Protocol):
    """One column of the training rows, ready to be smoothed. A missing value remains missing."""

    def acceptance(self, values: NDArray[Any], within: ValueRange) -> Floats:
        """Return for values in a range the probability that their smoothed values are in it, too, (n_values,)."""

    def draw(self, values: NDArray[Any], within: ValueRange, rng: np.random.Generator) -> NDArray[Any]:
        """Smooth each value once, as if draws outside the range were rejected and repeated, (n_values,)."""


def by_kernel(values: NDArray[Any], missing_text: str | None, bandwidth: float, move: float) -> SmoothedColumn:
    """Return the smoothing of a column of the training rows: a continuous number by noise, others by neighbours.

    The noise of a number has ``bandwidth`` times its standard deviation; one that does not vary, or that noise could
    take beyond what models read, moves to neighbours.
    """
    known, distinct = _known(values, missing_text)
    if distinct is None:
        return SmoothedCategory.of(known, move)
    if len(distinct) <= MOST_FEW or _is_whole(distinct):
        return SmoothedDiscrete.of(distinct, move)
    with np.errstate(over="ignore"):
        width = bandwidth * float(np.std(known))
        furthest = float(np.abs(known).max()) + _MOST_BANDWIDTHS * width
    return SmoothedNumber(width) if width > 0 and furthest <= _LARGEST else SmoothedDiscrete.of(distinct, move)


def by_ranks(values: NDArray[Any], missing_text: str | None, bandwidth: float, move: float) -> SmoothedColumn:
    """Return the smoothing of a column of the training rows: a number of many values by ranks, others by neighbours."""
    known, distinct = _known(values, missing_text)
    if distinct is None:
        return SmoothedCategory.of(known, move)
    if len(distinct) <= MOST_FEW or float(np.abs(distinct).max()) > _LARGEST:
        return SmoothedDiscrete.by_frequency(known, move)
    return SmoothedRanks.of(known, bandwidth)


def _known(values: NDArray[Any], missing_text: str | None) -> tuple[NDArray[Any], Floats | None]:
    """Return the values that are not missing, and the distinct ones of numbers in ascending order."""
    known = values[~is_missing(values, missing_text)]
    if values.dtype == object:
        return known, None
    return known, np.unique(known) if len(known) else np.zeros(1)


def _is_whole(distinct: Floats) -> bool:
    return bool((distinct == np.floor(distinct)).all())


@dataclass(frozen=True, slots=True)
class SmoothedNumber:
    """A continuous number: Gaussian noise."""

    bandwidth: float  # standard deviation of the noise, above 0

    def acceptance(self, values: Floats, within: ValueRange) -> Floats:
        """See ``SmoothedColumn.acceptance``."""
        below, above = self._tails(values, within)
        accepted: Floats = np.where(np.isnan(values), 1.0, above - below)
        return accepted

    def draw(self, values: Floats, within: ValueRange, rng: np.random.Generator) -> Floats:
        """See ``SmoothedColumn.draw``; in a bounded range by the inverse of the distribution, which rejects nothing."""
        if within.low == -inf and within.high == inf:
            drawn = rng.standard_normal(len(values))
            drawn *= self.bandwidth
            drawn += values
            return drawn
        below, above = self._tails(values, within)
        drawn = scipy.special.ndtri(below + (above - below) * rng.random(len(values)))
        drawn *= self.bandwidth
        drawn += values
        return _inside(drawn, within)

    def _tails(self, values: Floats, within: ValueRange) -> tuple[Floats | float, Floats | float]:
        below = scipy.special.ndtr((within.low - values) / self.bandwidth) if within.low > -inf else 0.0
        above = scipy.special.ndtr((within.high - values) / self.bandwidth) if within.high < inf else 1.0
        return below, above


def _inside(drawn: Floats, within: ValueRange) -> Floats:
    """Return draws that rounding alone can have moved to an end of their range, inside it."""
    smallest = np.nextafter(within.low, inf) if within.low > -inf else within.low
    inside: Floats = np.clip(drawn, smallest, within.high)
    return inside


@dataclass(frozen=True, slots=True)
class SmoothedRanks:
    """A number with many values: another one of nearly the same rank.

    The rank of a value is the share of the training values below it; a value that several rows have occupies all ranks
    from there to the share up to it. A new rank is drawn uniformly from the ranks that the value occupies, extended by
    ``bandwidth`` on either side. The number at a rank is interpolated between neighbouring training values, each in
    the middle of its row's ranks; where all are whole, it is the training value that occupies the rank. So noise has
    the scale that the data have there, a frequent value remains frequent, and whole numbers remain whole.
    """

    values: Floats  # (n_distinct,) ascending
    ends: Floats  # (n_distinct + 1,) value j occupies the ranks from ends[j] to ends[j + 1]
    knots: tuple[Floats, Floats]  # (2 * n_distinct,) ranks, ascending, and the numbers there
    bandwidth: float  # share of the rows, above 0

    @classmethod
    def of(cls, known: Floats, bandwidth: float) -> Self:
        """Return the smoothing of known training values, at least one."""
        values, counts = np.unique(known, return_counts=True)
        n_below = np.append(0, np.cumsum(counts))
        # Both ends of what a value has for itself: a point if a single row has it; of whole numbers all of its ranks.
        half = 0 if _is_whole(values) else 1
        half_ranks = np.column_stack((2 * n_below[:-1] + half, 2 * n_below[1:] - half)).ravel()
        return cls(values, n_below / len(known), (half_ranks / (2 * len(known)), np.repeat(values, 2)), bandwidth)

    def acceptance(self, values: Floats, within: ValueRange) -> Floats:
        """See ``SmoothedColumn.acceptance``."""
        low, high = self._ranks(values)
        first, last = self._inside(low, high, within)
        return np.where(np.isnan(values), 1.0, (last - first) / (high - low))

    def draw(self, values: Floats, within: ValueRange, rng: np.random.Generator) -> Floats:
        """See ``SmoothedColumn.draw``."""
        first, last = self._inside(*self._ranks(values), within)
        drawn = np.interp(last - (last - first) * rng.random(len(values)), *self.knots)
        return np.where(np.isnan(values), values, _inside(drawn, within))

    def _ranks(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the ranks between which new ones are drawn without a box."""
        index = np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)  # NaN comes last
        return np.maximum(0, self.ends[index] - self.bandwidth), np.minimum(1, self.ends[index + 1] + self.bandwidth)

    def _inside(self, low: Floats, high: Floats, within: ValueRange) -> tuple[Floats, Floats]:
        """Return the part of the ranks whose numbers are in a range; where rounding leaves none, none."""
        last = np.minimum(high, self._rank_up_to(within.high))
        return np.minimum(last, np.maximum(low, self._rank_up_to(within.low))), last

    def _rank_up_to(self, number: float) -> float:
        """Return the largest rank whose number is at most the given one; 0 if there is none."""
        n_below = int(np.searchsorted(self.values, number, side="right"))
        if n_below in {0, len(self.values)}:
            return float(n_below > 0)
        low, high = self.values[n_below - 1 : n_below + 1].tolist()
        first, last = self.knots[0][2 * n_below - 1 : 2 * n_below + 1].tolist()
        return float(first + (number - low) / (high - low) * (last - first))


@dataclass(frozen=True, slots=True)
class SmoothedDiscrete:
    """A number with whole or few values: sometimes the next smaller or larger value of the training rows."""

    values: Floats  # (n_distinct,) ascending
    down: Floats  # (n_distinct,) probability of the next smaller value; 0 for the first
    up: Floats  # (n_distinct,) probability of the next larger value; 0 for the last

    @classmethod
    def of(cls, values: Floats, move_probability: float) -> Self:
        """Return the smoothing by neighbours with equal probability; the smallest and the largest have only one."""
        down, up = np.full((2, len(values)), move_probability / 2)
        if len(values) > 1:
            up[0], down[-1] = move_probability, move_probability
        down[0], up[-1] = 0, 0
        return cls(values, down, up)

    @classmethod
    def by_frequency(cls, known: Floats, move_probability: float) -> Self:
        """Return the smoothing that redraws some values, from themselves and their neighbours, by their frequency."""
        values, counts = np.unique(known, return_counts=True) if len(known) else (np.zeros(1), np.ones(1))
        padded = np.concatenate(([0.0], counts, [0.0]))
        around = padded[:-2] + padded[1:-1] + padded[2:]
        return cls(values, move_probability * padded[:-2] / around, move_probability * padded[2:] / around)

    def acceptance(self, values: Floats, within: ValueRange) -> Floats:
        """See ``SmoothedColumn.acceptance``."""
        indices = self._indices(values)
        down, up = self._moves(indices, within)
        return np.where(np.isnan(values), 1.0, 1 - (self.down + self.up)[indices] + down + up)

    def draw(self, values: Floats, within: ValueRange, rng: np.random.Generator) -> Floats:
        """See ``SmoothedColumn.draw``."""
        indices = self._indices(values)
        down, up = self._moves(indices, within)
        point = rng.random(len(values)) * (1 - (self.down + self.up)[indices] + down + up)
        moved = indices + (point < up) - ((point >= up) & (point < up + down))
        return np.where(np.isnan(values), values, self.values[moved])

    def _indices(self, values: Floats) -> NDArray[np.int64]:
        return np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)  # NaN comes last

    def _moves(self, indices: NDArray[np.int64], within: ValueRange) -> tuple[Floats, Floats]:
        """Return the probabilities that a value moves down and up within the range."""
        inside = np.concatenate(([False], (self.values > within.low) & (self.values <= within.high), [False]))
        return (self.down * inside[:-2])[indices], (self.up * inside[2:])[indices]


@dataclass(frozen=True, slots=True)
class SmoothedCategory:
    """A category: sometimes another one, drawn by its frequency in the training rows."""

    categories: tuple[str, ...]  # sorted
    shares: Floats  # (n_categories,) of the training rows that have one; each above 0
    move_probability: float

    @classmethod
    def of(cls, known: NDArray[Any], move_probability: float) -> Self:
        """Return the smoothing of known training values."""
        counts = Counter(known)
        categories = tuple(sorted(counts))
        return cls(categories, np.array([counts[each] / len(known) for each in categories]), move_probability)

    def acceptance(self, values: NDArray[Any], within: ValueRange) -> Floats:
        """See ``SmoothedColumn.acceptance``."""
        indices = self._indices(values)
        return np.where(indices < 0, 1.0, 1 - self.move_probability + self._moves(within)[indices])

    def draw(self, values: NDArray[Any], within: ValueRange, rng: np.random.Generator) -> NDArray[Any]:
        """See ``SmoothedColumn.draw``."""
        drawn = values.copy()
        if not self.categories:
            return drawn
        indices = self._indices(values)
        moves = self._moves(within)[indices]
        point = rng.random(len(values)) * (1 - self.move_probability + moves)
        moving = np.flatnonzero((point < moves) & (indices >= 0))
        if len(moving):
            drawn[moving] = np.array(self.categories, object)[self._others(indices[moving], within, rng)]
        return drawn

    def _indices(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Return each value's index among the categories, (n_values,); -1 where it is missing."""
        index_of = {category: index for index, category in enumerate(self.categories)}
        return np.fromiter((index_of.get(value, -1) for value in values), np.int64, len(values))

    def _moves(self, within: ValueRange) -> Floats:
        """Return the probability that each category becomes another one of the range, (n_categories + 1,)."""
        allowed = np.where([within.allows(category) for category in self.categories], self.shares, 0.0)
        others = allowed.sum() - allowed
        rest = 1 - self.shares
        moves = self.move_probability * np.divide(others, rest, out=np.zeros_like(rest), where=rest > 0)
        return np.append(np.clip(moves, 0, self.move_probability), 0.0)  # the last is the missing value's

    def _others(self, indices: NDArray[np.int64], within: ValueRange, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw for each category another one of the range, (n_values,)."""
        allowed = np.where([within.allows(category) for category in self.categories], self.shares, 0.0)
        ends = np.cumsum(allowed)
        point = rng.random(len(indices)) * (ends[-1] - allowed[indices])
        point += np.where(point >= (ends - allowed)[indices], allowed[indices], 0.0)  # skips the category itself
        others = np.minimum(np.searchsorted(ends, point, side="right"), np.flatnonzero(allowed)[-1])
        return np.asarray(others, np.int64)
