"""Numbers as ranks: a value becomes the number of its column's cuts below it, so that trees compare small integers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..ensemble import TreeTensor
from .node_conditions import NodeTests

_MOST_CUTS = 2**16 - 1  # so that ranks have 16 bits
_ROWS_TOGETHER = 64

Ranks = NDArray[np.uint16]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cuts:
    """The cuts of ranked columns.

    A column of the ensemble is ranked once for each direction in which its nodes send missing values, and once for
    each 65,535 cuts: ranks count up to the first of these and no further than the last.
    """

    columns: Ints  # (n_ranked,) of the ensemble, ascending
    starts: Ints  # (n_ranked + 1,) into ``values``
    values: NDArray[np.float64]  # (n_cuts,) ascending within a ranked column; none twice
    of_missing: Ranks  # (n_ranked,) the rank of a missing value: 0, or the number of cuts

    @property
    def n_ranked(self) -> int:
        """Number of ranked columns."""
        return len(self.columns)


def rank_cuts(tests: NodeTests, tensors: Sequence[TreeTensor]) -> tuple[Cuts, Ints, Ints]:
    """Return the ranked columns of nodes, and for each node its ranked column and the rank of its cut, (n_tests,).

    A value goes to the high side of a node if its rank there is above the node's. Leaves have 0 and 0.
    """
    nodes = np.flatnonzero(tests.leaf < 0)
    cut = _as_compared(tests.column[nodes], tests.cut[nodes], tensors)
    by_cut = np.argsort(cut)
    nodes, cut = nodes[by_cut], cut[by_cut]
    kinds = 2 * tests.column[nodes] + tests.missing_low[nodes]
    narrow = np.uint16 if len(kinds) and kinds.max() <= np.iinfo(np.uint16).max else np.int64  # as numpy counts them
    by_kind = np.argsort(kinds.astype(narrow), kind="stable")
    nodes, cut, kinds = nodes[by_kind], cut[by_kind], kinds[by_kind]
    is_other = np.ones(len(nodes), np.bool_)
    is_other[1:] = np.diff(kinds) != 0
    is_new = is_other.copy()
    is_new[1:] |= cut[1:] != cut[:-1]
    position = np.cumsum(is_new) - 1  # among the distinct cuts of all
    within = position - position[is_other][np.cumsum(is_other) - 1]
    is_first = is_new & (within % _MOST_CUTS == 0)  # of a ranked column
    ranked = np.cumsum(is_first) - 1
    starts = np.append(position[is_first], position[-1] + 1 if len(position) else 0)
    of_node, rank_of_node = np.zeros((2, len(tests.leaf)), np.int64)
    of_node[nodes], rank_of_node[nodes] = ranked, within % _MOST_CUTS
    of_missing = np.where(kinds[is_first] % 2, 0, np.diff(starts)).astype(np.uint16)
    return Cuts(kinds[is_first] // 2, starts, cut[is_new], of_missing), of_node, rank_of_node


def _as_compared(column: Ints, cut: NDArray[np.float64], tensors: Sequence[TreeTensor]) -> NDArray[np.float64]:
    """Return the largest number up to each cut that the tensor can hold: values are on the same side of both."""
    firsts = np.array([tensor.first_column for tensor in tensors])
    is_double = np.array([tensor.is_double for tensor in tensors])
    with np.errstate(over="ignore"):
        single = cut.astype(np.float32)
    below = np.nextafter(single, np.float32(-np.inf)).astype(np.float64)
    single_cut = np.where(single > cut, below, single)
    return np.where(is_double[np.searchsorted(firsts, column, side="right") - 1], cut, single_cut)


@dataclass(frozen=True, slots=True)
class TensorCuts:
    """The cuts of the ranked columns that are made of one tensor."""

    name: str
    columns: Ints  # (n_ranked,) of the tensor
    places: Ints  # (n_ranked,) the ranked columns
    starts: Ints  # (n_ranked + 1,) into ``values``
    values: NDArray[Any]  # (n_cuts,) float32 or float64, as the tensor
    of_missing: Ranks  # (n_ranked,)

    def fill(self, values: NDArray[Any], rows: slice, ranks: Ranks) -> None:
        """Write the ranks of some rows of the tensor, ``(n_rows, n_columns)`` or ``(n_rows,)``."""
        some = values[rows].reshape(-1, 1) if values.ndim == 1 else values[rows]
        numbers = np.ascontiguousarray(some, dtype=self.values.dtype)
        _rank(numbers, self.columns, self.places, (self.starts, self.values, self.of_missing), ranks)


def cuts_by_tensor(cuts: Cuts, tensors: Sequence[TreeTensor]) -> tuple[TensorCuts, ...]:
    """Return the cuts of each tensor that some node tests."""
    firsts = [tensor.first_column for tensor in tensors]
    owner = np.searchsorted(firsts, cuts.columns, side="right") - 1
    of_tensors = []
    for index in np.unique(owner).tolist():
        positions = np.flatnonzero(owner == index)
        bounds = cuts.starts[positions[0]], cuts.starts[positions[-1] + 1]
        of_tensors.append(
            TensorCuts(
                tensors[index].name,
                cuts.columns[positions] - firsts[index],
                positions,
                cuts.starts[positions[0] : positions[-1] + 2] - bounds[0],
                cuts.values[slice(*bounds)].astype(np.float64 if tensors[index].is_double else np.float32),
                cuts.of_missing[positions],
            )
        )
    return tuple(of_tensors)


@compiled
def _rank(
    values: NDArray[Any], columns: Ints, positions: Ints, of_columns: tuple[Ints, NDArray[Any], Ranks], ranks: Ranks
) -> None:
    """Write ranks by binary searches without branches, of some rows at a time: their reads do not wait in turn."""
    starts, cuts, of_missing = of_columns
    lowest = np.empty(_ROWS_TOGETHER, np.int64)
    block = np.empty(_ROWS_TOGETHER, values.dtype)
    for start in range(0, values.shape[0], _ROWS_TOGETHER):
        n = min(_ROWS_TOGETHER, values.shape[0] - start)
        for at in range(len(columns)):
            for row in range(n):
                block[row] = values[start + row, columns[at]]
                lowest[row] = starts[at]
            length = starts[at + 1] - starts[at]
            while length > 1:
                half = length // 2
                for row in range(n):
                    lowest[row] += half if cuts[lowest[row] + half - 1] < block[row] else 0
                length -= half
            for row in range(n):
                rank = lowest[row] - starts[at] + (cuts[lowest[row]] < block[row])
                is_missing = block[row] != block[row]  # NaN
                ranks[start + row, positions[at]] = of_missing[at] if is_missing else rank
