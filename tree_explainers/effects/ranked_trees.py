"""Trees whose decisions on a row are comparisons of ranks, sets of numbers included; and the ranks of rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead, inlined_reader
from ..ensemble import Operator, TreeEnsemble, TreeTensor
from ..walker.node_conditions import tests_of
from ..walker.node_words import TreeWords, pack
from ..walker.value_ranks import Cuts, rank_cuts

Ints = NDArray[np.int64]

_TREES_TOGETHER = 64  # which a row goes down step by step, so that no tree's reads wait for another's


@dataclass(frozen=True, slots=True, eq=False)
class RankedTrees:
    """Trees as words, and the cuts by which the numbers that they read become ranks.

    A test of membership in a set is one of a column of its own, which is 0 for members and 1 for other numbers. Whole
    numbers are members as onnxruntime has it; it cuts fractions off some numbers and not others, and here off all.
    """

    words: TreeWords
    leaf: NDArray[np.int32]  # (n_words,) the leaf among all; undefined at nodes that are no leaves
    cuts: Cuts  # of all columns, those of sets included
    n_columns: int  # that trees read
    n_tests: int  # of one column that a node of the ensemble may have become: two where some test equality
    sets: tuple[tuple[int, NDArray[np.float64]], ...]  # the column and the members of each set

    @classmethod
    def of(cls, ensemble: TreeEnsemble, tensors: Sequence[TreeTensor], n_columns: int) -> Self:
        """Return the trees of an ensemble.

        Parameters
        ----------
        ensemble
            Its thresholds are compared with the tensors' values as they are.
        tensors
            By ascending first column; they have ``n_columns`` columns in all.
        """
        ensemble, sets = _with_columns_of_sets(ensemble, n_columns)
        tests = tests_of(ensemble)
        cuts, column, rank = rank_cuts(tests, [*tensors, TreeTensor("sets", n_columns, is_double=False)])
        words = pack(tests, ensemble.offsets[:-1], cuts, column, rank)
        first_leaf = np.repeat(ensemble.leaf_offsets[:-1], np.diff(words.starts))
        n_tests = 2 if np.isin(ensemble.operator, (Operator.EQ, Operator.NEQ)).any() else 1
        return cls(words, (words.leaf + first_leaf).astype(np.int32), cuts, n_columns, n_tests, sets)

    @property
    def n_ranked(self) -> int:
        """Number of ranked columns."""
        return max(1, len(self.cuts.columns))  # trees without tests read the first

    def players(self, of_column: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the player of each ranked column, (n_ranked,), from those of the columns that trees read."""
        of_sets = of_column[[column for column, _ in self.sets]] if self.sets else of_column[:0]
        players = np.concatenate((of_column, of_sets))[self.cuts.columns].astype(np.int32)
        return players if len(players) else np.zeros(1, np.int32)

    def ranks(self, columns: NDArray[np.float64]) -> NDArray[np.uint16]:
        """Return the ranks of rows, (n_rows, n_ranked), from what trees read, (n_rows, n_columns) float64."""
        # Members of a set are 0 and other numbers 1; missing values stay missing.
        of_sets = [
            np.where(np.isnan(columns[:, at]), np.nan, ~np.isin(np.trunc(columns[:, at]), members))
            for at, members in self.sets
        ]
        values = np.column_stack([columns, *of_sets]) if of_sets else np.ascontiguousarray(columns)
        return self._ranked(values, is_single=False)[0]

    def ranks_of_finite(self, values: NDArray[np.float64], *, is_single: bool) -> NDArray[np.uint16] | None:
        """Return the ranks of rows as ``ranks`` does; ``None`` where one is infinite, or looked up in a set.

        Parameters
        ----------
        values : (n_rows, n_columns) float64
            NaN is a missing value.
        is_single
            Whether numbers are rounded to single precision first.
        """
        if self.sets:
            return None
        ranks, are_finite = self._ranked(values, is_single=is_single)
        return ranks if are_finite else None

    def _ranked(self, values: NDArray[np.float64], *, is_single: bool) -> tuple[NDArray[np.uint16], bool]:
        """Return the ranks, and whether no number is infinite."""
        ranks, cuts = np.zeros((len(values), self.n_ranked), np.uint16), self.cuts  # trees without tests read a 0
        columns = cuts.columns, cuts.starts
        return ranks, _fill_ranks(values, is_single, columns, cuts.values, cuts.of_missing, ranks)

    def leaves(self, ranks: NDArray[np.uint16]) -> NDArray[np.int32]:
        """Return the leaves, among all, that rows of these ranks reach, (n_rows, n_trees)."""
        leaves = np.empty((len(ranks), len(self.words.starts) - 1), np.int32)
        _fill_leaves((self.words.words, self.words.layout, self.words.starts, self.leaf), ranks, leaves)
        return leaves


def _types_of_ranks(n: Any) -> list[Any]:
    cuts = n.UniTuple(n.int64[::1], 2), n.float64[::1], n.uint16[::1]
    return [n.boolean(n.float64[:, ::1], n.boolean, *cuts, n.uint16[:, ::1])]


@compiled_ahead(_types_of_ranks)
def _fill_ranks(
    values: NDArray[np.float64],
    is_single: bool,
    columns: tuple[Ints, Ints],
    cuts: NDArray[np.float64],
    of_missing: NDArray[np.uint16],
    ranks: NDArray[np.uint16],
) -> bool:
    """Write the number of each ranked column's cuts that are below the value of each row.

    Where it ``is_single``, numbers are rounded to single precision first. Returned is whether none is infinite then.
    """
    positions, starts = columns
    are_finite = True
    for row in range(len(values)):
        for value in values[row]:
            are_finite &= abs(np.float64(np.float32(value)) if is_single else value) != np.inf
        for at in range(len(positions)):
            value = values[row, positions[at]]
            if value != value:  # NaN
                ranks[row, at] = of_missing[at]
            else:
                value = np.float64(np.float32(value)) if is_single else value
                ranks[row, at] = _rank(value, cuts, starts[at], starts[at + 1])
    return are_finite


@inlined_reader
def _rank(value: Any, cuts: NDArray[np.float64], start: Any, end: Any) -> Any:  # numba's own numbers
    """Return how many of some cuts are below a value."""
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if cuts[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low - start


def _types_of_leaves(n: Any) -> list[Any]:
    of_words = [(words[::1], words[::1], n.int64[::1], n.int32[::1]) for words in (n.uint32, n.uint64)]
    return [n.void(n.Tuple(trees), n.uint16[:, ::1], n.int32[:, ::1]) for trees in of_words]


@compiled_ahead(_types_of_leaves)
def _fill_leaves(
    trees: tuple[NDArray[Any], NDArray[Any], Ints, NDArray[np.int32]],
    ranks: NDArray[np.uint16],
    leaves: NDArray[np.int32],
) -> None:
    words, layout, starts, leaf = trees
    rank_bits, child_bits, last_column = layout[0], layout[1], layout[2]
    last_rank = (words.dtype.type(1) << rank_bits) - words.dtype.type(1)
    n_trees, reached = leaves.shape[1], np.empty(_TREES_TOGETHER, np.uint64)  # numbers below 0 would be indices, too
    for row in range(leaves.shape[0]):
        for begin in range(0, n_trees, _TREES_TOGETHER):
            end = min(begin + _TREES_TOGETHER, n_trees)
            reached[:], moved = 0, np.uint64(1)
            while moved:
                moved = np.uint64(0)
                for tree in range(begin, end):
                    node = reached[tree - begin]
                    word = np.uint64(words[np.uint64(starts[tree]) + node])
                    rank = ranks[row, (word >> rank_bits) & last_column]
                    following = (word >> child_bits) + np.uint64(rank > (word & last_rank))
                    moved |= following ^ node
                    reached[tree - begin] = following
            for tree in range(begin, end):
                leaves[row, tree] = leaf[np.uint64(starts[tree]) + reached[tree - begin]]


def _with_columns_of_sets(
    ensemble: TreeEnsemble, n_columns: int
) -> tuple[TreeEnsemble, tuple[tuple[int, NDArray[np.float64]], ...]]:
    """Return the trees with tests of membership as comparisons of columns behind the others, and their sets."""
    nodes = np.flatnonzero(ensemble.operator == Operator.MEMBER)
    if not len(nodes):
        return ensemble, ()
    pairs, pair_of_node = np.unique(
        np.column_stack([ensemble.column[nodes], ensemble.threshold[nodes]]).astype(np.int64),
        axis=0,
        return_inverse=True,
    )
    column, operator, threshold = ensemble.column.copy(), ensemble.operator.copy(), ensemble.threshold.copy()
    column[nodes], operator[nodes], threshold[nodes] = n_columns + pair_of_node.ravel(), Operator.LEQ, 0.5
    sets = tuple((at, ensemble.members[index]) for at, index in pairs.tolist())
    return replace(ensemble, column=column, operator=operator, threshold=threshold, members=()), sets
