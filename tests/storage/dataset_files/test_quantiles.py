"""Quantiles of columns: exact where all rows are held, close to it where a sample is, the same for any cuts."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import strategies as st

from storage.dataset_files.layout import ColumnLayout
from storage.dataset_files.quantiles import RowSample
from tests.support.naive import quantiles_of
from tests.support.sampling import drawn

_LAYOUT = (ColumnLayout("a", "number", "feature", 0), ColumnLayout("b", "category", "feature", 1))


def _sample(values: Sequence[float | None], cuts: list[int], most_values: int = 1_000_000) -> RowSample:
    sample = RowSample(_LAYOUT, most_values)
    for start, stop in zip([0, *cuts], [*cuts, len(values)], strict=True):
        sample.add(pa.table({"a": pa.array(values[start:stop], pa.float64()), "b": ["x"] * (stop - start)}))
    return sample


@drawn(
    4,
    50,
    values=st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9)), min_size=1, max_size=300),
    cut=st.integers(0, 300),
)
def test_quantiles_are_those_of_the_naive_twin(values: list[float | None], cut: int) -> None:
    sample = _sample(values, [min(cut, len(values))])

    assert sample.quantiles("a") == quantiles_of(values, 101)
    assert sample.quantiles("b") is None


def test_of_many_rows_a_sample_is_held_whatever_their_order_and_cuts() -> None:
    values: list[float | None] = [float(row % 1000) for row in range(200_000)]
    sample, other = _sample(values, [1, 70_000, 140_000], 8_000), _sample(values, [100_000], 8_000)

    found = sample.quantiles("a")
    assert found == other.quantiles("a")
    assert found is not None
    assert np.abs(np.array(found) - np.linspace(0, 1000, 101)).max() < 30


@pytest.mark.parametrize(("n_columns", "n_points"), [(100, 101), (101, 21), (480, 21), (481, 5), (2021, None)])
def test_of_many_columns_fewer_points_are_kept(n_columns: int, n_points: int | None) -> None:
    sample = RowSample([ColumnLayout(f"c{index}", "number", "feature", index) for index in range(n_columns)])
    sample.add(pa.table({f"c{index}": [1.0, 2.0] for index in range(n_columns)}))

    found = sample.quantiles("c0")
    assert (None if found is None else len(found)) == n_points
