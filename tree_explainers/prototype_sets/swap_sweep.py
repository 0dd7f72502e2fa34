"""Comparing candidates with all rows of their class: what exactly each would bring in the place of each prototype."""

from collections.abc import Callable, Iterator
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from ..compute.threads import in_order
from ..leaf_space.binary_sums import add_excess
from ..leaf_space.leaf_masks import BLOCK, LeafMasks, Targets, add_masks, leaf_masks, plan_adding, room_for_sums
from ..leaf_space.leaves import LeafTable
from .standing import Judgement, Pairs, Standing, best_in_class, judge
from .sweep import Sweep

_PAIRS_AT_ONCE = 2**23
_TARGETS_AT_ONCE = 1024


class SwapSweep:
    """Rows of one class and what other rows of the class would be to them.

    Where leaves are small, only the pairs that matter are listed (``Sweep``). Where they are large, 512 candidates
    are compared at once with the rows of one prototype after the other (``leaf_masks``).

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    rows : (n_rows,) int64
        Those of the class, in the order of their places.
    first_place
        Where the places of the class begin.
    progressed
        Called several times a second; may raise to stop.
    """

    def __init__(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        rows: NDArray[np.int64],
        first_place: int,
        progressed: Callable[[], None],
    ) -> None:
        self._table, self._rows, self._first_place, self._progressed = table, rows, first_place, progressed
        self._sweep = Sweep(table, weights, rows, progressed)
        self._plan = plan_adding(weights, min(BLOCK / 4, len(table.starts) / table.n_trees))

    @property
    def n_rows(self) -> int:
        """Number of rows that a candidate is compared with."""
        return len(self._rows)

    def judge(
        self, candidates: NDArray[np.int64], position: int, classes: NDArray[np.int64], standing: Standing
    ) -> Judgement:
        """Return what rows of the class would bring; ``classes`` are those of the prototypes."""
        listing = self._sweep.n_at_once(candidates) == 1
        ways = self.by_pairs if listing else self.by_masks
        parts = list(ways(candidates, position, classes, standing))
        return Judgement(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def by_pairs(
        self, candidates: NDArray[np.int64], position: int, classes: NDArray[np.int64], standing: Standing
    ) -> Iterator[Judgement]:
        """Yield the same for some candidates after the other, by listing pairs."""
        second = standing.second[self._first_place : self._first_place + len(self._rows)]
        for found in self._sweep.close_pairs(candidates, second, _PAIRS_AT_ONCE):
            members = found.targets + np.int32(self._first_place)
            pairs = Pairs(found.starts[:-1], found.starts[1:], members, found.proximities)
            lines = np.arange(len(found.candidates))
            yield judge(pairs, lines, np.full(len(lines), position), classes, standing)

    def by_masks(
        self, candidates: NDArray[np.int64], position: int, classes: NDArray[np.int64], standing: Standing
    ) -> Iterator[Judgement]:
        """Yield the same for some candidates after the other, by adding masks."""
        for start in range(0, len(candidates), BLOCK):
            block = candidates[start : start + BLOCK]
            gains, made_up_for = self._sum_up(block, len(classes), standing)
            yield best_in_class(gains[: len(block)], made_up_for[:, : len(block)], position, classes, standing)

    def _sum_up(
        self, block: NDArray[np.int64], n_prototypes: int, standing: Standing
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return what each candidate gains and what it makes up for of each prototype's loss, (n_prototypes, 512)."""
        masks = leaf_masks(self._table.codes, self._table.offsets, block)
        owners = standing.owners[self._first_place : self._first_place + len(self._rows)]
        places = np.argsort(owners, kind="stable") + self._first_place

        def excess(some: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            return self._excess(some, masks, standing)

        gains, made_up_for = np.zeros(BLOCK, dtype=np.int64), np.zeros((n_prototypes + 1, BLOCK), dtype=np.int64)
        with closing(in_order(excess, _pieces(places, standing.owners[places]))) as done:
            for some, (over_nearest, over_second) in done:
                gains += over_nearest
                made_up_for[standing.owners[some[0]]] += over_second - over_nearest
                self._progressed()
        return gains, made_up_for[:n_prototypes]  # the last line is of rows without a prototype

    def _excess(
        self, places: NDArray[np.int64], masks: LeafMasks, standing: Standing
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return by how much each candidate's proximities to some rows exceed the nearest and the second nearest."""
        sums = room_for_sums(len(places), self._plan)
        rows = self._rows[places - self._first_place]
        add_masks(Targets(self._table.codes, self._table.offsets, rows), masks, self._plan, sums)
        over_nearest, over_second = np.zeros(BLOCK, dtype=np.int64), np.zeros(BLOCK, dtype=np.int64)
        add_excess(sums, self._plan.n_digits, standing.nearest[places], over_nearest)
        add_excess(sums, self._plan.n_digits, standing.second[places], over_second)
        return over_nearest, over_second


def _pieces(places: NDArray[np.int64], owners: NDArray[np.int32]) -> Iterator[NDArray[np.int64]]:
    """Yield places of rows that have the same nearest prototype, up to 1,024 at a time."""
    for some in np.split(places, np.flatnonzero(np.diff(owners)) + 1):
        for start in range(0, len(some), _TARGETS_AT_ONCE):
            yield some[start : start + _TARGETS_AT_ONCE]
