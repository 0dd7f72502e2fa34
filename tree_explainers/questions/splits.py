"""Splits: the tests of an ensemble's nodes, on the model's columns as trees read them, and on raw features.

A model-side column is ``base * scale + offset``, where ``base`` is a raw number, an indicator of a category, or the
code of one (see ``ModelColumn``). A split compares it with a threshold, or looks it up in a set; yes goes left.
"""

import operator as python_operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator, TreeEnsemble
from ..onnx_models.description import InputType, ModelColumn, ModelDescription, column_types

_COMPARE: dict[Operator, tuple[str, Callable[[Any, Any], Any]]] = {
    Operator.LEQ: ("<=", python_operator.le),
    Operator.LT: ("<", python_operator.lt),
    Operator.GTE: (">=", python_operator.ge),
    Operator.GT: (">", python_operator.gt),
    Operator.EQ: ("==", python_operator.eq),
    Operator.NEQ: ("!=", python_operator.ne),
}
_MIRRORED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}
_LARGEST_SINGLE = float(np.finfo(np.float32).max)
_SORT_KEYS = ("missing_left", "threshold", "operator", "column")  # for lexsort: the last is the primary key


@dataclass(frozen=True, slots=True)
class ColumnSplits:
    """The distinct splits on one model-side column; yes goes left."""

    operator: NDArray[np.uint8]  # (n_splits,) an Operator
    threshold: NDArray[np.float64]  # (n_splits,)
    missing_left: NDArray[np.bool_]  # (n_splits,)
    members: tuple[NDArray[np.float64], ...]  # the sets of MEMBER splits, whose threshold is an index into these

    def answer(self, value: float | None) -> NDArray[np.bool_]:
        """Return which splits send a value left, (n_splits,); ``None`` and NaN are a missing value."""
        if value is None or np.isnan(value):
            return self.missing_left
        goes_left = np.empty(len(self.operator), dtype=np.bool_)
        for each in np.unique(self.operator):
            by_operator = self.operator == each
            if each == Operator.MEMBER:  # onnxruntime truncates fractions before it looks into a set
                sets = (self.members[int(index)] for index in self.threshold[by_operator])
                goes_left[by_operator] = [np.trunc(value) in members for members in sets]
            else:
                goes_left[by_operator] = _COMPARE[Operator(each)][1](value, self.threshold[by_operator])
        return goes_left


def splits_by_column(ensemble: TreeEnsemble) -> dict[int, ColumnSplits]:
    """Return the distinct splits on each model-side column that some node tests, by ascending column."""
    inner = np.flatnonzero(ensemble.operator != Operator.LEAF)
    keys = [getattr(ensemble, name)[inner] for name in _SORT_KEYS]
    order = np.lexsort(keys)
    keys = [key[order] for key in keys]
    is_new = np.ones(len(inner), dtype=np.bool_)
    is_new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    missing_left, threshold, operator, column = (key[is_new] for key in keys)
    columns, starts = np.unique(column, return_index=True)
    ends = np.append(starts, len(column))[1:]
    return {
        int(each): ColumnSplits(operator[first:end], threshold[first:end], missing_left[first:end], ensemble.members)
        for each, first, end in zip(columns, starts, ends, strict=True)
    }


@overload
def model_value(column: ModelColumn, base: float) -> float: ...
@overload
def model_value(column: ModelColumn, base: float | None) -> float | None: ...
def model_value(column: ModelColumn, base: float | None) -> float | None:
    """Return what trees read in a column, in float32, as graphs calculate; ``None`` is a missing value."""
    if base is None:
        return None
    return float(np.float32(base) * np.float32(column.scale) + np.float32(column.offset))


def base_of(column: ModelColumn, value: float | str | None) -> float | None:
    """Return an indicator's or ordinal column's value for a raw category, before scale and offset.

    ``None`` is a missing raw value, which counts as the value imputed for it.
    """
    if value is None:
        value = column.imputed
    if column.kind == "indicator":
        return float(value == column.category)
    return dict(zip(column.categories, column.codes, strict=True)).get(value, column.default_code)


class Split(NamedTuple):
    """The split of one node, on a model-side column; yes goes left."""

    operator: Operator
    threshold: float
    missing_left: bool
    members: tuple[float, ...]  # with Operator.MEMBER

    def goes_left(self, value: float | None) -> bool:
        """Return whether a value goes left; ``None`` is a missing one."""
        if value is None:
            return self.missing_left
        if self.operator is Operator.MEMBER:
            return int(value) in self.members
        return bool(_COMPARE[self.operator][1](value, self.threshold))


class RawSplit(NamedTuple):
    """The same split as a condition on a raw feature."""

    operator: str
    value: float | str | None = None
    categories: list[float | str] | None = None  # with in and not in
    or_missing: bool = False
    transformed: bool = False  # it is about the model-side column, which cannot be mapped back


def split_of(ensemble: TreeEnsemble, node: int) -> Split:
    """Return the split of an inner node."""
    operator, threshold = Operator(ensemble.operator[node]), float(ensemble.threshold[node])
    members = tuple(ensemble.members[int(threshold)].tolist()) if operator is Operator.MEMBER else ()
    return Split(operator, threshold, bool(ensemble.missing_left[node]), members)


def raw_types(description: ModelDescription) -> list[InputType]:
    """Return, for each model-side column, the type in which the graph takes its raw feature, (n_columns,)."""
    types = column_types(description.inputs)
    return ["float" if column.raw_index is None else types[column.raw_index] for column in description.columns]


def raw_split(column: ModelColumn, split: Split, input_type: InputType) -> RawSplit:
    """Return the condition on raw values that sends the same values left.

    Parameters
    ----------
    column
        The model-side column that the split tests.
    split
        On that column.
    input_type
        Type in which the graph takes the raw feature: thresholds have as many digits as the graph calculates with.
    """
    if column.kind == "indicator":
        return _split_of_indicator(column, split)
    if column.kind == "ordinal":
        return _split_of_codes(column, split)
    is_set = split.operator is Operator.MEMBER
    if column.transformed or column.scale == 0 or (is_set and column.kind != "identity"):
        return _model_side_split(split)
    imputed = None if isinstance(column.imputed, str) else column.imputed
    or_missing = split.goes_left(model_value(column, imputed))
    if is_set:
        return RawSplit("in", None, list(split.members), or_missing)
    if split.threshold == np.inf:  # all numbers are at most that, and no missing value
        return RawSplit("is not" if split.operator is Operator.LEQ else "is", None, None, or_missing)
    sign = _COMPARE[split.operator][0]
    sign = _MIRRORED.get(sign, sign) if column.scale < 0 else sign
    value = _raw_threshold((split.threshold - column.offset) / column.scale, column, input_type)
    return RawSplit(sign, value, None, or_missing)


def _raw_threshold(value: float, column: ModelColumn, input_type: InputType) -> float:
    # Where the graph calculates in float32, more digits would be noise: 36.99999958 for the 37 that goes left.
    if column.is_rounded and input_type == "double":
        return column.shortest_equivalent(value)
    is_exact = input_type == "double" or (input_type != "float" and column.kind == "identity")
    return value if is_exact else float(str(np.float32(np.clip(value, -_LARGEST_SINGLE, _LARGEST_SINGLE))))


def _split_of_indicator(column: ModelColumn, split: Split) -> RawSplit:
    present, absent = (split.goes_left(model_value(column, base)) for base in (1, 0))
    if present == absent:
        return _model_side_split(split)
    is_missing_present = column.category is None or column.imputed == column.category
    return RawSplit("is" if present else "is not", column.category, None, present if is_missing_present else absent)


def _split_of_codes(column: ModelColumn, split: Split) -> RawSplit:
    codes = zip(column.categories, column.codes, strict=True)
    admitted = {category: split.goes_left(model_value(column, code)) for category, code in codes}
    admits_others = split.goes_left(model_value(column, column.default_code))
    named = [category for category, admits in admitted.items() if admits != admits_others and category is not None]
    or_missing = admitted.get(column.imputed, admits_others)
    return RawSplit("not in" if admits_others else "in", None, named, or_missing)


def _model_side_split(split: Split) -> RawSplit:
    if split.operator is Operator.MEMBER:
        return RawSplit("in", None, list(split.members), split.missing_left, transformed=True)
    if split.threshold == np.inf:
        sign = "is not" if split.operator is Operator.LEQ else "is"
        return RawSplit(sign, None, None, split.missing_left, transformed=True)
    return RawSplit(_COMPARE[split.operator][0], split.threshold, None, split.missing_left, transformed=True)
