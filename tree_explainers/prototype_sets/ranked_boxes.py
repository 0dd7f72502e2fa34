"""Boxes whose ends are ranked, so that those of many trees are intersected without a branch.

Which trees a row shares with a prototype changes from row to row, so a processor cannot guess whether an entry counts.
The highest low end among the shared trees is the largest of ranks that are masked instead, and so is the lowest high
end.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from .leaf_boxes import LeafBoxes, Side

_MOST_ENTRIES = 1 << 22  # of all prototypes: ranks take 28 bytes each
_LOW_INCLUSIVE, _HIGH_INCLUSIVE = int(Side.LOW_INCLUSIVE), int(Side.HIGH_INCLUSIVE)
_MISSING_STAYS = int(Side.MISSING_STAYS)


class RankedBoxes(NamedTuple):
    """The entries of ``LeafBoxes`` in runs: those of one column of one prototype."""

    is_ranked: NDArray[np.bool_]  # (n_prototypes,) false of those with holes, sets or odd ends, and of too many
    runs: NDArray[np.int64]  # (n_prototypes + 1,) where each prototype's runs begin
    starts: NDArray[np.int64]  # (n_runs + 1,) where each run's entries begin
    trees: NDArray[np.uint32]  # (n_entries,)
    opens: NDArray[np.int32]  # (n_entries,) -1 of the first of its prototype, tree and feature, else 0
    stays: NDArray[np.int32]  # (n_entries,) -1 where a missing value stays in the leaf, else 0
    low_ranks: NDArray[np.int32]  # (n_entries,) within the run; 1 is the lowest low end
    high_ranks: NDArray[np.int32]  # (n_entries,) likewise; 1 is the highest high end
    low_order: NDArray[np.int32]  # (n_entries,) the entries of each run in the order of their ranks
    high_order: NDArray[np.int32]

    @staticmethod
    def of(boxes: LeafBoxes, opens: NDArray[np.bool_]) -> "RankedBoxes":
        """Rank the ends of boxes; of equal ends, one that is not in its interval ranks higher, then the earlier entry.

        Parameters
        ----------
        boxes
            Of the prototypes.
        opens : (n_entries,) bool
            Marks one entry for each feature that a tree tests on a prototype's path.
        """
        n_prototypes = len(boxes.starts) - 1
        if len(boxes.entries) > _MOST_ENTRIES:
            none = RankedBoxes.of(LeafBoxes(np.zeros_like(boxes.starts), boxes.entries[:0]), opens[:0])
            return none._replace(is_ranked=np.zeros(n_prototypes, np.bool_))
        entries, side = boxes.entries, boxes.entries["side"]
        prototype = np.repeat(np.arange(n_prototypes), np.diff(boxes.starts))
        run = np.cumsum(_begins(prototype, entries["column"])) - 1
        starts = np.searchsorted(run, np.arange(run[-1] + 2 if len(run) else 1)).astype(np.int64)
        later = -np.arange(len(entries))
        orders = (
            np.lexsort((later, side & _LOW_INCLUSIVE == 0, entries["low"], run)),
            np.lexsort((later, side & _HIGH_INCLUSIVE == 0, -entries["high"], run)),
        )
        return RankedBoxes(
            np.bincount(prototype[_is_odd(entries)], minlength=n_prototypes) == 0,
            np.searchsorted(starts, boxes.starts).astype(np.int64),
            starts,
            entries["tree"].astype(np.uint32),
            -opens.astype(np.int32),
            -(side & _MISSING_STAYS != 0).astype(np.int32),
            *(_ranks(order, starts[run]) for order in orders),
            *(order.astype(np.int32) for order in orders),
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


def _ranks(order: NDArray[np.int64], start_of_run: NDArray[np.int64]) -> NDArray[np.int32]:
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(1, len(order) + 1) - start_of_run  # the entries of a run stay in its place
    return ranks


@compiled
def meet_ranked_pair(  # noqa: PLR0917  # compiled code takes arrays
    pair: int,
    entries: NDArray[Any],
    boxes: RankedBoxes,
    runs: tuple[int, int],
    masks: tuple[NDArray[np.int32], NDArray[np.int64]],
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
    masks : (n_trees,), (n_trees,)
        -1 and the weight of trees that the pair shares, 0 of others.
    total
        The weight of all trees that it shares.
    """
    mask, masked = masks
    end, first_of_feature, testing = 0, 0, np.int64(0)  # where the feature's reasons begin, and what tests it
    for run in range(*runs):
        start, low_rank, high_rank, stays = boxes.starts[run], np.int32(0), np.int32(0), np.int32(-1)
        if end > first_of_feature and reasons[first_of_feature].feature != entries[start].feature:
            for reason in range(first_of_feature, end):
                reasons[reason].share_of_trees = testing / max(1.0, total)
            first_of_feature, testing = end, np.int64(0)
        for entry in range(start, boxes.starts[run + 1]):
            tree = boxes.trees[entry]
            shared = mask[tree]
            low_rank = max(low_rank, boxes.low_ranks[entry] & shared)
            high_rank = max(high_rank, boxes.high_ranks[entry] & shared)
            stays &= boxes.stays[entry] | ~shared
            testing += boxes.opens[entry] & masked[tree]
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
