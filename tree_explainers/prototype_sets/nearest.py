"""The nearest prototypes of rows: proximities of many at once, and what follows from them for each row."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead
from ..errors import InvalidInput

_NO_LEAF = -1


@dataclass(frozen=True, slots=True)
class PrototypeIndex:
    """The prototypes' leaves, ready to be compared with those of a row; on one thread, without compiling anything.

    Proximities are integers in 0 to ``total_weight``: a row is at ``total_weight`` from itself.
    """

    leaves: NDArray[np.int32]  # (n_prototypes, n_trees); -1 in trees that count nothing: no row shares a leaf there
    weights: NDArray[np.uint32]  # (n_trees,) summing to at most 2^31
    classes: NDArray[np.int64]  # (n_prototypes,)
    total_weight: int

    @staticmethod
    def build(
        leaves: NDArray[np.int32], weights: NDArray[np.int64], classes: NDArray[np.integer[Any]]
    ) -> "PrototypeIndex":
        """Build the index of prototypes in the order in which they were chosen.

        Parameters
        ----------
        leaves : (n_prototypes, n_trees) int32
            Leaf of each prototype in each tree.
        weights : (n_trees,)
            What each tree counts, see ``tree_weights``.
        classes : (n_prototypes,)
            Class of each prototype.

        Raises
        ------
        InvalidInput
            If the shapes do not fit together or there is no prototype.
        """
        if len(leaves) == 0 or leaves.shape != (len(classes), len(weights)):
            msg = f"leaves of shape {leaves.shape} do not fit {len(classes)} prototypes and {len(weights)} trees"
            raise InvalidInput(msg)
        # Copies: loaded arrays may be read-only or in another order.
        own_leaves, own_weights = np.array(leaves, dtype=np.int32, order="C"), np.array(weights, dtype=np.uint32)
        own_leaves[:, own_weights == 0] = _NO_LEAF
        return PrototypeIndex(own_leaves, own_weights, np.array(classes, dtype=np.int64), int(weights.sum()))

    @property
    def n_trees_used(self) -> int:
        """Number of trees that count."""
        return int((self.weights > 0).sum())

    def proximities(self, leaves: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the integer proximity of each row to each prototype.

        Parameters
        ----------
        leaves : (n_rows, n_trees) int32
            Leaves of the rows.

        Returns
        -------
        (n_rows, n_prototypes) int64
            In the order of the prototypes.

        Raises
        ------
        InvalidInput
            If the rows have another number of trees.
        """
        if leaves.ndim != 2 or leaves.shape[1] != len(self.weights):  # a matrix
            msg = f"leaves must have shape (n_rows, {len(self.weights)}), got {leaves.shape}"
            raise InvalidInput(msg)
        return _proximities(contiguous_leaves(leaves), self.leaves, self.weights)

    def of_other_classes(self, proximities: NDArray[np.int64], own_class: int, n_classes: int = 1) -> NDArray[np.int64]:
        """Return the nearest prototype of each of the classes nearest to a row, its own excepted.

        Parameters
        ----------
        proximities : (n_prototypes,) int64
            One line of ``proximities``.
        own_class
            The class that is left out.
        n_classes
            Maximum number of classes; fewer where there are prototypes of fewer others.

        Returns
        -------
        (at most n_classes,) int64
            Positions among the prototypes, nearest first (ties: the earlier prototype, within a class and between
            classes). Prototypes that share no leaf with the row come last, and count.
        """
        order = np.argsort(-proximities, kind="stable")
        others = order[self.classes[order] != own_class]
        _, firsts = np.unique(self.classes[others], return_index=True)
        return np.asarray(others[np.sort(firsts)[:n_classes]])


def contiguous_leaves(leaves: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return leaves as compiled loops take them, int32, in C order and writable; unchanged if they are so."""
    if leaves.dtype == np.int32 and leaves.flags.carray:
        return leaves
    return np.require(leaves, dtype=np.int32, requirements=["C", "W"])


@compiled_ahead("int64[:, ::1](int32[:, ::1], int32[:, ::1], uint32[::1])")
def _proximities(
    leaves: NDArray[np.int32], prototypes: NDArray[np.int32], weights: NDArray[np.uint32]
) -> NDArray[np.int64]:
    proximities = np.empty((len(leaves), len(prototypes)), dtype=np.int64)
    for row in range(len(leaves)):
        for prototype in range(len(prototypes)):
            total = np.uint32(0)
            for tree in range(len(weights)):
                shares = leaves[row, tree] == prototypes[prototype, tree]
                total += weights[tree] if shares else np.uint32(0)
            proximities[row, prototype] = total
    return proximities
