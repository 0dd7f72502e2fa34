"""Splits on model-side columns, as conditions that send the same raw values left."""

import itertools
from typing import Any

import numpy as np
import pytest

from tree_explainers.ensemble import Operator
from tree_explainers.onnx_models.description import ModelColumn
from tree_explainers.questions.splits import RawSplit, Split, raw_split

_COMPARING = (Operator.LEQ, Operator.LT, Operator.GTE, Operator.GT)
_SIDES = (False, True)


def _column(kind: Any, **changes: Any) -> ModelColumn:  # any field
    return ModelColumn(name="f", kind=kind, feature="f", raw_index=0, **changes)


def _answers(condition: RawSplit, value: object) -> bool:
    if value is None:
        return condition.or_missing
    if condition.categories is not None:
        return (value in condition.categories) == (condition.operator == "in")
    if condition.operator in {"is", "is not"}:
        return (value == condition.value) == (condition.operator == "is")
    assert isinstance(value, float)
    assert isinstance(condition.value, float)
    compare = {"<=": value <= condition.value, "<": value < condition.value, "==": value == condition.value}
    compare |= {">=": value >= condition.value, ">": value > condition.value, "!=": value != condition.value}
    return compare[condition.operator]


@pytest.mark.parametrize("missing_left", _SIDES)
@pytest.mark.parametrize("scale", [1.0, 0.25, -4.0])
@pytest.mark.parametrize("operator", [*_COMPARING, Operator.EQ, Operator.NEQ])
def test_numbers_are_compared_in_their_own_unit(operator: Operator, scale: float, *, missing_left: bool) -> None:
    column = _column("affine", scale=scale, offset=3.0)
    split = Split(operator, 8.0, missing_left, ())

    condition = raw_split(column, split, "float")

    for raw in (-8.0, -1.25, 0.0, 1.0, 5.0, 19.0, 20.0, 21.0):
        assert _answers(condition, raw) == split.goes_left(raw * scale + 3.0)
    assert condition.or_missing == missing_left
    assert not condition.transformed


@pytest.mark.parametrize("imputed", [None, 2.0, 40.0])
def test_a_missing_number_goes_where_what_it_counts_as_goes(imputed: float | None) -> None:
    split = Split(Operator.LEQ, 10.0, missing_left=True, members=())

    condition = raw_split(_column("affine", scale=2.0, imputed=imputed), split, "float")

    assert condition.or_missing == (imputed is None or imputed * 2 <= 10)


@pytest.mark.parametrize("operator", _COMPARING)
@pytest.mark.parametrize(("scale", "offset"), [(1.0, 0.0), (2.5, -0.5), (-1.0, 1.0)])
@pytest.mark.parametrize("category", ["female", 3.0, None])
@pytest.mark.parametrize("imputed", [None, "female"])
def test_indicators_become_conditions_on_their_category(
    operator: Operator, scale: float, offset: float, category: float | str | None, imputed: str | None
) -> None:
    column = _column("indicator", scale=scale, offset=offset, category=category, imputed=imputed)
    for share, missing_left in itertools.product((0.0, 0.3, 1.0, 1.5), _SIDES):
        split = Split(operator, offset + share * scale, missing_left, ())
        condition = raw_split(column, split, "string")
        present, absent = split.goes_left(offset + scale), split.goes_left(offset)

        assert condition.transformed == (present == absent)  # it separates nothing
        if not condition.transformed:
            assert _answers(condition, "other") == absent
            if category is not None:
                assert _answers(condition, category) == present
            counts_as_present = category is None or imputed == category
            assert condition.or_missing == (present if counts_as_present else absent)


@pytest.mark.parametrize("threshold", [-3.0, -1.5, -0.5, 0.5, 1.5, 5.0])
@pytest.mark.parametrize("default_code", [-1.0, None])
@pytest.mark.parametrize("missing_left", _SIDES)
def test_codes_become_conditions_on_the_categories_that_have_them(
    threshold: float, default_code: float | None, *, missing_left: bool
) -> None:
    codes = {"a": 0.0, "b": 1.0, "c": 2.0, None: -2.0}
    column = _column("ordinal", categories=tuple(codes), codes=tuple(codes.values()), default_code=default_code)
    split = Split(Operator.LEQ, threshold, missing_left, ())

    condition = raw_split(column, split, "string")

    for category, code in codes.items():
        assert _answers(condition, category) == split.goes_left(code)
    assert _answers(condition, "never seen") == split.goes_left(default_code)


def test_sets_of_numbers_stay_as_they_are() -> None:
    split = Split(Operator.MEMBER, 0.0, missing_left=True, members=(1.0, 4.0))

    assert raw_split(_column("identity"), split, "float") == RawSplit("in", None, [1.0, 4.0], or_missing=True)
    assert raw_split(_column("affine", scale=2.0), split, "float").transformed


@pytest.mark.parametrize("column", [_column("transformed"), _column("affine", scale=0.0)])
def test_a_split_that_cannot_be_mapped_back_stays_on_the_model_side(column: ModelColumn) -> None:
    split = Split(Operator.LT, 0.1, missing_left=True, members=())

    assert raw_split(column, split, "float") == RawSplit("<", 0.1, None, or_missing=True, transformed=True)


def test_thresholds_have_as_many_digits_as_the_graph_calculates_with() -> None:
    threshold = float(np.float32(0.1))
    split = Split(Operator.LEQ, threshold, missing_left=False, members=())

    assert raw_split(_column("identity"), split, "float").value == 0.1
    assert raw_split(_column("identity"), split, "double").value == threshold
    assert raw_split(_column("affine", is_rounded=True), split, "double").value == 0.1
    assert raw_split(_column("affine", scale=1 / 3), split, "int64").value == pytest.approx(0.3, rel=1e-7)
