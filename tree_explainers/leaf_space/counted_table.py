"""Rows by what they count in the leaves that they share: proximities for which it matters how many rows a leaf has.

``gap``: how often a tree drew the other row, by all that it drew into the leaf; the mean over the trees that did not
draw the row itself (Rhodes, Cutler, Moon 2023). ``oob``: the share of the trees that drew neither of two rows in which
both lie in one leaf. ``kernel``: each tree's weight, shared among the rows of the leaf.

All are whole numbers of ``TOTAL`` parts: sums are exact in any order, so that equal proximities are real ties.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..bags import Bags
from ..errors import InvalidInput
from .counted_rows import CountedRows
from .leaves import LeafTable

BagKind = Literal["gap", "oob"]
"""Kinds that look at which trees learned from which rows."""
CountedKind = Literal[BagKind, "kernel"]

TOTAL = 2**48
"""The proximity of rows that are alike in all that counts; the sums of 32,000 trees stay within 63 bits."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedTable(LeafTable):
    """Rows by their leaves and what they count there; a ``LeafTable`` to those who ask for nearest rows.

    There are no weights of trees: what looks at them (prototype sets, votes, certificates) has no meaning here.
    """

    kind: CountedKind
    counted: CountedRows
    worths: NDArray[np.int64]  # (n_leaves,) what a count of 1 adds, of ``TOTAL``; 1 for ``oob``
    in_bag: NDArray[np.uint8] | None  # (n_rows, n_bytes) as ``Bags.in_bag``; None: trees count whatever they drew

    @staticmethod
    def by_bags(kind: BagKind, table: LeafTable, bags: Bags) -> "CountedTable":
        """Return the table of ``gap`` or ``oob``.

        Parameters
        ----------
        kind
            Which of the two.
        table
            The trees' own leaves of the training rows, in the order in which the forest was trained on them.
        bags
            How they were drawn.

        Raises
        ------
        InvalidInput
            If these are not the rows that the forest was trained on.
        """
        in_bag = bags.in_bag(table.codes, np.diff(table.offsets))
        if in_bag is None:
            msg = "the rows are not those that the forest was trained on, or not in their order"
            raise InvalidInput(msg)
        if kind == "oob":
            counted = CountedRows.of(table.codes, table.offsets, lambda tree: (bags.counts(tree) == 0).astype(np.int64))
            return _counted(kind, table, counted, np.ones(len(counted.totals), np.int64), in_bag)
        counted = CountedRows.of(table.codes, table.offsets, bags.counts)
        return _counted(kind, table, counted, _shared(np.full(table.n_trees, TOTAL), counted), in_bag)

    @staticmethod
    def by_sizes(table: LeafTable, weights: NDArray[np.int64]) -> "CountedTable":
        """Return the table of ``kernel``, for trees of these weights, (n_trees,)."""
        counted = CountedRows.of(table.codes, table.offsets)
        return _counted("kernel", table, counted, _shared(parts_of_trees(weights), counted), None)


def _counted(
    kind: CountedKind,
    table: LeafTable,
    counted: CountedRows,
    worths: NDArray[np.int64],
    in_bag: NDArray[np.uint8] | None,
) -> CountedTable:
    return CountedTable(
        table.codes, table.offsets, table.starts, kind=kind, counted=counted, worths=worths, in_bag=in_bag
    )


def parts_of_trees(weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the part of each tree in ``TOTAL``, (n_trees,), from their weights; rounded down, never above together."""
    total = sum(weights.tolist())
    return np.array([weight * TOTAL // total for weight in weights.tolist()], np.int64)


def _shared(of_trees: NDArray[np.int64], counted: CountedRows) -> NDArray[np.int64]:
    """Return what a count of 1 adds in each leaf, where its tree's part is shared among the counts of the leaf.

    It is rounded down, so that the proximities of a row never add up to more than ``TOTAL``.
    """
    of_leaves = np.repeat(of_trees, np.diff(counted.leaf_offsets))
    worths = of_leaves // np.maximum(counted.totals, 1).astype(np.int64)
    return np.where(of_leaves > 0, np.maximum(worths, 1), 0)  # 0 alone says that a tree does not count


def unbagged(n_rows: int, n_trees: int) -> NDArray[np.uint8]:
    """Return the bags of rows that no tree learned from, such as new ones, (n_rows, n_bytes)."""
    return np.zeros((n_rows, (n_trees + 7) // 8), np.uint8)
