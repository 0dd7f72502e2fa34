"""How rows stand to their prototypes, and what another row would bring in the place of one of them.

A swap's worth needs no more than each row's nearest and second nearest prototype (Schubert, Rousseeuw 2021). All
numbers are units of weight; rows are known by place (``rows_by_class``), prototypes by rank, candidates by line.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled

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
