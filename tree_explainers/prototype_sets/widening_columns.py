"""Proximities of a few candidates to all rows by wider and wider leaves: what each step adds is found by itself.

Where trees are cut back step by step, each leaf is made of leaves of the step before. Rows that shared one still do, so
proximities only grow: by the trees in which a row's leaf was joined with one that holds a candidate. At a step that is
so in a quarter of the trees, and the codes of the uncut leaves are all that is read of the rows.
"""

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import Tick, no_tick
from ..leaf_space.binary_sums import ExactSums
from ..leaf_space.gained_masks import add_some_masks, gained_masks, masks_of_nobody
from ..leaf_space.leaf_masks import BLOCK, LeafMasks, Targets, leaf_masks, plan_adding, room_for_sums
from ..leaf_space.leaves import LeafTable
from .candidate_columns import CandidateColumns
from .pair_lists import blocks
from .work_items import NANOSECONDS_PER_PIECE, Pieces

_MOST_BYTES = 2**26
_MOST_TREES = np.iinfo(np.uint16).max
_ROWS_AT_ONCE = 2048
_NANOSECONDS_PER_CODE = 4.0  # measured on one busy core of a 2025 server; it affects speed only


class WideningColumns:
    """The proximities of candidates to all rows, by leaves that are widened step by step.

    Parameters
    ----------
    table
        The rows in the leaves of uncut trees, in memory here.
    candidates : (n_candidates,) int64
        Rows of the table, ascending.
    """

    def __init__(self, table: LeafTable, candidates: NDArray[np.int64]) -> None:
        self._table, self._candidates, self._codes = table, candidates, table.codes_of(candidates)
        self._counting = np.zeros(table.n_trees, dtype=np.bool_)
        self._proximities = np.zeros((table.n_rows, len(candidates)), dtype=np.uint16)
        self._masks: list[LeafMasks] = []  # of each 512 candidates, by uncut leaf

    @staticmethod
    def of(table: LeafTable, candidates: NDArray[np.int64]) -> "WideningColumns | None":
        """Return them; ``None`` where they would take 64 MiB or more, or trees are too many for their numbers."""
        n_bytes = 2 * table.n_rows * len(candidates)
        return None if n_bytes >= _MOST_BYTES or table.n_trees > _MOST_TREES else WideningColumns(table, candidates)

    def widen(
        self, wider: NDArray[np.integer], n_wider: NDArray[np.int64], weights: NDArray[np.int64], tick: Tick = no_tick
    ) -> CandidateColumns:
        """Join leaves, and return the proximities by these: the array of the last time, which is written to.

        Parameters
        ----------
        wider : (n_leaves,)
            The wider leaf of each leaf of the uncut trees, counted within its tree; made of wider leaves of the last
            time.
        n_wider : (n_trees,)
            How many each tree has.
        weights : (n_trees,) int64
            What each tree counts: 0 or 1. Where others count than the last time, all is added up from the beginning.
        tick
            Called several times a second; may raise to stop, and then the object is of no more use.
        """
        table, parts = self._table, blocks(len(self._candidates), BLOCK)
        if not self._masks or (self._counting != (weights > 0)).any():
            self._counting, self._masks = weights > 0, [masks_of_nobody(int(table.offsets[-1]))] * len(parts)
            self._proximities[:] = 0
        starts = np.concatenate([[0], np.cumsum(n_wider)]).astype(np.int64)
        leaf = np.repeat(starts[:-1], np.diff(table.offsets)) + wider
        codes = wider[table.offsets[:-1, None] + self._codes]
        for index, part in enumerate(parts):
            words, positions = leaf_masks(
                np.ascontiguousarray(codes[:, part]), starts, np.arange(part.stop - part.start)
            )
            of_uncut = positions[leaf]
            of_uncut[np.repeat(~self._counting, np.diff(table.offsets))] = 0
            now = LeafMasks(words, of_uncut)
            self._add(self._proximities[:, part], *gained_masks(self._masks[index], now), tick)
            self._masks[index] = now
        return CandidateColumns(self._candidates, self._proximities)

    def _add(self, proximities: NDArray[np.uint16], gained: LeafMasks, n_masks: int, tick: Tick) -> None:
        """Add the trees in which rows have gained candidates to their proximities, (n_rows, n_candidates)."""
        table, rows = self._table, np.arange(self._table.n_rows)
        plan = plan_adding(np.ones(table.n_trees, dtype=np.int64), n_masks / table.n_trees)

        def add(part: slice) -> None:
            buffer = room_for_sums(min(_ROWS_AT_ONCE, part.stop - part.start), plan)
            numbers = np.empty((len(buffer), proximities.shape[1]), dtype=np.uint16)
            for start in range(part.start, part.stop, _ROWS_AT_ONCE):
                some = slice(start, min(start + _ROWS_AT_ONCE, part.stop))
                n_some = some.stop - some.start
                add_some_masks(Targets(table.codes, table.offsets, rows[some]), gained, plan, buffer[:n_some])
                ExactSums(buffer[:n_some], plan.n_digits).write(numbers[:n_some])
                proximities[some] += numbers[:n_some]

        longest = int(NANOSECONDS_PER_PIECE / (table.n_trees * _NANOSECONDS_PER_CODE))
        for _ in Pieces(tick)(add, len(rows), max(1, longest), proximities.shape[1]):
            pass
