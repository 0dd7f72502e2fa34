"""Forests of first-order trees: bagging, and first-order random forests (Van Assche, Vens, Blockeel & Dzeroski 2006).

Every test of a tree is a closed query, so a forest is an ordinary one over columns: its distinct features, found
while it grows, in the order in which the trees first use them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress, part_of
from ..ensemble import Operator, TreeEnsemble, join_ensembles
from ..onnx_models.forest_writing import exponent_of, rounded_values
from .canonical import canonical, feature_id
from .queries import Feature, FeatureTest
from .tables import MISSING, RelationalRows
from .tilde import grow_tilde
from .tilde_trees import SkippedTest, TildeSettings, TildeTree

ForestMethod = Literal["forf", "bagging", "tilde"]
_HALF = 0.5  # between no and yes of a boolean column


@dataclass(frozen=True, slots=True)
class ForestSettings:
    """How a forest is grown.

    ``tilde`` is one tree on all labelled examples; of the tree's settings, ``test_share`` counts for ``forf`` alone.
    """

    method: ForestMethod = "forf"
    n_trees: int = 33
    seed: int = 0
    tree: TildeSettings = field(default_factory=TildeSettings)


@dataclass(frozen=True, slots=True)
class RelationalForest:
    """First-order trees, and the same trees with their features as columns."""

    trees: tuple[TildeTree, ...]
    features: tuple[Feature, ...]  # in canonical form, each once, in the order of first use: tree by tree, root first
    feature_ids: tuple[str, ...]
    ensemble: TreeEnsemble  # column c is features[c]: 0 and 1 of ``exists``, else its value, NaN for missing
    in_bag: NDArray[np.bool_]  # (n_trees, n_examples) whether a tree was learned from an example

    @property
    def skipped(self) -> tuple[SkippedTest, ...]:
        """Tests that were not evaluated in some tree, each once."""
        return tuple(dict.fromkeys(each for tree in self.trees for each in tree.skipped))


def grow_forest(
    rows: RelationalRows,
    settings: ForestSettings,
    report: ReportProgress = ignore_progress,
    n_threads: int | None = None,
) -> RelationalForest:
    """Grow a forest; the same rows, settings and seed give the same one, with any number of threads.

    Parameters
    ----------
    rows
        All tables, with labels, or without and with the values of a regression; examples without one are not learned
        from.
    settings
        How it is grown.
    report
        Progress callback; may raise to stop.
    n_threads
        Threads that share the tests of a node; None: one for each core.
    """
    n_trees = 1 if settings.method == "tilde" else settings.n_trees
    of_tree = settings.tree if settings.method == "forf" else replace(settings.tree, test_share=1.0)
    trees, in_bag = [], np.zeros((n_trees, rows.n_examples), np.bool_)
    for tree in range(n_trees):
        weights = bag_weights(rows, settings, tree)
        in_bag[tree] = weights > 0
        progress = part_of(report, tree / n_trees, (tree + 1) / n_trees)
        trees.append(grow_tilde(rows, weights, of_tree, (settings.seed, tree), progress, n_threads))
    return as_columns(tuple(trees), in_bag)


def bag_weights(rows: RelationalRows, settings: ForestSettings, tree: int) -> NDArray[np.float64]:
    """Return how often a tree's bootstrap sample holds each example, (n_examples,); without one, 1 of the labelled.

    A sample has as many draws as there are labelled examples, by a generator keyed on the seed and the tree's number.
    """
    labelled = labelled_examples(rows)
    if settings.method == "tilde":
        drawn = labelled
    else:
        generator = np.random.default_rng((settings.seed, tree))
        drawn = labelled[generator.integers(len(labelled), size=len(labelled))]
    return np.bincount(drawn, minlength=rows.n_examples).astype(np.float64)


def labelled_examples(rows: RelationalRows) -> NDArray[np.int64]:
    """Return the examples with a label, or with a value of a regression, ascending."""
    if rows.labels is not None:
        return np.flatnonzero(rows.labels != MISSING)
    return np.empty(0, np.int64) if rows.values is None else np.flatnonzero(~np.isnan(rows.values))


def as_columns(trees: tuple[TildeTree, ...], in_bag: NDArray[np.bool_]) -> RelationalForest:
    """Return the trees together with their distinct features, as a forest over these."""
    features: dict[str, Feature] = {}
    parts = []
    for tree in trees:
        identifiers = [None if node.test is None else feature_id(node.test.feature) for node in tree.nodes]
        for identifier, node in zip(identifiers, tree.nodes, strict=True):
            if identifier is not None and node.test is not None and identifier not in features:
                features[identifier] = canonical(node.test.feature)
        parts.append((tree, identifiers))
    columns = {identifier: column for column, identifier in enumerate(features)} | {None: 0}
    means = [node.mean for tree in trees for node in tree.nodes if node.mean is not None and node.test is None]
    exponent = exponent_of(np.array(means))
    ensembles = [_tree_ensemble(tree, [columns[each] for each in identifiers], exponent) for tree, identifiers in parts]
    return RelationalForest(trees, tuple(features.values()), tuple(features), join_ensembles(ensembles), in_bag)


def _tree_ensemble(tree: TildeTree, columns: Sequence[int], exponent: int) -> TreeEnsemble:
    """Return a tree as arrays; a missing value fails every test. Means are of at most 2^exponent."""
    n_nodes, node_index = len(tree.nodes), np.arange(len(tree.nodes))
    is_leaf = np.array([node.test is None for node in tree.nodes])
    leaves = np.flatnonzero(is_leaf)
    splits = [(Operator.LEAF, 0.0) if node.test is None else _split(node.test) for node in tree.nodes]
    scores = rounded_values(np.array([tree.leaf_scores(int(leaf)) for leaf in leaves]), exponent)
    return TreeEnsemble(
        offsets=np.array([0, n_nodes], np.int32),
        column=np.array(columns, np.int32),
        operator=np.array([operator for operator, _ in splits], np.uint8),
        threshold=np.array([threshold for _, threshold in splits]),
        missing_left=np.zeros(n_nodes, np.bool_),
        left=np.where(is_leaf, node_index, [node.yes for node in tree.nodes]).astype(np.int32),
        right=np.where(is_leaf, node_index, [node.no for node in tree.nodes]).astype(np.int32),
        leaf_nodes=leaves.astype(np.int32),
        leaf_offsets=np.array([0, len(leaves)], np.int32),
        leaf_values=scores,
    )


def _split(test: FeatureTest) -> tuple[Operator, float]:
    if test.cut is None:
        return Operator.GT, _HALF
    return (Operator.GT if test.operator == ">" else Operator.LEQ), test.cut


# Evaluation, from the leaves that examples reach.


@dataclass(slots=True)
class ForestVotes:
    """Sums of leaf values of all examples, gathered block by block."""

    sums: NDArray[np.float64]  # (n_examples, n_outputs) of all trees
    out_of_bag: NDArray[np.float64]  # (n_examples, n_outputs) of the trees that were not learned from the example
    n_out_of_bag: NDArray[np.int64]  # (n_examples,) number of these trees

    @classmethod
    def of(cls, forest: RelationalForest) -> "ForestVotes":
        """Return votes before the first block."""
        shape = forest.in_bag.shape[1], forest.ensemble.leaf_values.shape[1]
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape[0], np.int64))

    def add(self, forest: RelationalForest, leaves: NDArray[np.integer], start: int) -> None:
        """Add a block of examples from ``start`` on; ``leaves`` are their leaves in each tree, (n_rows, n_trees)."""
        block = slice(start, start + len(leaves))
        for tree, first in enumerate(forest.ensemble.leaf_offsets[:-1]):
            values = forest.ensemble.leaf_values[first + leaves[:, tree]]
            is_out = ~forest.in_bag[tree, block]
            self.sums[block] += values
            self.out_of_bag[block][is_out] += values[is_out]
            self.n_out_of_bag[block] += is_out
