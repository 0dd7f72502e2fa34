"""The nearest rows by how far they go together in trees: each query is compared with all rows, tree by tree."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from ..compute.progress import ReportProgress, ignore_progress
from .graded_table import Branches, GradedTable
from .kept_rows import find_in_blocks, keep

_BLOCK_QUERIES = 64  # that a thread compares at a time


class NearestByDepth:
    """Finds the nearest rows of a table by how far rows go together in trees; see ``GradedTable``.

    Parameters
    ----------
    table
        The rows to choose from.
    """

    def __init__(self, table: GradedTable) -> None:
        self._table = table

    def of_rows(
        self, rows: NDArray[np.int64], n_neighbors: int, report: ReportProgress = ignore_progress
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the nearest other rows for some rows of the table, as ``NearestByCounts.of_rows`` does."""
        nearest = np.empty((2, len(rows), n_neighbors), np.int64)

        def find(some: slice) -> None:
            leaves = self._table.leaves_of(rows[some])
            _find_nearest(self._table.codes, self._table.branches, leaves, rows[some], nearest[:, some])

        find_in_blocks(find, len(rows), _BLOCK_QUERIES, report)
        return nearest[0], nearest[1]

    def columns(self, leaves: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the proximity of some rows to all of the table, (n_queries, n_rows), 0 to ``TOTAL``.

        Parameters
        ----------
        leaves : (n_queries, n_trees)
            Of these rows, as ``leaves_of`` has them.
        """
        proximities = np.zeros((len(leaves), self._table.n_rows), np.int64)
        _fill_columns(self._table.codes, self._table.branches, leaves, proximities)
        return proximities


@compiled
def _find_nearest(
    codes: NDArray[Any],
    branches: Branches,
    leaves: NDArray[np.int32],
    own_rows: NDArray[np.int64],
    nearest: NDArray[np.int64],
) -> None:
    """Write the nearest rows of each query and their proximities, (2, n_queries, n_neighbors)."""
    sums, line = np.zeros(codes.shape[1], np.int64), np.empty(_most_leaves(branches), np.int64)
    for query in range(len(leaves)):
        sums[:] = 0
        _add_up(codes, branches, leaves[query], line, sums)
        rows, proximities, n_kept = nearest[0, query], nearest[1, query], 0
        for row in range(len(sums)):
            if sums[row] > 0 and row != own_rows[query]:
                n_kept = keep(rows, proximities, n_kept, row, sums[row])
        rows[n_kept:] = -1
        proximities[n_kept:] = 0


@compiled
def _fill_columns(
    codes: NDArray[Any], branches: Branches, leaves: NDArray[np.int32], proximities: NDArray[np.int64]
) -> None:
    line = np.empty(_most_leaves(branches), np.int64)
    for query in range(len(leaves)):
        _add_up(codes, branches, leaves[query], line, proximities[query])


@inlined
def _most_leaves(branches: Branches) -> int:
    return int(np.diff(branches.offsets).max())


@inlined
def _add_up(
    codes: NDArray[Any],
    branches: Branches,
    leaves: NDArray[np.int32],
    line: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> None:
    """Add the proximity of a query to each row, in every tree, to the sums."""
    for tree in range(len(leaves)):
        if branches.parts[tree] == 0:
            continue
        _write_line(branches, tree, leaves[tree], line)
        of_rows = codes[tree]
        for row in range(len(sums)):
            sums[row] += line[of_rows[row]]


@inlined
def _write_line(branches: Branches, tree: int, leaf: int, line: NDArray[np.int64]) -> None:
    """Write the proximity in a tree of one leaf to each leaf, from left to right."""
    offsets, nodes, parents, depths, firsts, ends, parts = branches
    of_leaves, part = nodes[offsets[tree] : offsets[tree + 1]], np.float64(parts[tree])
    node = of_leaves[leaf]
    depth = depths[node]
    line[leaf] = parts[tree]
    while parents[node] != node:
        above = parents[node]
        twice = 2.0 * depths[above]
        for index in range(firsts[above], firsts[node]):
            line[index] = np.int64(part * (twice / (depth + depths[of_leaves[index]])))
        for index in range(ends[node], ends[above]):
            line[index] = np.int64(part * (twice / (depth + depths[of_leaves[index]])))
        node = above
