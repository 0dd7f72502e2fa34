"""The nearest and second nearest prototype of each row, and the gain of each possible swap.

These are all that the gain of a swap depends on (Schubert, Rousseeuw 2021, FasterPAM). Proximities, gains and losses
are in units of weight. Rows are numbered in the order of their classes (``goal.RowsByClass``), prototypes by rank, and
candidates by their index among all candidates.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.progress import Tick
from ..compute.threads import in_order
from ..leaf_space.binary_sums import add_excess
from ..leaf_space.leaf_masks import BLOCK, LeafMasks, Targets, add_masks, leaf_masks, plan_adding, room_for_sums
from ..leaf_space.leaves import LeafTable
from .sweep import Sweep

_NO_CHANGE = -(2**62)


class Standing(NamedTuple):
    """The nearest prototypes of each row, among those of its class, and what they are worth."""

    nearest: NDArray[np.int64]  # (n_rows,) proximity to the nearest prototype, 0 without one
    second: NDArray[np.int64]  # (n_rows,) to the second nearest, 0 without one
    owners: NDArray[np.int32]  # (n_rows,) rank of the nearest, ties to the lower; -1 without one
    losses: NDArray[np.int64]  # (n_prototypes,) by how much g of the class falls without the prototype
    slack: NDArray[np.int64]  # (n_classes,) by how much floors exceed what is nearest, summed


class Pairs(NamedTuple):
    """Proximities of candidates to rows of their class; which others there are depends on who made it."""

    starts: NDArray[np.int64]  # (n_candidates,)
    ends: NDArray[np.int64]  # (n_candidates,)
    members: NDArray[np.int32]  # (n_pairs,) places
    proximities: NDArray[np.uint32]  # (n_pairs,)


class Judgement(NamedTuple):
    """What each of some candidates would bring, (n_lines,) each."""

    gains: NDArray[np.int64]  # as one more prototype
    changes: NDArray[np.int64]  # in place of the prototype of its class that is best replaced; very low without one
    ranks: NDArray[np.int64]  # which prototype that is, ties to the lower rank; -1 without one


def empty_standing(n_rows: int, n_prototypes: int, n_classes: int) -> Standing:
    """Return the standing of rows before any prototype is known."""
    return Standing(
        np.zeros(n_rows, dtype=np.int64),
        np.zeros(n_rows, dtype=np.int64),
        np.full(n_rows, -1, dtype=np.int32),
        np.zeros(n_prototypes, dtype=np.int64),
        np.zeros(n_classes, dtype=np.int64),
    )


def no_judgement(n_lines: int) -> Judgement:
    """Return room for what candidates would bring."""
    return Judgement(*(np.zeros(n_lines, dtype=np.int64) for _ in Judgement._fields))


def best_in_class(
    gains: NDArray[np.int64],
    made_up_for: NDArray[np.int64],
    position: int,
    prototype_classes: NDArray[np.int64],
    standing: Standing,
) -> Judgement:
    """Return what rows of one class would bring.

    Parameters
    ----------
    gains : (n_lines,) int64
        As one more prototype.
    made_up_for : (n_prototypes, n_lines) int64
        Of the loss of each prototype.
    """
    own = np.flatnonzero(prototype_classes == position)
    if len(own) == 0:
        return Judgement(gains, np.full_like(gains, _NO_CHANGE), np.full_like(gains, -1))
    changes = gains + made_up_for[own] - standing.losses[own, None]
    best = changes.argmax(axis=0)  # the first of equal ones, which has the lowest rank
    return Judgement(gains, np.take_along_axis(changes, best[None], axis=0)[0], own[best])


@compiled
def stand(
    columns: NDArray[Any],
    ranks: NDArray[np.int64],
    floors: NDArray[np.int64],
    first_place: int,
    position: int,
    standing: Standing,
) -> None:
    """Look at the rows of one class again.

    Parameters
    ----------
    columns : (n_prototypes of the class, n_rows of the class)
        Proximities to the prototypes of the class.
    ranks : (n_prototypes of the class,) int64
        Their ranks, ascending.
    floors : (n_rows of the class,) int64
        0 for how rows stand. Else rows stand as if another prototype, which cannot be replaced, were so near to each
        of them, and ``slack`` says what that is worth: what is then found of candidates by their pairs above the
        floors is what they bring at most, whatever their other proximities are.
    first_place, position
        Where the rows of the class begin, and the class.
    standing
        Changed for the rows, the prototypes and the class.
    """
    standing.losses[ranks] = 0
    standing.slack[position] = 0
    for row in range(columns.shape[1]):
        nearest, second, owner = np.int64(0), np.int64(0), np.int64(-1)
        for line in range(columns.shape[0]):
            proximity = np.int64(columns[line, row])
            if proximity > nearest:
                nearest, second, owner = proximity, nearest, ranks[line]
            elif proximity > second:
                second = proximity
        standing.slack[position] += max(floors[row] - nearest, 0)
        nearest, second = max(nearest, floors[row]), max(second, floors[row])
        if owner >= 0:
            standing.losses[owner] += nearest - second
        place = first_place + row
        standing.nearest[place], standing.second[place], standing.owners[place] = nearest, second, owner


@compiled
def judge(
    pairs: Pairs,
    lines: NDArray[np.int64],
    line_classes: NDArray[np.int64],
    prototype_classes: NDArray[np.int64],
    standing: Standing,
) -> Judgement:
    """Return what candidates would bring; pairs with a proximity above ``second`` are all that matter."""
    n_lines, n_prototypes = len(lines), len(prototype_classes)
    gains = np.empty(n_lines, dtype=np.int64)
    changes = np.full(n_lines, _NO_CHANGE, dtype=np.int64)
    ranks = np.full(n_lines, -1, dtype=np.int64)
    made_up_for = np.empty(n_prototypes, dtype=np.int64)  # of the loss of each prototype
    for index in range(n_lines):
        made_up_for[:] = 0
        gain = standing.slack[line_classes[index]]
        for pair in range(pairs.starts[lines[index]], pairs.ends[lines[index]]):
            member, proximity = pairs.members[pair], np.int64(pairs.proximities[pair])
            if proximity > standing.second[member]:
                gain += max(proximity - standing.nearest[member], 0)
                owner = standing.owners[member]
                if owner >= 0:
                    made_up_for[owner] += min(proximity, standing.nearest[member]) - standing.second[member]
        gains[index] = gain
        for rank in range(n_prototypes):
            change = gain + made_up_for[rank] - standing.losses[rank]
            if prototype_classes[rank] == line_classes[index] and change > changes[index]:
                changes[index], ranks[index] = change, rank
    return Judgement(gains, changes, ranks)


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
    tick
        Called several times a second; may raise to stop.
    """

    def __init__(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        rows: NDArray[np.int64],
        first_place: int,
        tick: Tick,
    ) -> None:
        self._table, self._rows, self._first_place, self._tick = table, rows, first_place, tick
        self._sweep = Sweep(table, weights, rows, tick)
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
                self._tick()
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
