"""Lazy greedy maximisation of an objective whose gains never grow; knows nothing of trees.

Minoux (1978): a gain known from an earlier step is an upper bound now, so an item whose bound is not the largest need
not be evaluated. Here stale gains are renewed in batches, because a batch may cost little more than one item; and the
gains of a batch of the best items are kept exact, because their losses may be cheaper to find.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

_FIRST_BATCH = 16
_LARGEST_BATCH = 256


class Objective(Protocol):
    """A set function to maximise over items 0 to n - 1; an item's gain never grows when others are added."""

    @property
    def n_at_once(self) -> int:
        """How many items' gains cost as much as one item's."""

    def first_gains(self) -> NDArray[np.int64]:
        """Return the gain of each item while nothing has been added."""

    def gains(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the gain of adding each of these items alone now."""

    def add(self, item: int, exact_items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add an item for good; return the losses of some items' gains."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of several objectives that do not influence each other and are maximised as a sum.

    ``scale`` is the worth of a unit of this part's gain relative to another part's; ``names`` are the items'
    indices among the items of all parts, ascending. Of items that gain alike, those with ``precedence`` come first, and
    of these the lowest name.
    """

    objective: Objective
    names: NDArray[np.int64]  # (n_items,)
    scale: Fraction = Fraction(1)
    precedence: NDArray[np.bool_] | None = None  # (n_items,) None: no item comes before others


@dataclass(frozen=True, slots=True)
class GreedyStep:
    """The item added in one step, the part that it belongs to and its gain there (unscaled)."""

    name: int
    part: int
    gain: int


def greedy(parts: Sequence[Part]) -> Iterator[GreedyStep]:
    """Yield the item of largest scaled gain, repeatedly, until no item gains anything.

    An item is added to its part's objective when the next one is requested. Ties: see ``Part``. The order is
    the same as that of evaluating each item in each step, because an item is skipped only when it cannot win.

    Parameters
    ----------
    parts
        The objectives; together they are maximised over all their items.

    References
    ----------
    Minoux (1978), "Accelerated greedy algorithms for maximizing submodular set functions".
    """
    fronts = [_Front(part) for part in parts]
    while True:
        best = max(range(len(fronts)), key=lambda index: fronts[index].rank)
        front = fronts[best]
        if front.bound <= 0:
            return
        if front.is_exact:
            yield GreedyStep(int(front.part.names[front.item]), best, front.bound)
            front.add()
        else:
            front.renew()


class _Front:
    """The most promising item of one part: its gain if that is exact, else what it gains at most."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self._bounds = part.objective.first_gains().copy()
        self._exact = np.ones(len(self._bounds), dtype=np.bool_)
        self._n_at_once = part.objective.n_at_once
        self._in_blocks = self._n_at_once > 1
        self._batch = _FIRST_BATCH
        self._find()

    def _find(self) -> None:
        self.item = int(self._bounds.argmax())  # the first of equal ones, which has the lowest name
        self.bound = int(self._bounds[self.item])
        comes_first = False
        if self.part.precedence is not None:
            preceding = np.flatnonzero(self.part.precedence & (self._bounds == self.bound))
            comes_first = len(preceding) > 0
            self.item = int(preceding[0]) if comes_first else self.item
        self.is_exact = bool(self._exact[self.item])
        self.rank = self.bound * self.part.scale, comes_first, -int(self.part.names[self.item])

    def renew(self) -> None:
        """Evaluate the stale items of largest bound again; more at a time as long as the best remains unknown."""
        stale = self._stale_items()
        n_wanted = self._n_at_once if self._in_blocks else self._batch
        if len(stale) > n_wanted:
            best = stale[np.argpartition(-self._bounds[stale], n_wanted)[:n_wanted]]
            stale = np.sort(best)  # items side by side are side by side in memory
        self._bounds[stale] = self.part.objective.gains(stale)
        self._exact[stale] = True
        self._batch = min(2 * self._batch, _LARGEST_BATCH)
        self._find()

    def _stale_items(self) -> NDArray[np.int64]:
        if self._in_blocks:
            return np.flatnonzero(~self._exact)  # those that cannot win now come free, and may spare a batch later
        to_beat = self._bounds[self._exact].max(initial=0)
        return np.flatnonzero(~self._exact & (self._bounds >= to_beat))  # equal ones too: their names may come first

    def add(self) -> None:
        """Add the item, and keep the gains of the best others exact where that is cheap."""
        exact = np.flatnonzero(self._exact)
        n_kept = self._n_at_once if self._in_blocks else 0
        best = exact[np.argsort(-self._bounds[exact], kind="stable")[:n_kept]]
        self._bounds[best] -= self.part.objective.add(self.item, best)
        self._bounds[self.item] = 0  # adding it again gains nothing
        self._exact[:] = False
        self._exact[best] = True
        self._batch = _FIRST_BATCH
        self._find()
