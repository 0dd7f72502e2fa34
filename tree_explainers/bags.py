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

from .compute.compiled import compiled
from .compute.threads import in_threads

_TREES_IN_A_BYTE, _FIRST_TREE = 8, 0b1000_0000


@dataclass(frozen=True, slots=True)
class Bags:
    """How the bags of a forest were drawn."""

    seeds: tuple[int, ...]  # (n_trees,) 0 to 2^32 - 1
    n_rows: int  # that the forest was trained on
    n_drawn: int  # by each tree, with replacement
    leaf_rows_sha256: str  # of how many rows of its bag lie in each leaf of each tree, see ``_written``

    def counts(self, tree: int) -> NDArray[np.int64]:
        """Return how often a tree drew each training row, (n_rows,); 0 means that the row is out of its bag."""
        return np.bincount(self._draw(np.random.RandomState(0), tree), minlength=self.n_rows)

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
        packed = np.zeros((-(-len(self.seeds) // _TREES_IN_A_BYTE), self.n_rows), np.uint8)
        leaf_rows = [b""] * len(self.seeds)

        def draw(some: slice) -> None:
            random = np.random.RandomState(0)  # making one takes as long as drawing a bag
            for tree in range(some.start * _TREES_IN_A_BYTE, min(some.stop * _TREES_IN_A_BYTE, len(self.seeds))):
                byte, bit = divmod(tree, _TREES_IN_A_BYTE)
                counts = np.zeros(int(n_leaves[tree]), np.int64)
                _put_into_bag(self._draw(random, tree), codes[tree], np.uint8(_FIRST_TREE >> bit), packed[byte], counts)
                leaf_rows[tree] = _written(counts)

        in_threads(draw, len(packed), n_steps=len(self.seeds) * self.n_drawn)
        is_of_these = sha256(b"".join(leaf_rows)).hexdigest() == self.leaf_rows_sha256
        return np.ascontiguousarray(packed.T) if is_of_these else None

    def _draw(self, random: np.random.RandomState, tree: int) -> NDArray[np.int64]:
        random.seed(self.seeds[tree])
        return random.randint(0, self.n_rows, self.n_drawn, np.int64)


@compiled
def _put_into_bag(
    rows: NDArray[np.int64],
    leaves: NDArray[np.integer[Any]],
    bit: np.uint8,
    packed: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> None:
    """Set a tree's bit of the rows that it drew, and count how many rows of its bag lie in each of its leaves."""
    for row in rows:
        if packed[row] & bit == 0:
            packed[row] |= bit
            counts[leaves[row]] += 1


def _written(counts: NDArray[np.int64]) -> bytes:
    """Return how many rows of a bag lie in each leaf of its tree, as they are hashed.

    In ascending order, as 4 bytes each, the lowest byte first; then 4 bytes of ones.
    """
    return np.append(np.sort(counts), 2**32 - 1).astype("<u4").tobytes()


def unpacked(packed: NDArray[np.uint8], n_trees: int) -> NDArray[np.bool_]:
    """Return whether trees learned from rows, (n_rows, n_trees), from the bits of ``Bags.in_bag``."""
    return np.unpackbits(packed, axis=-1, count=n_trees).astype(np.bool_)
