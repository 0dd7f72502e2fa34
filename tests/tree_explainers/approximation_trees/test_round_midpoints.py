"""Midpoints that people read: short, near the middle, and never outside their gap."""

import numpy as np
import pytest

from tests.support.models import fitted
from tests.support.naive_sta import rounded_midway
from tree_explainers.approximation_trees.candidates import round_midpoints


@pytest.mark.parametrize("name", ["random_forest_binary", "random_forest_multiclass", "random_forest_regression"])
def test_midpoints_of_real_columns_are_those_of_the_twin(name: str) -> None:
    for column in fitted(name).rows.columns:
        values = np.unique(column)

        found = round_midpoints(values[:-1], values[1:])

        assert found.tolist() == list(map(rounded_midway, values[:-1].tolist(), values[1:].tolist()))
        assert ((values[:-1] < found) & (found < values[1:])).all()


def test_midpoints_are_as_short_as_their_gap_allows() -> None:
    gaps = [(1.1, 1.2), (1.100000023841858, 1.2000000476837158), (0.05124, 0.05127), (2.0, 3.0), (1203.0, 1297.0)]
    gaps += [(-1.0, 1.0), (-1e-9, 3e-9), (0.0, 5e300)]

    found = round_midpoints(*np.array(gaps).T)

    assert found.tolist() == [1.15, 1.15, 0.051255, 2.5, 1250.0, 0.0, 1e-9, 2.5e300]


def test_midpoints_of_the_narrowest_and_the_widest_gaps_stay_inside() -> None:
    most, tiny = float(np.finfo(np.float64).max), 5e-324
    low = np.array([1.0, -most, most / 2, 0.0, tiny, 1e22, 123456789.0, 1e-30])
    high = np.array([np.nextafter(1.0, 2.0), most, most, tiny, 3 * tiny, np.nextafter(1e22, 2e22), 123456789.1, 2e-30])

    found = round_midpoints(low, high)

    assert ((low <= found) & (found <= high)).all()
    assert found[1] == 0.0
    assert found[6] == 123456789.05


def test_there_may_be_no_gaps() -> None:
    assert len(round_midpoints(np.empty(0), np.empty(0))) == 0
