"""Forests of first-order trees are the forests over their columns, as the trees' own walk by bindings has it."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.naive_relational import passes, plain_rows
from tests.support.naive_trees import walk_leaves
from tests.support.raw_tables import RawTables, relational_rows
from tests.support.relational_cases import raw_tables, unlabelled
from tests.support.relational_data import muta, mutagenicity
from tests.support.sampling import mostly_long
from tree_explainers.onnx_models.forest_writing import write_forest_onnx
from tree_explainers.relational.forests import (
    ForestSettings,
    ForestVotes,
    RelationalForest,
    bag_weights,
    grow_forest,
    labelled_examples,
)
from tree_explainers.relational.queries import FeatureTest
from tree_explainers.relational.query_trie import evaluate
from tree_explainers.relational.tables import MISSING, RelationalRows
from tree_explainers.relational.tilde import grow_tilde
from tree_explainers.relational.tilde_trees import TildeSettings, TildeTree

_SMALL = TildeSettings(min_samples_leaf=1, pruning="none", test_share=0.4)
_CASES = settings(max_examples=40)


@_CASES
@given(raw_tables(max_rows=10, min_examples=6), st.sampled_from(["forf", "bagging", "tilde"]))
def test_columns_and_onnx_decide_as_bindings_do_on_seen_and_unseen_examples(raw: RawTables, method: Any) -> None:
    rows = relational_rows(unlabelled(raw, [1, 4]))
    forest = grow_forest(rows, ForestSettings(method, 3, 5, _SMALL))
    matrix = _matrix(forest, rows)

    labels, scores = _run(forest, matrix, rows.classes)

    plain, leaves = plain_rows(rows), walk_leaves(forest.ensemble, matrix)
    for example in range(rows.n_examples):
        reached = [_place_of_leaf(tree, partial(passes, plain, example=example)) for tree in forest.trees]
        assert reached == [_place(forest, number, leaf) for number, leaf in enumerate(leaves[example].tolist())]
        sums = _sums(forest, reached)
        assert labels[example] == rows.classes[sums.index(max(sums))]
        assert scores[example].tolist() == [float(each / len(reached)) for each in sums]


def test_features_are_distinct_and_in_the_order_of_first_use() -> None:
    forest = grow_forest(_muta(), ForestSettings("forf", 4, 0, TildeSettings(test_share=0.3)))

    used = forest.ensemble.column[forest.ensemble.operator != 0].tolist()
    assert list(dict.fromkeys(used)) == list(range(len(forest.features)))
    assert len(set(forest.features)) == len(set(forest.feature_ids)) == len(forest.features)


def test_bags_are_drawn_from_labelled_examples_by_seed_and_tree_alone() -> None:
    rows = _muta(*range(0, 230, 5))
    few, many = ForestSettings("bagging", 2, 9), ForestSettings("bagging", 7, 9)
    labelled = labelled_examples(rows)
    weights = [bag_weights(rows, few, tree) for tree in range(2)]

    for tree, each in enumerate(weights):
        assert each.sum() == len(labelled) == 184
        assert not each[rows.labels == MISSING].any()
        assert 0.55 < (each[labelled] > 0).mean() < 0.72  # 1 - 1/e
        assert np.array_equal(each, bag_weights(rows, many, tree))
    assert not np.array_equal(weights[0], weights[1])
    assert not np.array_equal(weights[0], bag_weights(rows, replace(few, seed=10), 0))
    assert np.array_equal(bag_weights(rows, ForestSettings("tilde"), 0), np.isin(np.arange(230), labelled))


@pytest.mark.parametrize("method", mostly_long(["forf", "bagging", "tilde"], "forf"))
def test_a_forest_is_the_trees_of_its_bags_with_any_number_of_threads(method: Any) -> None:
    rows = _muta()
    of_forest = ForestSettings(method, 2, 3, TildeSettings(test_share=0.3))
    of_tree = of_forest.tree if method == "forf" else TildeSettings()

    forest = grow_forest(rows, of_forest, n_threads=1)

    assert len(forest.trees) == (1 if method == "tilde" else 2)
    for number, tree in enumerate(forest.trees):
        weights = bag_weights(rows, of_forest, number)
        assert list(tree.tests()) == list(grow_tilde(rows, weights, of_tree, (3, number)).tests())
        assert np.array_equal(forest.in_bag[number], weights > 0)
    again = grow_forest(rows, of_forest, n_threads=3)
    assert _onnx(again, rows.classes) == _onnx(forest, rows.classes)


def test_votes_out_of_bag_are_those_of_the_trees_that_did_not_see_the_example() -> None:
    rows = _muta(3, 8)
    forest = grow_forest(rows, ForestSettings("bagging", 5, 1))
    leaves = walk_leaves(forest.ensemble, _matrix(forest, rows))

    votes = ForestVotes.of(forest)
    for start in (0, 100, 200):
        votes.add(forest, leaves[start : start + 100], start)

    for example in range(rows.n_examples):
        values = [
            forest.ensemble.leaf_values[forest.ensemble.leaf_offsets[tree] + leaves[example, tree]] for tree in range(5)
        ]
        out = [value for tree, value in enumerate(values) if not forest.in_bag[tree, example]]
        assert votes.sums[example].tolist() == np.sum(values, axis=0).tolist()
        assert votes.out_of_bag[example].tolist() == np.sum([[0.0, 0.0], *out], axis=0).tolist()
        assert votes.n_out_of_bag[example] == len(out)
    assert votes.n_out_of_bag[3] == votes.n_out_of_bag[8] == 5


@pytest.mark.parametrize("scale", [1.0, -3e20, 1e-30])
@pytest.mark.sampled("thirds")
def test_a_forest_of_regression_predicts_the_means_of_the_values_that_reach_its_leaves(scale: float) -> None:
    rows = relational_rows(mutagenicity())
    assert rows.values is not None
    values = np.where(np.arange(230) % 9 == 0, np.nan, rows.values * scale)
    rows = replace(rows, values=values)
    tree = TildeSettings(max_depth=2, test_share=0.1)
    forest = grow_forest(rows, ForestSettings("forf", 3, 4, tree))
    matrix, plain = _matrix(forest, rows), plain_rows(rows)

    (found,) = onnxruntime.InferenceSession(_onnx(forest, ())).run(None, {"features": matrix})

    reached = np.array(
        [
            [_place_of_leaf(tree, partial(passes, plain, example=example)) for tree in forest.trees]
            for example in range(230)
        ]
    )
    assert not forest.in_bag[:, ::9].any()
    means = np.zeros((230, 3))
    for number in range(3):
        weights = bag_weights(rows, ForestSettings("forf", 3, 4, tree), number)
        for place in set(reached[:, number].tolist()):
            inside = np.flatnonzero((reached[:, number] == place) & (weights > 0))
            means[reached[:, number] == place, number] = np.average(values[inside], weights=weights[inside])
    largest = float(np.abs(means).max())
    assert found[:, 0] == pytest.approx(means.mean(axis=1), rel=0, abs=largest * 2**-31)
    again = onnxruntime.InferenceSession(_onnx(forest, ())).run(None, {"features": matrix[:7]})[0]
    assert again.tolist() == found[:7].tolist()
    leaves = walk_leaves(forest.ensemble, matrix)
    exact = [
        [
            Fraction(float(forest.ensemble.leaf_values[forest.ensemble.leaf_offsets[tree] + leaf, 0]))
            for tree, leaf in enumerate(row)
        ]
        for row in leaves.tolist()
    ]
    assert found[:, 0].tolist() == [float(sum(row, Fraction(0)) / 3) for row in exact]


def _muta(*without_label: int) -> RelationalRows:
    rows = relational_rows(muta())
    assert rows.labels is not None
    return replace(rows, labels=np.where(np.isin(np.arange(230), without_label), MISSING, rows.labels))


def _matrix(forest: RelationalForest, rows: RelationalRows) -> NDArray[np.float32]:
    columns = [column.astype(np.float32) for column in evaluate(forest.features, rows)]
    return np.column_stack(columns) if columns else np.zeros((rows.n_examples, 1), np.float32)


def _onnx(forest: RelationalForest, classes: tuple[str, ...]) -> bytes:
    return write_forest_onnx(forest.ensemble, max(1, len(forest.features)), classes)


def _run(forest: RelationalForest, matrix: NDArray[np.float32], classes: tuple[str, ...]) -> Any:
    return onnxruntime.InferenceSession(_onnx(forest, classes)).run(None, {"features": matrix})


def _place_of_leaf(tree: TildeTree, holds: Callable[[FeatureTest], bool]) -> int:
    place = 0
    while (test := tree.nodes[place].test) is not None:
        place = tree.nodes[place].yes if holds(test) else tree.nodes[place].no
    return place


def _place(forest: RelationalForest, tree: int, leaf: int) -> int:
    return int(forest.ensemble.leaf_nodes[forest.ensemble.leaf_offsets[tree] + leaf] - forest.ensemble.offsets[tree])


def _sums(forest: RelationalForest, reached: list[int]) -> list[Fraction]:
    """Return sums of the m-estimates, which count in units of 2^-32."""
    scores = []
    for tree, place in zip(forest.trees, reached, strict=True):
        weights, everything = tree.nodes[place].class_weights, tree.nodes[0].class_weights
        exact = (weights + 2 * everything / everything.sum()) / (weights.sum() + 2)
        scores.append([Fraction(round(score * 2**32), 2**32) for score in exact.tolist()])
    return [sum(of_class, Fraction(0)) for of_class in zip(*scores, strict=True)]
