"""Each row is compared with the nearest case of those that its kind allows."""

import numpy as np

from tree_explainers.effects.nearest_cases import NearestCases


def test_the_first_of_the_nearest_allowed_cases_is_taken_and_none_where_none_is_allowed() -> None:
    random = np.random.default_rng(0)
    proximities = random.integers(0, 4, (60, 7))  # with many ties, and rows that are near none
    allowed = [np.arange(7), np.array([1, 4]), np.array([], np.int64), np.array([6, 2, 5])]
    kinds = random.integers(0, 4, 60)

    nearest = NearestCases.of(allowed).of_rows(proximities, kinds)

    for row, kind in enumerate(kinds.tolist()):
        cases = allowed[kind]
        expected = cases[proximities[row, cases].argmax()] if len(cases) else -1
        assert nearest[row] == expected
    assert NearestCases.of(allowed).of_rows(proximities[:0], kinds[:0]).tolist() == []
