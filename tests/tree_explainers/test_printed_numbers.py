"""Each printed condition, read back, decides as the exact one does: reference rows, and all that a column can hold."""

from dataclasses import replace
from math import inf, nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.printed_conditions import holds
from tree_explainers.column_words import ColumnWords
from tree_explainers.printed_numbers import NumberColumn, NumberPhrases
from tree_explainers.wording import MISSING_ALLOWED, Interval


def _decides(interval: Interval, column: NumberColumn, value: float) -> bool:
    """Return whether the model's own condition holds for a number."""
    return interval.admits(column.read(value))


def _text(column: NumberColumn, interval: Interval) -> str | None:
    printed = NumberPhrases.of(ColumnWords("x"), column).printed(interval)
    return None if printed is None else printed.text


WHOLE, COUNT = NumberColumn(0), NumberColumn.of(0, 0.0, 9.0)
FLAG, TENTHS = NumberColumn.of(0, 0.0, 1.0), NumberColumn(1)
MEASURED = NumberColumn(values=(0.31, 0.335862701, 0.335862709, 0.4))
UNKNOWN = NumberColumn()
BELOW_TWO, TINY = nextafter(1.5, 2), 1.0000000180025095e-35


@pytest.mark.parametrize(
    ("column", "interval", "text"),
    [
        (WHOLE, Interval(BELOW_TWO, 5.5), "2 to 5"),
        (WHOLE, Interval(low=BELOW_TWO), "at least 2"),
        (WHOLE, Interval(1.5, 2.5), "2"),
        (WHOLE, Interval(high=2.0, high_inclusive=False), "at most 1"),
        (WHOLE, Interval(low=-1.7976931348623157e308), ""),
        (WHOLE, Interval(1.2, 1.8), None),
        (WHOLE, Interval(low=1233.7), "at least 1,234"),
        (COUNT, Interval(high=TINY), "0"),
        (COUNT, Interval(-TINY, 5.5), "at most 5"),
        (COUNT, Interval(low=TINY), "at least 1"),
        (FLAG, Interval(high=0.5), "no"),
        (FLAG, Interval(low=TINY), "yes"),
        (FLAG, Interval(high=1.0), ""),
        (TENTHS, Interval(low=37.550000000000004), "at least 37.6"),
        (TENTHS, Interval(low=37.95), "at least 38"),
        (TENTHS, Interval(low=36.99, low_inclusive=True), "at least 37"),
        (TENTHS, Interval(low=37.0), "above 37"),
        (TENTHS, Interval(high=37.4500001), "at most 37.4"),
        (TENTHS, Interval(30.04, 30.06), None),
        (MEASURED, Interval(low=0.3228, high=0.335862705), "above 0.3228 and at most 0.335862705"),
        (MEASURED, Interval(low=0.335862709), "above 0.335863"),
        (MEASURED, Interval(low=0.36123456789), "above 0.361235"),
        (UNKNOWN, Interval(low=0.07940501378649611), "above 0.0794051"),
        (UNKNOWN, Interval(70.18763760000971, 95.78955980781336), "above 70.1877 and at most 95.7895"),
        (UNKNOWN, Interval(high=-0.07940501378649611), "at most -0.0794051"),
        (UNKNOWN, Interval(low=1_700_000_000.123456), "above 1,700,000,001"),
        (UNKNOWN, Interval(BELOW_TWO, 5.500000000000001), "above 1.5 and at most 5.5"),
        (UNKNOWN, Interval(low=0.31000000000000005), "above 0.31"),
        (UNKNOWN, Interval(low=0.8049999999999999), "at least 0.805"),
        (UNKNOWN, Interval(28.865, 31.275), "above 28.865 and at most 31.275"),
        (UNKNOWN, Interval(1.00000000012345, 1.00000000023456), None),
        (MEASURED, Interval(high=0.36123456789), "at most 0.361234"),
        (NumberColumn(lowest=0.0), Interval(high=TINY), "0"),
        (NumberColumn(precision=np.float32), Interval(high=float(np.float32(0.32299998))), "below 0.323"),
    ],
)
def test_a_condition_reads_as_a_person_writes_it(column: NumberColumn, interval: Interval, text: str | None) -> None:
    assert _text(column, interval) == text


def test_a_sentence_names_the_column_and_missing_values() -> None:
    phrases = NumberPhrases.of(ColumnWords("hr"), WHOLE)

    assert phrases.sentence(Interval(1.5, 5.5, or_missing=True)) == f"hr is 2 to 5{MISSING_ALLOWED}"
    assert phrases.sentence(Interval()) is None


def _neighbourhood(ends: list[float], decimals: int) -> list[float]:
    """Return the multiples of a unit around some ends."""
    unit = 10**decimals
    return [(round(end * unit) + step) / unit for end in ends if abs(end) < 1e9 for step in range(-3, 4)]


precisions = st.sampled_from([np.float32, np.float64])
ends = st.one_of(
    st.floats(-1e6, 1e6, width=32),
    st.floats(-100, 100),
    st.integers(-60, 60).map(lambda number: number / 20),
    st.sampled_from([TINY, -TINY, BELOW_TWO, nextafter(0.5, 0), 16777217.0, -1.7976931348623157e308, 0.0, inf, -inf]),
)


@st.composite
def intervals(draw: st.DrawFn, precision: type) -> Interval:  # an end of the model's precision, perhaps a neighbour
    low, high = sorted([draw(ends.filter(lambda end: end < inf)), draw(ends.filter(lambda end: end > -1e308))])
    with np.errstate(over="ignore"):
        low, high = (float(precision(end)) if draw(st.booleans()) else end for end in (low, high))
    return Interval(low, high, draw(st.booleans()), draw(st.booleans()))


@given(st.data(), precisions, st.integers(0, 6), st.sampled_from([None, 0.0, 3.0]), st.booleans())
def test_all_that_a_column_of_whole_numbers_or_decimals_can_hold_is_decided_as_by_the_model(
    data: st.DataObject, precision: type, decimals: int, least: float | None, is_single: bool
) -> None:
    column = replace(NumberColumn.of(decimals, least, 9.0), precision=precision, is_single=is_single)
    interval = data.draw(intervals(precision))
    text = _text(column, interval)
    possible = [value for value in _neighbourhood([*interval[:2], 0.0, 1.0], decimals) if value >= column.lowest]

    exact = [_decides(interval, column, value) for value in possible]

    assert exact == [text is not None and holds(text, value) for value in possible], (text, interval)


@given(st.data(), precisions)
def test_yes_and_no_are_decided_as_by_the_model(data: st.DataObject, precision: type) -> None:
    column = NumberColumn.of(0, 0.0, 1.0)
    interval = data.draw(intervals(precision))
    text = _text(column, interval)

    assert [text is not None and holds(text, each) for each in (0.0, 1.0)] == [
        _decides(interval, column, each) for each in (0.0, 1.0)
    ]


@given(st.data(), precisions)
def test_reference_rows_of_measured_numbers_are_decided_as_by_the_model_and_others_only_if_the_model_does(
    data: st.DataObject, precision: type
) -> None:
    interval = data.draw(intervals(precision))
    finite = [end for end in interval[:2] if 1e-30 < abs(end) < 1e9]
    near = [end + move * np.spacing(abs(end)) for end in finite for move in (-9, -6, 6, 9)]
    values = sorted(data.draw(st.sets(st.one_of(st.sampled_from([*near, *finite, 0.5]), st.floats(-1e6, 1e6)))))
    column = NumberColumn(values=tuple(map(float, values)), precision=precision)
    text = _text(column, interval)

    assert [text is not None and holds(text, each) for each in values] == [
        _decides(interval, column, each) for each in values
    ], (text, interval)
    neighbours = (np.nextafter(precision(each), precision(towards)) for each in finite for towards in (-inf, inf))
    others = [*map(float, neighbours), *(float(precision(each * scale)) for each in finite for scale in (0.9, 1.1))]
    assert all(_decides(interval, column, each) for each in others if text is not None and holds(text, each))


@pytest.mark.parametrize(
    ("decimals", "to", "value", "text"),
    [
        (1, 16.8, 16.84, "16.8 mm instead of 16.84 mm"),
        (0, 113.7, 120.3, "113.7 mm instead of 120 mm"),
        (0, 2117.0, 2116.6, "2,117 mm instead of 2,116.6 mm"),
        (0, None, 16.84, "missing instead of 17 mm"),
        (None, 16.8, 16.84, "16.8 mm instead of 16.84 mm"),
    ],
)
def test_a_change_is_not_to_what_the_value_is_printed_as(
    decimals: int | None, to: float | None, value: float, text: str
) -> None:
    assert ColumnWords("radius", unit="mm", decimals=decimals).instead_of(to, value) == text
