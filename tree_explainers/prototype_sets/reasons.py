"""Reasons of similarity: intervals within which a row stays in the leaves that it shares with a prototype."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import array_of, compiled_ahead, compiled_for_loops
from .leaf_boxes import ENTRY, LeafBoxes, Side, lower_high, raise_low

# One interval of one column over all trees that a row and a prototype share, or a hole in it.
REASON = np.dtype(
    [
        ("pair", np.int32),
        ("feature", np.int32),
        ("column", np.int32),
        ("side", np.int32),
        ("low", np.float64),
        ("high", np.float64),
        ("share_of_trees", np.float64),
    ],
    align=True,
)


@dataclass(frozen=True, slots=True)
class Reasons:
    """The prototypes' leaf boxes, ready to be intersected; on one thread, without compiling anything."""

    boxes: LeafBoxes
    room: NDArray[np.int64]  # (n_prototypes,) reasons that a prototype can have at most
    opens: NDArray[np.bool_]  # (n_entries,) the first of its prototype, tree and feature

    @staticmethod
    def build(boxes: LeafBoxes) -> "Reasons":
        """Make room for the answers."""
        n_entries = np.array(
            [_n_distinct(boxes.entries[start:end]) for start, end in pairwise(boxes.starts.tolist())], dtype=np.int64
        )
        return Reasons(boxes, n_entries, _firsts(boxes))

    def of(self, prototypes: NDArray[np.int64], shared: NDArray[np.bool_], weights: NDArray[np.uint32]) -> NDArray[Any]:
        """Return the reasons of one row's similarity to each of some prototypes.

        Parameters
        ----------
        prototypes : (n_pairs,) int64
            Positions of the prototypes.
        shared : (n_pairs, n_trees) bool
            In which trees the row shares a leaf with each of them.
        weights : (n_trees,) uint32
            What each tree counts in the proximity.

        Returns
        -------
        (n_reasons,) REASON
            Sorted by pair, feature, column. A column's interval is the intersection over the shared trees that test
            it on the path: with any other value inside (and not excluded by the holes and sets that follow it) the row
            stays in its leaf in each of them; beyond an end, it leaves at least one. ``MISSING_STAYS`` holds if it
            does for all of them. An end that no tree sets is infinite. ``share_of_trees`` is the share of the shared
            trees, by weight, that test the *feature*, through any of its columns, and is the same for all of these.
        """
        reasons = np.empty(int(self.room[prototypes].sum()), dtype=REASON)
        n_reasons = _intersect(self.boxes.entries, self.opens, self.boxes.starts, prototypes, shared, weights, reasons)
        return reasons[:n_reasons]


def _n_distinct(entries: NDArray[Any]) -> int:
    """Count columns, holes and sets."""
    if len(entries) == 0:
        return 0
    kind = np.where(entries["side"] & Side.HOLE, entries["side"], 0)
    keys = np.stack([entries["column"], kind, np.where(kind != 0, entries["low"], 0)])
    return 1 + int((keys[:, 1:] != keys[:, :-1]).any(axis=0).sum())


def _firsts(boxes: LeafBoxes) -> NDArray[np.bool_]:
    """Mark one entry for each feature that a tree tests on a prototype's path."""
    entries = boxes.entries
    prototype = np.repeat(np.arange(len(boxes.starts) - 1), np.diff(boxes.starts))
    order = np.lexsort((entries["tree"], entries["feature"], prototype))  # stable: the first stays first
    keys = np.stack([prototype, entries["feature"], entries["tree"]])[:, order]
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[order[1:]] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    return is_first


_LOW_INCLUSIVE, _HIGH_INCLUSIVE = int(Side.LOW_INCLUSIVE), int(Side.HIGH_INCLUSIVE)
_MISSING_STAYS = int(Side.MISSING_STAYS)
_HOLE, _SET = int(Side.HOLE), int(Side.SET)


@compiled_for_loops
def _meet_entries(
    entries: NDArray[Any],
    opens: NDArray[np.bool_],
    shared: NDArray[np.bool_],
    weights: NDArray[np.uint32],
    reasons: NDArray[Any],
) -> int:
    """Intersect one prototype's entries over the shared trees; return how many reasons were written."""
    last, interval = -1, -1  # the reason written last, and the last that is no hole
    first_of_feature, testing = 0, 0.0  # where the feature's reasons begin, and the weight of shared trees that test it
    for index in range(len(entries)):
        entry = entries[index]
        if not shared[entry.tree]:
            continue
        if last >= first_of_feature and reasons[last].feature != entry.feature:
            _write_weight(reasons[first_of_feature : last + 1], testing)
            first_of_feature, testing = last + 1, 0.0
        if opens[index]:
            testing += weights[entry.tree]
        is_hole = entry.side & (_HOLE | _SET)
        same_column = last >= 0 and reasons[last].column == entry.column
        if is_hole:
            outside = entry.low < reasons[interval].low or entry.low > reasons[interval].high
            is_known = reasons[last].side == entry.side and reasons[last].low == entry.low
            if is_known or (outside and not is_hole & _SET):
                continue
        elif same_column:
            raise_low(reasons[last], entry.low, entry.side & _LOW_INCLUSIVE)
            lower_high(reasons[last], entry.high, entry.side & _HIGH_INCLUSIVE)
            reasons[last].side &= entry.side | ~_MISSING_STAYS
            continue
        last += 1
        interval = interval if is_hole else last
        _copy(entry, reasons[last])
    _write_weight(reasons[first_of_feature : last + 1], testing)
    return last + 1


@compiled_for_loops
def _copy(entry: Any, reason: Any) -> None:  # records
    reason.feature = entry.feature
    reason.column = entry.column
    reason.side = entry.side
    reason.low = entry.low
    reason.high = entry.high


@compiled_for_loops
def _write_weight(reasons: NDArray[Any], testing: float) -> None:
    """Let a feature's reasons hold the weight of the shared trees that test it, to be divided by that of all shared."""
    for reason in range(len(reasons)):
        reasons[reason].share_of_trees = testing


@compiled_for_loops
def meet_pair(  # the parts of Reasons: compiled code takes arrays
    pair: int,
    entries: NDArray[Any],
    opens: NDArray[np.bool_],
    shared: NDArray[np.bool_],
    weights: NDArray[np.uint32],
    reasons: NDArray[Any],
) -> int:
    """Write the reasons of one pair, of which ``shared`` marks the shared trees; return how many they are."""
    n_reasons = _meet_entries(entries, opens, shared, weights, reasons)
    total = 0.0
    for tree in range(len(shared)):
        if shared[tree]:
            total += weights[tree]
    for reason in range(n_reasons):
        reasons[reason].pair = pair
        reasons[reason].share_of_trees /= max(1.0, total)
    return n_reasons


def _types(n: Any) -> list[Any]:  # numba's types
    positions, shared, weights = n.int64[::1], n.boolean[:, ::1], n.uint32[::1]
    return [n.int64(array_of(ENTRY), n.boolean[::1], positions, positions, shared, weights, array_of(REASON))]


@compiled_ahead(_types)
def _intersect(  # noqa: PLR0917  # the parts of Reasons: compiled code takes arrays
    entries: NDArray[Any],
    opens: NDArray[np.bool_],
    starts: NDArray[np.int64],
    prototypes: NDArray[np.int64],
    shared: NDArray[np.bool_],
    weights: NDArray[np.uint32],
    reasons: NDArray[Any],
) -> int:
    end = 0
    for pair in range(len(prototypes)):
        box = slice(starts[prototypes[pair]], starts[prototypes[pair] + 1])
        end += meet_pair(pair, entries[box], opens[box], shared[pair], weights, reasons[end:])
    return end
