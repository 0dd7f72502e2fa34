"""First-order trees: their nodes, how they are grown, and the scores of their leaves."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .language import Language
from .queries import FeatureTest

Criterion = Literal["gain", "gain_ratio"]
Pruning = Literal["c45", "none"]


@dataclass(frozen=True, slots=True)
class TildeSettings:
    """How a tree is grown."""

    criterion: Criterion = "gain"  # of classes; trees of regression reduce the variance
    min_samples_leaf: float = 2  # least weight of the examples on each side of a test
    max_depth: int | None = None  # most tests on a path; None: any number
    pruning: Pruning = "c45"  # of classes; trees of regression are not pruned
    aggregates: bool = True  # whether tests may read aggregates
    test_share: float = 1.0  # probability with which each test of a node is a candidate, constants included
    look_ahead: bool = True  # whether a new variable may bring one condition with it
    n_bins: int | None = None  # how many bins of equal frequency columns of numbers are cut into; None: all cuts
    language: Language = field(default_factory=Language)
    max_bindings: int = 20_000_000  # of one component: tests that need more are skipped, and listed


@dataclass(frozen=True, slots=True)
class TildeNode:
    """One node: a test with two children, or a leaf.

    Children are given by their indices in ``TildeTree.nodes``.
    """

    class_weights: NDArray[np.float64]  # (n_classes,) of the training examples that reach the node; of regression (1,)
    test: FeatureTest | None = None  # None: a leaf
    yes: int = -1
    no: int = -1
    mean: float | None = None  # of the training examples' values, in regression


@dataclass(frozen=True, slots=True)
class SkippedTest:
    """Tests that were not evaluated, and why."""

    query: str  # the step that would have bound too many rows, in words
    reason: str


@dataclass(frozen=True, slots=True)
class TildeTree:
    """A first-order tree. Each test is a closed query, a column: so it is an ordinary tree over columns."""

    nodes: tuple[TildeNode, ...]  # the root first, each followed by its yes-branch, then its no-branch
    skipped: tuple[SkippedTest, ...] = ()

    @property
    def n_tests(self) -> int:
        """Number of nodes with a test."""
        return sum(node.test is not None for node in self.nodes)

    @property
    def depth(self) -> int:
        """Most tests on a path."""
        depths = [0] * len(self.nodes)
        for index, node in reversed(list(enumerate(self.nodes))):
            depths[index] = 0 if node.test is None else 1 + max(depths[node.yes], depths[node.no])
        return depths[0]

    def tests(self) -> Iterator[FeatureTest]:
        """Yield the tests, each node's before those below it, the yes-branch's first."""
        yield from (node.test for node in self.nodes if node.test is not None)

    def leaf_scores(self, index: int) -> NDArray[np.float64]:
        """Return the class probabilities of a leaf, (n_classes,), summing to 1; of regression, its mean, (1,).

        They are m-estimates with m = 2: (n_C + 2 π_C) / (n + 2), where π_C are the shares of the tree's own training
        examples.
        """
        mean = self.nodes[index].mean
        if mean is not None:
            return np.array([mean])
        weights, all_weights = self.nodes[index].class_weights, self.nodes[0].class_weights
        priors: NDArray[np.float64] = all_weights / all_weights.sum()
        return (weights + 2 * priors) / (float(weights.sum()) + 2)
