"""One tree of an ensemble's own questions: that of the paper, no larger than its labels need."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeRegressor

from tests.support import naive_ism
from tests.support.ism_training import IsmCase, ism_case
from tests.support.models import onnx_of, rows_of_matrix
from tests.support.shared import shared_path
from tree_explainers.approximation_trees.bin_boxes import BinBox
from tree_explainers.approximation_trees.generators import Smoother
from tree_explainers.approximation_trees.ism import IsmSettings, grow_ism
from tree_explainers.approximation_trees.leaf_probabilities import IndependentLeaves
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.ordered_tests import OrderedTests
from tree_explainers.approximation_trees.size_choice import with_best_leaves
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.errors import InvalidInput, MethodNotApplicable
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.questions.binned_rows import BinnedRows

PRUNED = (  # whose labels are sure somewhere in a tree as deep as can be
    "few_random_forest_binary",
    "few_random_forest_multiclass",
    "few_extra_trees_binary",
    "few_extra_trees_multiclass",
    "gradient_boosting_multiclass",
    "xgboost_binary",
    "xgboost_multiclass",
    "lightgbm_binary",
    "lightgbm_multiclass",
    "catboost_multiclass",
    "scaled_and_one_hot",
    "imputed_categories",
    "one_matrix",
    "dropped_indicators",
    "missing_kept",
)
DEEP = TreeLimits(60, 1)


def _settled_early(pruned: ApproximationTree, whole: ApproximationTree) -> list[int]:
    """Return the leaves of a tree that another tree splits further, and check that they differ in nothing else."""
    found, waiting = [], [(0, 0)]
    while waiting:
        one, other = (tree.nodes[at] for tree, at in zip((pruned, whole), waiting[-1], strict=True))
        at = waiting.pop()[0]
        assert one.facts.n_samples == other.facts.n_samples
        if one.is_leaf:
            found += [] if other.is_leaf else [at]
        else:
            assert one.condition == other.condition
            waiting += [(one.left, other.left), (one.right, other.right)]
    return found


@pytest.mark.parametrize("name", PRUNED)
@pytest.mark.sampled("thirds")
def test_safe_pruning_changes_no_label_of_any_row(name: str) -> None:
    case = ism_case(name)
    whole, pruned = case.grow(DEEP, prune_safely=False), case.grow(DEEP)
    unseen = case.unseen(4000)

    early = _settled_early(pruned, whole)

    assert pruned.n_leaves < whole.n_leaves
    for rows in (case.rows, unseen):
        np.testing.assert_array_equal(pruned.labels_of(rows), whole.labels_of(rows))
    reached = pruned.leaves_of(unseen)
    is_sure = np.isin(reached, early)
    assert is_sure.any()
    labels = np.array([node.facts.label for node in pruned.nodes])[reached]
    np.testing.assert_array_equal(labels[is_sure], case.labels(unseen)[is_sure])


@pytest.mark.parametrize("name", ["few_random_forest_binary", "few_extra_trees_multiclass"])
def test_each_leaf_reports_whether_its_label_is_proved_for_every_row(name: str) -> None:
    case = ism_case(name)
    tree, unproved = case.grow(TreeLimits(6, 5)), case.grow(TreeLimits(3, 5), prune_safely=False)
    unseen = case.unseen(4000)

    settled = np.array([node.facts.is_settled for node in tree.nodes])

    leaves = np.array([node.is_leaf for node in tree.nodes])
    assert settled[leaves].any()
    assert not settled[leaves].all()
    assert not settled[~leaves].any()
    assert not any(node.facts.is_settled for node in unproved.nodes)
    for rows in (case.rows, unseen):
        reached = tree.leaves_of(rows)
        own = settled[reached]
        np.testing.assert_array_equal(tree.labels_of(rows)[own], case.labels(rows)[own])


@pytest.mark.parametrize("name", ["bagging_multiclass", "few_random_forest_binary"])
def test_the_tree_is_that_of_the_paper(name: str) -> None:
    case, limits = ism_case(name), TreeLimits(2, 5)
    values = case.read.ensemble.leaf_values
    shares = np.hstack((1 - values / values.max(), values / values.max())) if values.shape[1] == 1 else values
    shares = shares / shares.sum(axis=1, keepdims=True)
    trees = naive_ism.naive_trees(case.session.run_in_chunks(case.rows).leaves, case.read.ensemble, shares)
    every = np.arange(len(case.rows))
    tests = OrderedTests(case.training.binned)
    covered = [tests.holds(test, every) for test in range(tests.n_tests)]
    kept = _of_different_rows(covered)

    naive = naive_ism.grow(trees, [covered[test] for test in kept], every >= 0, limits.max_depth, 5)
    tree = case.grow(limits, prune_safely=False)

    leaves, reached = _leaves_of(naive), tree.leaves_of(case.rows)
    assert len(leaves) == tree.n_leaves
    for rows in leaves:
        assert len(set(reached[rows])) == 1


def _of_different_rows(covered: list[NDArray[np.bool_]]) -> list[int]:
    """Return the first of the tests that cover the same rows, or all the others: the naive twin is slow."""
    keys = [min(each.tobytes(), (~each).tobytes()) for each in covered]
    return sorted({key: at for at, key in reversed(list(enumerate(keys)))}.values())


def _leaves_of(node: naive_ism.NaiveNode) -> list[NDArray[np.bool_]]:
    if node.yes is None or node.no is None:
        return [node.rows]
    return _leaves_of(node.yes) + _leaves_of(node.no)


@pytest.mark.parametrize("name", ["extra_trees_binary", "lightgbm_multiclass", "missing_kept", "ordinal_categories"])
def test_raw_rows_reach_the_nodes_in_which_they_were_counted(name: str) -> None:
    case = ism_case(name)
    tree = case.grow(TreeLimits(8, 4))
    reached = tree.leaves_of(case.rows)

    for at, node in enumerate(tree.nodes):
        if node.is_leaf:
            own = reached == at
            assert own.sum() == node.facts.n_samples >= 4
            np.testing.assert_allclose(node.facts.scores, case.training.scores[own].mean(axis=0), atol=1e-8)
    assert tree.depth <= 8


def test_a_leaf_s_label_is_the_model_s_where_it_labels_all_rows_alike() -> None:
    case = ism_case("xgboost_multiclass")
    labels = (case.predicted + 1) % 3  # as if a graph gave labels that are not of the highest scores
    training = replace(case.training, labels=labels)

    tree = grow_ism(training, case.read.ensemble, case.read.description, IsmSettings(TreeLimits(3, 10)))

    reached, alike = tree.leaves_of(case.rows), 0
    for at, node in enumerate(tree.nodes):
        own = labels[reached == at]
        if node.is_leaf and (own == own[0]).all():
            alike += 1
            assert node.facts.label == own[0]
        elif node.is_leaf:
            assert node.facts.label == node.facts.scores.argmax()
    assert alike > 0


def test_nodes_of_one_true_class_are_leaves_on_request() -> None:
    case = ism_case("random_forest_multiclass")
    assert case.classes is not None

    tree, whole = case.grow(DEEP, stop_when_pure=True), case.grow(DEEP)

    assert tree.n_leaves < whole.n_leaves
    reached = tree.leaves_of(case.rows)
    assert all(len(set(case.classes[reached == at])) == 1 for at in np.unique(reached))
    inner = [
        set(case.classes[np.isin(reached, _below(tree, at))]) for at, each in enumerate(tree.nodes) if each.condition
    ]
    assert all(len(classes) > 1 for classes in inner)


def _below(tree: ApproximationTree, at: int) -> list[int]:
    node = tree.nodes[at]
    return [at] if node.is_leaf else _below(tree, node.left) + _below(tree, node.right)


def test_the_tree_keeps_its_limits() -> None:
    case = ism_case("random_forest_binary")

    few = case.grow(TreeLimits(20, 1, max_leaves=7))
    coarse = case.grow(TreeLimits(20, 40))

    assert few.n_leaves == 7
    assert few.nodes[0].condition == coarse.nodes[0].condition == case.grow(DEEP).nodes[0].condition
    assert min(node.facts.n_samples for node in coarse.nodes) >= 40
    assert case.grow(TreeLimits(1, 1)).depth == 1


def test_deep_trees_repeat_the_model_on_training_rows() -> None:
    for name in ("random_forest_multiclass", "xgboost_binary", "scaled_and_one_hot"):
        case = ism_case(name)
        np.testing.assert_array_equal(case.grow(DEEP).labels_of(case.rows), case.predicted)


def test_the_same_rows_in_another_order_give_the_same_tree() -> None:
    case = ism_case("one_matrix")
    order = np.random.default_rng(0).permutation(len(case.rows))
    training = case.training
    rows = case.rows.take(order)
    shuffled = replace(
        training,
        rows=rows,
        binned=BinnedRows.of(case.statements, rows),
        scores=training.scores[order],
        labels=case.predicted[order],
    )

    again = grow_ism(shuffled, case.read.ensemble, case.read.description, IsmSettings(DEEP))

    assert again.structure(60) == case.grow(DEEP).structure(60)


def test_of_values_the_tree_is_scikit_learns_over_the_same_tests() -> None:
    case = ism_case("random_forest_regression")
    tests, rows = OrderedTests(case.training.binned), np.arange(len(case.rows))
    holds = np.array([tests.holds(test, rows) for test in range(tests.n_tests)]).T
    values = case.training.scores[:, 0]

    tree = case.grow(TreeLimits(3, 10))
    theirs = DecisionTreeRegressor(max_depth=3, min_samples_leaf=10, random_state=0).fit(holds, values)

    assert tree.n_leaves == theirs.get_n_leaves() == 8
    np.testing.assert_allclose(tree.scores_of(case.rows)[:, 0], theirs.predict(holds), rtol=1e-6)
    assert {node.facts.label for node in tree.nodes} == {None}


def test_rows_that_were_drawn_join_the_estimates_and_are_counted_apart() -> None:
    case = ism_case("random_forest_binary")
    n_rows, own = len(case.rows), case.training
    twice = np.tile(np.arange(n_rows), 2)
    rows = case.rows.take(twice)
    joined = replace(
        own,
        rows=rows,
        binned=own.binned.take(twice),
        scores=own.scores[twice],
        labels=case.predicted[twice],
        classes=None,
        n_training=n_rows,
    )

    tree = grow_ism(joined, case.read.ensemble, case.read.description, IsmSettings(TreeLimits(5, 10)))

    assert tree.structure(5) == case.grow(TreeLimits(5, 10)).structure(5)
    for node in tree.nodes:
        assert node.facts.n_samples == node.facts.n_pseudo_samples >= 10


@pytest.mark.parametrize(
    ("name", "differs"),  # from the tree of the largest gains
    [("random_forest_binary", True), ("random_forest_multiclass", False), ("random_forest_regression", False)],
)
def test_of_a_larger_tree_the_leaves_stay_that_are_the_most_faithful_on_all_rows(
    name: str, differs: bool
) -> None:  # a parameter
    case, limits = ism_case(name), TreeLimits(8, 5, max_leaves=5)
    drawn = Smoother.of(case.rows, {}).draw(case.rows, NodeBox({}), 1_500, np.random.default_rng(0))
    joined = case.joined_by(drawn)
    samples = [(case.rows, joined.scores[: len(case.rows)]), (drawn, joined.scores[len(case.rows) :])]

    by_fidelity, by_gain, larger = (
        grow_ism(joined, case.read.ensemble, case.read.description, settings)
        for settings in (
            IsmSettings(limits),
            IsmSettings(limits, choose_by="gain"),
            IsmSettings(replace(limits, max_leaves=15), choose_by="gain"),
        )
    )

    expected = with_best_leaves(larger, 5, samples, is_classifier=bool(case.read.description.classes))
    assert by_fidelity.structure(8) == expected.structure(8)
    assert (by_fidelity.structure(8) != by_gain.structure(8)) is differs
    assert (by_fidelity.n_leaves, by_gain.n_leaves, larger.n_leaves) == (5, 5, 15)
    alone = IsmSettings(limits), IsmSettings(limits, choose_by="gain")
    first, second = (grow_ism(case.training, case.read.ensemble, case.read.description, own) for own in alone)
    assert first.structure(8) == second.structure(8)  # nothing was drawn, by which leaves could be chosen


def test_independent_leaf_probabilities_are_those_of_a_walk_through_each_tree() -> None:
    case = ism_case("few_random_forest_multiclass")
    ensemble, binned = case.read.ensemble, case.training.binned
    leaves = IndependentLeaves.of(ensemble, case.read.description, binned, case.training.scores)
    shares = ensemble.leaf_values / ensemble.leaf_values.sum(axis=1, keepdims=True)
    matrix, rng = np.column_stack(case.rows.columns), np.random.default_rng(0)

    for n_conditions in (0, 1, 2, 3, 5):
        box, intervals = BinBox.of_rows(binned), dict[int, tuple[float, float]]()
        row = matrix[rng.integers(len(matrix))]
        for _ in range(n_conditions):
            feature = int(rng.integers(len(case.statements.features)))
            about = case.statements.features[feature]
            column, own = case.rows.names.index(about.name), int(rng.integers(about.n_statements))
            cut, is_true = float(about.cuts[own]), bool(row[column] > about.cuts[own])
            box = box.narrowed(feature, own, is_true=is_true)
            low, high = intervals.get(column, (-np.inf, np.inf))
            intervals[column] = (max(low, cut), high) if is_true else (low, min(high, cut))
        expected = naive_ism.independent_scores(ensemble, matrix, shares, intervals)
        np.testing.assert_allclose(leaves.scores(box), expected, atol=1e-6)


def test_a_tree_may_be_grown_by_independent_leaf_probabilities() -> None:
    case, limits = ism_case("few_random_forest_multiclass"), TreeLimits(2, 5)
    settings = IsmSettings(limits, leaf_probabilities="independent")

    tree = grow_ism(case.training, case.read.ensemble, case.read.description, settings)

    assert tree.n_leaves >= 3
    assert (tree.labels_of(case.rows) == case.predicted).mean() > 0.7
    boosted = ism_case("xgboost_multiclass")
    with pytest.raises(MethodNotApplicable, match="independent"):
        grow_ism(boosted.training, boosted.read.ensemble, boosted.read.description, settings)


def _refusal(case: IsmCase, *, stop_when_pure: bool = False) -> str:
    settings = IsmSettings(stop_when_pure=stop_when_pure)
    with pytest.raises((MethodNotApplicable, InvalidInput)) as refused:
        grow_ism(replace(case.training, classes=None), case.read.ensemble, case.read.description, settings)
    return refused.value.detail


def test_meaningless_requests_are_rejected_with_advice() -> None:
    assert "`born_again`" in _refusal(ism_case("ada_boost_binary"))
    assert "`sta`" in _refusal(ism_case("ada_boost_multiclass"))
    assert "register the dataset with its target" in _refusal(ism_case("bagging_binary"), stop_when_pure=True)


def test_operators_that_votes_have_too_are_no_reason_to_reject() -> None:
    case = ism_case("imputed_categories")
    beside = {"ArgMax", "Equal", "Exp"}  # as a power transform and codes of categories bring them along
    description = replace(case.read.description, operators=tuple(sorted({*case.read.description.operators, *beside})))
    assert {*beside, "TreeEnsembleClassifier"} <= set(description.operators)

    tree = grow_ism(case.training, case.read.ensemble, description, IsmSettings(TreeLimits(3, 5)))

    assert tree.structure(3) == case.grow(TreeLimits(3, 5)).structure(3) != ()


@pytest.mark.long
def test_memory_for_deep_trees_of_many_classes_depends_on_their_nodes() -> None:
    case = _many_classes(1_500)
    case.training.binned  # noqa: B018  # made before
    limits = TreeLimits(30, 1)
    case.grow(TreeLimits(6, 1))  # compiled before

    tracemalloc.start()
    tree = case.grow(limits)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    np.testing.assert_array_equal(tree.labels_of(case.rows), case.predicted)
    assert len(tree.nodes) > 2_000
    assert peak / len(tree.nodes) < 3_000  # bytes; all bins of the model would take ten thousand


def _many_classes(n_rows: int) -> IsmCase:
    """Return houses in ten classes by price, and a forest that separates most of them."""
    frame = pd.read_parquet(shared_path("data/california_housing.parquet")).sample(n_rows, random_state=0)
    features, price = frame.iloc[:, :-1].to_numpy(np.float32), frame.iloc[:, -1].to_numpy()
    classes = np.searchsorted(np.quantile(price, np.linspace(0, 1, 11)[1:-1]), price)
    forest = RandomForestClassifier(20, min_samples_leaf=2, random_state=0).fit(features, classes)
    rows = rows_of_matrix(features)
    read = read_model(onnx_of(forest, features), DeclaredModel(feature_names=rows.names), ModelLimits())
    return IsmCase("many_classes", rows, classes, read, ModelSession(read.leaf_graph, read.description))


def test_growing_can_be_stopped() -> None:
    case = ism_case("random_forest_binary")

    def stop(fraction: float, stage: str) -> None:
        raise InterruptedError(stage, fraction)

    with pytest.raises(InterruptedError, match="growing"):
        grow_ism(case.training, case.read.ensemble, case.read.description, IsmSettings(DEEP), stop)


def test_rows_whose_class_is_not_known_hinder_no_node_from_being_pure() -> None:
    case = ism_case("random_forest_multiclass")
    assert case.classes is not None
    unknown = np.random.default_rng(0).random(len(case.rows)) < 0.3
    classes = np.where(unknown, -1, case.classes)
    settings = IsmSettings(DEEP, stop_when_pure=True, prune_safely=False)

    tree = grow_ism(replace(case.training, classes=classes), case.read.ensemble, case.read.description, settings)

    reached = tree.leaves_of(case.rows)
    mixed = [at for at in np.unique(reached) if unknown[reached == at].any() and not unknown[reached == at].all()]
    assert mixed
    for at, node in enumerate(tree.nodes):
        below = np.isin(reached, _below(tree, at))
        known = set(classes[below & ~unknown])
        # A node is split where its rows have several known classes, or none; and then only if some test gains.
        assert node.is_leaf or len(known) != 1
