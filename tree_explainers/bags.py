"""Bags: which rows each tree of a forest learned from, drawn again from the seeds with which they were drawn.

A forest of scikit-learn draws rows for each tree, with replacement, by the seed of the tree. The seeds are all that is
kept: 4 bytes a tree, whatever the number of rows. What is drawn fits the training rows alone, in their order, and that
is checked: as many rows of a bag lie in each leaf of its tree as the forest itself counted.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Bags:
    """How the bags of a forest were drawn."""

    seeds: tuple[int, ...]  # (n_trees,) 0 to 2^32 - 1
    n_rows: int  # that the forest was trained on
    n_drawn: int  # by each tree, with replacement
    leaf_rows_sha256: str  # of how many rows of its bag lie in each leaf of each tree, see ``_leaf_rows``

    def counts(self, tree: int) -> NDArray[np.int64]:
        """Return how often a tree drew each training row, (n_rows,); 0 means that the row is out of its bag."""
        drawn = np.random.RandomState(self.seeds[tree]).randint(0, self.n_rows, self.n_drawn, np.int64)
        return np.bincount(drawn, minlength=self.n_rows)

    def in_bag(self, codes: NDArray[np.integer[Any]], n_leaves: NDArray[np.int64]) -> NDArray[np.uint8] | None:
        """Return which trees learned from which rows, or ``None`` where these are not the training rows in their order.

        Parameters
        ----------
        codes : (n_trees, n_rows)
            Leaf of each row in each tree.
        n_leaves : (n_trees,)
            Leaves of each tree.

        Returns
        -------
        (n_rows, n_bytes) uint8
            A bit for each tree, as ``numpy.packbits`` writes them along the last axis; see ``unpacked``.
        """
        if codes.shape != (len(self.seeds), self.n_rows):
            return None
        packed = np.zeros((self.n_rows, (len(self.seeds) + 7) // 8), np.uint8)
        digest = sha256()
        for tree, n_leaves_of_tree in enumerate(n_leaves.tolist()):
            is_in_bag = self.counts(tree) > 0
            leaf_rows = np.bincount(codes[tree][is_in_bag], minlength=n_leaves_of_tree)
            # In ascending order, as 4 bytes each, the lowest byte first; then 4 bytes of ones.
            ascending = np.sort(np.append(np.asarray(leaf_rows, np.int64), 2**32 - 1))
            digest.update(ascending.astype("<u4").tobytes())
            packed[:, tree // 8] |= is_in_bag.astype(np.uint8) << np.uint8(7 - tree % 8)
        return packed if digest.hexdigest() == self.leaf_rows_sha256 else None


def unpacked(packed: NDArray[np.uint8], n_trees: int) -> NDArray[np.bool_]:
    """Return whether trees learned from rows, (n_rows, n_trees), from the bits of ``Bags.in_bag``."""
    return np.unpackbits(packed, axis=-1, count=n_trees).astype(np.bool_)
