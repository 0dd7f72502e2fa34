"""Trees cut back to nodes that hold enough rows: leaves, weights and boxes are the twins' and scikit-learn's."""

from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tests.support.models import FittedModel, fitted
from tests.support.naive_coarser_leaves import coarser_codes, coarser_nodes, coarser_values
from tests.support.naive_trees import walk_leaves
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.coarser_leaves import CoarserLeaves, coarser_leaves, steps_of_min_leaf_rows
from tree_explainers.leaf_space.leaves import LeafTable, tree_weights
from tree_explainers.prototype_sets.leaf_boxes import leaf_boxes
from tree_explainers.prototype_sets.reasons import Reasons

MODELS = ("random_forest_binary", "extra_trees_multiclass", "random_forest_regression", "catboost_binary")
BOOSTERS = ("gradient_boosting_multiclass", "xgboost_regression", "lightgbm_binary", "catboost_multiclass")
_N_ROWS = 120


def leaves_of(model: FittedModel) -> NDArray[np.int32]:
    """Return the leaves of all rows, of which the first 120 are the reference rows."""
    return model.session.run_in_chunks(model.rows).leaves


def cut(model: FittedModel, min_leaf_rows: int) -> tuple[CoarserLeaves, LeafTable]:
    ensemble = model.read.ensemble
    table = LeafTable.from_leaves(leaves_of(model)[:_N_ROWS], ensemble.n_leaves)
    return coarser_leaves(ensemble, table, min_leaf_rows), table


@pytest.mark.parametrize("name", [*MODELS, *BOOSTERS])
@pytest.mark.parametrize("min_leaf_rows", [2, 7])
@pytest.mark.sampled("values")
def test_leaves_are_those_of_the_twin_that_counts_rows_below_every_node(name: str, min_leaf_rows: int) -> None:
    model = fitted(name)
    leaves = leaves_of(model)

    coarser, _ = cut(model, min_leaf_rows)

    nodes = coarser_nodes(model.read.ensemble, leaves[:_N_ROWS], min_leaf_rows)
    assert coarser.codes.tolist() == coarser_codes(nodes).tolist()
    assert coarser.nodes.tolist() == [node for own in nodes for node in sorted(set(own))]
    assert coarser.n_leaves.sum() < model.read.ensemble.n_leaves.sum()


def test_rows_of_a_cut_forest_part_where_scikit_learn_counts_enough_rows_on_both_sides() -> None:
    model = fitted("extra_trees_binary")  # each tree grown on all rows: it knows how many reached each node
    ensemble = model.read.ensemble
    leaves = leaves_of(model)

    coarser = coarser_leaves(ensemble, LeafTable.from_leaves(leaves, ensemble.n_leaves), 5)

    ours = coarser.of(leaves)
    for number, estimator in enumerate(model.estimator.estimators_):
        tree = estimator.tree_
        sizes, children = tree.n_node_samples, np.stack([tree.children_left, tree.children_right], axis=1)
        ends_here = (children[:, 0] < 0) | (sizes[children].min(axis=1) < 5)
        path = tree.decision_path(model.features).toarray().astype(bool)
        theirs = (path & ends_here).argmax(axis=1)  # a child has a larger number than its parent
        pairs = set(zip(theirs.tolist(), ours[:, number].tolist(), strict=True))
        assert len(pairs) == len(set(theirs.tolist())) == len(set(ours[:, number].tolist()))


@pytest.mark.parametrize("name", MODELS)
def test_other_rows_reach_the_leaves_of_the_cut_trees(name: str) -> None:
    model = fitted(name)
    leaves = leaves_of(model)[_N_ROWS : _N_ROWS + 30]
    coarser, table = cut(model, 3)

    found = coarser.of(leaves)

    cut_trees = coarser.cut(model.read.ensemble)
    assert found.tolist() == walk_leaves(cut_trees, model.features[_N_ROWS : _N_ROWS + 30]).tolist()
    other = LeafTable.from_leaves(leaves, model.read.ensemble.n_leaves)
    assert coarser.table(other).leaves_of(np.arange(30)).tolist() == found.tolist()
    assert coarser.table(table).leaf_sizes.max() > table.leaf_sizes.max()


@pytest.mark.parametrize("name", BOOSTERS)
def test_boosting_weighs_cut_trees_by_the_variance_of_the_mean_values_of_their_leaves(name: str) -> None:
    model = fitted(name)
    leaves, ensemble = leaves_of(model)[:_N_ROWS], model.read.ensemble
    coarser, table = cut(model, 7)

    weights = coarser.weights("boosting", table, ensemble.leaf_values)

    own_values = np.split(ensemble.leaf_values, ensemble.leaf_offsets[1:-1])
    merged = coarser_values(leaves, own_values, coarser_nodes(ensemble, leaves, 7))
    np.testing.assert_allclose(coarser.values(table, ensemble.leaf_values), np.concatenate(merged), rtol=1e-12)
    expected = naive.boosting_weights(merged, coarser.of(leaves))
    assert np.abs(weights - np.array(expected)).max() <= 1  # means are rounded
    assert (weights[coarser.n_leaves == 1] == 0).all()


def test_a_tree_cut_to_one_leaf_counts_nothing_and_without_any_other_it_is_refused() -> None:
    model = fitted("random_forest_multiclass")
    coarser, table = cut(model, 30)
    assert 0 < (coarser.n_leaves == 1).sum() < model.read.ensemble.n_trees

    weights = coarser.weights("random_forest", table)

    assert weights.tolist() == (coarser.n_leaves > 1).tolist()
    with pytest.raises(InvalidInput, match="no tree has a split with 61 of the 120 reference rows on both sides"):
        cut(model, 61)[0].weights("random_forest", table)


def test_with_one_row_nothing_changes() -> None:
    model = fitted("xgboost_binary")
    leaves = leaves_of(model)
    coarser, table = cut(model, 1)
    values = model.read.ensemble.leaf_values

    assert coarser.of(leaves) is leaves
    assert coarser.table(table) is table
    assert coarser.codes.tolist() == np.concatenate([np.arange(n) for n in model.read.ensemble.n_leaves]).tolist()
    assert coarser.weights("boosting", table, values).tolist() == tree_weights("boosting", table, values).tolist()


@pytest.mark.parametrize("name", ["random_forest_binary", "gradient_boosting_multiclass"])
def test_reasons_are_exact_for_boxes_of_inner_nodes(name: str) -> None:
    model = fitted(name)
    coarser, _ = cut(model, 4)
    trees, leaves = coarser.cut(model.read.ensemble), coarser.of(leaves_of(model))
    columns = np.arange(model.features.shape[1], dtype=np.int32)
    reasons = Reasons.build(leaf_boxes(trees, leaves[:1], columns))
    row = int((leaves[1:] == leaves[0]).sum(axis=1).argmax()) + 1
    shared = leaves[[row]] == leaves[0]

    found = reasons.of(np.array([0]), shared, np.ones(shared.shape[1], np.uint32))

    n_checked = 0
    for reason in found:
        ends = [end for end in (reason["low"], reason["high"]) if np.isfinite(end)]
        values = [np.nextafter(np.float32(end), np.float32(way)) for end in ends for way in (-np.inf, np.inf)]
        values += [np.float32(end) for end in ends]
        for value in values:
            changed = model.features[[0]].copy()
            changed[0, reason["column"]] = value
            stays = (walk_leaves(trees, changed)[0] == leaves[0])[shared[0]].all()
            assert stays == (reason["low"] < value <= reason["high"])
            n_checked += 1
    assert n_checked > 20


def test_steps_are_those_at_which_a_split_can_hold_as_many_rows_on_both_sides() -> None:
    assert list(steps_of_min_leaf_rows(100)) == [1, 2, 3, 5, 10, 20, 30, 50]
    assert list(steps_of_min_leaf_rows(1)) == [1]
    assert list(islice(steps_of_min_leaf_rows(10**9), 8, 11)) == [100, 200, 300]


def test_what_cannot_be_cut_is_refused() -> None:
    model = fitted("random_forest_binary")
    _, table = cut(model, 1)

    with pytest.raises(InvalidInput, match="min_leaf_rows must be at least 1, got 0"):
        coarser_leaves(model.read.ensemble, table, 0)
    with pytest.raises(InvalidInput, match="other leaves"):
        coarser_leaves(model.read.ensemble.trees(0, 3), table, 2)
