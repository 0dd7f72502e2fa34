"""Boxes whose ends are ranked, so that those of many trees are intersected without a branch.

Which trees a row shares with a prototype changes from row to row, so a processor cannot guess whether an entry counts.
The highest low end among the shared trees is the largest of ranks that are masked instead, and so is the lowest high
end.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_for_loops
from .leaf_boxes import LeafBoxes, Side

_MOST_ENTRIES = 1 << 22  # of all prototypes: ranks take 28 bytes each
_LOW_INCLUSIVE, _HIGH_INCLUSIVE = int(Side.LOW_INCLUSIVE), int(Side.HIGH_INCLUSIVE)
_MISSING_STAYS = int(Side.MISSING_STAYS)
ALL_BITS = np.uint32(0xFFFFFFFF)
"""The mask of a tree that counts."""


class RankedBoxes(NamedTuple):
    """The entries of ``LeafBoxes`` in runs: those of one column of one prototype."""

    is_ranked: NDArray[np.bool_]  # (n_prototypes,) false of those with holes, sets or odd ends, and of too many
    runs: NDArray[np.int64]  # (n_prototypes + 1,) where each prototype's runs begin
    starts: NDArray[np.int64]  # (n_runs + 1,) where each run's entries begin
    trees: NDArray[np.uint32]  # (n_entries,)
    weights: NDArray[np.uint32]  # (n_entries,) of the tree, where this is the first of the tree's on a feature, else 0
    stays: NDArray[np.uint32]  # (n_entries,) all bits where a missing value stays in the leaf, else 0
    low_ranks: NDArray[np.uint32]  # (n_entries,) within the run; 1 is the lowest low end
    high_ranks: NDArray[np.uint32]  # (n_entries,) likewise; 1 is the highest high end
    low_order: NDArray[np.int32]  # (n_entries,) the entries of each run in the order of their ranks
    high_order: NDArray[np.int32]

    @staticmethod
    def of(boxes: LeafBoxes, opens: NDArray[np.bool_], weights: NDArray[np.uint32]) -> "RankedBoxes":
        """Rank the ends of boxes; of equal ends, one that is not in its interval ranks higher, then the earlier entry.

        Parameters
        ----------
        boxes
            Of the prototypes.
        opens : (n_entries,) bool
            Marks one entry for each feature that a tree tests on a prototype's path.
        weights : (n_trees,)
            What each tree counts; at most 2^31 together.
        """
        n_prototypes = len(boxes.starts) - 1
        if len(boxes.entries) > _MOST_ENTRIES:
            none = RankedBoxes.of(LeafBoxes(np.zeros_like(boxes.starts), boxes.entries[:0]), opens[:0], weights)
            return none._replace(is_ranked=np.zeros(n_prototypes, np.bool_))
        entries, side = boxes.entries, boxes.entries["side"]
        prototype = np.repeat(np.arange(n_prototypes), np.diff(boxes.starts))
        run = np.cumsum(_begins(prototype, entries["column"])) - 1
        starts = np.searchsorted(run, np.arange(run[-1] + 2 if len(run) else 1)).astype(np.int64)
        later = -np.arange(len(entries))
        by_low = np.lexsort((later, side & _LOW_INCLUSIVE == 0, entries["low"], run))
        by_high = np.lexsort((later, side & _HIGH_INCLUSIVE == 0, -entries["high"], run))
        return RankedBoxes(
            np.bincount(prototype[_is_odd(entries)], minlength=n_prototypes) == 0,
            np.searchsorted(starts, boxes.starts).astype(np.int64),
            starts,
            entries["tree"].astype(np.uint32),
            np.where(opens, weights[entries["tree"]], np.uint32(0)),
            np.where(side & _MISSING_STAYS, ALL_BITS, np.uint32(0)),
            _ranks(by_low, starts[run]),
            _ranks(by_high, starts[run]),
            by_low.astype(np.int32),
            by_high.astype(np.int32),
        )


def _begins(*keys: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Mark where any of some keys, each (n_entries,), changes."""
    begins = np.ones(len(keys[0]), np.bool_)
    begins[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    return begins


def _is_odd(entries: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark holes and sets, and ends that are equal to others and written otherwise, or equal to nothing."""
    ends = np.stack([entries["low"], entries["high"]])
    odd_ends = np.isnan(ends) | ((ends == 0) & np.signbit(ends))
    odd: NDArray[np.bool_] = odd_ends.any(axis=0) | (entries["side"] & int(Side.HOLE | Side.SET) != 0)
    return odd


def _ranks(order: NDArray[np.int64], start_of_run: NDArray[np.int64]) -> NDArray[np.uint32]:
    ranks = np.empty(len(order), np.uint32)
    ranks[order] = np.arange(1, len(order) + 1) - start_of_run  # the entries of a run stay in its place
    return ranks


@compiled_for_loops
def meet_ranked_pair(  # noqa: PLR0917  # compiled code takes arrays
    pair: int,
    entries: NDArray[Any],
    boxes: RankedBoxes,
    runs: tuple[int, int],
    mask: NDArray[np.uint32],
    total: int,
    reasons: NDArray[Any],
) -> int:
    """Write the reasons of one pair as ``meet_pair`` does; return how many they are.

    Parameters
    ----------
    entries : (n_entries,) ENTRY
        Of all prototypes.
    runs
        The first of the prototype, and where they end.
    mask : (n_trees,)
        All bits of trees that the pair shares, 0 of others.
    total
        The weight of all trees that it shares.
    """
    end, first_of_feature, testing = 0, 0, np.int64(0)  # where the feature's reasons begin, and what tests it
    for run in range(*runs):
        start, stop = boxes.starts[run], boxes.starts[run + 1]
        if end > first_of_feature and reasons[first_of_feature].feature != entries[start].feature:
            for reason in range(first_of_feature, end):
                reasons[reason].share_of_trees = testing / max(1.0, total)
            first_of_feature, testing = end, np.int64(0)
        low_rank, high_rank, stays, weight = _meet_run(
            boxes.trees[start:stop],
            boxes.low_ranks[start:stop],
            boxes.high_ranks[start:stop],
            boxes.stays[start:stop],
            boxes.weights[start:stop],
            mask,
        )
        testing += weight
        if low_rank > 0:
            low, high = entries[boxes.low_order[start + low_rank - 1]], entries[boxes.high_order[start + high_rank - 1]]
            reason = reasons[end]
            reason.pair, reason.feature, reason.column = pair, low.feature, low.column
            reason.low, reason.high = low.low, high.high
            reason.side = low.side & _LOW_INCLUSIVE | high.side & _HIGH_INCLUSIVE | stays & _MISSING_STAYS
            end += 1
    for reason in range(first_of_feature, end):
        reasons[reason].share_of_trees = testing / max(1.0, total)
    return end


@compiled_for_loops
def _meet_run(
    trees: NDArray[np.uint32],
    low_ranks: NDArray[np.uint32],
    high_ranks: NDArray[np.uint32],
    stays: NDArray[np.uint32],
    weights: NDArray[np.uint32],
    mask: NDArray[np.uint32],
) -> tuple[np.int64, np.int64, np.int64, np.int64]:
    """Return the highest ranks of shared trees, whether missing values stay in all of them, and their weight."""
    low_rank, high_rank, weight, all_stay = np.uint32(0), np.uint32(0), np.uint32(0), ALL_BITS
    for entry in range(len(trees)):
        shared = mask[trees[entry]]
        low_rank = max(low_rank, low_ranks[entry] & shared)
        high_rank = max(high_rank, high_ranks[entry] & shared)
        all_stay &= stays[entry] | ~shared
        weight += weights[entry] & shared
    return np.int64(low_rank), np.int64(high_rank), np.int64(all_stay), np.int64(weight)
