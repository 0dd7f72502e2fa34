import numpy as np
import pytest

from tests.support.naive_rules import admitted_bins
from tests.support.rule_training import TrainingSet, energy, of_model, of_pipeline, spambase
from tree_explainers.prediction_scores import Targets
from tree_explainers.rule_sets.fab import fit_fab
from tree_explainers.rule_sets.regions import RegionModel
from tree_explainers.rule_sets.row_parts import RowParts
from tree_explainers.rule_sets.rule_counts import fit_rule_list
from tree_explainers.rule_sets.rule_lists import Box, FiringCounts, boxes_of, first_firing, measure_all, measure_each


def training_set(name: str) -> TrainingSet:
    if name in ("missing_kept", "scaled_and_one_hot", "ordinal_categories"):
        return of_pipeline(name)
    return {"energy": lambda: energy(5), "spambase": lambda: spambase(300, 5)}.get(name, lambda: of_model(name))()


def model_of(data: TrainingSet) -> RegionModel:
    return fit_fab(data.labelled, 4, np.random.default_rng(3)).model


SETS = ("energy", "spambase", "random_forest_multiclass", "missing_kept", "scaled_and_one_hot", "ordinal_categories")


@pytest.mark.parametrize("name", SETS)
def test_a_region_s_box_holds_the_bins_that_answer_what_it_is_certain_of(name: str) -> None:
    data = training_set(name)
    model = model_of(data)
    starts = data.statements.statement_starts

    boxes = boxes_of(model, data.statements, certainty=0.01)

    for box, eta in zip(boxes, model.eta, strict=True):
        admitted = dict(zip(box.features, box.admitted, strict=True))
        for at, feature in enumerate(data.statements.features):
            expected = admitted_bins(feature, eta[starts[at] : starts[at + 1]].tolist(), 0.01)
            assert admitted.get(at, np.ones(feature.n_bins, np.bool_)).tolist() == expected


def test_a_box_covers_the_rows_of_which_it_admits_every_bin() -> None:
    data = spambase(300, 5)
    box = boxes_of(model_of(data), data.statements)[0]

    covered = box.covers(data.binned)

    for row in range(300):
        pairs = zip(box.features, box.admitted, strict=True)
        assert covered[row] == all(bins[data.binned.bins[feature, row]] for feature, bins in pairs)
    assert 0 < covered.sum() < 300


def test_a_box_without_features_covers_every_row() -> None:
    data = energy(5)

    assert Box((), ()).covers(data.binned).all()


def test_a_region_that_is_certain_of_its_rows_covers_nearly_all_of_them() -> None:
    data = spambase(300, 5)
    model = model_of(data)
    regions = model.map_regions(data.binned)

    boxes = boxes_of(model, data.statements)

    for region, box in enumerate(boxes):
        assert box.covers(data.binned)[regions == region].mean() > 0.95


def test_the_first_rule_that_covers_a_row_decides_it_and_else_the_default() -> None:
    fires = np.array([[False, True, True], [False, False, True], [True, True, True], [False, False, False]])

    assert first_firing(fires).tolist() == [1, 2, 0, 3]
    assert first_firing(fires[:, :0]).tolist() == [0, 0, 0, 0]


def halves(data_bins: int, split: int) -> Box:
    return Box((0,), (np.arange(data_bins) <= split,))


def test_rules_predict_what_is_commonest_among_the_rows_that_they_decide() -> None:
    data = of_model("random_forest_multiclass")
    n_bins = data.statements.features[0].n_bins
    boxes = [halves(n_bins, n_bins // 3), halves(n_bins, n_bins // 2)]

    rules = fit_rule_list(boxes, data.labelled)

    decided_by = first_firing(rules.fires(data.binned))
    assert rules.scores is not None
    for slot in range(3):
        counts = np.bincount(data.classes[decided_by == slot], minlength=3)
        assert rules.n_decided[slot] == counts.sum()
        assert rules.predictions[slot] == counts.argmax()
        np.testing.assert_allclose(rules.scores[slot], counts / counts.sum())


def test_rules_predict_the_mean_of_the_values_that_they_decide() -> None:
    data = energy(5)
    n_bins = data.statements.features[0].n_bins

    rules = fit_rule_list([halves(n_bins, n_bins // 2)], data.labelled)

    decided_by = first_firing(rules.fires(data.binned))
    np.testing.assert_allclose(rules.predictions, [data.values[decided_by == slot].mean() for slot in range(2)])
    assert rules.scores is None


def test_a_rule_that_decides_nothing_predicts_what_fits_all_rows() -> None:
    data = of_model("random_forest_multiclass")
    n_bins = data.statements.features[0].n_bins
    box = halves(n_bins, n_bins // 2)

    rules = fit_rule_list([box, box], data.labelled)

    assert rules.scores is not None
    assert rules.n_decided[1] == 0
    np.testing.assert_allclose(rules.scores[1], np.bincount(data.classes) / len(data.classes))


def test_of_two_classes_that_are_equally_common_the_lower_is_predicted() -> None:
    data = of_model("random_forest_multiclass")
    targets = Targets.of_classes(np.arange(len(data.classes)) % 2, 2)

    assert fit_rule_list([], RowParts.here(data.binned, targets)).predictions.tolist() == [0]


def test_each_rule_is_measured_as_counting_rows_does() -> None:
    data = of_model("random_forest_multiclass")
    model = fit_fab(data.labelled, 4, np.random.default_rng(1)).model
    rules = fit_rule_list(boxes_of(model, data.statements, 0.02), data.labelled)
    fires = rules.fires(data.binned)

    halves = (np.arange(len(fires)) < 100, np.arange(len(fires)) >= 100)
    of_halves = [FiringCounts.of(rules, fires[own], data.targets.take(np.flatnonzero(own))) for own in halves]

    counts = of_halves[0].plus(of_halves[1])
    measures = measure_each(rules, counts)

    for rule in range(rules.n_rules):
        covered = [row for row in range(len(fires)) if fires[row, rule]]
        decided = [row for row in covered if not fires[row, :rule].any()]
        right = [row for row in covered if data.classes[row] == rules.predictions[rule]]
        assert measures.n_covered[rule] == len(covered)
        assert measures.support[rule] == len(decided)
        assert measures.coverage[rule] == len(covered) / len(fires)
        assert measures.precision[rule] == len(right) / len(covered)
        right_of_decided = np.isin(decided, right)
        assert measures.decided_precision[rule] == (
            right_of_decided.mean() if decided else pytest.approx(np.nan, nan_ok=True)
        )
    assert measure_all(counts).coverage == np.mean([row.any() for row in fires])
    assert measure_all(counts).mean_rules_per_row == np.mean([row.sum() for row in fires])


def test_rules_for_values_have_no_precision() -> None:
    data = energy(5)
    model = fit_fab(data.labelled, 3, np.random.default_rng(1)).model
    rules = fit_rule_list(boxes_of(model, data.statements), data.labelled)
    fires = rules.fires(data.binned)

    measures = measure_each(rules, FiringCounts.of(rules, fires, data.targets))

    assert np.isnan(measures.precision).all()
    assert np.isnan(measures.decided_precision).all()
    assert measures.support.sum() == (first_firing(fires) < rules.n_rules).sum()
