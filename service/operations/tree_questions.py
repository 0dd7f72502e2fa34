"""A node's question in raw terms: which raw values go left, and where a missing one goes."""

import operator
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tree_explainers.ensemble import Operator
from tree_explainers.onnx_models.description import InputType, ModelColumn

_COMPARE: dict[Operator, tuple[str, Callable[[float, float], bool]]] = {
    Operator.LEQ: ("<=", operator.le),
    Operator.LT: ("<", operator.lt),
    Operator.GTE: (">=", operator.ge),
    Operator.GT: (">", operator.gt),
    Operator.EQ: ("==", operator.eq),
    Operator.NEQ: ("!=", operator.ne),
}
_MIRRORED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}


class ModelQuestion(NamedTuple):
    """What a node asks of a model-side column; yes goes left."""

    operator: Operator
    threshold: float
    missing_left: bool
    members: tuple[float, ...]  # with Operator.MEMBER

    def admits(self, value: float | None) -> bool:
        """Whether a value goes left; ``None`` is a missing one."""
        if value is None:
            return self.missing_left
        if self.operator is Operator.MEMBER:
            return int(value) in self.members
        return _COMPARE[self.operator][1](value, self.threshold)


class RawQuestion(NamedTuple):
    """The same as a person reads it."""

    operator: str
    value: float | str | None = None
    categories: list[float | str] | None = None  # with in and not in
    or_missing: bool = False
    transformed: bool = False  # it is asked about the model-side column after all


def in_raw_terms(column: ModelColumn, question: ModelQuestion, input_type: InputType) -> RawQuestion:
    """Return the question that a raw value, of a feature that the graph takes as ``input_type``, answers alike."""
    if column.kind == "indicator":
        return _about_one_category(column, question)
    if column.kind == "ordinal":
        return _about_categories(column, question)
    is_set = question.operator is Operator.MEMBER
    if column.transformed or column.scale == 0 or (is_set and column.kind != "identity"):
        return _about_the_model_side(question)
    if is_set:
        return RawQuestion("in", None, list(question.members), _admits_missing(column, question))
    sign = _COMPARE[question.operator][0]
    value = _told((question.threshold - column.offset) / column.scale, column, input_type)
    sign = _MIRRORED.get(sign, sign) if column.scale < 0 else sign
    return RawQuestion(sign, value, None, _admits_missing(column, question))


def _told(value: float, column: ModelColumn, input_type: InputType) -> float:
    # Where the graph calculates in float32, more digits would be noise: 36.99999958 for the 37 that goes left.
    if column.is_rounded and input_type == "double":
        return column.told(value)
    is_exact = input_type == "double" or (input_type != "float" and column.kind == "identity")
    return value if is_exact else float(str(np.float32(value)))


def _about_one_category(column: ModelColumn, question: ModelQuestion) -> RawQuestion:
    present, absent = (question.admits(_model_value(column, base)) for base in (1, 0))
    if present == absent:
        return _about_the_model_side(question)
    is_missing_present = column.category is None or column.imputed == column.category
    return RawQuestion("is" if present else "is not", column.category, None, present if is_missing_present else absent)


def _about_categories(column: ModelColumn, question: ModelQuestion) -> RawQuestion:
    codes = zip(column.categories, column.codes, strict=True)
    admitted = {category: question.admits(_model_value(column, code)) for category, code in codes}
    admits_others = question.admits(_model_value(column, column.default_code))
    named = [category for category, admits in admitted.items() if admits != admits_others and category is not None]
    or_missing = admitted.get(column.imputed, admits_others)
    return RawQuestion("not in" if admits_others else "in", None, named, or_missing)


def _about_the_model_side(question: ModelQuestion) -> RawQuestion:
    if question.operator is Operator.MEMBER:
        return RawQuestion("in", None, list(question.members), question.missing_left, transformed=True)
    sign, _ = _COMPARE[question.operator]
    return RawQuestion(sign, question.threshold, None, question.missing_left, transformed=True)


def _admits_missing(column: ModelColumn, question: ModelQuestion) -> bool:
    imputed = None if isinstance(column.imputed, str) else column.imputed
    return question.admits(_model_value(column, imputed))


def _model_value(column: ModelColumn, base: float | None) -> float | None:
    """Return the model-side value in float32, as graphs calculate; ``None`` stays missing."""
    return None if base is None else float(np.float32(base) * np.float32(column.scale) + np.float32(column.offset))
