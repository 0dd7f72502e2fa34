"""Walker: an ensemble made ready to be walked by many rows at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..ensemble import TreeEnsemble, TreeTensor
from .loops import ROWS_TOGETHER, Trees, sum_leaves, walk_leaves
from .node_conditions import tests_of
from .node_words import TreeWords, pack
from .value_ranks import Ranks, TensorCuts, cuts_by_tensor, rank_cuts

_BLOCK_BYTES = 1_048_576  # of ranks, which are read in order: a tree's words are fetched once for many rows
_FEWEST_ROWS, _MOST_ROWS = 64, 16_384  # of a block
_LEAVES_BYTES = 262_144  # of the leaves of a block in some trees: they stay in the second cache of a core

Tensors = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Walker:
    """Trees as words, and the cuts by which the tensors that they read become ranks.

    Nothing in it changes: threads may share it. Leaves are those that onnxruntime finds, and sums those that it finds
    where it adds the values of the trees in their order, in the precision of ``values``.
    """

    words: TreeWords
    tensors: tuple[TensorCuts, ...]
    n_ranked: int  # columns of ranks
    leaf_starts: NDArray[np.int64]  # (n_trees,) the first leaf of each tree among all
    values: NDArray[Any]  # (n_leaves, n_outputs) float32 or float64

    @classmethod
    def of(cls, ensemble: TreeEnsemble, tensors: Sequence[TreeTensor], *, sums_in_double: bool = False) -> Self:
        """Return the walker of an ensemble.

        Parameters
        ----------
        ensemble
            Its thresholds are compared with the tensors' values as they are.
        tensors
            By ascending first column.
        sums_in_double
            Whether leaf values are added in float64, and not in float32.
        """
        tests = tests_of(ensemble)
        cuts, column, rank = rank_cuts(tests, tensors)
        return cls(
            pack(tests, ensemble.offsets[:-1], cuts, column, rank),
            cuts_by_tensor(cuts, tensors),
            max(1, cuts.n_ranked),
            ensemble.leaf_offsets[:-1].astype(np.int64),
            np.array(ensemble.leaf_values, np.float64 if sums_in_double else np.float32, order="C"),
        )

    def fill(self, tensors: Tensors, n_rows: int, codes: NDArray[Any]) -> None:
        """Write the leaf, counted within its tree, of each row in each tree into ``codes``, (n_trees, n_rows)."""
        for trees, rows, leaves in self._blocks_of_leaves(tensors, n_rows):
            codes[trees, rows] = leaves[:, : rows.stop - rows.start]

    def fill_and_sum(self, tensors: Tensors, n_rows: int, codes: NDArray[Any]) -> NDArray[Any]:
        """Do as ``fill`` does, and return what ``sums`` returns."""
        sums = np.zeros((n_rows, self.values.shape[1]), self.values.dtype)
        for trees, rows, leaves in self._blocks_of_leaves(tensors, n_rows):
            codes[trees, rows] = leaves[:, : rows.stop - rows.start]
            sum_leaves(leaves, self.leaf_starts[trees], self.values, sums[rows])
        return sums

    def sums(self, tensors: Tensors, n_rows: int) -> NDArray[Any]:
        """Return the sums of the values of each row's leaves, (n_rows, n_outputs), in the order of the trees."""
        sums = np.zeros((n_rows, self.values.shape[1]), self.values.dtype)
        for trees, rows, leaves in self._blocks_of_leaves(tensors, n_rows):
            sum_leaves(leaves, self.leaf_starts[trees], self.values, sums[rows])
        return sums

    def _blocks_of_leaves(self, tensors: Tensors, n_rows: int) -> Iterator[tuple[slice, slice, NDArray[np.int32]]]:
        """Yield trees and rows, some at a time, with the leaves of these rows, and of some more, in these trees.

        The trees of a row come in their order. What holds the leaves is written anew for the next ones.
        """
        words = self.words
        for rows, ranks in self._blocks(tensors, n_rows):
            n_together = min(max(1, _LEAVES_BYTES // (4 * len(ranks))), len(self.leaf_starts))
            leaves = np.empty((n_together, len(ranks)), np.int32)
            for first in range(0, len(self.leaf_starts), n_together):
                end = min(first + n_together, len(self.leaf_starts))
                starts, n_sure_steps = words.starts[first : end + 1], words.n_sure_steps[first:end]
                trees = Trees(words.words, words.layout, starts, n_sure_steps, words.leaf)
                walk_leaves(trees, ranks, leaves[: end - first])
                yield slice(first, end), rows, leaves[: end - first]

    def _blocks(self, tensors: Tensors, n_rows: int) -> Iterator[tuple[slice, Ranks]]:
        """Yield rows, some at a time, with their ranks: at least as many, and a multiple of eight."""
        most = min(max(_BLOCK_BYTES // (2 * self.n_ranked), _FEWEST_ROWS), _MOST_ROWS) // ROWS_TOGETHER * ROWS_TOGETHER
        ranks = np.zeros((min(most, -(-n_rows // ROWS_TOGETHER) * ROWS_TOGETHER), self.n_ranked), np.uint16)
        for start in range(0, n_rows, most):
            rows = slice(start, min(start + most, n_rows))
            for cuts in self.tensors:
                cuts.fill(tensors[cuts.name], rows, ranks)
            yield rows, ranks[: -(-(rows.stop - start) // ROWS_TOGETHER) * ROWS_TOGETHER]
