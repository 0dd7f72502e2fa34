from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive_node_harvest as naive
from tests.support.rule_training import TrainingSet, energy, of_model, of_pipeline, spambase
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.rule_sets.node_harvest import (
    NodeHarvestSettings,
    Nodes,
    as_values,
    collect_nodes,
    harvest,
    node_weights,
)
from tree_explainers.rule_sets.weighted_rules import whole_sums_of

SETS = {
    "two classes": lambda: spambase(300, 5),
    "values": lambda: of_model("random_forest_regression"),
    "values of few shapes": lambda: energy(5),
    "boosting": lambda: of_model("xgboost_binary"),
    "categories and missing values": lambda: of_pipeline("missing_kept"),
}
SETTINGS = NodeHarvestSettings(n_nodes=100)


def nodes_of(data: TrainingSet, settings: NodeHarvestSettings = SETTINGS) -> Nodes:
    return collect_nodes(data.paths(settings.max_depth), data.binned, as_values(data.targets), settings)


def members_of(nodes: Nodes, data: TrainingSet) -> NDArray[np.bool_]:
    return np.array([box.covers(data.binned) for box in nodes.boxes]).T


@pytest.mark.parametrize("name", SETS)
def test_nodes_differ_in_their_rows_and_hold_enough_of_them(name: str) -> None:
    data = SETS[name]()

    nodes = nodes_of(data)

    inside = members_of(nodes, data)
    n_rows = data.binned.n_rows
    assert inside[:, 0].all()
    assert len({own.tobytes() for own in inside.T}) == len(nodes.boxes) > 5
    assert ((inside.sum(axis=0)[1:] >= 10) & (inside.sum(axis=0)[1:] <= n_rows - 10)).all()
    assert (nodes.n_shared == inside.T.astype(int) @ inside).all()
    np.testing.assert_allclose(nodes.sums, inside.T @ as_values(data.targets), rtol=1e-12)


@pytest.mark.parametrize("name", SETS)
def test_weights_fit_the_rows_as_well_as_any_can(name: str) -> None:
    data = SETS[name]()
    values, nodes = as_values(data.targets), nodes_of(data)
    inside = members_of(nodes, data)

    weights = node_weights(nodes, values)

    expected = naive.weights(inside, values)
    means = nodes.sums / nodes.n_covered
    np.testing.assert_allclose(inside @ weights, 1, atol=1e-7)
    assert (weights >= np.array([0.001, *[0] * (len(weights) - 1)])).all()
    best = np.mean((values - inside @ (expected * means)) ** 2)
    assert np.mean((values - inside @ (weights * means)) ** 2) == pytest.approx(best, rel=1e-6)
    assert best < 0.9 * values.var()


def test_a_bound_on_the_total_weight_moves_weight_to_larger_nodes() -> None:
    data = of_model("random_forest_regression")
    values, nodes = as_values(data.targets), nodes_of(data)

    free, bounded, constant = (node_weights(nodes, values, bound) for bound in (None, 1.5, 1.0))

    assert free.sum() > 1.6
    assert bounded.sum() == pytest.approx(1.5)
    assert constant == pytest.approx(np.eye(len(free))[0])


@pytest.mark.parametrize("name", SETS)
def test_a_row_s_prediction_is_the_weighted_mean_over_its_rules(name: str) -> None:
    data = SETS[name]()

    rules = harvest(data.paths(2), data.binned, data.targets, SETTINGS)

    fires = rules.as_list().fires(data.binned)
    given = rules.predict(fires)
    for row in range(0, data.binned.n_rows, 7):
        mean = naive.mean_of_row(fires[row].tolist(), rules.weights.tolist(), rules.means.tolist())
        assert given[row] == (pytest.approx(mean, rel=1e-8) if rules.is_regression else int(mean > 0.5))
    assert (np.diff(rules.weights) <= 0).all()
    assert rules.weights.min() >= 0.001
    assert fires.any(axis=1).all()


def test_sums_are_of_whole_numbers_whatever_the_size_of_values() -> None:
    for size in (1e-12, 1.0, 3e7, 1e15):
        weights, means = [0.5, 0.25, 0.001], [3.3 * size, -1.7 * size, 0.2 * size]

        sums = whole_sums_of(weights, means)

        assert sums.weights == [500_000, 250_000, 1_000]
        assert sum(map(abs, sums.parts)) <= 2**52
        whole = sum(sums.parts) / sum(sums.weights) / sums.scale
        assert whole == pytest.approx(naive.mean_of_row([True] * 3, weights, means), rel=1e-8)


def test_more_than_two_classes_are_refused() -> None:
    data = of_model("random_forest_multiclass")

    with pytest.raises(MethodNotApplicable, match="the model has 3 classes"):
        harvest(data.paths(2), data.binned, data.targets, SETTINGS)


def test_no_more_nodes_than_requested_are_collected() -> None:
    settings = replace(SETTINGS, n_nodes=7, max_depth=3)

    assert len(nodes_of(spambase(300, 5), settings).boxes) == 7
