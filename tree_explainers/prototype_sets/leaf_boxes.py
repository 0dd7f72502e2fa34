"""The boxes of the prototypes' leaves: for each tree and each column tested on the path, the interval.

Made once by a worker; ``reasons`` intersects them for single rows.
"""

from dataclasses import dataclass
from enum import IntFlag
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from ..ensemble import Operator, TreeEnsemble
from ..errors import InvalidInput


class Side(IntFlag):
    """Properties of an interval beside its ends."""

    LOW_INCLUSIVE = 1
    HIGH_INCLUSIVE = 2
    MISSING_STAYS = 4  # a missing value takes the same branch at each node that tests the column
    HOLE = 16  # not an interval: the one value ``low`` is excluded from the column's interval before it
    SET = 32  # with HOLE: the members of the set ``low`` are excluded
    INSIDE = 64  # with SET: all but the members are excluded


# One interval of one column in one tree, or a hole in it.
ENTRY = np.dtype(
    [
        ("feature", np.int32),
        ("column", np.int32),
        ("tree", np.int32),
        ("side", np.int32),
        ("low", np.float64),
        ("high", np.float64),
    ],
    align=True,
)


@dataclass(frozen=True, slots=True)
class LeafBoxes:
    """Intervals of model-side columns, sorted by prototype, feature, column, holes and sets last, their value, tree.

    Replace a column's value in the prototype by any other in the intersection of some trees' intervals, holes and sets
    excepted: in these trees it stays in its leaf. Columns of one feature (such as the indicators of its categories)
    carry the same feature number.
    """

    starts: NDArray[np.int64]  # (n_prototypes + 1,) where each prototype's entries begin
    entries: NDArray[Any]  # (n_entries,) ENTRY
    sets: tuple[NDArray[np.float64], ...] = ()  # that ``SET`` refers to, no two alike

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return plain arrays, one per property, that can be kept without pickle."""
        arrays = {name: np.ascontiguousarray(self.entries[name]) for name in ENTRY.names or ()}
        if self.sets:
            arrays["set_ends"] = np.cumsum([len(members) for members in self.sets])
            arrays["set_members"] = np.concatenate(self.sets)
        return {"starts": self.starts, **arrays}

    @staticmethod
    def from_arrays(arrays: dict[str, NDArray[Any]]) -> "LeafBoxes":
        """Return the boxes that ``to_arrays`` took apart."""
        entries = np.empty(len(arrays["low"]), dtype=ENTRY)
        for name in ENTRY.names or ():
            entries[name] = arrays[name]
        has_sets = "set_ends" in arrays
        sets = tuple(np.split(arrays["set_members"], arrays["set_ends"][:-1])) if has_sets else ()
        return LeafBoxes(np.array(arrays["starts"], dtype=np.int64), entries, sets)


def leaf_boxes(ensemble: TreeEnsemble, leaves: NDArray[np.int32], features: NDArray[np.int32]) -> LeafBoxes:
    """Return the boxes of the leaves that some rows reach.

    Parameters
    ----------
    ensemble
        The trees.
    leaves : (n_prototypes, n_trees) int32
        Leaf of each prototype in each tree.
    features : (n_columns,) int32
        Number of the feature that each model-side column belongs to, see ``feature_numbers``.

    Returns
    -------
    LeafBoxes
        Thresholds are those of the model, which compares in float32 as a rule: an end is exact for float32 values.
        Equality becomes an interval of one value and inequality a hole; membership becomes a set of values that are
        excluded, or that are not.

    Raises
    ------
    InvalidInput
        If there is not one leaf per tree.
    """
    if leaves.ndim != 2 or leaves.shape[1] != ensemble.n_trees:  # a matrix
        msg = f"leaves must have shape (n_prototypes, {ensemble.n_trees}), got {leaves.shape}"
        raise InvalidInput(msg)
    sets, threshold = distinct_sets(ensemble)
    nodes = _Nodes(
        parents(ensemble.left, ensemble.right),
        ensemble.column,
        ensemble.operator,
        threshold,
        ensemble.missing_left,
        ensemble.left,
    )
    leaf_nodes = ensemble.leaf_nodes[ensemble.leaf_offsets[:-1] + leaves]
    buffer = np.empty(2 * _n_ancestors(nodes.parent, leaf_nodes), dtype=ENTRY)
    ends = _fill(nodes, leaf_nodes, features, buffer)
    entries = buffer[: ends[-1]]
    starts = np.concatenate([[0], ends]).astype(np.int64)
    ranks = np.empty(len(features), dtype=np.uint16 if len(features) <= np.iinfo(np.uint16).max else np.int64)
    ranks[np.argsort(features, kind="stable")] = np.arange(len(features))
    parts = [slice(*ends) for ends in pairwise(starts.tolist())]
    order = np.concatenate([part.start + _order_of(entries[part], ranks) for part in parts])
    return LeafBoxes(starts, entries[order], sets)


def _order_of(entries: NDArray[Any], ranks: NDArray[Any]) -> NDArray[np.int64]:
    """Return in which order a prototype's entries, which are there tree by tree, are kept.

    ``ranks``, (n_columns,), are of each column by feature, then column.
    """
    by_column, is_hole = ranks[entries["column"]], (entries["side"] & Side.HOLE) != 0
    if not is_hole.any():
        return np.argsort(by_column, kind="stable")  # small numbers are sorted by their digits
    return np.lexsort((np.where(is_hole, entries["low"], 0), np.where(is_hole, entries["side"], 0), by_column))


def distinct_sets(ensemble: TreeEnsemble) -> tuple[tuple[NDArray[np.float64], ...], NDArray[np.float64]]:
    """Return the sets that differ, and the thresholds of the nodes, (n_nodes,), which refer to these."""
    members = [np.unique(np.trunc(values)) + 0.0 for values in ensemble.members]  # as onnxruntime compares
    distinct = {values.tobytes(): values for values in members}
    index_of = {content: index for index, content in enumerate(distinct)}
    is_member = ensemble.operator == Operator.MEMBER
    threshold = ensemble.threshold.copy()
    of_nodes = threshold[is_member].astype(np.int64).tolist()
    threshold[is_member] = [index_of[members[index].tobytes()] for index in of_nodes]
    return tuple(distinct.values()), threshold


class _Nodes(NamedTuple):
    parent: NDArray[np.int32]  # (n_nodes,) a root is its own parent
    column: NDArray[np.int32]
    operator: NDArray[np.uint8]
    threshold: NDArray[np.float64]
    missing_left: NDArray[np.bool_]
    left: NDArray[np.int32]


_LEQ, _LT, _GTE = int(Operator.LEQ), int(Operator.LT), int(Operator.GTE)
_EQ, _NEQ = int(Operator.EQ), int(Operator.NEQ)
_LOW_INCLUSIVE, _HIGH_INCLUSIVE = int(Side.LOW_INCLUSIVE), int(Side.HIGH_INCLUSIVE)
_MEMBER = int(Operator.MEMBER)
_MISSING_STAYS, _HOLE, _SET, _INSIDE = int(Side.MISSING_STAYS), int(Side.HOLE), int(Side.SET), int(Side.INSIDE)


def parents(left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the parent of each node, (n_nodes,); a root is its own."""
    nodes = np.arange(len(left), dtype=np.int32)
    inner = nodes[left != nodes]
    parent = nodes.copy()
    parent[left[inner]] = inner
    parent[right[inner]] = inner
    return parent


@compiled
def _n_ancestors(parent: NDArray[np.int32], leaf_nodes: NDArray[np.int32]) -> int:
    """Count the nodes above all these leaves."""
    n_ancestors = 0
    for leaf in leaf_nodes.flat:
        node = leaf
        while parent[node] != node:
            node = parent[node]
            n_ancestors += 1
    return n_ancestors


@compiled
def _fill(
    nodes: _Nodes, leaf_nodes: NDArray[np.int32], features: NDArray[np.int32], entries: NDArray[Any]
) -> NDArray[np.int64]:
    """Write each leaf's intervals and holes; return where each prototype's entries end."""
    ends = np.zeros(len(leaf_nodes), dtype=np.int64)
    end = 0
    for prototype in range(leaf_nodes.shape[0]):
        for tree in range(leaf_nodes.shape[1]):
            first = end
            child = leaf_nodes[prototype, tree]
            while nodes.parent[child] != child:
                node = nodes.parent[child]
                column = nodes.column[node]
                answer = Answer(
                    features[column], column, tree, nodes.operator[node], nodes.threshold[node],
                    nodes.missing_left[node], nodes.left[node] == child,
                )  # fmt: skip
                end = take_answer(entries, first, end, answer)
                child = node
        ends[prototype] = end
    return ends


class Answer(NamedTuple):
    """A node on the path to a leaf, and the side that the path takes there."""

    feature: int
    column: int
    tree: int
    operator: int
    threshold: float
    missing_left: bool
    went_left: bool


@compiled_for_loops
def take_answer(entries: NDArray[Any], first: int, end: int, answer: Answer) -> int:
    """Take one answer into account for a leaf whose entries begin at ``first``; return where they end."""
    index = _entry_index(entries, first, end, answer.column)
    if index == end:
        _open(entries[index], answer.feature, answer.column, answer.tree)
        end += 1
    if answer.missing_left != answer.went_left:
        entries[index].side &= ~_MISSING_STAYS
    if not _narrow(entries[index], answer.operator, answer.threshold, answer.went_left):
        _open(entries[end], answer.feature, answer.column, answer.tree)
        entries[end].low = entries[end].high = answer.threshold
        entries[end].side = _hole_kind(answer.operator, answer.went_left)
        end += 1
    return end


@compiled_for_loops
def _entry_index(entries: NDArray[Any], first: int, end: int, column: int) -> int:
    """Return where the leaf's interval of this column is, or ``end``."""
    for index in range(first, end):
        if entries[index].column == column and not entries[index].side & _HOLE:
            return index
    return end


@compiled_for_loops
def _open(entry: Any, feature: int, column: int, tree: int) -> None:  # one record
    """Start with the interval of all values."""
    entry.feature = feature
    entry.column = column
    entry.tree = tree
    entry.side = _MISSING_STAYS
    entry.low = -np.inf
    entry.high = np.inf


@compiled_for_loops
def _hole_kind(operator: int, went_left: bool) -> int:
    """Return the ``Side`` of an answer that no interval can hold."""
    if operator != _MEMBER:
        return _HOLE
    return _HOLE | _SET | _INSIDE if went_left else _HOLE | _SET


@compiled_for_loops
def _narrow(entry: Any, operator: int, threshold: float, went_left: bool) -> bool:
    """Take one answer into account; false if that needs a hole or a set."""
    if operator == _MEMBER:
        return False
    if operator in (_EQ, _NEQ):
        if (operator == _EQ) != went_left:
            return False
        raise_low(entry, threshold, _LOW_INCLUSIVE)
        lower_high(entry, threshold, _HIGH_INCLUSIVE)
    elif operator in (_LEQ, _LT):
        inclusive = operator == _LEQ
        if went_left:
            lower_high(entry, threshold, _HIGH_INCLUSIVE if inclusive else 0)
        else:
            raise_low(entry, threshold, 0 if inclusive else _LOW_INCLUSIVE)
    else:
        inclusive = operator == _GTE
        if went_left:
            raise_low(entry, threshold, _LOW_INCLUSIVE if inclusive else 0)
        else:
            lower_high(entry, threshold, 0 if inclusive else _HIGH_INCLUSIVE)
    return True


@compiled_for_loops
def raise_low(entry: Any, threshold: float, inclusive: int) -> None:  # one record
    """Let the interval begin no earlier than here; ``inclusive`` is a ``Side`` or 0."""
    if threshold > entry.low:
        entry.low = threshold
        entry.side = (entry.side & ~_LOW_INCLUSIVE) | inclusive
    elif threshold == entry.low and not inclusive:
        entry.side &= ~_LOW_INCLUSIVE


@compiled_for_loops
def lower_high(entry: Any, threshold: float, inclusive: int) -> None:  # one record
    """Let the interval end no later than here; ``inclusive`` is a ``Side`` or 0."""
    if threshold < entry.high:
        entry.high = threshold
        entry.side = (entry.side & ~_HIGH_INCLUSIVE) | inclusive
    elif threshold == entry.high and not inclusive:
        entry.side &= ~_HIGH_INCLUSIVE
