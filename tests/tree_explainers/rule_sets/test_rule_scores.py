import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, r2_score

from tests.support.naive_rules import balanced_error, error
from tests.support.rule_training import energy, of_model
from tree_explainers.rule_sets.boxes import boxes_of
from tree_explainers.rule_sets.fab import fit_fab
from tree_explainers.rule_sets.rule_lists import first_firing, fit_rule_list
from tree_explainers.rule_sets.rule_scores import measure_all, measure_each
from tree_explainers.scoring import Targets, score_predictions


def test_each_rule_is_measured_as_counting_rows_does() -> None:
    data = of_model("random_forest_multiclass")
    model = fit_fab(data.binned, data.targets, 4, np.random.default_rng(1)).model
    rules = fit_rule_list(boxes_of(model, data.statements, 0.02), data.binned, data.targets)
    fires = rules.fires(data.binned)

    measures = measure_each(rules, fires, data.targets)

    for rule in range(rules.n_rules):
        covered = [row for row in range(len(fires)) if fires[row, rule]]
        decided = [row for row in covered if not fires[row, :rule].any()]
        right = [row for row in covered if data.classes[row] == rules.predictions[rule]]
        assert measures.n_covered[rule] == len(covered)
        assert measures.support[rule] == len(decided)
        assert measures.coverage[rule] == len(covered) / len(fires)
        assert measures.precision[rule] == len(right) / len(covered)
    assert measure_all(fires).coverage == np.mean([row.any() for row in fires])
    assert measure_all(fires).mean_rules_per_row == np.mean([row.sum() for row in fires])


def test_errors_count_wrong_classes_and_balanced_errors_weigh_classes_alike() -> None:
    data = of_model("random_forest_multiclass")
    predicted = np.where(np.arange(len(data.classes)) % 3 == 0, 0, data.classes)

    scores = score_predictions(predicted, data.targets, Targets.of_classes(predicted, 3))

    assert scores.error == error(predicted.tolist(), data.classes.tolist())
    assert scores.balanced_error is not None
    np.testing.assert_allclose(scores.balanced_error, balanced_error(predicted.tolist(), data.classes.tolist()))
    np.testing.assert_allclose(scores.balanced_error, 1 - balanced_accuracy_score(data.classes, predicted))
    assert scores.fidelity == 1.0
    assert scores.mse is None


def test_a_class_that_no_row_has_does_not_count() -> None:
    classes, predicted = np.array([0, 0, 2]), np.array([0, 1, 2])

    scores = score_predictions(predicted, Targets.of_classes(classes, 4), Targets.of_classes(classes, 4))

    assert scores.balanced_error == 0.25


def test_values_are_scored_by_squares_and_fidelity_compares_with_the_model() -> None:
    data = energy(5)
    predicted, said = data.values + 1.0, data.values - 0.5

    scores = score_predictions(predicted, data.targets, Targets.of_values(said))

    assert scores.mse == pytest.approx(1.0)
    assert scores.r2 == pytest.approx(r2_score(data.values, predicted))
    assert scores.fidelity == pytest.approx(r2_score(said, predicted))
    assert scores.error is None


def test_without_a_target_the_model_is_what_errors_compare_with() -> None:
    classes, predicted = np.array([0, 1, 1]), np.array([0, 0, 1])

    scores = score_predictions(predicted, None, Targets.of_classes(classes, 2))

    assert (scores.error, scores.fidelity) == (1 / 3, 2 / 3)


def test_there_is_no_r2_where_all_values_are_alike() -> None:
    same = Targets.of_values(np.full(4, 2.5))

    assert score_predictions(np.arange(4.0), same, same).r2 is None


def test_rules_for_values_have_no_precision() -> None:
    data = energy(5)
    model = fit_fab(data.binned, data.targets, 3, np.random.default_rng(1)).model
    rules = fit_rule_list(boxes_of(model, data.statements), data.binned, data.targets)
    fires = rules.fires(data.binned)

    measures = measure_each(rules, fires, data.targets)

    assert np.isnan(measures.precision).all()
    assert measures.support.sum() == (first_firing(fires) < rules.n_rules).sum()
