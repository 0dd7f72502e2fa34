"""TreeEnsemble: all nodes of all trees as flat arrays, and their invariants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray


class Operator(IntEnum):
    """The comparison of ``value`` and ``threshold`` at a node; true goes left (ONNX: the true branch)."""

    LEAF = 0
    LEQ = 1
    LT = 2
    GTE = 3
    GT = 4
    EQ = 5
    NEQ = 6
    MEMBER = 7  # value is one of a set of whole numbers (onnxruntime cuts fractions off); never mapped to an interval


@dataclass(frozen=True, slots=True)
class TreeEnsemble:
    """All nodes of all trees, one array per property.

    Node indices are global: the nodes of tree ``t`` are ``offsets[t]`` to ``offsets[t + 1]``, its root first, every
    child after its parent. A leaf is its own child on both sides, so walking down from a leaf stays there. Leaves
    are numbered within their tree in the order of their nodes: ``leaf_offsets[t] + code`` is the row of
    ``leaf_values``. ``column`` refers to model-side columns, which the column map maps back to raw ones.
    """

    offsets: NDArray[np.int32]  # (n_trees + 1,)
    column: NDArray[np.int32]  # (n_nodes,) model-side column tested; 0 at a leaf
    operator: NDArray[np.uint8]  # (n_nodes,) an Operator
    threshold: NDArray[np.float64]  # (n_nodes,) 0 at a leaf; of infinities only +inf, with LEQ and GT
    missing_left: NDArray[np.bool_]  # (n_nodes,) a missing value (NaN) goes left
    left: NDArray[np.int32]  # (n_nodes,) child where the comparison is true
    right: NDArray[np.int32]  # (n_nodes,)
    leaf_nodes: NDArray[np.int32]  # (n_leaves,) the node of each leaf, tree by tree
    leaf_offsets: NDArray[np.int32]  # (n_trees + 1,)
    leaf_values: NDArray[np.float64]  # (n_leaves, n_outputs) as stored: boosting's step size is already in them
    members: tuple[NDArray[np.float64], ...] = ()  # the sets of MEMBER nodes, whose threshold is an index into these

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return plain arrays that can be kept without pickle; ``from_arrays`` puts them together again."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "members"}
        sizes = [0, *(len(values) for values in self.members)]
        values = np.concatenate([np.empty(0), *self.members])
        return {**arrays, "member_starts": np.cumsum(sizes), "member_values": values}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the ensemble that ``to_arrays`` took apart."""
        plain = {field.name: arrays[field.name] for field in fields(cls) if field.name != "members"}
        starts = arrays["member_starts"][1:-1]
        members = tuple(np.split(arrays["member_values"], starts)) if len(arrays["member_starts"]) > 1 else ()
        return cls(**plain, members=members)

    @property
    def n_trees(self) -> int:
        """Number of trees, over all tree operators of the graph."""
        return len(self.offsets) - 1

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.column)

    @property
    def n_leaves(self) -> NDArray[np.int32]:
        """Leaves per tree, shape (n_trees,)."""
        return np.diff(self.leaf_offsets)

    def trees(self, first: int, end: int) -> Self:
        """Return the ensemble of the trees ``first`` to ``end - 1`` alone."""
        nodes = slice(self.offsets[first], self.offsets[end])
        leaves = slice(self.leaf_offsets[first], self.leaf_offsets[end])
        return replace(
            self,
            offsets=self.offsets[first : end + 1] - nodes.start,
            column=self.column[nodes],
            operator=self.operator[nodes],
            threshold=self.threshold[nodes],
            missing_left=self.missing_left[nodes],
            left=self.left[nodes] - nodes.start,
            right=self.right[nodes] - nodes.start,
            leaf_nodes=self.leaf_nodes[leaves] - nodes.start,
            leaf_offsets=self.leaf_offsets[first : end + 1] - leaves.start,
            leaf_values=self.leaf_values[leaves],
        )


class FeatureUsage(NamedTuple):
    """How often trees test each feature."""

    n_trees: NDArray[np.int64]  # (n_features,) trees that test it
    n_questions: NDArray[np.int64]  # (n_features,) inner nodes of all trees that test it


def count_questions(ensemble: TreeEnsemble, features: Sequence[int], n_features: int) -> FeatureUsage:
    """Count the trees and the inner nodes that test each feature.

    Parameters
    ----------
    ensemble
        The trees.
    features : (n_columns,)
        The feature, from 0, of each column that trees test; several columns may belong to one.
    n_features
        Number of features.
    """
    of_column = np.asarray(features, dtype=np.int64)
    n_trees, n_questions = np.zeros((2, n_features), dtype=np.int64)
    for tree in range(ensemble.n_trees):
        nodes = slice(ensemble.offsets[tree], ensemble.offsets[tree + 1])
        tested = of_column[ensemble.column[nodes][ensemble.operator[nodes] != Operator.LEAF]]
        in_tree = np.bincount(tested, minlength=n_features)
        n_questions += in_tree
        n_trees += in_tree > 0
    return FeatureUsage(n_trees, n_questions)


def empty_ensemble() -> TreeEnsemble:
    """Return an ensemble without trees: what is kept of models that make predictions alone."""
    integers = np.zeros(0, np.int32)
    return TreeEnsemble(
        offsets=np.zeros(1, np.int32),
        column=integers,
        operator=np.zeros(0, np.uint8),
        threshold=np.zeros(0),
        missing_left=np.zeros(0, np.bool_),
        left=integers,
        right=integers,
        leaf_nodes=integers,
        leaf_offsets=np.zeros(1, np.int32),
        leaf_values=np.zeros((0, 1)),
    )


@dataclass(frozen=True, slots=True)
class TreeTensor:
    """A tensor that trees read; the columns of an ensemble are those of its tensors, one after the other."""

    name: str
    first_column: int  # of the ensemble
    is_double: bool  # values are compared as float64; otherwise as float32


def join_ensembles(parts: Sequence[TreeEnsemble]) -> TreeEnsemble:
    """Return the trees of all parts in one ensemble, in order; the parts' columns mean the same.

    Leaf values with fewer outputs than the widest are padded with zeros on the right.
    """
    if len(parts) == 1:
        return parts[0]
    n_nodes = np.cumsum([0, *(part.n_nodes for part in parts)])
    n_leaves = np.cumsum([0, *(len(part.leaf_nodes) for part in parts)])
    n_members = np.cumsum([0, *(len(part.members) for part in parts)])
    thresholds = [
        part.threshold + n * (part.operator == Operator.MEMBER) for part, n in zip(parts, n_members[:-1], strict=True)
    ]
    return TreeEnsemble(
        offsets=_join_offsets([part.offsets for part in parts], n_nodes),
        column=np.concatenate([part.column for part in parts]),
        operator=np.concatenate([part.operator for part in parts]),
        threshold=np.concatenate(thresholds),
        missing_left=np.concatenate([part.missing_left for part in parts]),
        left=_join_shifted([part.left for part in parts], n_nodes),
        right=_join_shifted([part.right for part in parts], n_nodes),
        leaf_nodes=_join_shifted([part.leaf_nodes for part in parts], n_nodes),
        leaf_offsets=_join_offsets([part.leaf_offsets for part in parts], n_leaves),
        leaf_values=_join_values([part.leaf_values for part in parts]),
        members=tuple(values for part in parts for values in part.members),
    )


def _join_shifted(arrays: Sequence[NDArray[np.int32]], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    return np.concatenate([array + np.int32(start) for array, start in zip(arrays, starts, strict=False)])


def _join_offsets(arrays: Sequence[NDArray[np.int32]], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    return np.append(_join_shifted([array[:-1] for array in arrays], starts), np.int32(starts[-1]))


def _join_values(arrays: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    values = np.zeros((sum(len(array) for array in arrays), max(array.shape[1] for array in arrays)))
    start = 0
    for array in arrays:
        values[start : start + len(array), : array.shape[1]] = array
        start += len(array)
    return values
