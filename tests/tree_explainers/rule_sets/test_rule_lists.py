import numpy as np

from tests.support.rule_training import energy, of_model
from tree_explainers.rule_sets.boxes import Box
from tree_explainers.rule_sets.rule_lists import first_firing, fit_rule_list
from tree_explainers.scoring import Targets


def test_the_first_rule_that_covers_a_row_decides_it_and_else_the_default() -> None:
    fires = np.array([[False, True, True], [False, False, True], [True, True, True], [False, False, False]])

    assert first_firing(fires).tolist() == [1, 2, 0, 3]
    assert first_firing(fires[:, :0]).tolist() == [0, 0, 0, 0]


def halves(data_bins: int, split: int) -> Box:
    return Box((0,), (np.arange(data_bins) <= split,))


def test_rules_say_what_is_commonest_among_the_rows_that_they_decide() -> None:
    data = of_model("random_forest_multiclass")
    n_bins = data.statements.features[0].n_bins
    boxes = [halves(n_bins, n_bins // 3), halves(n_bins, n_bins // 2)]

    rules = fit_rule_list(boxes, data.binned, data.targets)

    decided_by = first_firing(rules.fires(data.binned))
    assert rules.scores is not None
    for slot in range(3):
        counts = np.bincount(data.classes[decided_by == slot], minlength=3)
        assert rules.n_decided[slot] == counts.sum()
        assert rules.predictions[slot] == counts.argmax()
        np.testing.assert_allclose(rules.scores[slot], counts / counts.sum())


def test_rules_say_the_mean_of_the_values_that_they_decide() -> None:
    data = energy(5)
    n_bins = data.statements.features[0].n_bins

    rules = fit_rule_list([halves(n_bins, n_bins // 2)], data.binned, data.targets)

    decided_by = first_firing(rules.fires(data.binned))
    np.testing.assert_allclose(rules.predictions, [data.values[decided_by == slot].mean() for slot in range(2)])
    assert rules.scores is None


def test_a_rule_that_decides_nothing_says_what_all_rows_say() -> None:
    data = of_model("random_forest_multiclass")
    n_bins = data.statements.features[0].n_bins
    box = halves(n_bins, n_bins // 2)

    rules = fit_rule_list([box, box], data.binned, data.targets)

    assert rules.scores is not None
    assert rules.n_decided[1] == 0
    np.testing.assert_allclose(rules.scores[1], np.bincount(data.classes) / len(data.classes))


def test_of_two_classes_that_are_as_common_the_lower_is_said() -> None:
    data = of_model("random_forest_multiclass")
    targets = Targets.of_classes(np.arange(len(data.classes)) % 2, 2)

    assert fit_rule_list([], data.binned, targets).predictions.tolist() == [0]
