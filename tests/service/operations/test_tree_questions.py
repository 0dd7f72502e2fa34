"""Questions of model-side columns, told so that raw values answer them alike."""

import itertools
from typing import Any

import numpy as np
import pytest

from service.operations.tree_questions import ModelQuestion, RawQuestion, in_raw_terms
from tree_explainers.ensemble import Operator
from tree_explainers.onnx_models.description import ModelColumn

_COMPARING = (Operator.LEQ, Operator.LT, Operator.GTE, Operator.GT)
_SIDES = (False, True)


def _column(kind: Any, **changes: Any) -> ModelColumn:  # noqa: ANN401  # any field
    return ModelColumn(name="f", kind=kind, feature="f", raw_index=0, **changes)


def _answers(question: RawQuestion, value: object) -> bool:
    if value is None:
        return question.or_missing
    if question.categories is not None:
        return (value in question.categories) == (question.operator == "in")
    if question.operator in {"is", "is not"}:
        return (value == question.value) == (question.operator == "is")
    assert isinstance(value, float)
    assert isinstance(question.value, float)
    compare = {"<=": value <= question.value, "<": value < question.value, "==": value == question.value}
    compare |= {">=": value >= question.value, ">": value > question.value, "!=": value != question.value}
    return compare[question.operator]


@pytest.mark.parametrize("missing_left", _SIDES)
@pytest.mark.parametrize("scale", [1.0, 0.25, -4.0])
@pytest.mark.parametrize("operator", [*_COMPARING, Operator.EQ, Operator.NEQ])
def test_numbers_are_compared_in_their_own_unit(operator: Operator, scale: float, *, missing_left: bool) -> None:
    column = _column("affine", scale=scale, offset=3.0)
    asked = ModelQuestion(operator, 8.0, missing_left, ())

    told = in_raw_terms(column, asked, "float")

    for raw in (-8.0, -1.25, 0.0, 1.0, 5.0, 19.0, 20.0, 21.0):
        assert _answers(told, raw) == asked.admits(raw * scale + 3.0)
    assert told.or_missing == missing_left
    assert not told.transformed


@pytest.mark.parametrize("imputed", [None, 2.0, 40.0])
def test_a_missing_number_goes_where_what_it_counts_as_goes(imputed: float | None) -> None:
    asked = ModelQuestion(Operator.LEQ, 10.0, missing_left=True, members=())

    told = in_raw_terms(_column("affine", scale=2.0, imputed=imputed), asked, "float")

    assert told.or_missing == (imputed is None or imputed * 2 <= 10)


@pytest.mark.parametrize("operator", _COMPARING)
@pytest.mark.parametrize(("scale", "offset"), [(1.0, 0.0), (2.5, -0.5), (-1.0, 1.0)])
@pytest.mark.parametrize("category", ["female", 3.0, None])
@pytest.mark.parametrize("imputed", [None, "female"])
def test_indicators_are_questions_about_their_category(
    operator: Operator, scale: float, offset: float, category: float | str | None, imputed: str | None
) -> None:
    column = _column("indicator", scale=scale, offset=offset, category=category, imputed=imputed)
    for share, missing_left in itertools.product((0.0, 0.3, 1.0, 1.5), _SIDES):
        asked = ModelQuestion(operator, offset + share * scale, missing_left, ())
        told = in_raw_terms(column, asked, "string")
        present, absent = asked.admits(offset + scale), asked.admits(offset)

        assert told.transformed == (present == absent)  # it tells nothing apart
        if not told.transformed:
            assert _answers(told, "other") == absent
            if category is not None:
                assert _answers(told, category) == present
            counts_as_present = category is None or imputed == category
            assert told.or_missing == (present if counts_as_present else absent)


@pytest.mark.parametrize("threshold", [-3.0, -1.5, -0.5, 0.5, 1.5, 5.0])
@pytest.mark.parametrize("default_code", [-1.0, None])
@pytest.mark.parametrize("missing_left", _SIDES)
def test_codes_are_told_as_the_categories_they_stand_for(
    threshold: float, default_code: float | None, *, missing_left: bool
) -> None:
    codes = {"a": 0.0, "b": 1.0, "c": 2.0, None: -2.0}
    column = _column("ordinal", categories=tuple(codes), codes=tuple(codes.values()), default_code=default_code)
    asked = ModelQuestion(Operator.LEQ, threshold, missing_left, ())

    told = in_raw_terms(column, asked, "string")

    for category, code in codes.items():
        assert _answers(told, category) == asked.admits(code)
    assert _answers(told, "never seen") == asked.admits(default_code)


def test_sets_of_numbers_are_told_as_they_are() -> None:
    asked = ModelQuestion(Operator.MEMBER, 0.0, missing_left=True, members=(1.0, 4.0))

    assert in_raw_terms(_column("identity"), asked, "float") == RawQuestion("in", None, [1.0, 4.0], or_missing=True)
    assert in_raw_terms(_column("affine", scale=2.0), asked, "float").transformed


@pytest.mark.parametrize("column", [_column("transformed"), _column("affine", scale=0.0)])
def test_what_cannot_be_led_back_is_told_as_the_model_asks_it(column: ModelColumn) -> None:
    asked = ModelQuestion(Operator.LT, 0.1, missing_left=True, members=())

    assert in_raw_terms(column, asked, "float") == RawQuestion("<", 0.1, None, or_missing=True, transformed=True)


def test_thresholds_have_as_many_digits_as_the_graph_calculates_with() -> None:
    threshold = float(np.float32(0.1))
    asked = ModelQuestion(Operator.LEQ, threshold, missing_left=False, members=())

    assert in_raw_terms(_column("identity"), asked, "float").value == 0.1
    assert in_raw_terms(_column("identity"), asked, "double").value == threshold
    assert in_raw_terms(_column("affine", is_rounded=True), asked, "double").value == 0.1
    assert in_raw_terms(_column("affine", scale=1 / 3), asked, "int64").value == pytest.approx(0.3, rel=1e-7)
