"""What curves and changes are said to cost, beside what they take here."""

import time
from collections.abc import Callable

import numpy as np
import pytest

from tests.support.models import fitted
from tests.tree_explainers.changes.test_curves import curve_model
from tree_explainers.changes.cost import change_seconds, curve_seconds
from tree_explainers.changes.smallest_changes import ChangeSearch, SearchLimits
from tree_explainers.changes.wishes import ClassWish

_TIMES = 8  # that another machine, a busy one, or a small forest may differ by


def _seconds(work: Callable[[], object]) -> float:
    """Return the processor time of the quickest of three runs."""
    took = []
    for _ in range(3):
        start = time.process_time()
        work()
        took.append(time.process_time() - start)
    return min(took)


@pytest.mark.parametrize("max_features", [0, 1, 2, 10])
def test_estimates_are_of_the_order_of_what_a_row_takes(max_features: int) -> None:
    model = fitted("random_forest_multiclass")
    curves = curve_model(model.read, model.session, model.rows)
    search, row = ChangeSearch(curves, model.rows), model.rows.take(slice(0, 1))
    labels = model.session.predict(row).labels
    assert labels is not None
    wish, limits = ClassWish(int(labels[0] + 1) % 3), SearchLimits(max_features, max_cells=1_000_000, max_pairs=500)
    n_features, n_trees = len(model.rows.names), len(model.read.ensemble.offsets) - 1
    if max_features:
        took, estimate = (
            _seconds(lambda: search.find(row, wish, limits=limits)),
            change_seconds(limits, n_features, n_trees),
        )
    else:
        took, estimate = _seconds(lambda: curves.curves(row)), curve_seconds(n_features, n_trees)
    assert estimate / _TIMES < took < estimate * _TIMES


def test_more_features_and_trees_cost_more_up_to_the_pairs_that_are_searched() -> None:
    limits = SearchLimits(2, max_pairs=500)
    costs = [change_seconds(limits, n, 100) for n in (5, 10, 32, 33, 600)]
    assert list(np.sort(costs)) == costs
    pairs = [change_seconds(limits, n, 100) - curve_seconds(n, 100) for n in (33, 600)]
    assert pairs[0] == pytest.approx(pairs[1])
    assert change_seconds(limits, 10, 1_000) > change_seconds(limits, 10, 100)
    assert change_seconds(SearchLimits(1), 600, 100) < change_seconds(SearchLimits(2), 600, 100)
