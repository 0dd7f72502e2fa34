"""Rule lists that are found with pseudo rows: what they begin with, what they may print, and what they predict."""

from functools import cache, partial

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from tests.support.models import matrix_data, onnx_of, rows_of_matrix
from tests.support.rule_training import energy, of_model, of_pipeline
from tree_explainers.approximation_trees.generators import GeneratorSettings, Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.statements import statements_of
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.drafts import boxes_of_draft
from tree_explainers.rule_sets.list_search import (
    ListSearch,
    RuleLimits,
    conditions_of_paths,
    draft_of_tree,
    fidelity,
    search_rule_list,
)
from tree_explainers.rule_sets.pseudo_rows import PseudoRows, draw_pseudo_rows, mixed_rows
from tree_explainers.rule_sets.row_parts import RowParts
from tree_explainers.rule_sets.rule_counts import fit_rule_list
from tree_explainers.rule_sets.rule_lists import RuleList

_SETS = {
    "values": lambda: energy(5),
    "three classes": lambda: of_model("random_forest_multiclass"),
    "categories and missing values": lambda: of_pipeline("missing_kept"),
}


@pytest.mark.parametrize("name", _SETS)
def test_a_list_made_of_a_tree_predicts_as_the_tree(name: str) -> None:
    data = _SETS[name]()
    search = ListSearch(data.labelled, RuleLimits(max_rules=7))
    tree = search.tree()

    draft = draft_of_tree(tree, search.rows.groups)

    rules = fit_rule_list(boxes_of_draft(draft, search.rows.groups, data.statements), data.labelled)
    leaves = _leaves(tree, search, data.binned)
    found = rules.predictions[np.argmax(np.c_[rules.fires(data.binned), np.ones(len(leaves))], axis=1)]
    for leaf in np.unique(leaves):
        own = data.targets.take(np.flatnonzero(leaves == leaf))
        expected = own.values.mean() if own.classes is None else np.bincount(own.classes).argmax()  # type: ignore[union-attr]
        assert found[leaves == leaf] == pytest.approx(expected)
    n_leaves = int((tree.children_left < 0).sum())
    assert len(draft) == n_leaves - 1 > 1
    assert sum(rule.total_conditions for rule in draft) <= conditions_of_paths(tree)


def _leaves(tree: object, search: ListSearch, binned: BinnedRows) -> np.ndarray:
    """Return the leaf of each row, walked split by split."""
    leaves, groups = [], search.rows.groups
    for row in range(search.rows.n_rows):
        node = 0
        while tree.children_left[node] >= 0:  # type: ignore[attr-defined]
            feature = tree.feature[node]  # type: ignore[attr-defined]
            own = groups.bins[groups.slice_of(feature)]
            group = int(np.searchsorted(own, binned.bins[feature, row]))
            is_missing = groups.has_missing[feature] and group == len(own) - 1
            left = tree.missing_go_to_left[node] if is_missing else group <= tree.threshold[node]  # type: ignore[attr-defined]
            node = (tree.children_left if left else tree.children_right)[node]  # type: ignore[attr-defined]
        leaves.append(node)
    return np.array(leaves)


def test_conditions_of_a_path_on_one_side_of_a_feature_count_once() -> None:
    features = np.array([[0, 0], [1, 0], [2, 0], [3, 1]], np.float32)
    tree = DecisionTreeClassifier(random_state=0).fit(features[:, :1], [0, 1, 0, 1]).tree_

    # x <= 0.5; 0.5 < x <= 1.5; 1.5 < x <= 2.5; x > 2.5, whichever split comes first
    assert conditions_of_paths(tree) == 6


def test_mixed_rows_take_a_fifth_of_their_values_from_other_rows() -> None:
    numbers = np.arange(50.0)
    rows = Rows(("a", "b", "c"), (numbers, numbers, numbers.astype(str).astype(object)))

    mixed = mixed_rows(rows, 20_000, np.random.default_rng(0))

    first, second, third = (column.astype(np.float64) for column in mixed.columns)
    assert np.bincount(first.astype(int), minlength=50).min() > 300  # of 400
    for one, other in ((first, second), (first, third)):
        assert np.mean(one == other) == pytest.approx(0.8**2 + (1 - 0.8**2) / 50, abs=0.015)


@cache
def _memorised() -> tuple[RowParts, PseudoRows, RowParts]:
    """Return training rows whose noisy labels a forest has memorised, pseudo rows, and new rows."""
    features, target = matrix_data("binary")
    rng = np.random.default_rng(1)
    target = np.where(rng.random(len(target)) < 0.2, 1 - target, target)
    forest = RandomForestClassifier(40, random_state=0).fit(features[:400], target[:400])
    train, new = rows_of_matrix(features[:400]), rows_of_matrix(features[400:])
    read = read_model(onnx_of(forest, features), DeclaredModel(feature_names=train.names), ModelLimits())
    statements = statements_of(read.ensemble, read.description)

    def label(rows: Rows) -> Targets:
        return Targets.of_classes(forest.predict(np.stack(rows.columns, axis=1).astype(np.float32)), 2)

    smoother = Smoother.of(train, {}, GeneratorSettings(bandwidth=0.1))
    pseudo = draw_pseudo_rows(train, partial(smoother.draw, train, NodeBox({})), label, statements, rng)
    known, unseen = (RowParts.here(BinnedRows.of(statements, each), label(each)) for each in (train, new))
    return known, pseudo, unseen


def _found(limits: RuleLimits, *, with_pseudo_rows: bool) -> RuleList:
    known, pseudo, _ = _memorised()
    return search_rule_list([], known, limits, pseudo=pseudo if with_pseudo_rows else None)


@pytest.mark.long
def test_where_labels_are_memorised_pseudo_rows_bring_rules_nearer_to_the_model_on_new_rows() -> None:
    known, _, unseen = _memorised()
    search = ListSearch(known, RuleLimits())
    groups = search.rows.groups
    tree = fit_rule_list(boxes_of_draft(draft_of_tree(search.tree(), groups), groups, known.statements), known)

    rules = _found(RuleLimits(), with_pseudo_rows=True)

    assert fidelity(rules, unseen) > fidelity(_found(RuleLimits(), with_pseudo_rows=False), unseen)
    assert fidelity(rules, unseen) > fidelity(tree, unseen)


def test_rules_found_with_pseudo_rows_keep_to_their_limits_and_count_the_rows_themselves() -> None:
    known, pseudo, _ = _memorised()
    limits = RuleLimits(max_rules=5, max_conditions=3, max_median=2)

    rules, again = (_found(limits, with_pseudo_rows=True) for _ in range(2))

    lengths = [sum(1 for _ in box.features) for box in rules.boxes]
    assert 0 < len(lengths) < 5
    assert max(lengths) <= 3
    assert rules.n_decided.sum() == known.n_rows < pseudo.finding.n_rows
    assert [box.features for box in rules.boxes] == [box.features for box in again.boxes]
