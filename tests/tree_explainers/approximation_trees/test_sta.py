"""Single tree approximation of real models."""

import functools
import time
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from tests.support.models import FittedModel, fitted, matrix_data, onnx_of, rows_of_matrix
from tests.support.patience import when_idle
from tests.support.pipelines import FittedPipeline, fitted_pipeline
from tests.support.sampling import mostly_long
from tree_explainers.approximation_trees import pseudo_samples, split_sums, split_variances
from tree_explainers.approximation_trees.candidate_splits import candidates_of
from tree_explainers.approximation_trees.generators import GeneratorSettings, Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import SessionOracle
from tree_explainers.approximation_trees.sta import StaSettings, grow_sta
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.compute import threads
from tree_explainers.compute.progress import ReportProgress, ignore_progress
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.questions.conditions import ConditionReader

MODELS = ("random_forest_binary", "random_forest_multiclass", "xgboost_multiclass", "ada_boost_multiclass")
REGRESSIONS = ("random_forest_regression", "lightgbm_regression")
PREPROCESSED = ("scaled_and_one_hot", "imputed_categories", "ordinal_categories", "missing_kept", "one_matrix")
NAMES = (*MODELS, *REGRESSIONS, *PREPROCESSED, "principal_components")
FEW = ("random_forest_multiclass", "random_forest_regression", "missing_kept")
LIMITS = TreeLimits(max_depth=4, min_samples_leaf=5)
QUICK = StaSettings(LIMITS, max_pseudo_samples=3_000)


def model_of(name: str) -> FittedModel | FittedPipeline:
    return fitted_pipeline(name) if name in (*PREPROCESSED, "principal_components") else fitted(name)


def texts_of(model: FittedModel | FittedPipeline) -> dict[str, str]:
    return model.session.description.missing_texts


def grow(
    name: str, settings: StaSettings = QUICK, seed: int = 0, report: ReportProgress = ignore_progress
) -> ApproximationTree:
    model = model_of(name)
    oracle, rng = SessionOracle(model.session), np.random.default_rng(seed)
    return grow_sta(model.rows, oracle, settings, rng, texts_of(model), report)


@functools.cache
def grown(name: str) -> ApproximationTree:
    return grow(name)


def answers_of(name: str) -> NDArray[np.float64]:
    model = model_of(name)
    return SessionOracle(model.session).predict(model.rows)


@pytest.mark.parametrize("name", mostly_long([*MODELS, *PREPROCESSED], *FEW))
def test_a_tree_predicts_what_the_model_predicts_for_most_rows(name: str) -> None:
    answers = answers_of(name)

    agree = grown(name).labels_of(model_of(name).rows) == answers.argmax(axis=1)

    assert agree.mean() > 0.88
    assert agree.mean() > np.bincount(answers.argmax(axis=1)).max() / len(answers) + 0.005


@pytest.mark.parametrize("name", mostly_long([*REGRESSIONS, "principal_components"], *FEW))
def test_a_tree_comes_near_the_values_of_a_regression(name: str) -> None:
    values, rows = answers_of(name), model_of(name).rows

    residuals = grown(name).scores_of(rows) - values

    assert 1 - residuals.var() / values.var() > 0.7
    assert all(node.facts.label is None and node.facts.scores.shape == (1,) for node in grown(name).nodes)


@pytest.mark.parametrize("name", mostly_long(NAMES, *FEW))
def test_rows_in_nodes_are_those_that_the_conditions_send_there(name: str) -> None:
    tree, rows = grown(name), model_of(name).rows

    n_rows = np.bincount(tree.leaves_of(rows), minlength=len(tree.nodes))

    for node, n_here in zip(tree.nodes, n_rows, strict=True):
        assert node.facts.n_samples == (n_here if node.is_leaf else _n_below(tree, node.left, node.right))
        assert node.facts.n_samples >= 5
    assert tree.depth <= 4


def _n_below(tree: ApproximationTree, left: int, right: int) -> int:
    return tree.nodes[left].facts.n_samples + tree.nodes[right].facts.n_samples


@pytest.mark.parametrize("name", mostly_long(NAMES, *FEW))
def test_every_split_has_its_p_value(name: str) -> None:
    for node in grown(name).nodes:
        if node.is_leaf:
            assert node.confidence is None
        else:
            assert node.confidence is not None
            assert 1_000 <= node.facts.n_pseudo_samples <= 3_000
            assert node.confidence.at_cap == (node.confidence.p_value > 0.1)
            assert not node.confidence.at_cap or node.facts.n_pseudo_samples == 3_000


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "share"),  # of rows in each leaf: few candidates, far from each other
    [("random_forest_multiclass", 0.25), ("principal_components", 0.02), ("scaled_and_one_hot", 0.25)],
)
@pytest.mark.sampled("thirds")
def test_a_significant_split_is_the_best_on_other_pseudo_rows_too(name: str, share: float) -> None:
    model = model_of(name)
    limits = TreeLimits(max_depth=1, min_samples_leaf=int(share * len(model.rows)))
    kernel = GeneratorSettings("kernel")
    tree = grow(name, StaSettings(limits, 0.05, 50_000, generator=kernel))
    confidence = tree.nodes[0].confidence
    assert confidence is not None
    assert confidence.p_value <= 0.05

    drawn = Smoother.of(model.rows, {}, kernel).draw(model.rows, NodeBox({}), 20_000, np.random.default_rng(99))
    answers = SessionOracle(model.session).predict(drawn)
    candidates = candidates_of(model.rows, {}, limits.min_samples_leaf)
    conditions = [candidates.condition(each) for each in range(candidates.n_candidates)]
    splits = [ConditionReader(np.float64, {}).holds(condition, drawn) for condition in conditions]
    best = splits[int(np.argmin([_variance_within(answers, split) for split in splits]))]
    chosen = splits[conditions.index(tree.nodes[0].condition)]  # type: ignore[arg-type]
    assert np.array_equal(chosen, best) or np.array_equal(chosen, ~best)


def _variance_within(answers: NDArray[np.float64], goes_left: NDArray[np.bool_]) -> float:
    """Return the variance on both sides, summed over classes: Gini impurity but for a constant."""
    return float(sum(side.mean() * answers[side].var(axis=0).sum() for side in (goes_left, ~goes_left)))


@pytest.mark.parametrize("name", ["random_forest_multiclass", "random_forest_regression", "missing_kept"])
@pytest.mark.sampled("thirds")
def test_a_leaf_predicts_the_mean_scores_of_rows_near_its_own(name: str) -> None:
    model, tree = model_of(name), grow(name, StaSettings(TreeLimits(2, 20), 0.1, 20_000))
    smoother, oracle = Smoother.of(model.rows, {}), SessionOracle(model.session)
    boxes = {0: NodeBox({})}

    for at, node in enumerate(tree.nodes):
        if node.condition is not None:
            boxes[node.left] = boxes[at].below(node.condition, holds=True)
            boxes[node.right] = boxes[at].below(node.condition, holds=False)
        # The parent's pseudo rows are near its own training rows: drawn again where they fall on the other side.
        parent = next((up for up in boxes if at in (tree.nodes[up].left, tree.nodes[up].right)), 0)
        here = model.rows.take(np.flatnonzero(boxes[parent].contains(model.rows)))
        drawn = smoother.draw(here, boxes[parent], 20_000, np.random.default_rng(5))
        answers = oracle.predict(drawn.take(np.flatnonzero(boxes[at].contains(drawn))))
        n_of_tree = tree.nodes[parent].facts.n_pseudo_samples * len(answers) / len(drawn)
        error = answers.std(axis=0).max() * np.sqrt(1 / n_of_tree + 1 / len(answers))
        if node.is_leaf or at == 0:
            np.testing.assert_allclose(node.facts.scores, answers.mean(axis=0), atol=4 * error)


@pytest.mark.parametrize("name", ["random_forest_multiclass", "missing_kept"])
@pytest.mark.sampled("thirds")
def test_the_same_seed_grows_the_same_tree_whatever_the_number_of_cores(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "n_cores", lambda: 1)

    alone = grow(name)

    assert _described(alone) == _described(grown(name))
    assert _described(alone) != _described(grow(name, seed=1))


@pytest.mark.parametrize("name", ["random_forest_multiclass", "scaled_and_one_hot"])
@pytest.mark.sampled("thirds")
def test_rows_that_are_not_held_are_drawn_and_labelled_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pseudo_samples, "MOST_HELD_BYTES", 20_000)

    assert _described(grow(name)) == _described(grown(name))


@pytest.mark.parametrize("name", ["random_forest_multiclass", "random_forest_regression"])
@pytest.mark.sampled("thirds")
def test_the_tree_is_the_same_if_products_of_targets_are_not_summed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = StaSettings(TreeLimits(2, 5), max_pseudo_samples=1_000)
    summed = grow(name, settings)
    monkeypatch.setattr(split_sums, "MOST_BYTES", 0)
    monkeypatch.setattr(split_variances, "MOST_BYTES", 1_000)

    tree = grow(name, settings)

    assert len(tree.nodes) > 3
    for one, other in zip(tree.nodes, summed.nodes, strict=True):
        assert one.condition == other.condition
        assert one.facts.n_pseudo_samples == other.facts.n_pseudo_samples
        if one.confidence is not None and other.confidence is not None:
            assert one.confidence.p_value == pytest.approx(other.confidence.p_value, rel=1e-6)


@pytest.mark.parametrize("name", mostly_long(NAMES, *FEW))
@pytest.mark.sampled("thirds")
def test_the_tree_is_the_same_if_tied_candidates_are_merged(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = StaSettings(TreeLimits(3, 5), 0.05, 2_000)
    monkeypatch.setattr(pseudo_samples, "_BINS_WORTH_MERGING", 10**9)
    one_by_one = grow(name, settings)
    for worth in (0, 0.03):  # always, and as long as pseudo rows are few
        monkeypatch.setattr(pseudo_samples, "_BINS_WORTH_MERGING", worth)
        assert _described(grow(name, settings)) == _described(one_by_one)


def _described(tree: ApproximationTree) -> list[tuple[object, ...]]:
    return [
        (node.condition, node.facts.scores.tolist(), node.facts.n_pseudo_samples, node.confidence)
        for node in tree.nodes
    ]


def test_fewer_leaves_are_those_of_the_splits_that_improve_most() -> None:
    small = grow("random_forest_multiclass", StaSettings(TreeLimits(4, 5, max_leaves=4), max_pseudo_samples=3_000))

    large = grown("random_forest_multiclass")
    assert small.n_leaves == 4
    assert {node.condition for node in small.nodes} < {node.condition for node in large.nodes}


def test_a_constant_model_is_a_leaf() -> None:
    features, _ = matrix_data("regression")
    forest = RandomForestRegressor(5, random_state=0).fit(features, np.full(len(features), 2.5))
    model = FittedModel(
        "constant", lambda: forest, onnx_of(forest, features), features, rows_of_matrix(features), features
    )

    tree = grow_sta(model.rows, SessionOracle(model.session), QUICK, np.random.default_rng(0))

    assert len(tree.nodes) == 1
    assert tree.nodes[0].facts.scores.tolist() == [2.5]
    assert tree.nodes[0].facts.n_samples == len(features)


def test_a_root_without_a_split_predicts_the_mean_scores_of_rows_near_all() -> None:
    rows = model_of("random_forest_multiclass").rows

    tree = grow("random_forest_multiclass", StaSettings(TreeLimits(5, min_samples_leaf=len(rows))))

    assert len(tree.nodes) == 1
    np.testing.assert_allclose(tree.nodes[0].facts.scores, answers_of("random_forest_multiclass").mean(0), atol=0.06)


def test_a_tree_tests_whether_a_value_is_missing_or_sends_it_along() -> None:
    conditions = [node.condition for node in grown("missing_kept").nodes if node.condition is not None]

    assert any(condition.or_missing or condition.operator == "is missing" for condition in conditions)


class _Stopped(Exception):
    pass


def _stops_after(n_reports: int, clock: list[float]) -> ReportProgress:
    def report(fraction: float, stage: str) -> None:  # as it is called
        clock.append(time.monotonic())
        if len(clock) == n_reports:
            raise _Stopped

    return report


def test_a_cancellation_takes_effect_in_the_middle_of_a_node() -> None:
    clock = [time.monotonic()]

    with pytest.raises(_Stopped):
        grow("random_forest_regression", StaSettings(LIMITS, 1e-9, 10_000_000), report=_stops_after(150, clock))

    assert max(np.diff(clock)) < when_idle(1)
    assert time.monotonic() - clock[-1] < when_idle(1)


def test_looking_ahead_finds_splits_that_gain_nothing_by_themselves() -> None:
    bits = np.random.default_rng(0).integers(0, 2, (600, 6)).astype(np.float32)
    target = (bits[:, 2] != bits[:, 4]).astype(np.int64)
    forest = RandomForestClassifier(20, max_features=None, random_state=0).fit(bits, target)
    rows = rows_of_matrix(bits)
    read = read_model(onnx_of(forest, bits), DeclaredModel(feature_names=rows.names), ModelLimits())
    oracle = SessionOracle(ModelSession(read.leaf_graph, read.description))
    settings = StaSettings(TreeLimits(2, 5), max_pseudo_samples=2_000)

    tree = grow_sta(rows, oracle, settings, np.random.default_rng(0))

    assert {node.condition.column for node in tree.nodes if node.condition} == {rows.names[2], rows.names[4]}
    assert (tree.labels_of(rows) == target).mean() > 0.99


def test_what_the_test_separates_is_chosen_by_gain() -> None:
    ahead, by_gain = grown("random_forest_binary"), grow("random_forest_binary", replace(QUICK, choose_by="gain"))

    n_checked, waiting = 0, [(0, 0)]
    while waiting:
        one, other = (tree.nodes[at] for tree, at in zip((ahead, by_gain), waiting.pop(), strict=True))
        if one.confidence is not None and not one.confidence.at_cap:
            assert (one.condition, one.confidence) == (other.condition, other.confidence)
            n_checked += 1
        if not one.is_leaf and one.condition == other.condition:
            waiting += [(one.left, other.left), (one.right, other.right)]
    assert n_checked > 0


def test_the_level_of_a_tree_is_shared_by_its_splits() -> None:
    of_tree = replace(QUICK, significance_level_of="tree")

    assert of_tree.significance_of_node == pytest.approx(0.1 / 15)
    of_leaves = replace(of_tree, limits=TreeLimits(30, 5, 11))
    assert replace(of_leaves, choose_by="gain").significance_of_node == pytest.approx(0.01)
    assert of_leaves.significance_of_node == pytest.approx(0.1 / 32)  # three times as many leaves are grown
    for node in grow("random_forest_multiclass", of_tree).nodes:
        if node.confidence is not None:
            assert node.confidence.at_cap == (node.confidence.p_value > 0.1 / 15)


def test_of_the_best_two_fewer_pseudo_rows_are_needed() -> None:
    all_, two = grown("random_forest_multiclass"), grow("random_forest_multiclass", replace(QUICK, compare="best_two"))

    assert two.nodes[0].confidence is not None
    assert all_.nodes[0].confidence is not None
    assert two.nodes[0].facts.n_pseudo_samples <= all_.nodes[0].facts.n_pseudo_samples
