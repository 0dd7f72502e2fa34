"""Boxes whose ends are ranked, so that those of many trees are intersected without a branch.

Which trees a row shares with a prototype changes from row to row, so a processor cannot guess whether an entry counts.
The highest low end among the shared trees is the largest of ranks that are masked instead, and so is the lowest high
end.

Which features the shared trees test most is known before, by the trees alone: only their boxes are intersected.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_for_loops, inlined_reader
from .leaf_boxes import LeafBoxes, Side

_MOST_ENTRIES = 1 << 22  # of all prototypes: ranks take 28 bytes each, and bits of trees at most 8 more
_LOW_INCLUSIVE, _HIGH_INCLUSIVE = int(Side.LOW_INCLUSIVE), int(Side.HIGH_INCLUSIVE)
_MISSING_STAYS = int(Side.MISSING_STAYS)
ALL_BITS = np.uint32(0xFFFFFFFF)
"""The mask of a tree that counts."""


class RankedBoxes(NamedTuple):
    """The entries of ``LeafBoxes`` in runs: those of one column of one prototype."""

    is_ranked: NDArray[np.bool_]  # (n_prototypes,) false of those with holes, sets or odd ends, and of too many
    features: NDArray[np.int64]  # (n_prototypes + 1,) where each prototype's features begin
    runs: NDArray[np.int64]  # (n_features + 1,) where each feature's runs begin
    starts: NDArray[np.int64]  # (n_runs + 1,) where each run's entries begin
    trees: NDArray[np.uint32]  # (n_entries,)
    weights: NDArray[np.uint32]  # (n_entries,) of the tree, where this is the first of the tree's on a feature, else 0
    stays: NDArray[np.uint32]  # (n_entries,) all bits where a missing value stays in the leaf, else 0
    low_ranks: NDArray[np.uint32]  # (n_entries,) within the run; 1 is the lowest low end
    high_ranks: NDArray[np.uint32]  # (n_entries,) likewise; 1 is the highest high end
    low_order: NDArray[np.int32]  # (n_entries,) the entries of each run in the order of their ranks
    high_order: NDArray[np.int32]
    testing: NDArray[np.uint64]  # (n_features, n_words) a bit for each tree that tests the feature; no words: see units
    units: NDArray[np.int64]  # (1,) the weight that all these trees have; 0: they have several

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
        first_runs = np.flatnonzero(_begins(prototype[starts[:-1]], entries["feature"][starts[:-1]]))
        runs = np.append(first_runs, len(starts) - 1).astype(np.int64)
        later = -np.arange(len(entries))
        by_low = np.lexsort((later, side & _LOW_INCLUSIVE == 0, entries["low"], run))
        by_high = np.lexsort((later, side & _HIGH_INCLUSIVE == 0, -entries["high"], run))
        return RankedBoxes(
            np.bincount(prototype[_is_odd(entries)], minlength=n_prototypes) == 0,
            np.searchsorted(starts[runs], boxes.starts).astype(np.int64),
            runs,
            starts,
            entries["tree"].astype(np.uint32),
            np.where(opens, weights[entries["tree"]], np.uint32(0)),
            np.where(side & _MISSING_STAYS, ALL_BITS, np.uint32(0)),
            _ranks(by_low, starts[run]),
            _ranks(by_high, starts[run]),
            by_low.astype(np.int32),
            by_high.astype(np.int32),
            *_testing(entries["tree"], np.where(opens, weights[entries["tree"]], 0), starts[runs], len(weights)),
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


def _testing(
    trees: NDArray[np.integer[Any]], weights: NDArray[np.integer[Any]], starts: NDArray[np.int64], n_trees: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return which trees test each feature, whose entries begin at ``starts``, as bits, and the weight of each."""
    n_features, counting, n_words = len(starts) - 1, np.flatnonzero(weights), -(-n_trees // 64)
    units = np.unique(weights[counting])
    if len(units) != 1 or n_features * n_words > len(trees):  # bits of which hardly any are set would take more
        return np.empty((n_features, 0), np.uint64), np.zeros(1, np.int64)
    testing = np.zeros((n_features, n_words), np.uint64)
    tested, of_trees = np.searchsorted(starts, counting, "right") - 1, trees[counting].astype(np.uint64)
    np.bitwise_or.at(testing, (tested, of_trees // np.uint64(64)), np.uint64(1) << of_trees % np.uint64(64))
    return testing, units.astype(np.int64)


@compiled_for_loops
def meet_ranked_pair(  # noqa: PLR0917  # compiled code takes arrays
    pair: int,
    entries: NDArray[Any],
    boxes: RankedBoxes,
    features: tuple[int, int],
    mask: NDArray[np.uint32],
    shared: NDArray[np.uint64],
    total: int,
    wanted: tuple[NDArray[np.bool_], int],
    reasons: NDArray[Any],
) -> int:
    """Write the reasons of one pair as ``meet_pair`` does, of the wanted features; return how many they are.

    Parameters
    ----------
    entries : (n_entries,) ENTRY
        Of all prototypes.
    features
        The first of the prototype, and where they end.
    mask : (n_trees,)
        All bits of trees that the pair shares, 0 of others.
    shared : (n_words,)
        A bit for each of them.
    total
        The weight of all trees that it shares.
    wanted
        The columns whose features are wanted, (n_columns,), and how many features at most: those that the largest
        weight of shared trees tests, of equal ones the first.
    """
    is_shown, n_wanted = wanted
    first, stop = features
    testing = np.empty(stop - first, np.int64)
    for feature in range(first, stop):
        start, end = boxes.starts[boxes.runs[feature]], boxes.starts[boxes.runs[feature + 1]]
        is_one = is_shown[entries[start].column]
        if not is_one:
            testing[feature - first] = 0
        elif boxes.units[0]:
            testing[feature - first] = boxes.units[0] * _n_common(boxes.testing[feature], shared)
        else:
            testing[feature - first] = _weight(boxes, start, end, mask)
    is_wanted = _are_largest(testing, n_wanted)
    n_reasons = 0
    for feature in range(first, stop):
        if is_wanted[feature - first]:
            share = testing[feature - first] / max(1.0, total)
            runs = boxes.runs[feature], boxes.runs[feature + 1]
            n_reasons += _meet_feature(pair, entries, boxes, runs, mask, share, reasons[n_reasons:])
    return n_reasons


@inlined_reader
def _n_common(bits: NDArray[np.uint64], others: NDArray[np.uint64]) -> np.int64:
    """Return how many bits are in both."""
    n_common = np.uint64(0)
    for word in range(len(bits)):
        both = bits[word] & others[word]
        both -= (both >> np.uint64(1)) & np.uint64(0x5555555555555555)
        both = (both & np.uint64(0x3333333333333333)) + ((both >> np.uint64(2)) & np.uint64(0x3333333333333333))
        both = (both + (both >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        n_common += (both * np.uint64(0x0101010101010101)) >> np.uint64(56)
    return np.int64(n_common)


@inlined_reader
def _weight(boxes: RankedBoxes, start: int, stop: int, mask: NDArray[np.uint32]) -> np.int64:
    """Return the weight of the shared trees among those of some entries.

    Four sums are made side by side: of a plain loop, LLVM makes gathers, which take three times as long.
    """
    trees, weights = boxes.trees, boxes.weights
    first, second, third, fourth = np.uint32(0), np.uint32(0), np.uint32(0), np.uint32(0)
    at = start
    while at + 4 <= stop:
        first += weights[at] & mask[trees[at]]
        second += weights[at + 1] & mask[trees[at + 1]]
        third += weights[at + 2] & mask[trees[at + 2]]
        fourth += weights[at + 3] & mask[trees[at + 3]]
        at += 4
    while at < stop:
        first += weights[at] & mask[trees[at]]
        at += 1
    return np.int64(first + second + third + fourth)  # at most the weight of all trees


@compiled_for_loops
def _are_largest(weights: NDArray[np.int64], n_most: int) -> NDArray[np.bool_]:
    """Mark the largest of some weights, ``n_most`` at most, of equal ones the first; none that is 0."""
    are_largest = weights > 0
    if n_most < are_largest.sum():
        left = weights.copy()
        are_largest[:] = False
        for _ in range(n_most):
            largest = np.argmax(left)  # the first of equal ones
            are_largest[largest], left[largest] = True, 0
    return are_largest


@inlined_reader
def _meet_feature(  # noqa: PLR0917  # compiled code takes arrays
    pair: int,
    entries: NDArray[Any],
    boxes: RankedBoxes,
    runs: tuple[int, int],
    mask: NDArray[np.uint32],
    share: float,
    reasons: NDArray[Any],
) -> int:
    """Write the reasons of one feature, by the runs of its columns; return how many they are."""
    n_reasons = 0
    for run in range(*runs):
        start, stop = boxes.starts[run], boxes.starts[run + 1]
        low_rank, high_rank, stays = _meet_run(boxes, start, stop, mask)
        if low_rank > 0:
            low, high = entries[boxes.low_order[start + low_rank - 1]], entries[boxes.high_order[start + high_rank - 1]]
            reason = reasons[n_reasons]
            reason.pair, reason.feature, reason.column = pair, low.feature, low.column
            reason.low, reason.high, reason.share_of_trees = low.low, high.high, share
            reason.side = low.side & _LOW_INCLUSIVE | high.side & _HIGH_INCLUSIVE | stays & _MISSING_STAYS
            n_reasons += 1
    return n_reasons


@inlined_reader
def _meet_run(
    boxes: RankedBoxes, start: int, stop: int, mask: NDArray[np.uint32]
) -> tuple[np.int64, np.int64, np.int64]:
    """Return the highest ranks of shared trees, and whether missing values stay in all of them."""
    low_rank, high_rank, all_stay = np.uint32(0), np.uint32(0), ALL_BITS
    for entry in range(start, stop):
        shared = mask[boxes.trees[entry]]
        low_rank = max(low_rank, boxes.low_ranks[entry] & shared)
        high_rank = max(high_rank, boxes.high_ranks[entry] & shared)
        all_stay &= boxes.stays[entry] | ~shared
    return np.int64(low_rank), np.int64(high_rank), np.int64(all_stay)
