"""Columns put side by side, picked out and given another shape."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .description import ModelColumn
from .tensor_columns import UNKNOWN, Step, TensorColumns, settled
from .tree_attributes import integers


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
    tensors = [step.tensor(position) for position in range(len(step.node.input))]
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
    """Follow Gather along the columns, and ArrayFeatureExtractor."""
    tensor, positions = step.tensor(), step.constant(1)
    on_columns = step.node.op_type == "ArrayFeatureExtractor" or step.axis(0) in (1, -1)
    if tensor.columns is None or positions is None or not on_columns:
        return UNKNOWN
    return _chosen(tensor, positions.ravel().astype(np.int64))


def _chosen(tensor: TensorColumns, positions: NDArray[np.int64]) -> TensorColumns:
    columns = tensor.columns or ()
    if len(positions) and not -len(columns) <= positions.min() <= positions.max() < len(columns):
        return UNKNOWN
    return replace(tensor, columns=tuple(columns[position] for position in positions.tolist()))


def columns_slice(step: Step) -> TensorColumns:
    """Follow a Slice of columns."""
    tensor = step.tensor()
    bounds = [_bound(step, name, at) for at, name in ((1, "starts"), (2, "ends"), (3, "axes"))]
    stride = step.constant(4)
    if tensor.columns is None or any(len(bound) != 1 for bound in bounds) or bounds[2][0] != 1:
        return UNKNOWN
    every = 1 if stride is None else int(stride.ravel()[0])
    if every == 0:
        return UNKNOWN
    first, last = int(bounds[0][0]), int(bounds[1][0])
    return _chosen(tensor, np.arange(len(tensor.columns))[first:last:every])


def _bound(step: Step, name: str, position: int) -> NDArray[Any]:
    constant = step.constant(position)
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
    positions = np.split(np.arange(len(tensor.columns)), np.cumsum(sizes)[:-1])
    return [_chosen(tensor, part) for part in positions][:n_parts]
