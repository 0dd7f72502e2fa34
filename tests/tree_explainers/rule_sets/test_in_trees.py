from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive_in_trees as naive
from tests.support.models import fitted
from tests.support.pipelines import fitted_pipeline
from tests.support.rule_training import TrainingSet, energy, of_model, of_pipeline, spambase
from tree_explainers.rule_sets.in_trees import (
    InTreesSettings,
    MeasuredRule,
    as_classes,
    firing,
    in_trees_rules,
    ordered_list,
    pruned_rules,
)
from tree_explainers.rule_sets.rule_forest import RuleForestSettings, rule_importances
from tree_explainers.rule_sets.rule_lists import first_firing
from tree_explainers.rule_sets.tree_paths import TreePaths, packed, unpacked

SETS = {
    "two classes": lambda: spambase(300, 5),
    "three classes": lambda: of_model("random_forest_multiclass"),
    "values": lambda: energy(5),
    "categories and missing values": lambda: of_pipeline("missing_kept"),
}
MODELS = ("random_forest_multiclass", "xgboost_regression", "lightgbm_binary", "catboost_multiclass")
PIPELINES = ("scaled_and_one_hot", "ordinal_categories", "missing_kept", "imputed_categories")


@pytest.mark.parametrize("name", [*MODELS, *PIPELINES])
def test_the_boxes_of_all_paths_to_leaves_are_the_leaves(name: str) -> None:
    model = fitted(name) if name in MODELS else fitted_pipeline(name)
    data = of_model(name) if name in MODELS else of_pipeline(name)
    reached = model.session.run_in_chunks(model.rows).leaves
    starts = data.read.ensemble.leaf_offsets
    leaf_of = {int(node): index for index, node in enumerate(data.read.ensemble.leaf_nodes)}

    paths = data.paths(max_depth=100)

    covered = np.array([paths.box(path).covers(data.binned) for path in paths.rules()])
    expected = np.array([leaf_of[node] for node in ends_of(paths)])
    for tree in range(data.read.ensemble.n_trees):
        own = (expected >= starts[tree]) & (expected < starts[tree + 1])
        if own.any():  # not a leaf alone
            assert (covered[own].sum(axis=0) == 1).all()
            same = expected[own][covered[own].argmax(axis=0)] - starts[tree] == reached[:, tree]
            assert same.all() if name in MODELS else same.mean() > 0.995  # scaled numbers: exact but for rounding


def ends_of(paths: TreePaths) -> list[int]:
    """Return the nodes at which the paths of ``rules`` end, by walking along them."""
    ends = []
    for root in paths.ensemble.offsets[:-1].tolist():
        waiting = [root] if root in paths.split_of else []
        while waiting:
            node = waiting.pop()
            if node in paths.split_of:
                waiting += [int(paths.ensemble.right[node]), int(paths.ensemble.left[node])]
            else:
                ends.append(node)
    return ends


def row_sets(paths: TreePaths, rules: list[MeasuredRule], data: TrainingSet) -> list[naive.RowSet]:
    return [rows_of(paths.box(rule.path).covers(data.binned)) for rule in rules]


def rows_of(flags: NDArray[np.bool_]) -> naive.RowSet:
    return frozenset(np.flatnonzero(flags).tolist())


@pytest.mark.parametrize("decay", ["absolute", "relative"])
@pytest.mark.parametrize("name", SETS)
def test_rules_are_pruned_as_in_the_paper(name: str, decay: Literal["absolute", "relative"]) -> None:
    data, settings = SETS[name](), InTreesSettings(max_depth=4, decay=decay)
    paths, classes = data.paths(4, n_trees=3), as_classes(data.targets, 3)

    rules = pruned_rules(paths, data.binned, classes, settings)

    expected: dict[tuple[frozenset[tuple[int, bool]], int], None] = {}
    for path in paths.rules():
        conditions = [rows_of(paths.box((side,)).covers(data.binned)) for side in path]
        if frozenset.intersection(*conditions):
            kept, label = naive.prune(conditions, classes, settings)
            expected[frozenset(path[index] for index in kept), label] = None
    assert [(frozenset(rule.path), rule.label) for rule in rules] == list(expected)
    assert len(rules) > 5


@pytest.mark.parametrize("name", SETS)
def test_rules_are_selected_and_ordered_as_in_the_paper(name: str) -> None:
    data, settings = SETS[name](), RuleForestSettings(n_trees=4, max_leaves=6)
    paths, classes = data.paths(3, n_trees=3), as_classes(data.targets, 3)
    rules = pruned_rules(paths, data.binned, classes, InTreesSettings(max_depth=3))[:30]
    lengths = np.array([len(rule.path) for rule in rules])
    fires, sets = firing(paths, rules, data.binned), row_sets(paths, rules, data)

    importances = rule_importances(fires, lengths, classes, settings, np.random.default_rng(7))
    chosen, default = ordered_list(rules, fires, classes, 0.02)

    expected = naive.importances(sets, lengths.tolist(), classes, settings, np.random.default_rng(7))
    np.testing.assert_allclose(importances, expected, rtol=1e-9, atol=1e-9)
    assert [rows_of(own) for own in unpacked(fires, data.binned.n_rows)] == sets
    labels = [rule.label for rule in rules]
    assert (chosen, default) == naive.ordered_list(sets, labels, lengths.tolist(), classes, 0.02)
    assert chosen


def test_values_become_levels_of_as_many_rows_and_predictions_their_means() -> None:
    data, settings = energy(5), InTreesSettings()

    levels = as_classes(data.targets, settings.n_levels)
    rules = in_trees_rules(data.paths(6), data.binned, data.targets, settings, np.random.default_rng(0))

    assert np.ptp(np.bincount(levels)) <= 3
    means = [data.values[levels == level].mean() for level in range(3)]
    np.testing.assert_allclose(np.unique(rules.predictions), means, rtol=1e-12)
    assert data.values[levels == 0].max() < data.values[levels == 1].min()


def test_levels_without_rows_are_left_out() -> None:
    data = of_model("random_forest_regression")
    alike = np.where(np.arange(len(data.values)) < 400, 1.0, 2.0)

    assert np.bincount(as_classes(type(data.targets).of_values(alike), 5)).tolist() == [400, 42]


@pytest.mark.parametrize("name", SETS)
def test_a_list_of_selected_rules_predicts_nearly_as_well_as_its_forest(name: str) -> None:
    data, settings = SETS[name](), InTreesSettings()

    rules = in_trees_rules(data.paths(6), data.binned, data.targets, settings, np.random.default_rng(0))

    classes = as_classes(data.targets, 3)
    labels, first = rules.predictions, first_firing(rules.fires(data.binned))
    if data.targets.is_regression:
        means = np.array([data.values[classes == level].mean() for level in range(3)])
        assert np.isclose(labels[first], means[classes]).mean() > 0.8
    else:
        assert (labels[first] == classes).mean() > 1 - 0.6 * (1 - np.bincount(classes).max() / len(classes))
    assert 2 <= rules.n_rules <= 60
    assert rules.n_decided.sum() == data.binned.n_rows


def test_rows_are_packed_into_words_and_back() -> None:
    flags = np.random.default_rng(0).random((3, 130)) < 0.5

    words = np.array([packed(own) for own in flags])

    assert words.shape == (3, 3)
    assert (unpacked(words, 130) == flags).all()
