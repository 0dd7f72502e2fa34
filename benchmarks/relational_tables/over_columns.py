"""First-order trees as columns of tests, and ISM over them by CoverLists, as section 2.5 of the paper describes it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tree_explainers.approximation_trees.coverlists import CoverLists
from tree_explainers.approximation_trees.information_gain import NodeLabels, best_test, in_units
from tree_explainers.approximation_trees.tree_growth import ExaminedNode, Split, TreeLimits, grow
from tree_explainers.approximation_trees.trees import Node
from tree_explainers.relational.queries import Feature, FeatureTest
from tree_explainers.relational.query_trie import evaluate
from tree_explainers.relational.tables import RelationalRows
from tree_explainers.relational.tilde_trees import TildeTree

Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]
_NO_LIMIT = TreeLimits(max_depth=1_000_000, min_samples_leaf=1)


@dataclass(frozen=True)
class TestColumns:
    """Whether each example passes each test that some trees ask."""

    __test__ = False

    places: dict[FeatureTest, int]
    passed: Flags  # (n_tests, n_examples)

    @classmethod
    def of(cls, trees: Sequence[TildeTree], rows: RelationalRows) -> "TestColumns":
        """Ask all distinct tests of all examples."""
        tests = list(dict.fromkeys(test for tree in trees for test in tree.tests()))
        features: list[Feature] = list(dict.fromkeys(test.feature for test in tests))
        columns = dict(zip(features, evaluate(features, rows), strict=True))
        passed = np.empty((len(tests), rows.n_examples), np.bool_)
        for place, test in enumerate(tests):
            values = columns[test.feature]
            passed[place] = values if test.operator is None else _cut(values, test)
        return cls({test: place for place, test in enumerate(tests)}, passed)

    def leaves(self, tree: TildeTree) -> Rows:
        """Return the place of the leaf that each example ends in, (n_examples,)."""
        n_examples = self.passed.shape[1]
        leaves = np.zeros(n_examples, np.int64)
        reaching = {0: np.arange(n_examples)}
        for place, node in enumerate(tree.nodes):
            here = reaching.pop(place)
            if node.test is None:
                leaves[here] = place
                continue
            holds = self.passed[self.places[node.test], here]
            reaching |= {node.yes: here[holds], node.no: here[~holds]}
        return leaves


def _cut(values: NDArray[np.generic], test: FeatureTest) -> Flags:
    cut = np.float32(test.cut)
    numbers = values.astype(np.float32)  # comparisons with NaN are false
    return numbers > cut if test.operator == ">" else numbers <= cut


@dataclass(frozen=True)
class Ensemble:
    """What trees say about all examples."""

    trees: Sequence[TildeTree]
    leaves: NDArray[np.int64]  # (n_trees, n_examples)
    scores: NDArray[np.float64]  # (n_trees, n_examples, n_classes)

    @classmethod
    def of(cls, trees: Sequence[TildeTree], columns: TestColumns) -> "Ensemble":
        """Send all examples down all trees."""
        leaves = np.stack([columns.leaves(tree) for tree in trees])
        of_leaves = [np.stack([tree.leaf_scores(place) for place in range(len(tree.nodes))]) for tree in trees]
        return cls(trees, leaves, np.stack([of[own] for of, own in zip(of_leaves, leaves, strict=True)]))

    def first(self, n_trees: int) -> "Ensemble":
        """Return the ensemble of the first trees."""
        return Ensemble(self.trees[:n_trees], self.leaves[:n_trees], self.scores[:n_trees])

    @property
    def n_tests(self) -> int:
        """Number of tests of all trees."""
        return sum(tree.n_tests for tree in self.trees)

    def mean_scores(self) -> NDArray[np.float64]:
        """Return equation 1's means, (n_examples, n_classes)."""
        means: NDArray[np.float64] = self.scores.mean(axis=0)
        return means


@dataclass(frozen=True)
class IsmTree:
    """A tree over tests."""

    nodes: Sequence[Node[int]]

    @property
    def n_tests(self) -> int:
        """Number of tests."""
        return sum(not node.is_leaf for node in self.nodes)

    @property
    def n_tests_merged(self) -> int:
        """Number of tests once nodes whose leaves carry one label are leaves."""
        said: list[set[int | None]] = [set() for _ in self.nodes]
        for place in reversed(range(len(self.nodes))):
            node = self.nodes[place]
            said[place] = {node.facts.label} if node.is_leaf else said[node.left] | said[node.right]
        return sum(len(labels) > 1 for labels in said)

    def labels(self, passed: Flags) -> NDArray[np.int64]:
        """Return the label of each example, given which tests it passes, (n_tests, n_examples)."""
        labels = np.zeros(passed.shape[1], np.int64)
        reaching = {0: np.arange(passed.shape[1])}
        for place, node in enumerate(self.nodes):
            here = reaching.pop(place)
            if node.condition is None:
                assert node.facts.label is not None
                labels[here] = node.facts.label
                continue
            holds = passed[node.condition, here]
            reaching |= {node.left: here[holds], node.right: here[~holds]}
        return labels


def grow_ism(ensemble: Ensemble, columns: TestColumns, train: Rows, classes: NDArray[np.int64]) -> IsmTree:
    """Grow ISM's tree from the training examples, with ``stop_when_pure`` and safe pruning by coverlists.

    A node is settled where, whatever leaves its training examples' tests let them reach, one class surely wins. Of
    tests that cover the same examples the one of fewest variables, then conditions, then the earlier is a candidate.
    """
    candidates = _distinct(ensemble, columns, train)
    tests = CoverLists.of(columns.passed[candidates][:, train])
    scores = ensemble.mean_scores()[train]
    known = NodeLabels(in_units(scores), scores.argmax(axis=1))
    of_train, of_trees = classes[train], ensemble.scores[:, train]

    def examine(rows: Rows, n_levels: int) -> ExaminedNode[Rows, int]:
        facts = known.facts(rows)
        pure = (of_train[rows] == of_train[rows[0]]).all()
        best = None if pure or _is_certain(of_trees[:, rows]) else best_test(tests, rows, known.units, 1)
        if best is None or n_levels == 0:
            return ExaminedNode(facts, None)
        holds = tests.holds(best[0], rows)
        return ExaminedNode(facts, Split(int(candidates[best[0]]), rows[holds], rows[~holds], best[1]))

    return IsmTree(grow(np.arange(len(train)), examine, _NO_LIMIT))


def _is_certain(scores: NDArray[np.float64]) -> bool:
    """Return whether one class's least score surpasses the greatest of all others (section 2.4).

    ``scores`` are (n_trees, n_own, n_classes): those of the leaves that examples of the node end in.
    """
    least, greatest = scores.min(axis=1).mean(axis=0), scores.max(axis=1).mean(axis=0)
    winner = int(least.argmax())
    return bool(least[winner] > np.delete(greatest, winner).max())


def _distinct(ensemble: Ensemble, columns: TestColumns, train: Rows) -> Rows:
    """Return the places of the ensemble's tests, one of those that cover the same training examples; no empty ones."""
    own = list(dict.fromkeys(columns.places[test] for tree in ensemble.trees for test in tree.tests()))
    size = {place: _size(test) for test, place in columns.places.items()}
    covers = {place: columns.passed[place, train] for place in own}
    kept: dict[bytes, int] = {}
    for place in sorted(own, key=lambda place: size[place]):  # stable: the earlier of equal ones
        kept.setdefault(np.packbits(covers[place]).tobytes(), place)
    return np.array([place for place in own if place in set(kept.values())], dtype=np.int64)


def _size(test: FeatureTest) -> tuple[int, int]:
    query = test.feature.query
    return len(query.variables), len(query.conditions) + (test.operator is not None)
