"""Growing a tree from the root: which node is split next, and when growth ends.

A method examines one node at a time; what it knows of a node (its rows, its box, its random generator) is its own
state. Here the nodes are kept in order of their improvement and laid out in preorder in the end.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Generic, TypeVar

from ..compute.progress import ReportProgress, ignore_progress
from .trees import NO_CHILD, ConditionT, Confidence, Node, NodeFacts

State = TypeVar("State")
"""All that a method knows of a node: its rows, its box, its random generator."""


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """How large a tree may become."""

    max_depth: int = 5  # splits on the longest path from the root to a leaf
    min_samples_leaf: int = 5  # training rows in each leaf
    max_leaves: int | None = None  # None: the depth alone limits them


@dataclass(frozen=True, slots=True)
class Split(Generic[State, ConditionT]):
    """What a method found for a node: its condition, and the nodes below."""

    condition: ConditionT
    left: State  # of the rows for which the condition holds
    right: State
    improvement: float  # of the criterion, times the share of rows that reach the node; the largest is split first
    confidence: Confidence | None = None


@dataclass(frozen=True, slots=True)
class ExaminedNode(Generic[State, ConditionT]):
    """A node that a method has examined."""

    facts: NodeFacts
    split: Split[State, ConditionT] | None  # None: it stays a leaf


Examine = Callable[[State, int], ExaminedNode[State, ConditionT]]
"""Examines a node, given its state and the number of levels allowed below it (0: it is a leaf)."""


@dataclass(slots=True)
class RepeatableProgress:
    """Passes progress on and can repeat it, so that a cancellation takes effect within a long node."""

    report: ReportProgress
    _last: tuple[float, str] = (0.0, "growing the tree")

    def __call__(self, fraction: float, stage: str) -> None:
        """Pass the progress of the whole on."""
        self._last = fraction, stage
        self.report(fraction, stage)

    def repeat(self, fraction: float, stage: str) -> None:  # progress within a node does not move the whole
        """Report the last progress again, whatever the progress within a node."""
        self.tick()

    def tick(self) -> None:
        """Report the last progress again."""
        self.report(*self._last)


@dataclass(slots=True)
class _GrowingNode(Generic[State, ConditionT]):
    """A node as far as it is known. States hold rows and boxes: they are dropped once the children are examined."""

    facts: NodeFacts
    split: Split[State, ConditionT] | None  # None: it is a leaf, or split already
    depth: int
    condition: ConditionT | None = None  # these three if it is split
    confidence: Confidence | None = None
    children: "tuple[_GrowingNode[State, ConditionT], _GrowingNode[State, ConditionT]] | None" = None


def grow(
    root: State,
    examine: Examine[State, ConditionT],
    limits: TreeLimits,
    report: ReportProgress = ignore_progress,
) -> tuple[Node[ConditionT], ...]:
    """Return the nodes of a tree in preorder; the node with the largest improvement is split first.

    Ties go to the node that was found earlier. The order matters only where ``max_leaves`` ends the growth. The
    reported fraction is the number of levels that training rows have passed, relative to all that they may pass; a
    leaf counts as if its rows had passed all levels below it.
    """
    growth = _Growth(examine, limits)
    top = growth.find(root, 0)
    del root
    while growth.waiting and growth.n_leaves < (limits.max_leaves or inf):
        growth.split_next()
        n_steps = limits.max_depth * top.facts.n_samples
        report(growth.n_steps / max(1, n_steps), "growing the tree")
    return _in_preorder(top)


@dataclass(slots=True)
class _Growth(Generic[State, ConditionT]):
    """A tree while it grows."""

    examine: Examine[State, ConditionT]
    limits: TreeLimits
    waiting: list[tuple[float, int, _GrowingNode[State, ConditionT]]] = field(default_factory=list)  # a heap
    n_found: int = 0  # nodes
    n_leaves: int = 1
    n_steps: int = 0  # levels that training rows have passed, summed over rows

    def find(self, state: State, depth: int) -> _GrowingNode[State, ConditionT]:
        """Examine a node; it waits to be split if a split was found."""
        is_last = self.n_leaves == self.limits.max_leaves
        examined = self.examine(state, 0 if is_last else self.limits.max_depth - depth)
        node = _GrowingNode(examined.facts, examined.split, depth)
        if node.split is None:
            self.n_steps += node.facts.n_samples * (self.limits.max_depth - depth)
        else:
            heapq.heappush(self.waiting, (-node.split.improvement, self.n_found, node))
        self.n_found += 1
        return node

    def split_next(self) -> None:
        """Split the node with the largest improvement."""
        node = heapq.heappop(self.waiting)[-1]
        split, node.split = node.split, None
        assert split is not None  # for the type checker: others do not wait
        self.n_leaves += 1
        self.n_steps += node.facts.n_samples
        node.condition, node.confidence = split.condition, split.confidence
        node.children = (self.find(split.left, node.depth + 1), self.find(split.right, node.depth + 1))


def _in_preorder(top: _GrowingNode[State, ConditionT]) -> tuple[Node[ConditionT], ...]:
    """Return a node and all below it in preorder, without recursion: trees may be deep."""
    ordered: list[_GrowingNode[State, ConditionT]] = []
    right_of: dict[int, int] = {}  # by the index of a node that is split
    waiting: list[tuple[_GrowingNode[State, ConditionT], int | None]] = [(top, None)]  # and whose right child it is
    while waiting:
        node, parent = waiting.pop()
        if parent is not None:
            right_of[parent] = len(ordered)
        if node.children is not None:
            left, right = node.children
            waiting += [(right, len(ordered)), (left, None)]
        ordered.append(node)
    return tuple(
        Node(
            node.facts,
            node.condition,
            index + 1 if index in right_of else NO_CHILD,
            right_of.get(index, NO_CHILD),
            node.confidence,
        )
        for index, node in enumerate(ordered)
    )
