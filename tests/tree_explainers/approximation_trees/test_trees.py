"""A tree as a result: which leaf a row reaches, and what two trees have in common, on real tables."""

import functools
import math
from typing import Any

import numpy as np
import pytest

from tests.support.pipelines import fitted_pipeline
from tree_explainers.approximation_trees.oracle import SessionOracle
from tree_explainers.approximation_trees.sta import StaSettings, grow_sta
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.errors import InvalidInput
from tree_explainers.questions.conditions import Condition
from tree_explainers.rows import Rows

PIPELINES = ("scaled_and_one_hot", "ordinal_categories", "missing_kept")


@functools.cache
def grown(name: str, seed: int = 0) -> tuple[ApproximationTree, Rows]:
    model = fitted_pipeline(name)
    settings = StaSettings(TreeLimits(5, 3), max_pseudo_samples=1_000)
    return grow_sta(model.rows, SessionOracle(model.session), settings, np.random.default_rng(seed)), model.rows


def walked(tree: ApproximationTree, row: dict[str, Any]) -> int:
    """Return the leaf that one row reaches, condition by condition."""
    at = 0
    while (condition := tree.nodes[at].condition) is not None:
        at = tree.nodes[at].left if holds(condition, row[condition.column]) else tree.nodes[at].right
    return at


def holds(condition: Condition, value: float | str | None) -> bool:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return condition.operator == "is missing" or condition.or_missing
    if isinstance(value, float) and isinstance(condition.value, float):
        return value <= condition.value
    return condition.operator == "is" and value == condition.value


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.sampled("thirds")
def test_a_row_reaches_the_leaf_that_the_conditions_lead_to(name: str) -> None:
    tree, rows = grown(name)

    expected = [walked(tree, dict(zip(rows.names, row, strict=True))) for row in zip(*rows.columns, strict=True)]

    assert tree.leaves_of(rows).tolist() == expected
    assert len(set(expected)) > 10
    for leaf, scores, label in zip(expected, tree.scores_of(rows), tree.labels_of(rows), strict=True):
        assert tree.nodes[leaf].is_leaf
        assert scores.tolist() == tree.nodes[leaf].facts.scores.tolist()
        assert label == scores.argmax()


@pytest.mark.parametrize("name", PIPELINES)
def test_depths_count_the_conditions_before_a_node(name: str) -> None:
    tree, _ = grown(name)

    for at, node in enumerate(tree.nodes):
        if not node.is_leaf:
            assert tree.depths[node.left] == tree.depths[node.right] == tree.depths[at] + 1
    assert tree.depth == tree.depths.max() == 5
    assert tree.n_leaves == (len(tree.nodes) + 1) // 2


def test_structures_are_equal_down_to_the_depth_at_which_conditions_are() -> None:
    (one, _), (other, _) = grown("scaled_and_one_hot"), grown("scaled_and_one_hot", seed=1)

    assert one.structure(1) == other.structure(1)  # women and men
    assert one.structure(5) != other.structure(5)  # a thousand rows are not enough for the rest
    assert one.structure(5) == one.structure(9)
    assert one.structure(0) == other.structure(0) == ()


def test_a_column_that_a_node_tests_must_be_there() -> None:
    tree, rows = grown("scaled_and_one_hot")

    with pytest.raises(InvalidInput, match="'sex'") as refused:
        tree.leaves_of(rows.select([name for name in rows.names if name != "sex"]))

    assert refused.value.code == "schema_mismatch"
