"""Cutting trees back: to a depth, and to the leaves with the least error of all that are possible."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.models import fitted
from tests.support.trees_of_conditions import GrownTree, grown
from tree_explainers.approximation_trees.controls import ControlSettings, grow_cart
from tree_explainers.approximation_trees.generators import Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import SessionOracle
from tree_explainers.approximation_trees.size_choice import cut_to_depth, validated, with_best_leaves
from tree_explainers.approximation_trees.sta import StaSettings, grow_sta
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.rows import Rows

Sample = tuple[Rows, NDArray[np.float64]]


def scores_of(model: GrownTree, n_rows: int, seed: int) -> NDArray[np.float64]:
    """Return made-up answers: the nodes' own, much disturbed, so that many splits of the tree do harm."""
    rng = np.random.default_rng(seed)
    own = model.tree.scores_of(model.rows)[:n_rows]
    spread = max(1.0, 3 * float(own.std()))
    return np.asarray(own + rng.normal(0, spread, own.shape))


def samples_of(model: GrownTree) -> tuple[Sample, Sample]:
    """Return two samples of different sizes."""
    return tuple(  # type: ignore[return-value]
        (model.rows.take(slice(0, n_rows)), scores_of(model, n_rows, seed)) for seed, n_rows in enumerate((40, 130))
    )


def ways_to_cut_back(tree: ApproximationTree, index: int = 0) -> Iterator[frozenset[int]]:
    """Yield the leaves of each tree that is left when nodes at and below one become leaves."""
    yield frozenset({index})
    node = tree.nodes[index]
    if not node.is_leaf:
        for left, right in product(*(ways_to_cut_back(tree, child) for child in (node.left, node.right))):
            yield left | right


def error_of(tree: ApproximationTree, leaves: frozenset[int], sample: Sample, *, is_classifier: bool) -> float:
    """Return the mean error of rows, each of which stops at the first node that is a leaf."""
    rows, scores = sample
    parents = {child: index for index, node in enumerate(tree.nodes) for child in (node.left, node.right)}
    errors = 0.0
    for leaf, answer in zip(tree.leaves_of(rows).tolist(), scores, strict=True):
        stop = leaf
        while stop not in leaves:
            stop = parents[stop]
        facts = tree.nodes[stop].facts
        squared = float(((facts.scores - answer) ** 2).sum())
        errors += (facts.label != answer.argmax()) + 1e-6 * squared if is_classifier else squared
    return errors / len(rows)


@pytest.mark.parametrize("name", ["random_forest_binary", "random_forest_regression", "missing_kept"])
@pytest.mark.sampled("thirds")
def test_the_leaves_that_stay_have_the_least_error_of_all_ways_to_cut_a_tree_back(name: str) -> None:
    model, samples = grown(name, max_depth=4), samples_of(grown(name, max_depth=4))
    tree, is_classifier = model.tree, bool(model.description.classes)
    ways = [*ways_to_cut_back(tree)]
    assert len(ways) > 100
    errors = [sum(error_of(tree, each, own, is_classifier=is_classifier) for own in samples) for each in ways]

    n_leaves = []
    for allowed in range(1, tree.n_leaves + 2):
        cut = with_best_leaves(tree, allowed, samples, is_classifier=is_classifier)
        n_leaves.append(cut.n_leaves)
        least = min(error for way, error in zip(ways, errors, strict=True) if len(way) <= allowed)
        own = sum(error_of(cut, _leaves(cut), sample, is_classifier=is_classifier) for sample in samples)
        assert own == pytest.approx(least, rel=1e-9)
        assert cut.n_leaves <= allowed
    assert n_leaves == sorted(n_leaves)
    assert 1 < n_leaves[-1] < tree.n_leaves  # some splits do harm


def _leaves(tree: ApproximationTree) -> frozenset[int]:
    return frozenset(index for index, node in enumerate(tree.nodes) if node.is_leaf)


def test_a_sample_counts_as_much_as_one_of_more_rows() -> None:
    model = grown("random_forest_multiclass", max_depth=4)
    few, many = samples_of(model)
    repeated = (few[0].take(np.tile(np.arange(40), 7)), np.tile(few[1], (7, 1)))

    once = with_best_leaves(model.tree, 5, (few, many), is_classifier=True)

    assert with_best_leaves(model.tree, 5, (repeated, many), is_classifier=True) == once
    assert with_best_leaves(model.tree, 5, (few,), is_classifier=True) != once


def test_what_does_not_matter_to_labels_is_decided_by_scores() -> None:
    model = grown("random_forest_multiclass", max_depth=5)
    tree, rows = model.tree, model.rows
    alike = replace(
        tree, nodes=tuple(replace(node, facts=replace(node.facts, label=0)) for node in tree.nodes)
    )  # no split changes a label

    cut = with_best_leaves(alike, 4, [(rows, tree.scores_of(rows))], is_classifier=True)

    assert cut.n_leaves == 4
    assert ((cut.scores_of(rows) - tree.scores_of(rows)) ** 2).sum() < (
        (tree.nodes[0].facts.scores - tree.scores_of(rows)) ** 2
    ).sum() / 2


@pytest.mark.parametrize(
    ("name", "most"),
    [("random_forest_multiclass", 0.9), ("random_forest_binary", 0.9), ("random_forest_regression", 1.001)],
)
@pytest.mark.sampled("thirds")
def test_a_limit_of_leaves_leaves_the_most_faithful_ones(name: str, most: float) -> None:
    model = fitted(name)
    oracle, limits = SessionOracle(model.session), TreeLimits(max_depth=8, min_samples_leaf=5, max_leaves=5)
    settings = StaSettings(limits, max_pseudo_samples=2_000)

    chosen, by_gain = (
        grow_sta(model.rows, oracle, replace(settings, choose_by=choose_by), np.random.default_rng(0))
        for choose_by in ("fidelity", "gain")
    )

    fresh = Smoother.of(model.rows, {}).draw(model.rows, NodeBox({}), 4_000, np.random.default_rng(9))
    assert chosen.n_leaves <= by_gain.n_leaves == 5
    of_both = [sum(_error(tree, rows, oracle) for rows in (model.rows, fresh)) for tree in (chosen, by_gain)]
    assert of_both[0] < most * of_both[1]  # on other pseudo rows than those that decided


def _error(tree: ApproximationTree, rows: Rows, oracle: SessionOracle) -> float:
    scores = oracle.predict(rows)
    if oracle.is_classifier:
        return float((tree.labels_of(rows) != scores.argmax(axis=1)).mean())
    return float(((tree.scores_of(rows) - scores) ** 2).mean())


def test_a_tree_is_cut_back_to_the_depth_that_other_rows_confirm() -> None:
    model = fitted("random_forest_multiclass")
    rows, oracle = model.rows, SessionOracle(model.session)
    settings = ControlSettings(TreeLimits(max_depth=6, min_samples_leaf=20), n_pseudo_samples=5_000)
    tree = grow_cart(rows, oracle, settings, np.random.default_rng(0))
    other = Smoother.of(rows, {}).draw(rows, NodeBox({}), 4_000, np.random.default_rng(1))
    scores = oracle.predict(other)
    depths = range(tree.depth + 1)
    errors = [np.mean(cut_to_depth(tree, depth).labels_of(other) != scores.argmax(axis=1)) for depth in depths]

    found = validated(tree, other, scores, is_classifier=True)

    assert found == cut_to_depth(tree, found.depth)
    assert found.structure(found.depth) == tree.structure(found.depth)
    assert errors[found.depth] <= min(errors) + 0.01 < errors[found.depth - 1]
    choice = found.depth_choice
    assert choice is not None
    assert choice.depth == found.depth
    np.testing.assert_allclose(choice.errors, errors)
    least = int(np.argmin(choice.errors))
    within = choice.errors[least] + choice.standard_errors[least]
    assert choice.errors[choice.depth] <= within < choice.errors[choice.depth - 1]
    shuffled = scores[np.random.default_rng(2).permutation(len(scores))]
    assert validated(tree, other, shuffled, is_classifier=True).depth == 1  # nothing is confirmed: the least there is
