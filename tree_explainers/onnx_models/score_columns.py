"""split_scores: scores that a graph returns as one output for each class are read where they are side by side."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto

from .graph import PASSING, makers_of, tensor_array
from .tree_attributes import attributes_of, integers

_NUMBERS = (TensorProto.FLOAT, TensorProto.DOUBLE)


def split_scores(graph: GraphProto) -> str | None:
    """Return the tensor of which the graph's outputs of numbers are the columns, in order; ``None`` if there is none.

    So converters write "a column for each class" in the place of a ZipMap.
    """
    constants = {tensor.name: tensor for tensor in graph.initializer}
    makers = makers_of(graph)
    names = [value.name for value in graph.output if value.type.tensor_type.elem_type in _NUMBERS]
    parts = [_column(name, makers, constants) for name in names]
    tensors = {part[0] if part else None for part in parts}
    columns = [part[1] for part in parts if part]
    if len(names) < 2 or len(tensors) != 1 or columns != list(range(len(names))):  # several
        return None
    return tensors.pop()


def _column(
    tensor: str, makers: Mapping[str, NodeProto], constants: Mapping[str, TensorProto]
) -> tuple[str, int] | None:
    """Return the tensor of which another one is a column, and which."""
    maker = makers.get(tensor)
    while maker is not None and maker.op_type in PASSING:
        tensor, maker = maker.input[0], makers.get(maker.input[0])
    if maker is None:
        return None
    attributes = attributes_of(maker)
    if maker.op_type == "Split":
        return maker.input[0], list(maker.output).index(tensor)
    if maker.op_type == "Slice" and "starts" in attributes:
        starts: NDArray[Any] = integers(attributes, "starts")
        axes: NDArray[Any] = integers(attributes, "axes")
    else:
        named = [_integers(constants.get(name)) for name in maker.input[1:]]
        is_pick = maker.op_type == "ArrayFeatureExtractor" or (
            maker.op_type == "Gather" and "axis" in attributes and attributes["axis"].i in (1, -1)
        )
        if not named or not (is_pick or (maker.op_type == "Slice" and len(named) > 2)):  # with axes
            return None
        starts, axes = named[0], np.ones(1) if is_pick else named[2]
    return (maker.input[0], int(starts[0])) if len(starts) == 1 and axes.tolist() in ([1], [-1]) else None


def _integers(tensor: TensorProto | None) -> NDArray[Any]:
    return np.empty(0) if tensor is None else tensor_array(tensor).ravel()
