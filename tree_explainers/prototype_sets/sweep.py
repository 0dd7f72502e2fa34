"""Comparing many candidates with all rows that they might represent: what they would gain, and which pairs are close.

A ``Sweep`` uses masks or lists (``mask_sweep``, ``list_sweep``); the sizes of the leaves decide which. Either takes
O(n_rows) memory beside what is found.
"""

from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import Tick, no_tick
from ..leaf_space.leaf_masks import BLOCK
from ..leaf_space.leaves import LeafTable
from .kept_sums import KeptSums
from .list_sweep import ListSweep
from .mask_sweep import MaskSweep
from .pair_lists import ClosePairs, MirroredPairs, blocks, by_candidate
from .work_items import Count, Pieces


class Sweep:
    """Rows to be covered, the targets, and what other rows of the table would be as their prototypes.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts: not negative, summing to less than 2^32.
    targets : (n_targets,) int64
        Rows to be covered, ascending; as a rule those of one class.
    tick
        Called several times a second while something is calculated; may raise to stop.
    candidate_codes : (n_trees, n_candidates)
        Codes of what candidates are numbered among; by default those of the table's rows.
    compared
        What compared pairs are counted in, also by sweeps ``over`` other targets.
    kept
        Proximities of the targets to each other, by these weights, that are needed again, or were added up before.
    """

    def __init__(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        targets: NDArray[np.int64],
        tick: Tick = no_tick,
        candidate_codes: NDArray[Any] | None = None,
        *,
        compared: Count | None = None,
        kept: KeptSums | None = None,
    ) -> None:
        self.targets = targets
        self._pieces = Pieces(tick, compared)
        self._by_masks = MaskSweep(table, weights, self._pieces, candidate_codes, kept)
        self._by_lists = ListSweep(table, weights, self._pieces, candidate_codes)

    def over(self, targets: NDArray[np.int64]) -> "Sweep":
        """Return a sweep over other targets, which shares with this one what can be shared."""
        other = copy(self)
        other.targets = targets
        return other

    def tick(self) -> None:
        """Note that something goes on; may raise to stop."""
        self._pieces.tick()

    def n_at_once(self, candidates: NDArray[np.int64]) -> int:
        """Return how many candidates like these are looked at for the price of one."""
        some = candidates[:: -(-len(candidates) // BLOCK)]
        return 1 if self._cheaper(some, len(self.targets)) is self._by_lists else BLOCK

    def gains(self, candidates: NDArray[np.int64], covered: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return by how much each candidate alone would raise the proximities that cover the targets, summed.

        Parameters
        ----------
        candidates : (n_candidates,) int64
            Rows of the table.
        covered : (n_targets,) int64
            Proximity of each target to what covers it now; 0 if nothing does.

        Returns
        -------
        (n_candidates,) int64
            Sum over targets of max(0, proximity - covered), in units of weight.
        """
        return np.asarray(self.tally(candidates, self.targets, covered[None])[1, 0])

    def losses(
        self, candidates: NDArray[np.int64], before: NDArray[np.int64], now: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return by how much gains have shrunk, looking only at targets that are covered otherwise than before.

        Parameters
        ----------
        candidates : (n_candidates,) int64
            Rows of the table.
        before, now : (n_targets,) int64
            What ``covered`` was and is.

        Returns
        -------
        (n_candidates,) int64
            ``gains(candidates, before) - gains(candidates, now)``.
        """
        changed = np.flatnonzero(before != now)
        limits = np.stack([before[changed], now[changed]])
        _, excess = self.tally(candidates, self.targets[changed], limits)
        return np.asarray(excess[0] - excess[1])

    def tally(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], limits: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return how many targets are closer to each candidate than a limit, and by how much, for several limits.

        Parameters
        ----------
        candidates : (n_candidates,) int64
            Rows of the table.
        targets : (n_targets,) int64
            Rows of the table, ascending, whatever the targets of this sweep are.
        limits : (n_lines, n_targets) int64
            Not negative.

        Returns
        -------
        (2, n_lines, n_candidates) int64
            Number of targets with a proximity above their limit, and the sum of proximity - limit over them.
        """
        tallies = np.zeros((2, len(limits), len(candidates)), dtype=np.int64)
        for part in blocks(len(candidates), BLOCK):
            some = candidates[part]
            tallies[:, :, part] = self._cheaper(some, len(targets)).tally(some, targets, limits)
        return tallies

    def close_pairs(
        self, candidates: NDArray[np.int64], thresholds: NDArray[np.int64], max_pairs: int
    ) -> Iterator[ClosePairs]:
        """Yield the pairs with a proximity above the target's threshold, of one candidate after the other.

        Parameters
        ----------
        candidates : (n_candidates,) int64
            Rows of the table.
        thresholds : (n_targets,) int64
            Not negative; not to be changed before the iteration has ended.
        max_pairs
            Maximum number to yield at once, unless a single candidate has more.

        Yields
        ------
        ClosePairs
            Of consecutive candidates, up to 512.
        """
        for part in blocks(len(candidates), BLOCK):
            yield from self._close_pairs(candidates[part], thresholds, max_pairs)

    def pairs_of_targets(self, thresholds: NDArray[np.int64]) -> MirroredPairs | None:
        """Return the close pairs of all targets as candidates; ``None`` where ``close_pairs`` finds them as fast."""
        if self.n_at_once(self.targets) == 1:
            return None
        return MirroredPairs(self._by_masks, self.targets, thresholds)

    def _close_pairs(
        self, candidates: NDArray[np.int64], thresholds: NDArray[np.int64], max_pairs: int
    ) -> Iterator[ClosePairs]:
        pairs, n_found = [], 0
        for some in self._cheaper(candidates, len(self.targets)).close_pairs(candidates, self.targets, thresholds):
            pairs.append(some)
            n_found += len(some.targets)
            if n_found > max_pairs and len(candidates) > 1:
                break
        else:
            yield by_candidate(candidates, pairs)
            return
        del pairs, some
        half = len(candidates) // 2
        yield from self._close_pairs(candidates[:half], thresholds, max_pairs)
        yield from self._close_pairs(candidates[half:], thresholds, max_pairs)

    def _cheaper(self, candidates: NDArray[np.int64], n_targets: int) -> MaskSweep | ListSweep:
        """Return the cheaper way to compare at most 512 candidates with ``n_targets`` rows."""
        by_masks = n_targets * self._by_masks.nanoseconds_per_target
        return self._by_lists if self._by_lists.nanoseconds(candidates) < by_masks else self._by_masks
