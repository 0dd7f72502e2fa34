"""The nearest prototypes of rows and why they are near, in one compiled loop: what each explanation needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import array_of, compiled_ahead, compiled_for_loops
from .leaf_boxes import ENTRY
from .nearest import PrototypeIndex
from .ranked_boxes import ALL_BITS, RankedBoxes, meet_ranked_pair
from .raw_units import Wanted
from .reasons import REASON, Reasons, meet_pair
from .row_coverage import MinimumProximity


class NearReasons(NamedTuple):
    """The prototypes that are nearest to rows, and the reasons; a pair is a row and a prototype."""

    nearest: NDArray[np.int64]  # (n_pairs,) positions among the prototypes, row by row, nearest first
    proximities: NDArray[np.int64]  # (n_pairs,) of the row to the prototype
    n_shared: NDArray[np.int64]  # (n_pairs,) trees that count in which the row shares a leaf with the prototype
    bounds: NDArray[np.int64]  # (n_rows + 1,) where each row's pairs begin
    reasons: NDArray[Any]  # (n_reasons,) REASON, by pair: of those that ``Reasons.of`` returns, all that are wanted

    def of_pairs(self, pairs: Sequence[int]) -> NDArray[Any]:
        """Return the reasons of some pairs, in ascending order, which are counted from 0 there."""
        if len(pairs) == len(self.nearest):
            return self.reasons
        number = np.full(len(self.nearest), -1, np.int32)
        number[pairs] = np.arange(len(pairs))
        reasons: NDArray[Any] = self.reasons[number[self.reasons["pair"]] >= 0]
        reasons["pair"] = number[reasons["pair"]]
        return reasons


@dataclass(frozen=True, slots=True)
class NearPrototypes:
    """The prototypes, ready to be compared with rows; on one thread, without compiling anything."""

    index: PrototypeIndex
    reasons: Reasons
    ranked: RankedBoxes
    minimum: MinimumProximity  # nearer than this for there to be reasons
    most_reasons: int  # that a prototype can have, one at least

    @staticmethod
    def of(index: PrototypeIndex, reasons: Reasons, minimum: MinimumProximity) -> "NearPrototypes":
        """Rank the ends of the prototypes' boxes."""
        ranked = RankedBoxes.of(reasons.boxes, reasons.opens, index.weights)
        return NearPrototypes(index, reasons, ranked, minimum, int(reasons.room.max(initial=1)))

    def to_rows(
        self, leaves: NDArray[np.int32], proximities: NDArray[np.int64], n_prototypes: int, wanted: Wanted
    ) -> NearReasons:
        """Return the nearest prototypes of rows, and why those are near that have the minimum proximity.

        Ties of proximity: the earlier prototype. The same as ``reasons.of`` after a sort and a comparison of leaves,
        which would take many times as long.

        Parameters
        ----------
        leaves : (n_rows, n_trees) int32
            Of the rows.
        proximities : (n_rows, n_prototypes) int64
            Of the rows, from ``PrototypeIndex.proximities``.
        n_prototypes
            Maximum number for each row.
        wanted
            Which reasons are: there may be others beside them.
        """
        boxes = self.reasons.boxes
        arrays = _near_reasons(
            *(leaves, proximities, self.index.leaves, self.index.weights),
            *(boxes.entries, self.reasons.opens, boxes.starts, self.reasons.room),
            *(tuple(self.ranked), n_prototypes, self.minimum.weight, self.minimum.n_trees),
            *wanted,
        )
        return NearReasons(*arrays)


def _types(n: Any) -> list[Any]:  # numba's types
    integers, flags, ranks, leaves = n.int64[::1], n.boolean[::1], n.int32[::1], n.int32[:, ::1]
    result = n.Tuple((*([integers] * 4), array_of(REASON)))
    rows = (leaves, n.int64[:, ::1], leaves, n.uint32[::1])
    boxes = (array_of(ENTRY), flags, integers, integers)
    ranked = n.Tuple(
        (flags, integers, integers, integers, *([n.uint32[::1]] * 5), ranks, ranks, n.uint64[:, ::1], integers)
    )
    return [result(*rows, *boxes, ranked, n.int64, n.int64, n.int64, flags, n.int64)]


@compiled_ahead(_types)
def _near_reasons(  # noqa: PLR0917  # parts of objects: compiled code takes arrays
    leaves: NDArray[np.int32],
    proximities: NDArray[np.int64],
    prototypes: NDArray[np.int32],
    weights: NDArray[np.uint32],
    entries: NDArray[Any],
    opens: NDArray[np.bool_],
    starts: NDArray[np.int64],
    n_entries: NDArray[np.int64],
    ranked_boxes: tuple[NDArray[Any], ...],
    n_prototypes: int,
    least_weight: int,
    fewest_trees: int,
    is_shown: NDArray[np.bool_],
    n_reasons: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    ranked = RankedBoxes(*ranked_boxes)  # numba takes a plain tuple from Python in a quarter of the time
    nearest, bounds = _nearest_of_rows(proximities, n_prototypes)
    n_shared, near = np.empty(len(nearest), dtype=np.int64), np.empty(len(nearest), dtype=np.int64)
    reasons = np.empty(n_entries[nearest].sum(), dtype=REASON)
    shared, mask = np.empty(len(weights), np.bool_), np.empty(len(weights), np.uint32)
    bits = np.empty(ranked.testing.shape[1], np.uint64)
    end = 0
    for row in range(len(leaves)):
        for pair in range(bounds[row], bounds[row + 1]):
            prototype = nearest[pair]
            near[pair] = proximities[row, prototype]
            n_shared[pair] = _mark_shared(leaves[row], prototypes[prototype], shared, mask, bits)
            if near[pair] < least_weight or n_shared[pair] < fewest_trees:
                continue
            if ranked.is_ranked[prototype]:
                features, wanted = (ranked.features[prototype], ranked.features[prototype + 1]), (is_shown, n_reasons)
                end += meet_ranked_pair(pair, entries, ranked, features, mask, bits, near[pair], wanted, reasons[end:])
            else:
                box = slice(starts[prototype], starts[prototype + 1])
                end += meet_pair(pair, entries[box], opens[box], shared, weights, reasons[end:])
    return nearest, near, n_shared, bounds, reasons[:end].copy()


@compiled_for_loops
def _mark_shared(
    leaves: NDArray[np.int32],
    prototype: NDArray[np.int32],
    shared: NDArray[np.bool_],
    mask: NDArray[np.uint32],
    bits: NDArray[np.uint64],
) -> int:
    """Write which trees a row and a prototype share, in three forms; return how many."""
    n_shared = 0
    for tree in range(len(leaves)):
        is_shared = leaves[tree] == prototype[tree]
        shared[tree] = is_shared
        mask[tree] = ALL_BITS if is_shared else np.uint32(0)
        n_shared += is_shared
    for word in range(len(bits)):
        bits[word] = 0
        for tree in range(64 * word, min(64 * word + 64, len(leaves))):
            bits[word] |= np.uint64(shared[tree]) << np.uint64(tree & 63)
    return n_shared


@compiled_for_loops
def _nearest_of_rows(proximities: NDArray[np.int64], n_prototypes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the nearest prototypes of rows, row by row, and where each row's begin."""
    bounds = np.zeros(len(proximities) + 1, dtype=np.int64)
    nearest = np.empty(len(proximities) * min(n_prototypes, proximities.shape[1]), dtype=np.int64)
    left = np.empty(proximities.shape[1], dtype=np.int64)
    for row in range(len(proximities)):
        left[:] = proximities[row]
        bounds[row + 1] = bounds[row]
        for _ in range(min(n_prototypes, len(left))):
            best = np.argmax(left)  # the first of equal ones
            if left[best] == 0:
                break
            nearest[bounds[row + 1]] = best
            bounds[row + 1] += 1
            left[best] = 0
    return nearest[: bounds[-1]].copy(), bounds
