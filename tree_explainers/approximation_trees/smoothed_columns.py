"""How one raw column is smoothed: noise for continuous numbers, neighbours for discrete ones, other categories."""

from collections import Counter
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from .missing_values import is_missing
from .node_boxes import Span

BANDWIDTH = 0.1  # of the Gaussian noise, in standard deviations of the feature over all training rows
MOVE_PROBABILITY = 0.1  # that a discrete value becomes one of its neighbours, a category another one
MOST_FEW = 10  # a number with at most so many distinct values is discrete, whatever they are
_MOST_BANDWIDTHS = 10  # no noise is larger
_LARGEST = float(np.finfo(np.float32).max)  # noise must not take a number beyond what models read

Floats = NDArray[np.float64]
_UNBOUNDED = Span()


class SmoothedColumn(Protocol):
    """One column of the training rows, ready to be smoothed. A missing value stays missing."""

    def acceptance(self, values: NDArray[Any], span: Span) -> Floats:
        """Return for values in the span the probability that what they are smoothed to is in it, too, (n_values,)."""

    def draw(self, values: NDArray[Any], span: Span, rng: np.random.Generator) -> NDArray[Any]:
        """Smooth each value once, as if draws outside the span were rejected and drawn again, (n_values,)."""


@dataclass(frozen=True, slots=True)
class SmoothedNumber:
    """A continuous number: Gaussian noise."""

    bandwidth: float  # standard deviation of the noise, above 0

    def acceptance(self, values: Floats, span: Span) -> Floats:
        """See ``SmoothedColumn.acceptance``."""
        below, above = self._tails(values, span)
        accepted: Floats = np.where(np.isnan(values), 1.0, above - below)
        return accepted

    def draw(self, values: Floats, span: Span, rng: np.random.Generator) -> Floats:
        """See ``SmoothedColumn.draw``; of a bounded span by the inverse of the distribution, which rejects nothing."""
        if span.low == -inf and span.high == inf:
            drawn = rng.standard_normal(len(values))
            drawn *= self.bandwidth
            drawn += values
            return drawn
        below, above = self._tails(values, span)
        drawn = ndtri(below + (above - below) * rng.random(len(values)))
        drawn *= self.bandwidth
        drawn += values
        # Rounding alone can bring a draw to an end of the span: all draws are inside it.
        smallest = np.nextafter(span.low, inf) if span.low > -inf else span.low
        inside: Floats = np.clip(drawn, smallest, span.high)
        return inside

    def _tails(self, values: Floats, span: Span) -> tuple[Floats | float, Floats | float]:
        below = ndtr((span.low - values) / self.bandwidth) if span.low > -inf else 0.0
        above = ndtr((span.high - values) / self.bandwidth) if span.high < inf else 1.0
        return below, above


@dataclass(frozen=True, slots=True)
class SmoothedDiscrete:
    """A number that takes whole or few values: sometimes the next smaller or larger value of the training rows."""

    values: Floats  # (n_distinct,) ascending

    def acceptance(self, values: Floats, span: Span) -> Floats:
        """See ``SmoothedColumn.acceptance``."""
        down, up = self._moves(self._positions(values), span)
        return np.where(np.isnan(values), 1.0, 1 - MOVE_PROBABILITY + down + up)

    def draw(self, values: Floats, span: Span, rng: np.random.Generator) -> Floats:
        """See ``SmoothedColumn.draw``."""
        positions = self._positions(values)
        down, up = self._moves(positions, span)
        at = rng.random(len(values)) * (1 - MOVE_PROBABILITY + down + up)
        moved = positions + (at < up) - ((at >= up) & (at < up + down))
        return np.where(np.isnan(values), values, self.values[moved])

    def _positions(self, values: Floats) -> NDArray[np.int64]:
        return np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)  # NaN comes last

    def _moves(self, positions: NDArray[np.int64], span: Span) -> tuple[Floats, Floats]:
        """Return with which probabilities a value moves down and up, those out of the span left out."""
        down, up = np.full((2, len(self.values)), MOVE_PROBABILITY / 2)
        if len(self.values) > 1:  # the first and the last value have one neighbour only
            up[0], down[-1] = MOVE_PROBABILITY, MOVE_PROBABILITY
        down[0], up[-1] = 0, 0
        inside = (self.values > span.low) & (self.values <= span.high)
        down[1:] *= inside[:-1]
        up[:-1] *= inside[1:]
        return down[positions], up[positions]


@dataclass(frozen=True, slots=True)
class SmoothedCategory:
    """A category: sometimes another one, drawn by how often the training rows have it."""

    categories: tuple[str, ...]  # sorted
    shares: Floats  # (n_categories,) of the training rows that have one; each above 0

    def acceptance(self, values: NDArray[Any], span: Span) -> Floats:
        """See ``SmoothedColumn.acceptance``."""
        positions = self._positions(values)
        return np.where(positions < 0, 1.0, 1 - MOVE_PROBABILITY + self._moves(span)[positions])

    def draw(self, values: NDArray[Any], span: Span, rng: np.random.Generator) -> NDArray[Any]:
        """See ``SmoothedColumn.draw``."""
        drawn = values.copy()
        if not self.categories:
            return drawn
        positions = self._positions(values)
        moves = self._moves(span)[positions]
        at = rng.random(len(values)) * (1 - MOVE_PROBABILITY + moves)
        moving = np.flatnonzero((at < moves) & (positions >= 0))
        if len(moving):
            drawn[moving] = np.array(self.categories, object)[self._others(positions[moving], span, rng)]
        return drawn

    def _positions(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Return each value's position among the categories, (n_values,); -1 where it is missing."""
        place = {category: at for at, category in enumerate(self.categories)}
        return np.fromiter((place.get(value, -1) for value in values), np.int64, len(values))

    def _moves(self, span: Span) -> Floats:
        """Return with which probability each category becomes another that the span allows, (n_categories + 1,)."""
        allowed = self._allowed(span)
        others = allowed.sum() - allowed
        rest = 1 - self.shares
        moves = MOVE_PROBABILITY * np.divide(others, rest, out=np.zeros_like(rest), where=rest > 0)
        return np.append(np.clip(moves, 0, MOVE_PROBABILITY), 0.0)  # the last is the missing value's

    def _others(self, positions: NDArray[np.int64], span: Span, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw for each category another that the span allows, (n_values,)."""
        allowed = self._allowed(span)
        ends = np.cumsum(allowed)
        at = rng.random(len(positions)) * (ends[-1] - allowed[positions])
        at += np.where(at >= (ends - allowed)[positions], allowed[positions], 0.0)  # leaps over the category itself
        found = np.minimum(np.searchsorted(ends, at, side="right"), np.flatnonzero(allowed)[-1])
        return np.asarray(found, np.int64)

    def _allowed(self, span: Span) -> Floats:
        """Return the share of each category, 0 for those that the span does not allow."""
        return np.where([span.allows(category) for category in self.categories], self.shares, 0.0)


def smoothed_column(values: NDArray[Any], missing_text: str | None) -> SmoothedColumn:
    """Return how a column of the training rows is smoothed, by what it holds."""
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


def is_narrowed(span: Span) -> bool:
    """Return whether something was asked of a column."""
    return span != _UNBOUNDED
