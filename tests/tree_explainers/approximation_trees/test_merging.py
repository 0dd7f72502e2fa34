"""What is merged or turned round after growth says the same of every row."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.implied_columns import implied_case
from tests.support.ism_training import IsmCase, ism_case
from tree_explainers.approximation_trees.merging import face, merge_alike
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree


def _labels_below(tree: ApproximationTree, index: int) -> set[int | None]:
    node = tree.nodes[index]
    if node.is_leaf:
        return {node.facts.label}
    return _labels_below(tree, node.left) | _labels_below(tree, node.right)


def _is_in_preorder(tree: ApproximationTree) -> bool:
    order, waiting = [], [0]
    while waiting:
        order.append(waiting.pop())
        node = tree.nodes[order[-1]]
        waiting += [] if node.is_leaf else [node.right, node.left]
    return order == list(range(len(tree.nodes)))


@pytest.mark.parametrize("name", ["implied", "random_forest_multiclass", "missing_kept"])
def test_nodes_of_one_label_are_merged_and_every_prediction_stays(name: str) -> None:
    case = implied_case() if name == "implied" else ism_case(name)
    grown = case.grow(TreeLimits(12, 2), prune_safely=False)

    merged = merge_alike(grown)

    assert merged.n_leaves < grown.n_leaves
    assert _is_in_preorder(merged)
    assert all(len(_labels_below(merged, at)) > 1 for at, node in enumerate(merged.nodes) if not node.is_leaf)
    for rows in (case.rows, case.unseen(2000)):
        np.testing.assert_array_equal(merged.labels_of(rows), grown.labels_of(rows))
    reached = merged.leaves_of(case.rows)
    for at in np.unique(reached):
        own = case.training.scores[reached == at]
        assert merged.nodes[at].facts.n_samples == len(own)
        np.testing.assert_allclose(merged.nodes[at].facts.scores, own.mean(axis=0), atol=1e-8)
    assert merge_alike(merged) == merged


def test_a_merged_leaf_is_settled_where_all_leaves_were() -> None:
    grown = ism_case("few_random_forest_binary").grow(TreeLimits(3, 5))
    top = next(at for at, node in enumerate(grown.nodes) if not node.is_leaf and grown.nodes[node.left].is_leaf)
    pair = replace(grown, nodes=(replace(grown.nodes[top], left=1, right=2), *grown.nodes[-2:]))

    for left, right in ((True, True), (True, False), (None, None)):
        below = [
            replace(node, facts=replace(node.facts, label=1, is_settled=settled), condition=None)
            for node, settled in zip(pair.nodes[1:], (left, right), strict=True)
        ]
        above = replace(pair.nodes[0], facts=replace(pair.nodes[0].facts, is_settled=None if left is None else False))
        (leaf,) = merge_alike(replace(pair, nodes=(above, *below))).nodes
        assert leaf.facts.is_settled == (None if left is None else left and right)


def test_a_tree_whose_leaves_all_say_the_same_becomes_one_leaf_of_their_label() -> None:
    grown = ism_case("random_forest_multiclass").grow(TreeLimits(3, 5))
    nodes = tuple(replace(node, facts=replace(node.facts, label=2)) if node.is_leaf else node for node in grown.nodes)

    (leaf,) = merge_alike(replace(grown, nodes=nodes)).nodes

    assert leaf.facts.label == 2
    assert leaf.facts.n_samples == grown.nodes[0].facts.n_samples
    assert merge_alike(replace(grown, nodes=(leaf,))).nodes == (leaf,)


@pytest.mark.parametrize("name", ["implied", "missing_kept"])
def test_conditions_turned_round_send_every_row_to_the_same_leaf(name: str) -> None:
    case = implied_case() if name == "implied" else ism_case(name)
    grown = case.grow(TreeLimits(6, 2))
    compared = {node.condition for node in grown.nodes if node.condition and node.condition.operator == "<="}
    chosen = {each for each in compared if each.or_missing or not _has_missing(case, each.column)}

    faced = face(grown, lambda condition: condition in chosen)

    assert chosen
    assert _is_in_preorder(faced)
    assert {node.condition for node in faced.nodes if node.condition and node.condition.operator == ">"} == {
        replace(each, operator=">", or_missing=False) for each in chosen
    }
    for rows in (case.rows, case.unseen(500)):
        reached = zip(grown.leaves_of(rows), faced.leaves_of(rows), strict=True)
        assert all(grown.nodes[before].facts is faced.nodes[after].facts for before, after in reached)


def _has_missing(case: IsmCase, column: str) -> bool:
    values = case.rows.select([column]).columns[0]
    return bool(values.dtype != object and np.isnan(values).any())
