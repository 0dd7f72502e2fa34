"""Growing a tree from the root: which node is split next, and when growth ends."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Generic, TypeVar

from ..compute.progress import ReportProgress, ignore_progress
from .trees import NO_CHILD, Confidence, Node, NodeFacts, Question


@dataclass(slots=True)
class Heartbeat:
    """Passes progress on, and repeats it."""

    report: ReportProgress
    _fraction: float = 0.0
    _stage: str = "growing the tree"

    def __call__(self, fraction: float, stage: str) -> None:
        """Pass on how far the work is."""
        self._fraction, self._stage = fraction, stage
        self.report(fraction, stage)

    def beat(self) -> None:
        """Say the last again."""
        self.report(self._fraction, self._stage)


State = TypeVar("State")
"""All that a method knows of a node: its rows, its box, its generator of random numbers."""


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """How large a tree may become."""

    max_depth: int = 5  # questions on the longest way from the root to a leaf
    min_samples_leaf: int = 5  # training rows in each leaf
    max_leaves: int | None = None  # None: as many as the depth allows


@dataclass(frozen=True, slots=True)
class Parting(Generic[State, Question]):
    """What a method found for a node: its question, and what comes below."""

    condition: Question
    left: State  # of the rows for which the condition holds
    right: State
    improvement: float  # of the criterion, weighed by the share of rows that reach the node; larger is parted earlier
    confidence: Confidence | None = None


@dataclass(frozen=True, slots=True)
class Examined(Generic[State, Question]):
    """A node that a method has looked at."""

    facts: NodeFacts
    parting: Parting[State, Question] | None  # None: it stays a leaf


Examine = Callable[[State, int], Examined[State, Question]]
"""Looks at a node: its state, and how many levels of questions are allowed from it on (0: it is a leaf)."""


@dataclass(slots=True)
class _Grown(Generic[State, Question]):
    """A node as it is known so far. States are let go once the nodes below are examined: they hold rows and boxes."""

    facts: NodeFacts
    parting: Parting[State, Question] | None  # None: it is a leaf, or parted already
    depth: int
    condition: Question | None = None  # these three where it is parted
    confidence: Confidence | None = None
    children: "tuple[_Grown[State, Question], _Grown[State, Question]] | None" = None


def grow(
    root: State,
    examine: Examine[State, Question],
    limits: TreeLimits,
    report: ReportProgress = ignore_progress,
) -> tuple[Node[Question], ...]:
    """Return the nodes of a tree in preorder, the node that improves most parted first (ties: the one found earlier).

    The order matters only where ``max_leaves`` ends the growth. ``report`` is told how many levels
    training rows have behind them, of all that they may go through; a leaf counts as all that could lie below it.
    """
    growth = _Growth(examine, limits)
    top = growth.find(root, 0)
    del root
    while growth.may_part():
        growth.part_next()
        n_steps = limits.max_depth * top.facts.n_samples
        report(growth.n_steps / max(1, n_steps), "growing the tree")
    return _laid_out(top)


@dataclass(slots=True)
class _Growth(Generic[State, Question]):
    """A tree while it grows."""

    examine: Examine[State, Question]
    limits: TreeLimits
    waiting: list[tuple[float, int, _Grown[State, Question]]] = field(default_factory=list)  # largest improvement first
    n_found: int = 0  # nodes
    n_leaves: int = 1
    n_steps: int = 0  # levels that training rows have behind them, summed over rows

    def may_part(self) -> bool:
        """Return whether a node can be parted and one more leaf is allowed."""
        return bool(self.waiting) and self.n_leaves < (self.limits.max_leaves or inf)

    def find(self, state: State, depth: int) -> _Grown[State, Question]:
        """Examine a node, which waits to be parted if it has a question."""
        is_last = self.n_leaves == self.limits.max_leaves
        examined = self.examine(state, 0 if is_last else self.limits.max_depth - depth)
        node = _Grown(examined.facts, examined.parting, depth)
        if node.parting is None:
            self.n_steps += node.facts.n_samples * (self.limits.max_depth - depth)
        else:
            heapq.heappush(self.waiting, (-node.parting.improvement, self.n_found, node))
        self.n_found += 1
        return node

    def part_next(self) -> None:
        """Part the node that improves most."""
        node = heapq.heappop(self.waiting)[-1]
        parting, node.parting = node.parting, None
        assert parting is not None  # noqa: S101  # for the type checker: others do not wait
        self.n_leaves += 1
        self.n_steps += node.facts.n_samples
        node.condition, node.confidence = parting.condition, parting.confidence
        node.children = (self.find(parting.left, node.depth + 1), self.find(parting.right, node.depth + 1))


def _laid_out(top: _Grown[State, Question]) -> tuple[Node[Question], ...]:
    """Return a node and all below it in preorder, however deep they lie."""
    found: list[_Grown[State, Question]] = []
    right_of: dict[int, int] = {}  # by the position of a node that is parted
    waiting: list[tuple[_Grown[State, Question], int | None]] = [(top, None)]  # and whose right child it is
    while waiting:
        node, parent = waiting.pop()
        if parent is not None:
            right_of[parent] = len(found)
        if node.children is not None:
            left, right = node.children
            waiting += [(right, len(found)), (left, None)]
        found.append(node)
    return tuple(
        Node(
            node.facts,
            node.condition,
            at + 1 if at in right_of else NO_CHILD,
            right_of.get(at, NO_CHILD),
            node.confidence,
        )
        for at, node in enumerate(found)
    )
