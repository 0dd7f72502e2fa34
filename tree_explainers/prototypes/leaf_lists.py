"""Proximities of a row to those that are listed in its leaves: cheap where leaves are small."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled import compiled

Found = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint32]]


class LeafLists(NamedTuple):
    """The rows of each leaf, as in ``LeafTable``, and what each tree counts."""

    codes: NDArray[Any]  # (n_trees, n_rows)
    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]
    weights: NDArray[np.int64]


@compiled
def add_gains_by_lists(
    lists: LeafLists, covered: NDArray[np.int64], candidates: NDArray[np.int64], gains: NDArray[np.int64]
) -> None:
    """Add, for each candidate, by how much its proximity to each row exceeds what covers the row.

    Parameters
    ----------
    covered : (n_rows,) int64
        As large as can be for rows that do not matter.
    gains : (n_candidates,) int64
        Added to.
    """
    n_rows = lists.codes.shape[1]
    shared, visited = np.zeros(n_rows, dtype=np.uint32), np.empty(n_rows + 1, dtype=np.int32)
    for candidate in range(len(candidates)):
        gain = 0
        for place in range(_visit(lists, candidates[candidate], shared, visited)):
            row = visited[place]
            gain += max(0, np.int64(shared[row]) - covered[row])
            shared[row] = 0
        gains[candidate] += gain


@compiled
def list_close_by_lists(
    lists: LeafLists, thresholds: NDArray[np.int64], candidates: NDArray[np.int64], start: int, found: Found
) -> tuple[int, int]:
    """List the pairs of a candidate and a row that are closer than the row's threshold.

    Parameters
    ----------
    thresholds : (n_rows,) int64
        As large as can be for rows that do not matter.
    start
        Candidate to begin with.
    found
        Candidates (as positions), rows and proximities: written to, as long as there is room for n_rows more.

    Returns
    -------
    (n_found, next candidate)
    """
    n_rows = lists.codes.shape[1]
    shared, visited = np.zeros(n_rows, dtype=np.uint32), np.empty(n_rows + 1, dtype=np.int32)
    n_found = 0
    for candidate in range(start, len(candidates)):
        if n_found + n_rows > len(found[0]):
            return n_found, candidate
        for place in range(_visit(lists, candidates[candidate], shared, visited)):
            row = visited[place]
            if np.int64(shared[row]) > thresholds[row]:
                found[0][n_found], found[1][n_found], found[2][n_found] = candidate, row, shared[row]
                n_found += 1
            shared[row] = 0
    return n_found, len(candidates)


@compiled
def _visit(lists: LeafLists, candidate: int, shared: NDArray[np.uint32], visited: NDArray[np.int32]) -> int:
    """Add up the weights of the leaves that rows share with a candidate; tell how many rows share any."""
    n_visited = 0
    for tree in range(len(lists.weights)):
        leaf = lists.offsets[tree] + lists.codes[tree, candidate]
        weight = np.uint32(lists.weights[tree])
        if weight == 0:
            continue
        for place in range(lists.starts[leaf], lists.starts[leaf + 1]):
            row = lists.members[place]
            visited[n_visited] = row  # stays if the row is new: cheaper than a branch that is often guessed wrong
            n_visited += int(shared[row] == 0)
            shared[row] += weight
    return n_visited
