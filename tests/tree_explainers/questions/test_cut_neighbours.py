"""The neighbours of cuts are the same as those among all values."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tree_explainers.questions.cut_neighbours import cut_neighbours

numbers = st.lists(st.integers(-30, 30).map(lambda number: number / 4), max_size=30)


@given(numbers, st.lists(numbers, max_size=3))
def test_next_to_each_cut_the_values_are_those_of_all_rows(cuts: list[float], blocks: list[list[float]]) -> None:
    found = cut_neighbours(np.array([*cuts, np.inf]), (np.array([np.nan, -np.inf, *block]) for block in blocks))

    values = [value for block in blocks for value in block]
    for cut in cuts:
        assert max(found[found <= cut], default=None) == max((each for each in values if each <= cut), default=None)
        assert min(found[found > cut], default=None) == min((each for each in values if each > cut), default=None)
    assert len(found) <= 2 * (len(set(cuts)) + 1)


def test_values_are_on_the_side_on_which_the_model_reads_them() -> None:
    cut, step = float(np.float32(0.335863143)), 1e-8  # a third of the distance to the next number of single precision
    values = np.asarray(cut + step * np.arange(-3, 5), np.float64)

    found = cut_neighbours(np.array([cut]), [values], np.float32)

    assert found.tolist() == [values[0], values[4], values[5], values[-1]]
    assert np.float32(values[4]) == np.float32(cut) < np.float32(values[5])
