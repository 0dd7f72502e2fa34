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
