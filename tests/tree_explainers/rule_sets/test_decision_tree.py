import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.support.models import matrix_data
from tests.support.rule_training import TrainingSet, energy, of_model, of_pipeline, spambase
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.conditions import TrainingValues
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.decision_tree import tree_rules
from tree_explainers.rule_sets.rule_lists import first_firing, print_rules

NUMBERS = {
    "two classes": lambda: spambase(300, 5),
    "three classes": lambda: of_model("random_forest_multiclass"),
    "values": lambda: energy(5),
    "many values": lambda: of_model("random_forest_regression"),
}


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("name", NUMBERS)
def test_it_is_the_tree_of_scikit_learn(name: str, depth: int) -> None:
    data = NUMBERS[name]()
    kind = DecisionTreeRegressor if data.targets.is_regression else DecisionTreeClassifier
    features = np.column_stack(data.rows.columns)
    tree = kind(max_depth=depth, random_state=0).fit(features, data.targets.classes_or_values)

    found = tree_rules(data.rows, data.targets, data.read.description, depth)

    given = found.rules.predictions[first_firing(found.rules.fires(found.binned))]
    np.testing.assert_allclose(error(given, data.targets), error(tree.predict(features), data.targets), rtol=1e-9)
    assert found.rules.n_rules == tree.get_n_leaves()
    assert found.rules.n_decided[-1] == 0


def error(given: np.ndarray, targets: Targets) -> float:
    wanted = targets.classes_or_values
    return float(np.mean((given - wanted) ** 2 if targets.is_regression else given != wanted))


@pytest.mark.parametrize("name", ["missing_kept", "scaled_and_one_hot", "ordinal_categories"])
def test_printed_rules_say_what_the_leaves_hold(name: str) -> None:
    data = of_pipeline(name)

    found = tree_rules(data.rows, data.targets, data.read.description)

    printed = print_rules(found.rules, TrainingValues(data.rows, found.binned))
    fires = printed.fires(data.rows)
    assert (fires == found.rules.fires(found.binned)).all()
    assert (fires.sum(axis=1) == 1).all()
    best = naive_impurity(data)
    assert impurity(fires, data.classes) <= best + 1e-9


def impurity(sides: np.ndarray, classes: np.ndarray) -> float:
    """Return the sum over sides of the Gini index times their number of rows."""
    counts = [np.bincount(classes[own], minlength=classes.max() + 1) for own in sides.T]
    return float(sum(own.sum() - (own**2).sum() / own.sum() for own in counts if own.sum()))


def naive_impurity(data: TrainingSet) -> float:
    """Return the least impurity of two sides that any single test makes."""
    found = []
    for values in data.rows.columns:
        missing = np.array([value is None or str(value) == "nan" for value in values])
        for value in set(values[~missing]):
            left = (values == value) if values.dtype == object else (values <= value)
            both = (left & ~missing, left | missing)
            found += [impurity(np.array([own, ~own]).T, data.classes) for own in both]
    return min(found)


def test_missing_values_of_a_feature_that_no_row_misses_get_the_default() -> None:
    data = of_model("random_forest_multiclass")
    found = tree_rules(data.rows, data.targets, data.read.description)
    printed = print_rules(found.rules, TrainingValues(data.rows, found.binned))

    fires = printed.fires(Rows(data.rows.names, tuple(np.full(2, np.nan) for _ in data.rows.names)))

    assert not fires.any()
    assert found.rules.predictions[-1] == np.bincount(data.classes).argmax()
    assert len(matrix_data("multiclass")[1]) == data.binned.n_rows
