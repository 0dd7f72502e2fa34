"""Columns through arithmetic: what is one scale and offset per column is kept, the rest is transformed."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import column_changes as changes
from .tensor_columns import (
    UNKNOWN,
    Columns,
    Step,
    TensorColumns,
    combination,
    each_transformed,
    is_row,
    mixed,
    one_each,
    settled,
)
from .tree_attributes import numbers


def elementwise(step: Step) -> TensorColumns:
    """Follow a function of each value."""
    return TensorColumns("float", each_transformed(step.tensor(), step.node.op_type.lower()))


def row_wise(step: Step) -> TensorColumns:
    """Each column comes to depend on all of its row."""
    tensor = step.tensor()
    return UNKNOWN if tensor.width is None else TensorColumns("float", mixed(step, tensor.width))


def product(step: Step) -> TensorColumns:
    """Follow a product with a constant matrix."""
    matrix = step.constant(1)
    if matrix is None or matrix.ndim != 2:  # noqa: PLR2004  # a matrix
        return UNKNOWN
    is_turned = "transB" in step.attributes and step.attributes["transB"].i
    return TensorColumns("float", mixed(step, matrix.shape[0 if is_turned else 1]))


def scaler(step: Step) -> TensorColumns:
    """Scaler computes ``(x - offset) * scale``."""
    columns = settled(step.tensor())
    if columns is None:
        return UNKNOWN
    scale = one_each(numbers(step.attributes, "scale"), len(columns), default=1.0)
    offset = one_each(numbers(step.attributes, "offset"), len(columns), default=0.0)
    if scale is None or offset is None:
        return UNKNOWN
    return TensorColumns("float", all_scaled(columns, scale, -offset * scale, "scaled"))


def all_scaled(columns: Columns, scale: NDArray[Any], offset: NDArray[Any], how: str) -> Columns:
    """Return each column times its scale plus its offset."""
    changed = zip(columns, scale.tolist(), offset.tolist(), strict=True)
    return tuple(changes.scaled(column, factor, shift, how) for column, factor, shift in changed)


def arithmetic(step: Step) -> TensorColumns:
    """Follow Add, Sub, Mul and Div of columns and one constant per column, in either order."""
    how = step.node.op_type
    is_second = step.constant(1) is not None
    constant = step.constant(1 if is_second else 0)
    tensor = step.tensor(0 if is_second else 1)
    columns = settled(tensor)
    if constant is None or columns is None or constant.dtype.kind not in "fiu":
        return combination(step)
    values = one_each(constant, len(columns), default=0.0) if is_row(constant) else None
    if values is None or (how == "Div" and not is_second) or (how == "Div" and (values == 0).any()):
        return TensorColumns(tensor.element, each_transformed(replace(tensor, columns=columns), how.lower()))
    one, zero = np.ones_like(values), np.zeros_like(values)
    scale, offset = {
        "Add": (one, values),
        "Sub": (one, -values) if is_second else (-one, values),
        "Mul": (values, zero),
        "Div": (1 / np.where(values == 0, 1, values), zero),
    }[how]
    return TensorColumns(tensor.element, all_scaled(columns, scale, offset, how.lower()))


def negation(step: Step) -> TensorColumns:
    """Follow Neg."""
    columns = settled(step.tensor())
    if columns is None:
        return UNKNOWN
    ones = np.ones(len(columns))
    return TensorColumns(step.tensor().element, all_scaled(columns, -ones, 0 * ones, "neg"))


def logical_not(step: Step) -> TensorColumns:
    """Follow Not."""
    tensor = step.tensor()
    if tensor.columns is None:
        return UNKNOWN
    ones = np.ones(len(tensor.columns))
    return TensorColumns("bool", all_scaled(tensor.columns, -ones, ones, "not"))
