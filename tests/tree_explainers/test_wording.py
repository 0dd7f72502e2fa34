from math import inf

import pytest

from tree_explainers import wording


def test_numbers_come_with_separators_and_in_as_few_digits_as_bring_them_back() -> None:
    rendered = [wording.number_text(each) for each in (5.0, 0.1, -2.5, 1e-07, 1200.0, -1234567.5)]

    assert rendered == ["5", "0.1", "-2.5", "1e-07", "1,200", "-1,234,567.5"]


def test_an_interval_has_the_ends_that_there_are() -> None:
    assert wording.interval(1200, 3400, low_inclusive=False, high_inclusive=True) == "above 1,200 and at most 3,400"
    assert wording.interval(1200, inf, low_inclusive=True, high_inclusive=False) == "at least 1,200"
    assert wording.interval(-inf, 3400, low_inclusive=False, high_inclusive=False) == "below 3,400"


@pytest.mark.parametrize(
    ("excluded", "rendered"),
    [
        ("ABCDEF", "G or H"),
        ("A", "not A"),
        ("AB", "not A or B"),
        ("ABC", "none of A, B, C"),
        ("ABCDEFG", "H"),
        ("ABCDEFGH", "none of A, B, C, D, E, F, G, H"),
    ],
)
def test_categories_are_rendered_by_those_that_remain_or_by_those_that_do_not_whichever_is_shorter(
    excluded: str, rendered: str
) -> None:
    assert wording.all_but(tuple(excluded), tuple("ABCDEFGH")) == rendered


def test_where_categories_are_not_known_those_that_are_excluded_are_reported() -> None:
    assert wording.all_but(("A", "B", "C"), ()) == "none of A, B, C"
