"""Boxes that certainly get one class: reachable leaves are those of the paper, and no row contradicts."""

from math import inf

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive_ism
from tests.support.ism_training import IsmCase, ism_case
from tests.support.native_models import NATIVE
from tree_explainers.approximation_trees.bin_boxes import BinBox, BinRange
from tree_explainers.approximation_trees.class_bounds import ClassBounds
from tree_explainers.approximation_trees.reachable_leaves import Forest, reached_leaves, remaining_in, worst_leads
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.node_conditions import node_conditions

MODELS = (
    "random_forest_binary",
    "extra_trees_multiclass",
    "bagging_of_features_multiclass",
    "gradient_boosting_binary",
    "gradient_boosting_multiclass",
    "xgboost_binary",
    "xgboost_multiclass",
    "lightgbm_binary",
    "lightgbm_multiclass",
    "catboost_binary",
    "catboost_multiclass",
)
PIPELINES = (
    "scaled_and_one_hot",
    "imputed_categories",
    "one_matrix",
    "dropped_indicators",
    "ordinal_categories",
    "missing_kept",
)


def _bounds(case: IsmCase) -> ClassBounds:
    training = case.training
    bounds = ClassBounds.of(case.read.ensemble, case.read.description, training.binned, training.scores)
    assert bounds is not None
    return bounds


def _forest(case: IsmCase) -> Forest:
    questions = node_conditions(case.read.ensemble, case.read.description, case.statements)
    return Forest.of(case.read.ensemble, questions, case.statements)


def _box_of_intervals(case: IsmCase, intervals: naive_ism.Intervals) -> BinBox:
    """Return the bins that lie between cuts."""
    ranges = {}
    for at, feature in enumerate(case.statements.features):
        low, high = intervals.get(feature.raw_index, (-inf, inf))
        lower, upper = np.append(-inf, feature.cuts), np.append(feature.cuts, inf)
        inside = np.flatnonzero((lower >= low) & (upper <= high) & (lower < upper))
        ranges[at] = BinRange(int(inside[0]), int(inside[-1]), missing=False)
    return BinBox(case.statements, ranges)


def _random_boxes(case: IsmCase, n_boxes: int) -> list[naive_ism.Intervals]:
    """Return boxes around real rows, with ends at cuts of the ensemble."""
    rng = np.random.default_rng(0)
    boxes = []
    for row in rng.integers(0, len(case.rows), n_boxes):
        box: naive_ism.Intervals = {}
        for at in rng.permutation(len(case.statements.features))[: rng.integers(1, 9)]:
            feature = case.statements.features[at]
            own = int(case.training.binned.bins[at, row])
            ends = np.concatenate([[-inf], feature.cuts, [inf]])
            below, above = rng.integers(0, 6, 2)
            box[feature.raw_index] = (ends[max(own - below, 0)], ends[min(own + 1 + above, len(ends) - 1)])
        boxes.append(box)
    return boxes


@pytest.mark.parametrize("name", [name for name in MODELS if name != "bagging_of_features_multiclass"])
@pytest.mark.sampled("thirds")
def test_the_worst_of_the_reachable_leaves_is_found(name: str) -> None:
    case, bounds = ism_case(name), _bounds(ism_case(name))
    values = bounds.raw.values

    for intervals in _random_boxes(case, 12):
        possible = naive_ism.possible_leaves(case.read.ensemble, intervals)
        box = _box_of_intervals(case, intervals)
        leads = _leads(bounds.forest, box, values)
        naive = sum((values[leaves] - values[leaves][:, :1]).max(axis=0) for leaves in possible)
        np.testing.assert_allclose(leads, naive, atol=1e-12)


@pytest.mark.parametrize("name", ["few_random_forest_binary", "few_extra_trees_multiclass", "lightgbm_multiclass"])
@pytest.mark.sampled("thirds")
def test_whatever_the_papers_bounds_prove_is_proved(name: str) -> None:
    case, bounds = ism_case(name), _bounds(ism_case(name))
    n_settled, n_by_paper = 0, 0

    for intervals in _random_boxes(case, 100):
        possible = naive_ism.possible_leaves(case.read.ensemble, intervals)
        smallest, largest = naive_ism.paper_bounds(bounds.raw.values, possible)
        smallest, largest = smallest + bounds.raw.offsets, largest + bounds.raw.offsets
        box = _box_of_intervals(case, intervals)
        for label in range(len(smallest)):
            by_paper = bool((smallest[label] > np.delete(largest, label) + bounds.raw.margin).all())
            settled = bounds.is_certain(box, label, case.training.binned.bins[:, :0])
            assert settled or not by_paper
            n_settled, n_by_paper = n_settled + settled, n_by_paper + by_paper

    assert n_settled >= n_by_paper > 3


@pytest.mark.parametrize("name", MODELS + NATIVE)
@pytest.mark.sampled("thirds")
def test_conditions_are_read_as_the_model_evaluates_them(name: str) -> None:
    case = ism_case(name)
    rows = case.unseen(300)

    reached = reached_leaves(_forest(case), BinnedRows.of(case.statements, rows).bins)

    own = case.session.run_in_chunks(rows).leaves
    np.testing.assert_array_equal(reached - case.read.ensemble.leaf_offsets[:-1], own)


@pytest.mark.parametrize("name", PIPELINES)
def test_conditions_on_derived_columns_are_read_except_next_to_scaled_cuts(name: str) -> None:
    case = ism_case(name)
    forest, rows = _forest(case), case.unseen(400)
    bins = BinnedRows.of(case.statements, rows).bins
    own = case.session.run_in_chunks(rows).leaves + case.read.ensemble.leaf_offsets[:-1]

    differs = np.argwhere(reached_leaves(forest, bins) != own)

    assert len(differs) < 0.01 * own.size
    for row, tree in differs:
        assert _can_reach(forest, case, bins[:, row], int(own[row, tree]))


def _can_reach(forest: Forest, case: IsmCase, bins: NDArray[np.unsignedinteger], leaf: int) -> bool:
    """Return whether a leaf is among those that the bins of one row can reach."""
    left: dict[int, BinRange | NDArray[np.bool_]] = {}
    for at, (feature, own) in enumerate(zip(case.statements.features, bins.tolist(), strict=True)):
        is_missing = own == feature.missing_bin
        number = BinRange(0, -1) if is_missing else BinRange(own, own, missing=False)
        left[at] = number if feature.is_number else np.arange(feature.n_bins) == own
    values = np.zeros((len(case.read.ensemble.leaf_values), 2))
    values[leaf, 1] = 1
    return bool(_leads(forest, BinBox(case.statements, left), values)[1] == 1)


def _leads(forest: Forest, box: BinBox, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much each class leads the first at most."""
    nobody = np.empty((0, len(forest.roots)), np.int64)
    return worst_leads(forest, remaining_in(forest, box), values, np.zeros(values.shape[1]), 0, nobody)


@pytest.mark.parametrize("name", MODELS + PIPELINES + NATIVE)
def test_labels_follow_from_leaves_with_the_fitted_links_and_base_values(name: str) -> None:
    case, bounds = ism_case(name), _bounds(ism_case(name))
    rows = case.unseen(500)
    leaves = case.session.run_in_chunks(rows).leaves + case.read.ensemble.leaf_offsets[:-1]

    raw = bounds.raw.values[leaves].sum(axis=1) + bounds.raw.offsets

    lead = np.sort(raw, axis=1)[:, -1] - np.sort(raw, axis=1)[:, -2]
    is_clear = lead > bounds.raw.margin
    assert is_clear.mean() > 0.9
    np.testing.assert_array_equal(raw.argmax(axis=1)[is_clear], case.labels(rows)[is_clear])


def test_no_bound_is_claimed_for_trees_that_vote() -> None:
    case = ism_case("ada_boost_multiclass")
    training = case.training

    assert ClassBounds.of(case.read.ensemble, case.read.description, training.binned, training.scores) is None
