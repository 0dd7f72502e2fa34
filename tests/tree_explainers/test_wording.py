from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.texts import list_of
from tree_explainers import wording

_NEGLIGIBLE = 1e-30  # smaller numbers are written as 0


def test_numbers_come_with_separators_and_in_as_few_digits_as_bring_them_back() -> None:
    rendered = [wording.number_text(each) for each in (5.0, 0.1, -2.5, 1e-07, 1200.0, -1234567.5, 1e-35)]

    assert rendered == ["5", "0.1", "-2.5", "0.0000001", "1,200", "-1,234,567.5", "1e-35"]


def test_fractions_of_single_precision_are_short_and_other_numbers_themselves() -> None:
    exact = [0.06666667014360428, 0.10000000149011612, -2.5, 0.1, 123456792.0, 7, 1e-300]

    assert list(map(wording.short, exact)) == [0.06666667, 0.1, -2.5, 0.1, 123456792.0, 7, 1e-300]


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
    left = [each for each in "ABCDEFGH" if each not in excluded]

    assert wording.some_of(left, tuple(excluded)) == rendered


def test_where_categories_are_not_known_those_that_are_excluded_are_reported() -> None:
    assert wording.some_of((), ("A", "B", "C")) == "none of A, B, C"


def test_of_many_categories_the_first_are_listed_and_the_others_counted() -> None:
    towns = [f"t{number}" for number in range(30)]

    assert wording.some_of(towns, ()) == "one of t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 20 more"
    assert wording.some_of(towns[:11], ()).endswith("t9, t10")


@pytest.mark.parametrize(
    ("low", "high", "inclusive", "text"),
    [
        (-inf, float(str(np.nextafter(np.float32(0.323), np.float32(-inf)))), (False, True), "below 0.323"),
        (0.5, inf, (False, True), "above 0.5"),
        (float(str(np.nextafter(np.float32(7.1), np.float32(-inf)))), 9, (False, True), "at least 7.1 and at most 9"),
        (-inf, 3.4028234663852886e38, (False, True), "at most 3.4028234663852886e+38"),
        (1.0000000180025095e-35, inf, (False, True), "above 0"),
        (-1.0000000180025095e-35, inf, (False, True), "at least 0"),
        (-inf, 1.0000000180025095e-35, (False, True), "at most 0"),
        (-inf, -1.0000000180025095e-35, (False, True), "below 0"),
    ],
)
def test_ends_are_written_in_the_fewest_digits(
    low: float, high: float, inclusive: tuple[bool, bool], text: str
) -> None:
    found = wording.interval(low, high, low_inclusive=inclusive[0], high_inclusive=inclusive[1], is_single=True)
    assert found == text


@given(
    st.floats(width=32, allow_nan=False, allow_infinity=False).filter(lambda value: not 0 < abs(value) < _NEGLIGIBLE),
    st.booleans(),
    st.booleans(),
)
def test_the_shortest_end_leaves_the_same_numbers_inside(value: float, inclusive: bool, is_low: bool) -> None:
    end = wording.End(float(str(np.float32(value))), inclusive)
    found = wording.shortest_end(end, is_low=is_low, is_single=True)
    assert len(wording.number_text(found.value)) <= len(wording.number_text(end.value))
    at = np.float32(value)
    near = [at, *(np.nextafter(at, np.float32(to)) for to in (-inf, inf))]
    for number in (each for each in near if np.isfinite(each)):
        inside = [_is_inside(number, each, is_low=is_low) for each in (end, found)]
        assert inside[0] == inside[1]


def _is_inside(number: np.float32, end: wording.End, *, is_low: bool) -> bool:
    at = np.float32(end.value)
    return bool((number > at if is_low else number < at) or (end.inclusive and number == at))


@pytest.mark.parametrize(
    ("allowed", "text"),
    [
        (["car"], "car"),
        (["radio/tv", "new car"], "radio/tv or new car"),
        (["no checking"], "'no checking'"),
        (["None"], "'None'"),
        (["northern", "another one"], "'northern' or 'another one'"),
        (["<100"], "'<100'"),
        (["4<=X<7", "unemployed"], "'4<=X<7' or 'unemployed'"),
        (["A", "B", "missing"], "one of 'A', 'B', 'missing'"),
        ([1.0, "no"], "1 or 'no'"),
    ],
)
def test_categories_that_read_as_words_of_a_condition_are_quoted_with_those_beside_them(
    allowed: list[float | str], text: str
) -> None:
    assert wording.one_of(allowed) == text
    assert wording.none_of(allowed) == (f"none of {text[7:]}" if text.startswith("one of") else f"not {text}")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-0.16458944345822604, "-0.164589"),
        (0.10000000149011612, "0.1"),
        (1234567.891234567, "1,234,568"),
        (12345.678901234, "12,345.7"),
        (3397.0, "3,397"),
        (0.335862705, "0.335863"),
    ],
)
def test_values_of_many_digits_are_rounded(value: float, text: str) -> None:
    assert wording.number_text(wording.rounded(value)) == text


def test_classes_are_quoted_only_where_they_hold_words_of_conditions() -> None:
    assert [wording.label_text(label) for label in ("no", "<=50K", "B and C")] == ["no", "<=50K", "'B and C'"]
    assert [wording.category_text(category) for category in ("no", "<=50K", "B", "x" * 70)] == [
        "'no'",
        "'<=50K'",
        "B",
        "x" * 60 + "…",
    ]


@pytest.mark.parametrize("value", [0.0, -0.0, 0, 1, 1.0, 12345.678, -1e-12, 0.10000000149011612, float("inf")])
def test_a_rounded_text_is_that_of_the_rounded_number_whatever_came_before(value: float) -> None:
    for _ in range(2):
        assert wording.rounded_text(value) == wording.number_text(wording.rounded(value))
        assert wording.rounded_text(-value) == wording.number_text(wording.rounded(-value))


@given(st.lists(st.floats() | st.floats(1e-4, 999) | st.floats(-1, 1, width=32), max_size=30))
def test_texts_of_many_numbers_are_those_of_each_as_far_as_they_are_known(values: list[float]) -> None:
    texts, are_sure = wording.rounded_texts(np.array(values))

    of_each = zip(list_of(texts), are_sure.tolist(), values, strict=True)
    assert all(text == wording.rounded_text(value) for text, is_sure, value in of_each if is_sure)


def test_texts_of_nearly_all_fractions_of_many_are_known_and_none_is_that_of_another_number() -> None:
    rng = np.random.default_rng(0)
    between = (rng.integers(100_000, 999_999, 20_000) + 0.5) * 10.0 ** rng.integers(-9, -3, 20_000)
    spread = rng.normal(size=20_000) * 10.0 ** rng.integers(-3, 3, 20_000)
    powers = 10.0 ** np.arange(-6.0, 8)
    singles = np.concatenate([between, spread]).astype(np.float32).astype(np.float64)
    values = np.concatenate([between, spread, singles, powers, np.nextafter(powers, 0), np.nextafter(powers, 1e9)])

    texts, are_sure = wording.rounded_texts(values)

    of_each = zip(list_of(texts), are_sure.tolist(), values.tolist(), strict=True)
    assert all(text == wording.rounded_text(value) for text, is_sure, value in of_each if is_sure)
    assert are_sure[20_000:40_000].mean() > 0.99
    assert are_sure[60_000:80_000].mean() > 0.95  # others are in the middle of two decimals of six digits


def test_values_are_rounded_as_the_decimals_of_single_precision_that_they_are() -> None:
    rng = np.random.default_rng(0)
    for scale in 10.0 ** np.arange(-44, 15):
        ties = np.round(rng.random(50), 6) + 5e-7  # between two numbers of six digits
        values = np.concatenate([rng.normal(size=50), ties, -ties]) * scale
        for value in [*values.tolist(), *values.astype(np.float32).astype(float).tolist()]:
            known = wording.short(value)
            expected = float(f"{known:.6g}") if abs(known) < 1e6 else float(round(known))
            assert repr(wording.rounded(value)) == repr(known if known.is_integer() else expected)
