"""Smoother: pseudo rows near training rows, inside a node's box."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ..rows import Rows
from .node_boxes import NodeBox, Span, is_missing

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


@dataclass(frozen=True, slots=True)
class Smoother:
    """The smoothed distribution of training rows.

    A pseudo row is a training row, drawn uniformly, each of whose values is smoothed on its own:

    - a continuous number by Gaussian noise with a standard deviation of ``BANDWIDTH`` (0.1) times the feature's own
      over all training rows;
    - a number whose training values are all whole, or at most ``MOST_FEW`` (10) of them distinct, so booleans, too:
      with ``MOVE_PROBABILITY`` (0.1) the next smaller or the next larger training value, each as likely; the smallest
      and the largest have one neighbour only;
    - a category with ``MOVE_PROBABILITY`` another one, drawn by how often the training rows have it;
    - a missing value stays missing.

    References
    ----------
    Zhou, Hooker (2016), "Interpreting Models via Single Tree Approximation", section 3.1, which leaves the bandwidth
    and the probability open.
    """

    names: tuple[str, ...]
    columns: tuple[SmoothedColumn, ...]  # in the order of ``names``

    @classmethod
    def of(cls, rows: Rows, missing_texts: Mapping[str, str], beat: Callable[[], None] = lambda: None) -> Self:
        """Return the smoother of training rows.

        Parameters
        ----------
        rows
            All training rows.
        missing_texts
            By column: a text that stands for a missing category.
        beat
            Called before each column; may raise to stop.
        """
        columns = []
        for name, column in zip(rows.names, rows.columns, strict=True):
            beat()
            columns.append(smoothed_column(column, missing_texts.get(name)))
        return cls(rows.names, tuple(columns))

    def draw(self, rows_at_node: Rows, box: NodeBox, n: int, rng: np.random.Generator) -> Rows:
        """Draw pseudo rows near the training rows that reach a node.

        The distribution is that of drawing whole rows, and again where they lie outside the box; nothing is clamped
        to its border. It is drawn from directly: a training row by the probability that its smoothed values stay
        inside, then each value from what is left of its distribution. So the time does not depend on the box.

        Parameters
        ----------
        rows_at_node
            The training rows that reach the node, at least one, all inside the box; columns as in ``names``.
        box
            The node's box.
        n
            How many pseudo rows.

        Returns
        -------
        Rows
            (n,) rows with the same columns.
        """
        picked = self._pick(rows_at_node, box, n, rng)
        columns = (
            smoothed.draw(values[picked], box.span(name), rng)
            for name, smoothed, values in zip(self.names, self.columns, rows_at_node.columns, strict=True)
        )
        return Rows(self.names, tuple(columns))

    def _pick(self, rows_at_node: Rows, box: NodeBox, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        weights = np.ones(len(rows_at_node))
        for name, smoothed, values in zip(self.names, self.columns, rows_at_node.columns, strict=True):
            if is_narrowed(box.span(name)):
                weights *= smoothed.acceptance(values, box.span(name))
        ends = np.cumsum(weights)
        if not ends[-1] > 0 or (weights == 1).all():  # spans too narrow for a double: all rows alike
            return np.asarray(rng.integers(len(rows_at_node), size=n), np.int64)
        picked: NDArray[np.int64] = np.searchsorted(ends, rng.random(n) * ends[-1], side="right")
        return np.minimum(picked, len(rows_at_node) - 1)
