"""The nearest row of a table for some queries, 512 of them at a time: where leaves are large.

The proximities of a row to a block of 512 queries are added up by masks (``block_sums``), and listed where they exceed
what is nearest to the query so far: some ten of a million rows for each query.
"""

from collections.abc import Callable
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from ..compute.threads import in_order
from .leaf_masks import BLOCK
from .leaves import LeafTable, read_only
from .nearest_by_codes import key_of, row_and_proximity
from .proximity_block_sums import Block, BlockSums

_NANOSECONDS_PER_PIECE = 1e8
_ROOM = 1 << 16  # pairs that are listed at once
_NEVER = 2**62  # is exceeded


class NearestToBlocks:
    """Finds the nearest row of a table for each of some queries.

    Parameters
    ----------
    table
        The rows to choose from.
    weights : (n_trees,) int64
        What each tree counts; not negative, summing to less than 2^32.
    """

    def __init__(self, table: LeafTable, weights: NDArray[np.int64]) -> None:
        self._table, self._sums = table, BlockSums(table, weights)

    def nanoseconds(self, n_queries: int) -> float:
        """Return how long some queries take, on one core."""
        return -(-n_queries // BLOCK) * self._table.n_rows * self._sums.nanoseconds_per_target

    def find(
        self, leaves: NDArray[np.int32], own_rows: NDArray[np.int64], report: Callable[[float], None]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the nearest row of each query (ties: the lowest) and its proximity, which can be 0: (n_queries,) each.

        Parameters
        ----------
        leaves : (n_queries, n_trees) int32
            At most 512 queries, numbered as in the table.
        own_rows : (n_queries,) int64
            The row that a query is, not its own neighbour; -1 where it is none.
        report
            Called with the share of the rows that were looked at; may raise to stop.
        """
        keys = key_of((own_rows == 0).astype(np.int64), np.zeros_like(own_rows))
        codes = read_only(np.ascontiguousarray(leaves.T, dtype=self._table.codes.dtype))
        block = self._sums.block(codes, np.arange(len(leaves)))

        def search(part: slice) -> NDArray[np.int64]:
            return self._search(np.arange(part.start, part.stop), block, own_rows, keys.copy())

        length = max(1, int(_NANOSECONDS_PER_PIECE / self._sums.nanoseconds_per_target))
        n_rows = self._table.n_rows
        pieces = (slice(start, min(start + length, n_rows)) for start in range(0, n_rows, length))
        with closing(in_order(search, pieces)) as nearest_parts:
            for part, in_part in nearest_parts:
                np.maximum(keys, in_part, out=keys)
                report(part.stop / n_rows)
        return row_and_proximity(keys)

    def _search(
        self, rows: NDArray[np.int64], block: Block, own_rows: NDArray[np.int64], keys: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the keys of the nearest rows, given those of the nearest among lower ones, which are written to."""
        buffers = np.empty(_ROOM, np.int32), np.empty(_ROOM, np.int32), np.empty(_ROOM, np.uint32)
        limits = self._sums.limits(row_and_proximity(keys)[1])
        for part, sums in self._sums.of(rows, block):
            never, following = np.full(part.stop - part.start, _NEVER), 0
            while following < len(never):
                _, n_found, following = sums.list_both(never, limits, following, (buffers, buffers))
                queries, targets, proximities = (some[:n_found] for some in buffers)
                nearest = rows[part][targets]
                is_other = nearest != own_rows[queries]
                if is_other.any():
                    found_keys = key_of(nearest, proximities.astype(np.int64))
                    np.maximum.at(keys, queries[is_other], found_keys[is_other])
                    limits = self._sums.limits(row_and_proximity(keys)[1])
        return keys
