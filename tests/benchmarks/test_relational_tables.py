"""The paper's experiments on first-order ensembles: divisions, ISM over columns of tests, and copies of tables."""

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.relational_speed import copies
from benchmarks.relational_tables.folds import Division, Figure, divisions
from benchmarks.relational_tables.over_columns import Ensemble, TestColumns, grow_ism
from benchmarks.relational_tables.printed import printed
from benchmarks.relational_tables.published import CARCINOGENESIS, SIZES
from tests.support.bank import bank
from tests.support.naive_ism import NaiveNode, NaiveTree, class_shares, grow
from tests.support.naive_relational import passing, plain_rows
from tests.support.raw_tables import relational_rows
from tree_explainers.relational.tilde import grow_tilde
from tree_explainers.relational.tilde_trees import TildeSettings, TildeTree

ROWS = relational_rows(bank(60, seed=3, mean_transactions=4, noise=0.3))


@pytest.fixture(scope="module")
def trees() -> list[TildeTree]:
    """Three trees of a forest."""
    grown = []
    for key in range(3):
        drawn = np.random.default_rng(key).integers(ROWS.n_examples, size=ROWS.n_examples)
        weights = np.bincount(drawn, minlength=ROWS.n_examples).astype(float)
        grown.append(grow_tilde(ROWS, weights, TildeSettings(min_samples_leaf=4, aggregates=False), (0, key)))
    assert all(tree.n_tests > 1 for tree in grown)
    return grown


def test_folds_part_the_examples_with_equal_shares_of_the_classes() -> None:
    assert ROWS.labels is not None
    folds = divisions(ROWS, 0)

    assert sorted(np.concatenate([test for _, test in folds])) == list(range(ROWS.n_examples))
    assert all(set(train).isdisjoint(test) for train, test in folds)
    positives = [int(ROWS.labels[test].sum()) for _, test in folds]
    assert max(positives) - min(positives) <= 1
    assert not np.array_equal(divisions(ROWS, 1)[0][1], folds[0][1])


def test_columns_are_what_the_twin_says_of_each_test(trees: list[TildeTree]) -> None:
    columns, plain = TestColumns.of(trees, ROWS), plain_rows(ROWS)

    for test, place in columns.places.items():
        assert columns.passed[place].tolist() == passing(plain, test)


def test_ism_over_columns_is_the_twins(trees: list[TildeTree]) -> None:
    """All examples train; no node is pure in these made-up classes, so that gains alone decide."""
    columns = TestColumns.of(trees, ROWS)
    ensemble = Ensemble.of(trees, columns)
    every = np.arange(ROWS.n_examples)
    naive_trees = [_naive_tree(tree, reached) for tree, reached in zip(trees, ensemble.leaves, strict=True)]

    ism = grow_ism(ensemble, columns, every, every)

    whole = np.ones(ROWS.n_examples, np.bool_)
    naive = grow(naive_trees, list(columns.passed), whole, 10**6, 1)
    labels = np.zeros(ROWS.n_examples, np.int64)

    def label(node: NaiveNode) -> None:
        if node.yes is None or node.no is None:
            labels[node.rows] = int(class_shares(naive_trees, node.rows).argmax())
            return
        label(node.yes)
        label(node.no)

    label(naive)
    assert ism.labels(columns.passed).tolist() == labels.tolist()
    assert 0 < ism.n_tests_merged <= ism.n_tests


def _naive_tree(tree: TildeTree, reached: NDArray[np.int64]) -> NaiveTree:
    leaves = np.unique(reached)
    return NaiveTree(leaves[:, None] == reached, np.array([tree.leaf_scores(leaf) for leaf in leaves]))


def test_figures_are_of_the_held_out_examples(trees: list[TildeTree]) -> None:
    train, test = divisions(ROWS, 0)[0]
    figures = Division("carcinogenesis: tried", 0, 0, ROWS, train, test).figures("bagging", trees * 11)
    assert ROWS.labels is not None

    of_three = next(one for one in figures if (one.model, one.n_trees, one.pruned) == ("bagging", 3, False))
    scores = Ensemble.of(trees, TestColumns.of(trees, ROWS)).mean_scores()
    assert of_three.accuracy == float((scores.argmax(axis=1) == ROWS.labels)[test].mean())
    assert of_three.n_tests == sum(tree.n_tests for tree in trees)
    assert {one.n_trees for one in figures} == set(SIZES)


def test_tables_show_our_figures_beside_the_papers() -> None:
    figures = [
        Figure("carcinogenesis: tried", pruned, model, n_trees, 0, fold, 0.6, 50, 40)
        for pruned in (True, False)
        for fold in (0, 1)
        for model in CARCINOGENESIS
        for n_trees in ((1,) if model == "TILDE" else SIZES)
    ]

    lines = "\n".join(printed(figures, "a machine"))

    assert "| ISM of FORF | 0.600 (0.601) | 0.600 (0.621) | 0.600 (0.623) | 50 → 40 (81) |" in lines
    assert "| TILDE | 0.600 (0.611) |" in lines


def test_copies_are_other_examples_with_rows_of_their_own() -> None:
    rows = relational_rows(copies(bank(20, seed=1), 3))

    assert rows.n_examples == 60
    parents = rows.relationships["account.customer_id"].parents
    assert (parents >= 0).all()
    assert np.array_equal(parents[: len(parents) // 3] + 20, parents[len(parents) // 3 : 2 * len(parents) // 3])
