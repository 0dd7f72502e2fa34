"""Agreement of neighbourhoods: how many of a row's nearest rows are the same in the spaces of two models."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress, part_of
from ..leaf_space.leaves import LeafTable
from ..leaf_space.nearest_rows import nearest_rows


class CommonNeighbors(NamedTuple):
    """The mean share of a row's nearest rows that both models have in common."""

    share: float
    by_chance: float  # the same share of the nearest rows of two different rows
    n_rows: int  # compared, that share a leaf with others in both spaces


def common_neighbors(
    tables: tuple[LeafTable, LeafTable],
    weights: tuple[NDArray[np.int64], NDArray[np.int64]],
    rows: NDArray[np.int64],
    n_neighbors: int,
    report: ReportProgress = ignore_progress,
) -> CommonNeighbors | None:
    """Return how far two models agree on which rows are nearest; ``None`` where fewer than two rows can be compared.

    Only neighbours that share a leaf with the row count: of a row's list in one space and its list in the other, the
    common ones over the longer list.

    Parameters
    ----------
    tables
        The same rows, at least ``n_neighbors`` + 1, in the leaves of each model.
    weights
        What each tree counts, (n_trees,) of each model.
    rows : (n_compared,)
        Rows of which neighbours are looked for, in an order that says nothing: chance pairs each with the next.
    n_neighbors
        1 or more.
    report
        Progress callback; may raise to stop.
    """
    lists = []
    for side, (table, of_trees) in enumerate(zip(tables, weights, strict=True)):
        nearest, proximities = nearest_rows(table, of_trees).of_rows(
            rows, n_neighbors, part_of(report, side / 2, (side + 1) / 2)
        )
        lists.append([set(some[near > 0].tolist()) for some, near in zip(nearest, proximities, strict=True)])
    pairs = [(one, two) for one, two in zip(*lists, strict=True) if one and two]
    if len(pairs) < 2:  # of one row, chance has no other
        return None
    shares = [_share(one, two) for one, two in pairs]
    chance = [_share(one, two) for (one, _), (_, two) in zip(pairs, [*pairs[1:], pairs[0]], strict=True)]
    return CommonNeighbors(float(np.mean(shares)), float(np.mean(chance)), len(pairs))


def _share(one: set[int], two: set[int]) -> float:
    return len(one & two) / max(len(one), len(two))
