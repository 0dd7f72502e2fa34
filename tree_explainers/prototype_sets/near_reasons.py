"""The nearest prototypes of one row and why they are near, in one compiled loop: what each explanation needs."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import array_of, compiled_ahead
from .leaf_boxes import ENTRY
from .nearest import PrototypeIndex
from .reasons import REASON, Reasons, meet_pair
from .row_coverage import MinimumProximity


class NearReasons(NamedTuple):
    """The prototypes that are nearest to a row, and the reasons."""

    nearest: NDArray[np.int64]  # (n_near,) positions among the prototypes, nearest first
    n_shared: NDArray[np.int64]  # (n_near,) trees that count in which the row shares a leaf with each of them
    reasons: NDArray[Any]  # (n_reasons,) REASON, as ``Reasons.of`` returns them; ``pair`` is an index among ``nearest``


def near_reasons(
    index: PrototypeIndex,
    reasons: Reasons,
    minimum: MinimumProximity,
    row: tuple[NDArray[np.int32], NDArray[np.int64]],
    n_prototypes: int,
) -> NearReasons:
    """Return the nearest prototypes of one row, and why those are near that have the minimum proximity to it.

    Ties of proximity: the earlier prototype. The same as ``reasons.of`` after a sort and a comparison of leaves, which
    would take several times as long for a row.

    Parameters
    ----------
    index, reasons
        The prototypes.
    minimum
        Nearer than this for there to be reasons.
    row : (n_trees,) int32, (n_prototypes,) int64
        The leaves of the row, and its line of ``index.proximities``.
    n_prototypes
        Maximum number.
    """
    boxes = reasons.boxes
    arrays = _near_reasons(
        *(*row, index.leaves, index.weights, boxes.entries, reasons.opens, boxes.starts, reasons.room),
        *(n_prototypes, minimum.weight, minimum.n_trees),
    )
    return NearReasons(*arrays)


@compiled_ahead("int64[::1](int64[::1], int64)")
def _nearest(proximities: NDArray[np.int64], n_prototypes: int) -> NDArray[np.int64]:
    left = proximities.copy()
    nearest = np.empty(min(n_prototypes, len(left)), dtype=np.int64)
    for rank in range(len(nearest)):
        nearest[rank] = np.argmax(left)  # the first of equal ones
        if left[nearest[rank]] == 0:
            return nearest[:rank].copy()
        left[nearest[rank]] = 0
    return nearest


def _types(n: Any) -> list[Any]:  # numba's types
    integers, leaves, leaves_of_all = n.int64[::1], n.int32[::1], n.int32[:, ::1]
    result = n.Tuple((integers, integers, array_of(REASON)))
    rows = (leaves, integers, leaves_of_all, n.uint32[::1], array_of(ENTRY), n.boolean[::1], integers, integers)
    return [result(*rows, n.int64, n.int64, n.int64)]


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
    n_prototypes: int,
    least_weight: int,
    fewest_trees: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    nearest = _nearest(proximities, n_prototypes)
    n_shared = np.empty(len(nearest), dtype=np.int64)
    reasons = np.empty(n_entries[nearest].sum(), dtype=REASON)
    end = 0
    for pair in range(len(nearest)):
        prototype = nearest[pair]
        shared = prototypes[prototype] == leaves
        n_shared[pair] = shared.sum()
        if proximities[prototype] >= least_weight and n_shared[pair] >= fewest_trees:
            box = slice(starts[prototype], starts[prototype + 1])
            end += meet_pair(pair, entries[box], opens[box], shared, weights, reasons[end:])
    return nearest, n_shared, reasons[:end].copy()
