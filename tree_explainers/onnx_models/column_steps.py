"""What each preprocessing operator does to columns; of the outputs of other operators nothing is known.

``follow`` looks up the operator. Arithmetic with one scale and offset per column is kept exactly, any other is recorded
as a transformation by name; operators of layout put columns side by side, select them or change their shape. Encoders
are in ``column_encoding``.
"""

from collections.abc import Callable
from dataclasses import replace
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import column_changes as changes
from .column_encoding import cast, equal, imputer, is_nan, label_encoder, one_hot, table_lookup, where
from .description import ModelColumn
from .monotone_functions import is_monotone_power
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
from .tree_attributes import integers, numbers


def follow(step: Step) -> list[TensorColumns]:
    """Return what is known of each output of an operator."""
    result = _STEPS.get(step.node.op_type, _unknown)(step)
    outputs = result if isinstance(result, list) else [result]
    return outputs + [UNKNOWN] * (len(step.node.output) - len(outputs))


def _unknown(_: Step) -> TensorColumns:
    return UNKNOWN


def elementwise(step: Step) -> TensorColumns:
    """Follow a function of each value."""
    return TensorColumns("float", each_transformed(step.tensor(), step.node.op_type.lower()))


def monotone(step: Step) -> TensorColumns:
    """Follow a function that rises wherever it is defined."""
    tensor, columns = step.tensor(), settled(step.tensor())
    if columns is None:
        return UNKNOWN
    name = step.node.op_type.lower()
    return TensorColumns(tensor.element, tuple(changes.of_function(column, name) for column in columns))


def power(step: Step) -> TensorColumns:
    """Follow columns to the power of a constant: odd, fractional, or with a name only."""
    columns, exponent = settled(step.tensor()), step.constant(1)
    if columns is None or exponent is None or step.constant(0) is not None:
        return combination(step)
    powers = one_each(exponent, len(columns), default=1.0) if is_row(exponent) else None
    if powers is None or not all(map(is_monotone_power, powers.tolist())):
        return combination(step)
    pairs = zip(columns, powers.tolist(), strict=True)
    raised = (column if each == 1 else changes.of_function(column, "pow", each) for column, each in pairs)
    return TensorColumns(step.tensor().element, tuple(raised))


def limits(step: Step) -> TensorColumns:
    """Follow Clip and Relu: the number itself between two ends."""
    columns = settled(step.tensor())
    low, high = ((0.0, inf)) if step.node.op_type == "Relu" else (_limit(step, 1, "min"), _limit(step, 2, "max"))
    if columns is None or low is None or high is None:
        return TensorColumns("float", each_transformed(step.tensor(), "clip"))
    for name, end in (("at least", low), ("at most", high)):
        columns = tuple(changes.of_function(each, name, end) for each in columns) if isfinite(end) else columns
    return TensorColumns(step.tensor().element, columns)


def _limit(step: Step, index: int, name: str) -> float | None:
    """Return an end of Clip, infinite where it has none; ``None`` where it is not the same for all rows."""
    none = -inf if name == "min" else inf
    if name in step.attributes:  # before opset 11
        return float(step.attributes[name].f)
    if index >= len(step.node.input) or not step.node.input[index]:
        return none
    constant = step.constant(index)
    return None if constant is None or constant.size != 1 else float(constant.ravel()[0])


def row_wise(step: Step) -> TensorColumns:
    """Each column comes to depend on all of its row."""
    tensor = step.tensor()
    return UNKNOWN if tensor.width is None else TensorColumns("float", mixed(step, tensor.width))


def reduction(step: Step) -> TensorColumns:
    """Follow a sum, a norm or the like of all columns of a row, which is one column."""
    axes = integers(step.attributes, "axes") if step.constant(1) is None else step.constant(1)
    is_of_rows = axes is not None and axes.ravel().tolist() in ([1], [-1])
    return TensorColumns("float", mixed(step, 1)) if is_of_rows and step.tensor().width is not None else UNKNOWN


def product(step: Step) -> TensorColumns:
    """Follow a product with a constant matrix."""
    matrix = step.constant(1)
    if matrix is None or matrix.ndim != 2:  # a matrix
        return UNKNOWN
    is_transposed = "transB" in step.attributes and step.attributes["transB"].i
    return TensorColumns("float", mixed(step, matrix.shape[0 if is_transposed else 1]))


def scaler(step: Step) -> TensorColumns:
    """Scaler computes ``(x - offset) * scale``."""
    columns = settled(step.tensor())
    if columns is None:
        return UNKNOWN
    scale = one_each(numbers(step.attributes, "scale"), len(columns), default=1.0)
    offset = one_each(numbers(step.attributes, "offset"), len(columns), default=0.0)
    if scale is None or offset is None:
        return UNKNOWN
    return TensorColumns("float", _all_scaled(columns, scale, -offset * scale, "scaled"))


def _all_scaled(columns: Columns, scale: NDArray[Any], offset: NDArray[Any], how: str) -> Columns:
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
    return TensorColumns(tensor.element, _all_scaled(columns, scale, offset, how.lower()))


def negation(step: Step) -> TensorColumns:
    """Follow Neg."""
    columns = settled(step.tensor())
    if columns is None:
        return UNKNOWN
    ones = np.ones(len(columns))
    return TensorColumns(step.tensor().element, _all_scaled(columns, -ones, 0 * ones, "neg"))


def logical_not(step: Step) -> TensorColumns:
    """Follow Not."""
    tensor = step.tensor()
    if tensor.columns is None:
        return UNKNOWN
    ones = np.ones(len(tensor.columns))
    return TensorColumns("bool", _all_scaled(tensor.columns, -ones, ones, "not"))


def same(step: Step) -> TensorColumns:
    """Follow an operator that leaves columns as they are."""
    return step.tensor()


def reshape(step: Step) -> TensorColumns:
    """Follow a reshape that keeps, or flattens, everything but the rows."""
    tensor, shape = step.tensor(), step.constant(1)
    if tensor.columns is None or shape is None:
        return UNKNOWN
    sizes = shape.ravel().tolist()
    width = len(tensor.columns)
    if sizes == [-1] and width == 1:
        return tensor
    rows, columns = sizes[0], [width if size == -1 and sizes[0] != -1 else size for size in sizes[1:]]
    return tensor if rows in (-1, 0) and columns and int(np.prod(columns)) == width else UNKNOWN


def transpose(step: Step) -> TensorColumns:
    """Follow a Transpose that turns nothing."""
    order = integers(step.attributes, "perm").tolist()
    return step.tensor() if order and order == sorted(order) else UNKNOWN


def concat(step: Step) -> TensorColumns:
    """Follow columns put side by side."""
    tensors = [step.tensor(index) for index in range(len(step.node.input))]
    parts = [settled(tensor) for tensor in tensors]
    if step.node.op_type == "Concat" and step.axis(1) == 0:
        return UNKNOWN
    columns: list[ModelColumn] = []
    for part in parts:
        if part is None:
            return UNKNOWN
        columns += part
    elements = {tensor.element for tensor in tensors}
    return TensorColumns(elements.pop() if len(elements) == 1 else "float", tuple(columns))


def gather(step: Step) -> TensorColumns:
    """Follow Gather along the columns, or from a row of constants, and ArrayFeatureExtractor."""
    if step.node.op_type == "Gather" and step.constant(0) is not None and step.axis(0) in (0, -1):
        return table_lookup(step)
    tensor, indices = step.tensor(), step.constant(1)
    on_columns = step.node.op_type == "ArrayFeatureExtractor" or step.axis(0) in (1, -1)
    if tensor.columns is None or indices is None or indices.dtype.kind not in "iu" or not on_columns:
        return UNKNOWN
    return _chosen(tensor, indices.ravel().astype(np.int64))


def _chosen(tensor: TensorColumns, indices: NDArray[np.int64]) -> TensorColumns:
    columns = tensor.columns or ()
    if len(indices) and not -len(columns) <= indices.min() <= indices.max() < len(columns):
        return UNKNOWN
    return replace(tensor, columns=tuple(columns[index] for index in indices.tolist()))


def columns_slice(step: Step) -> TensorColumns:
    """Follow a Slice of columns."""
    tensor = step.tensor()
    bounds = [_bound(step, name, index) for index, name in ((1, "starts"), (2, "ends"), (3, "axes"))]
    stride = step.constant(4)
    if tensor.columns is None or any(len(bound) != 1 for bound in bounds) or bounds[2][0] != 1:
        return UNKNOWN
    every = 1 if stride is None else int(stride.ravel()[0])
    if every == 0:
        return UNKNOWN
    first, last = int(bounds[0][0]), int(bounds[1][0])
    return _chosen(tensor, np.arange(len(tensor.columns))[first:last:every])


def _bound(step: Step, name: str, index: int) -> NDArray[Any]:
    constant = step.constant(index)
    return integers(step.attributes, name) if constant is None else constant.ravel()


def split(step: Step) -> list[TensorColumns]:
    """Follow a Split into blocks of columns."""
    tensor = step.tensor()
    n_parts = len(step.node.output)
    if tensor.columns is None or step.axis(0) not in (1, -1):
        return [UNKNOWN] * n_parts
    sizes = _bound(step, "split", 1)
    if not len(sizes):
        sizes = np.full(n_parts, -(-len(tensor.columns) // n_parts))
    blocks = np.split(np.arange(len(tensor.columns)), np.cumsum(sizes)[:-1])
    return [_chosen(tensor, part) for part in blocks][:n_parts]


_REDUCTIONS = ("L1", "L2", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
_STEPS: dict[str, Callable[[Step], TensorColumns | list[TensorColumns]]] = {
    **dict.fromkeys(("Identity", "Squeeze", "Unsqueeze", "Flatten"), same),
    **dict.fromkeys(("Add", "Sub", "Mul", "Div"), arithmetic),
    **dict.fromkeys(("Abs", "Binarizer", "Ceil", "Floor", "Reciprocal", "Round", "Sign"), elementwise),
    **dict.fromkeys(("Exp", "Log", "Sigmoid", "Sqrt", "Tanh"), monotone),
    **dict.fromkeys(("Clip", "Relu"), limits),
    **dict.fromkeys(("Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Mod"), combination),
    **dict.fromkeys(("Normalizer", "Softmax", "CumSum"), row_wise),
    **dict.fromkeys((f"Reduce{kind}" for kind in _REDUCTIONS), reduction),
    **dict.fromkeys(("MatMul", "Gemm"), product),
    **dict.fromkeys(("Concat", "FeatureVectorizer"), concat),
    **dict.fromkeys(("Gather", "ArrayFeatureExtractor"), gather),
    **dict.fromkeys(("LabelEncoder", "CategoryMapper"), label_encoder),
    "Cast": cast,
    "Equal": equal,
    "Imputer": imputer,
    "IsNaN": is_nan,
    "Neg": negation,
    "Not": logical_not,
    "OneHotEncoder": one_hot,
    "Pow": power,
    "Reshape": reshape,
    "Scaler": scaler,
    "Slice": columns_slice,
    "Split": split,
    "Transpose": transpose,
    "Where": where,
}
