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

_BLOCK_BYTES = 65_536  # of ranks: beside a tree's words they stay in the second cache of a core
_FEWEST_ROWS, _MOST_ROWS = 64, 4_096  # of a block

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
        for rows, leaves in self._blocks_of_leaves(tensors, n_rows):
            codes[:, rows] = leaves[:, : rows.stop - rows.start]

    def fill_and_sum(self, tensors: Tensors, n_rows: int, codes: NDArray[Any]) -> NDArray[Any]:
        """Do as ``fill`` does, and return what ``sums`` returns."""
        sums = np.zeros((n_rows, self.values.shape[1]), self.values.dtype)
        for rows, leaves in self._blocks_of_leaves(tensors, n_rows):
            codes[:, rows] = leaves[:, : rows.stop - rows.start]
            sum_leaves(leaves, self.leaf_starts, self.values, sums[rows])
        return sums

    def sums(self, tensors: Tensors, n_rows: int) -> NDArray[Any]:
        """Return the sums of the values of each row's leaves, (n_rows, n_outputs), in the order of the trees."""
        sums = np.zeros((n_rows, self.values.shape[1]), self.values.dtype)
        for rows, leaves in self._blocks_of_leaves(tensors, n_rows):
            sum_leaves(leaves, self.leaf_starts, self.values, sums[rows])
        return sums

    def _blocks_of_leaves(self, tensors: Tensors, n_rows: int) -> Iterator[tuple[slice, NDArray[np.int32]]]:
        """Yield rows, some at a time, with their leaves and some more."""
        words = self.words
        trees = Trees(words.words, words.layout, words.starts, words.n_sure_steps, words.leaf)
        for rows, ranks in self._blocks(tensors, n_rows):
            leaves = np.empty((len(self.leaf_starts), len(ranks)), np.int32)
            walk_leaves(trees, ranks, leaves)
            yield rows, leaves

    def _blocks(self, tensors: Tensors, n_rows: int) -> Iterator[tuple[slice, Ranks]]:
        """Yield rows, some at a time, with their ranks: at least as many, and a multiple of eight."""
        most = min(max(_BLOCK_BYTES // (2 * self.n_ranked), _FEWEST_ROWS), _MOST_ROWS) // ROWS_TOGETHER * ROWS_TOGETHER
        ranks = np.zeros((min(most, -(-n_rows // ROWS_TOGETHER) * ROWS_TOGETHER), self.n_ranked), np.uint16)
        for start in range(0, n_rows, most):
            rows = slice(start, min(start + most, n_rows))
            for cuts in self.tensors:
                cuts.fill(tensors[cuts.name], rows, ranks)
            yield rows, ranks[: -(-(rows.stop - start) // ROWS_TOGETHER) * ROWS_TOGETHER]
