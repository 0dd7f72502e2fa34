"""Rows that are compared by plain distance, without a model: the baseline that knows nothing of the trees.

The distance between two rows is Euclidean over all features, each of which adds at most 1 to its square: the squared
difference of ranks for a number (``rank_scale``), and 1 for two different categories. A missing value differs from
every value by 1, and from another missing value not at all. The proximity is 1 - distance / sqrt(n_features), so that
it is in 0 to 1 whatever the rows are.

Positions are integers, and so are the squares of distances: sums and matrix products of them are exact in double
precision, in whatever order they are added up. Roots are rounded to ``TOTAL`` steps. So equal rows give equal bytes,
whatever the number of threads, and ties are ties.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.threads import in_threads
from ..errors import InvalidInput
from ..rank_scale import MISSING, UNIT
from .leaves import LeafTable

TOTAL = 2**20
"""The integer proximity of a row to itself."""

_UNITS_SQUARED = float((TOTAL // UNIT) ** 2)
_QUERIES, _ROWS = 128, 1024  # of a block, which stays in the second cache
_STEPS_PER_CELL = 10  # as many as finding a root and comparing take, beside the features


class EuclideanTable(LeafTable):
    """Rows by their positions; a ``LeafTable`` to all who use the primitives of this package.

    Primitives take positions where they take leaves, and ``weights`` below for those of trees. There are no leaves,
    so that what looks into these (masks, lists, paths, certificates) has no meaning here.

    Parameters
    ----------
    positions : (n_rows, n_features) int32
        As ``RankScale`` finds them.
    is_ranked : (n_features,)
        Which of them are ranks.
    """

    def __init__(self, positions: NDArray[np.int32], is_ranked: NDArray[np.bool_]) -> None:
        if positions.ndim != 2 or not positions.size or len(is_ranked) != positions.shape[1]:
            msg = f"{positions.shape} positions and {len(is_ranked)} features do not fit together, or there are none"
            raise InvalidInput(msg)
        object.__setattr__(self, "positions", np.ascontiguousarray(positions, dtype=np.int32))
        object.__setattr__(self, "is_ranked", np.asarray(is_ranked, dtype=np.bool_))

    positions: NDArray[np.int32]
    is_ranked: NDArray[np.bool_]

    @property
    def weights(self) -> NDArray[np.int64]:
        """What counts, where trees would be weighed: a single thing, of the weight ``TOTAL``, (1,)."""
        return np.array([TOTAL], dtype=np.int64)

    @property
    def codes(self) -> NDArray[Any]:
        """Refuse: there are no trees."""
        message = "rows that are compared by plain distance have no leaves: use a primitive that knows of positions"
        raise TypeError(message)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.positions)

    @property
    def n_trees(self) -> int:
        """Number of things that count: 1."""
        return 1

    def leaves_of(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the positions of these rows, (len(rows), n_features), which stand for leaves."""
        return np.asarray(self.positions[rows])

    def followed_by(self, other: "EuclideanTable") -> "EuclideanTable":
        """Return the table of these rows, and then the other's."""
        return EuclideanTable(np.concatenate([self.positions, other.positions]), self.is_ranked)

    def columns(self, positions: NDArray[np.int32], n_threads: int | None = None) -> NDArray[np.uint32]:
        """Return the proximity of each of some rows to all rows of the table.

        Parameters
        ----------
        positions : (n_queries, n_features) int32
            Of the rows that are compared.
        n_threads
            Threads to share the work; by default one for each core that the process may use.

        Returns
        -------
        (n_queries, n_rows) uint32
            Integers in 0 to ``TOTAL``.

        Raises
        ------
        InvalidInput
            If the number of features differs.
        """
        if positions.ndim != 2 or positions.shape[1] != len(self.is_ranked):  # a matrix
            msg = f"the table has {len(self.is_ranked)} features, but positions have shape {positions.shape}"
            raise InvalidInput(msg)
        proximities = np.empty((len(positions), self.n_rows), dtype=np.uint32)

        def fill(part: slice) -> None:
            positions_of_part, into = self.positions[part], proximities[:, part]
            for queries, rows in _blocks(len(positions), len(positions_of_part)):
                into[queries, rows] = self._proximities(positions[queries], positions_of_part[rows])

        in_threads(fill, self.n_rows, n_threads, n_steps=self._n_steps(proximities.size))
        return proximities

    def tally(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], limits: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return how many targets are closer to each candidate than a limit, and by how much, for several limits.

        Parameters
        ----------
        candidates : (n_candidates,) int64
            Rows of the table.
        targets : (n_targets,) int64
            Rows of the table.
        limits : (n_lines, n_targets) int64
            Not negative.

        Returns
        -------
        (2, n_lines, n_candidates) int64
            Number of targets with a proximity above their limit, and the sum of proximity - limit over them.
        """
        tallies = np.zeros((2, len(limits), len(candidates)), dtype=np.int64)
        narrow = np.minimum(limits, TOTAL).astype(np.int32)  # nothing is nearer than a row to itself

        def add_up(part: slice) -> None:
            of_part, into = candidates[part], tallies[:, :, part]
            for queries, rows in _blocks(len(of_part), len(targets)):
                near = self._proximities(self.positions[of_part[queries]], self.positions[targets[rows]])
                _add_excess(near, narrow[:, rows], into[:, :, queries])

        in_threads(add_up, len(candidates), n_steps=self._n_steps(len(candidates) * len(targets)))
        return tallies

    def _n_steps(self, n_pairs: int) -> int:
        return n_pairs * (_STEPS_PER_CELL + len(self.is_ranked))

    def _proximities(self, some: NDArray[np.int32], others: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the proximities of a block of rows to others, (n_some, n_others)."""
        near = np.empty((len(some), len(others)), dtype=np.int32)
        _fill_proximities(squared_distances(some, others, self.is_ranked), float(len(self.is_ranked)), near)
        return near


@compiled
def _fill_proximities(squares: NDArray[np.float64], n_features: float, near: NDArray[np.int32]) -> None:
    """Find roots of squared distances in units of ``UNIT``, and round them to units of ``TOTAL``."""
    for row in range(squares.shape[0]):
        for other in range(squares.shape[1]):
            distance = np.rint(np.sqrt(_UNITS_SQUARED * squares[row, other] / n_features))
            near[row, other] = TOTAL - np.int32(distance)


@compiled
def _add_excess(near: NDArray[np.int32], limits: NDArray[np.int32], tallies: NDArray[np.int64]) -> None:
    """Count the proximities above each line of limits, and add up the excess; tallies: (2, n_lines, n_rows)."""
    for row in range(near.shape[0]):
        for line in range(limits.shape[0]):
            count, excess = 0, 0
            for other in range(near.shape[1]):
                above = near[row, other] - limits[line, other]
                count += above > 0
                excess += max(above, 0)
            tallies[0, line, row] += count
            tallies[1, line, row] += excess


def squared_distances(
    some: NDArray[np.int32], others: NDArray[np.int32], is_ranked: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the squares of the distances between rows, (n_some, n_others), in units of ``UNIT`` squared; exact.

    Parameters
    ----------
    some, others : (n_some, n_features), (n_others, n_features) int32
        Positions.
    is_ranked : (n_features,)
        Which of them are ranks.
    """
    ranks, other_ranks = (
        np.where(each == MISSING, 0, each)[:, is_ranked].astype(np.float64) for each in (some, others)
    )
    squares = ranks @ (-2 * other_ranks.T)
    squares += np.square(ranks).sum(axis=1)[:, None]
    squares += np.square(other_ranks).sum(axis=1)
    _add_missing(squares, some[:, is_ranked], others[:, is_ranked])
    for column in np.flatnonzero(~is_ranked):
        squares += float(UNIT**2) * (some[:, column, None] != others[:, column])
    return squares


def _add_missing(squares: NDArray[np.float64], some: NDArray[np.int32], others: NDArray[np.int32]) -> None:
    """Make up for ranks that are missing: a rank x beside one was counted as x squared, and is to count as 1."""
    is_lacking = (some == MISSING).any(axis=0) | (others == MISSING).any(axis=0)
    if not is_lacking.any():
        return
    lacks, other_lacks = ((each[:, is_lacking] == MISSING).astype(np.float64) for each in (some, others))
    lesser, other_lesser = (
        np.where(each == MISSING, 0.0, float(UNIT**2) - np.square(each.astype(np.float64)))
        for each in (some[:, is_lacking], others[:, is_lacking])
    )
    squares += lesser @ other_lacks.T
    squares += lacks @ other_lesser.T


def _blocks(n_queries: int, n_rows: int) -> Iterator[tuple[slice, slice]]:
    """Yield pairs of short slices of queries and of rows."""
    starts = product(range(0, n_queries, _QUERIES), range(0, n_rows, _ROWS))
    for query, row in starts:
        yield slice(query, min(query + _QUERIES, n_queries)), slice(row, min(row + _ROWS, n_rows))
