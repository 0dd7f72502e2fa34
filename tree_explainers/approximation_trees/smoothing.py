"""Smoother: pseudo rows near training rows, inside a node's box.

Each column is smoothed by what it holds: noise for continuous numbers, neighbouring values for discrete ones, other
categories for categories.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ..compute.progress import ReportProgress, ignore_progress
from ..rows import Rows
from .node_boxes import NodeBox, ValueRange, is_missing

BANDWIDTH = 0.1  # of the Gaussian noise, in standard deviations of the feature over all training rows
MOVE_PROBABILITY = 0.1  # that a discrete value becomes one of its neighbours, a category another one
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


@dataclass(frozen=True, slots=True)
class Smoother:
    """The smoothed distribution of training rows.

    A pseudo row is a training row, drawn uniformly, whose values are smoothed independently:

    - a continuous number by Gaussian noise with a standard deviation of ``BANDWIDTH`` (0.1) times the feature's own
      over all training rows;
    - a number whose training values are all whole, or at most ``MOST_FEW`` (10) of them distinct, including booleans:
      with ``MOVE_PROBABILITY`` (0.1) the next smaller or the next larger training value, with equal probability; the
      smallest and the largest have one neighbour only;
    - a category with ``MOVE_PROBABILITY`` another one, drawn by its frequency in the training rows;
    - a missing value remains missing.

    References
    ----------
    Zhou, Hooker (2016), "Interpreting Models via Single Tree Approximation", section 3.1, which leaves the bandwidth
    and the probability open.
    """

    names: tuple[str, ...]
    columns: tuple[SmoothedColumn, ...]  # in the order of ``names``

    @classmethod
    def of(cls, rows: Rows, missing_texts: Mapping[str, str], report: ReportProgress = ignore_progress) -> Self:
        """Return the smoother of training rows.

        Parameters
        ----------
        rows
            All training rows.
        missing_texts
            By column: a text that represents a missing category.
        report
            Called before each column; may raise to stop.
        """
        columns: list[SmoothedColumn] = []
        for name, column in zip(rows.names, rows.columns, strict=True):
            report(len(columns) / len(rows.names), "fitting the smoother")
            columns.append(smoothed_column(column, missing_texts.get(name)))
        return cls(rows.names, tuple(columns))

    def draw(self, rows_at_node: Rows, box: NodeBox, n: int, rng: np.random.Generator) -> Rows:
        """Draw pseudo rows near the training rows that reach a node.

        The distribution is that of drawing whole rows until they lie in the box; nothing is clamped to its border. It
        is sampled directly: a training row by the probability that its smoothed values stay inside, then each value
        from its distribution truncated to the box. So the time does not depend on the box.

        Parameters
        ----------
        rows_at_node
            The training rows that reach the node, at least one, all inside the box; columns as in ``names``.
        box
            The node's box.
        n
            Number of pseudo rows.

        Returns
        -------
        Rows
            (n,) rows with the same columns.
        """
        picked = self._pick(rows_at_node, box, n, rng)
        columns = (
            smoothed.draw(values[picked], box.range_of(name), rng)
            for name, smoothed, values in zip(self.names, self.columns, rows_at_node.columns, strict=True)
        )
        return Rows(self.names, tuple(columns))

    def _pick(self, rows_at_node: Rows, box: NodeBox, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        weights = np.ones(len(rows_at_node))
        for name, smoothed, values in zip(self.names, self.columns, rows_at_node.columns, strict=True):
            if box.range_of(name).is_narrowed:
                weights *= smoothed.acceptance(values, box.range_of(name))
        ends = np.cumsum(weights)
        if not ends[-1] > 0 or (weights == 1).all():  # ranges too narrow for a double: all rows have the same weight
            return np.asarray(rng.integers(len(rows_at_node), size=n), np.int64)
        picked: NDArray[np.int64] = np.searchsorted(ends, rng.random(n) * ends[-1], side="right")
        return np.minimum(picked, len(rows_at_node) - 1)


def smoothed_column(values: NDArray[Any], missing_text: str | None) -> SmoothedColumn:
    """Return the smoothing of a column of the training rows, by what it holds."""
    known = values[~is_missing(values, missing_text)]
    if values.dtype == object:
        counts = Counter(known)
        categories = tuple(sorted(counts))
        return SmoothedCategory(categories, np.array([counts[each] / len(known) for each in categories]))
    distinct = np.unique(known) if len(known) else np.zeros(1)
    if len(distinct) <= MOST_FEW or bool((distinct == np.floor(distinct)).all()):
        return SmoothedDiscrete(distinct)
    with np.errstate(over="ignore"):
        bandwidth = BANDWIDTH * float(np.std(known))
        furthest = float(np.abs(known).max()) + _MOST_BANDWIDTHS * bandwidth
    return SmoothedNumber(bandwidth) if bandwidth > 0 and furthest <= _LARGEST else SmoothedDiscrete(distinct)


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
        drawn = ndtri(below + (above - below) * rng.random(len(values)))
        drawn *= self.bandwidth
        drawn += values
        # Rounding alone can move a draw to an end of the range: all draws are inside it.
        smallest = np.nextafter(within.low, inf) if within.low > -inf else within.low
        inside: Floats = np.clip(drawn, smallest, within.high)
        return inside

    def _tails(self, values: Floats, within: ValueRange) -> tuple[Floats | float, Floats | float]:
        below = ndtr((within.low - values) / self.bandwidth) if within.low > -inf else 0.0
        above = ndtr((within.high - values) / self.bandwidth) if within.high < inf else 1.0
        return below, above


@dataclass(frozen=True, slots=True)
class SmoothedDiscrete:
    """A number with whole or few values: sometimes the next smaller or larger value of the training rows."""

    values: Floats  # (n_distinct,) ascending

    def acceptance(self, values: Floats, within: ValueRange) -> Floats:
        """See ``SmoothedColumn.acceptance``."""
        down, up = self._moves(self._indices(values), within)
        return np.where(np.isnan(values), 1.0, 1 - MOVE_PROBABILITY + down + up)

    def draw(self, values: Floats, within: ValueRange, rng: np.random.Generator) -> Floats:
        """See ``SmoothedColumn.draw``."""
        indices = self._indices(values)
        down, up = self._moves(indices, within)
        point = rng.random(len(values)) * (1 - MOVE_PROBABILITY + down + up)
        moved = indices + (point < up) - ((point >= up) & (point < up + down))
        return np.where(np.isnan(values), values, self.values[moved])

    def _indices(self, values: Floats) -> NDArray[np.int64]:
        return np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)  # NaN comes last

    def _moves(self, indices: NDArray[np.int64], within: ValueRange) -> tuple[Floats, Floats]:
        """Return the probabilities that a value moves down and up within the range."""
        down, up = np.full((2, len(self.values)), MOVE_PROBABILITY / 2)
        if len(self.values) > 1:  # the first and the last value have one neighbour only
            up[0], down[-1] = MOVE_PROBABILITY, MOVE_PROBABILITY
        down[0], up[-1] = 0, 0
        inside = (self.values > within.low) & (self.values <= within.high)
        down[1:] *= inside[:-1]
        up[:-1] *= inside[1:]
        return down[indices], up[indices]


@dataclass(frozen=True, slots=True)
class SmoothedCategory:
    """A category: sometimes another one, drawn by its frequency in the training rows."""

    categories: tuple[str, ...]  # sorted
    shares: Floats  # (n_categories,) of the training rows that have one; each above 0

    def acceptance(self, values: NDArray[Any], within: ValueRange) -> Floats:
        """See ``SmoothedColumn.acceptance``."""
        indices = self._indices(values)
        return np.where(indices < 0, 1.0, 1 - MOVE_PROBABILITY + self._moves(within)[indices])

    def draw(self, values: NDArray[Any], within: ValueRange, rng: np.random.Generator) -> NDArray[Any]:
        """See ``SmoothedColumn.draw``."""
        drawn = values.copy()
        if not self.categories:
            return drawn
        indices = self._indices(values)
        moves = self._moves(within)[indices]
        point = rng.random(len(values)) * (1 - MOVE_PROBABILITY + moves)
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
        allowed = self._shares_in(within)
        others = allowed.sum() - allowed
        rest = 1 - self.shares
        moves = MOVE_PROBABILITY * np.divide(others, rest, out=np.zeros_like(rest), where=rest > 0)
        return np.append(np.clip(moves, 0, MOVE_PROBABILITY), 0.0)  # the last is the missing value's

    def _others(self, indices: NDArray[np.int64], within: ValueRange, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw for each category another one of the range, (n_values,)."""
        allowed = self._shares_in(within)
        ends = np.cumsum(allowed)
        point = rng.random(len(indices)) * (ends[-1] - allowed[indices])
        point += np.where(point >= (ends - allowed)[indices], allowed[indices], 0.0)  # skips the category itself
        found = np.minimum(np.searchsorted(ends, point, side="right"), np.flatnonzero(allowed)[-1])
        return np.asarray(found, np.int64)

    def _shares_in(self, within: ValueRange) -> Floats:
        """Return the share of each category, 0 for those outside the range."""
        return np.where([within.allows(category) for category in self.categories], self.shares, 0.0)
