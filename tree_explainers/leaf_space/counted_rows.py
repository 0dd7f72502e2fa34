"""The rows of each leaf that count there, and how often each does: those that a tree drew, or that it left out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput

_MOST_COUNT = 2**16 - 1  # how often a row may count in a tree


@dataclass(frozen=True, slots=True, eq=False)
class CountedRows:
    """The rows that count in each leaf, such as those that trees drew into it, and how often each does.

    Leaves are numbered over all trees: ``leaf_offsets[t] + code`` is a leaf of tree ``t``.
    """

    n_rows: int
    leaf_offsets: NDArray[np.int64]  # (n_trees + 1,)
    starts: NDArray[np.int64]  # (n_leaves + 1,) where the entries of each leaf begin
    rows: NDArray[np.int32]  # (n_entries,) ascending within a leaf
    counts: NDArray[np.uint16]  # (n_entries,) at least 1
    totals: NDArray[np.float64]  # (n_leaves,) sum of the counts of each leaf

    @classmethod
    def of(
        cls,
        codes: NDArray[np.integer[Any]],
        leaf_offsets: NDArray[np.integer[Any]],
        counts_of: Callable[[int], NDArray[np.integer[Any]]] | None = None,
    ) -> Self:
        """Return the rows of each leaf.

        Parameters
        ----------
        codes : (n_trees, n_rows)
            Leaf of each row in each tree, numbered within its tree.
        leaf_offsets : (n_trees + 1,)
            Where the leaves of each tree begin among all.
        counts_of
            Returns how often each row counts in a tree, (n_rows,), such as ``Bags.counts``; ``None``: each row once.

        Raises
        ------
        InvalidInput
            Where a tree drew a row more than 65,535 times.
        """
        (n_trees, n_rows), offsets = codes.shape, np.asarray(leaf_offsets, np.int64)
        # As long as they could be: what is not written takes no memory, and is given back.
        rows, counts = np.empty(codes.size, np.int32), np.empty(codes.size, np.uint16)
        sizes, totals = np.empty(int(offsets[-1]), np.int64), np.empty(int(offsets[-1]))
        n_entries = 0
        for tree in range(n_trees):
            drawn = np.ones(n_rows, np.int64) if counts_of is None else counts_of(tree)
            if drawn.max(initial=0) > _MOST_COUNT:
                msg = f"Tree {tree} drew a row {drawn.max():,} times, more than {_MOST_COUNT:,}."
                raise InvalidInput(msg)
            counted, of_tree = np.flatnonzero(drawn), slice(int(offsets[tree]), int(offsets[tree + 1]))
            leaves = codes[tree][counted]
            by_leaf = counted[np.argsort(leaves, kind="stable")]
            entries = slice(n_entries, n_entries + len(by_leaf))
            rows[entries], counts[entries] = by_leaf, drawn[by_leaf]
            sizes[of_tree] = np.bincount(leaves, minlength=of_tree.stop - of_tree.start)
            totals[of_tree] = np.bincount(leaves, drawn[counted], minlength=of_tree.stop - of_tree.start)
            n_entries = entries.stop
        rows.resize(n_entries, refcheck=False)
        counts.resize(n_entries, refcheck=False)
        return cls(n_rows, offsets, np.concatenate([[0], np.cumsum(sizes)]), rows, counts, totals)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.leaf_offsets) - 1
