"""Rows in which one column contradicts another are repaired, by as little as makes them possible."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support.implied_columns import breaks, holds, implications_of_case, implied_case, lines, named_pairs
from tree_explainers.questions.implications import ColumnTest, Implications, repaired
from tree_explainers.rows import Rows

BOOLEANS, COUNT, LARGEST = ("a", "b", "c"), "n", "largest"
TESTS = (
    *(ColumnTest(name, ">", 0.5) for name in BOOLEANS),
    *(ColumnTest(COUNT, ">", cut) for cut in (0.5, 2.5)),
    *(ColumnTest(LARGEST, ">", cut) for cut in (10.0, 20.0)),
)
VALUES = {**dict.fromkeys(BOOLEANS, (0.0, 1.0)), COUNT: (0.0, 1.0, 3.0), LARGEST: (np.nan, 5.0, 15.0, 25.0)}
ALL = Rows(tuple(VALUES), tuple(np.array(column) for column in zip(*product(*VALUES.values()), strict=True)))
pairs_of_tests = st.lists(st.tuples(st.sampled_from(TESTS), st.sampled_from(TESTS)), min_size=1, max_size=6)


@given(pairs_of_tests)
def test_no_repaired_row_breaks_an_implication_and_possible_rows_stay(
    pairs: list[tuple[ColumnTest, ColumnTest]],
) -> None:
    implications = Implications.of(pairs, (*BOOLEANS, COUNT))

    before, after = lines(ALL), lines(repaired(ALL, implications))

    assert implications.hold_in(ALL).tolist() == [not breaks(row, pairs) for row in before]
    for old, new in zip(before, after, strict=True):
        assert not breaks(new, pairs)
        assert breaks(old, pairs) or all(old[name] == new[name] or np.isnan(new[name]) for name in old)
        assert not any(holds(test, new) and not holds(test, old) for test in TESTS)  # only ever made false


@given(pairs_of_tests)
def test_an_implication_turned_round_repairs_alike(pairs: list[tuple[ColumnTest, ColumnTest]]) -> None:
    known = [pair for pair in pairs if LARGEST not in {each.column for each in pair}]
    turned = [(then._replace(operator="<="), given._replace(operator="<=")) for given, then in known]

    one, other = (repaired(ALL, Implications.of(each, (*BOOLEANS, COUNT))) for each in (known, turned))

    for first, second in zip(one.columns, other.columns, strict=True):
        np.testing.assert_array_equal(first, second)


def test_what_is_made_false_takes_the_nearest_value_that_is() -> None:
    implications = Implications.of(
        [
            (ColumnTest("n", ">", 2.5), ColumnTest("a", ">", 0.5)),
            (ColumnTest("largest", ">", 10), ColumnTest("a", ">", 0.5)),
        ],
        ("a", "n"),
    )
    rows = Rows(("a", "n", "largest"), (np.array([0.0, 1.0]), np.array([7.0, 7.0]), np.array([12.0, 12.0])))

    found = repaired(rows, implications)

    np.testing.assert_array_equal(found.columns[1], [2, 7])
    np.testing.assert_array_equal(found.columns[2], [np.nan, 12])
    assert rows.columns[1].tolist() == [7, 7]  # the caller's own are left alone


def test_real_rows_keep_the_implications_that_made_their_columns() -> None:
    case, implications = implied_case(), implications_of_case()

    assert implications.hold_in(case.rows).all()
    mixed = case.unseen(300)
    assert not implications.hold_in(mixed).all()
    assert not any(breaks(row, named_pairs(implications)) for row in lines(repaired(mixed, implications)))
