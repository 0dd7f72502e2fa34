"""A parsed graph: its constants as numpy arrays, which operator makes each tensor, and in which order they are read.

Constants are checked before they are read: a wrong size must not cost memory.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, numpy_helper

from ..errors import ModelRefused

_ITEM_BYTES: dict[int, int] = {
    TensorProto.FLOAT: 4,
    TensorProto.DOUBLE: 8,
    TensorProto.INT8: 1,
    TensorProto.INT16: 2,
    TensorProto.INT32: 4,
    TensorProto.INT64: 8,
    TensorProto.UINT8: 1,
    TensorProto.UINT16: 2,
    TensorProto.UINT32: 4,
    TensorProto.UINT64: 8,
    TensorProto.BOOL: 1,
}
# Where values are stored one by one; smaller integers share a field.
_FIELDS: dict[int, str] = {
    TensorProto.FLOAT: "float_data",
    TensorProto.DOUBLE: "double_data",
    TensorProto.INT64: "int64_data",
    TensorProto.UINT32: "uint64_data",
    TensorProto.UINT64: "uint64_data",
    TensorProto.STRING: "string_data",
}
_LISTS = ("float_data", "double_data", "int32_data", "int64_data", "uint64_data", "string_data")
# They pass on the values of their first input, in another type or shape at most.
PASSING = frozenset({"Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten"})


def tensor_array(tensor: TensorProto) -> NDArray[np.generic]:
    """Return a constant's values in its own shape; strings as objects of ``bytes``.

    Raises
    ------
    ModelRefused
        ``model_external_data`` where the values are in another file; ``model_op_not_allowed`` for an element type
        without use here; ``model_invalid_graph`` where dims and data do not agree.
    """
    name = ascii(tensor.name[:80])
    if tensor.data_location == TensorProto.EXTERNAL or tensor.external_data:
        detail = f"The constant {name} is kept outside the file; export the model with all its data inside."
        raise ModelRefused("model_external_data", detail)
    if tensor.data_type != TensorProto.STRING and tensor.data_type not in _ITEM_BYTES:
        raise ModelRefused("model_op_not_allowed", f"The constant {name} has the element type {tensor.data_type}.")
    # Raw data are read if there are any, empty or not, whatever other fields hold.
    n_fields = sum(len(getattr(tensor, field)) > 0 for field in _LISTS) + tensor.HasField("raw_data")
    is_odd = n_fields > 1 or tensor.HasField("segment") or min(tensor.dims, default=0) < 0
    if is_odd or math.prod(tensor.dims) != _n_stored(tensor):
        detail = f"The dimensions {list(tensor.dims)[:8]} of the constant {name} do not agree with its data."
        raise ModelRefused("model_invalid_graph", detail)
    return numpy_helper.to_array(tensor)


def _n_stored(tensor: TensorProto) -> float:
    """Return the number of stored values: a fraction where raw data end in the middle of one."""
    if tensor.raw_data and tensor.data_type != TensorProto.STRING:
        return len(tensor.raw_data) / _ITEM_BYTES[tensor.data_type]
    return len(getattr(tensor, _FIELDS.get(tensor.data_type, "int32_data")))


def makers_of(graph: GraphProto) -> dict[str, NodeProto]:
    """Return the operator that computes each tensor, by the tensor's name."""
    return {name: node for node in graph.node for name in node.output}


def first_that_computes(tensor: str, makers: Mapping[str, NodeProto]) -> NodeProto | None:
    """Return the nearest operator before a tensor that does more than pass on its input."""
    maker = makers.get(tensor)
    while maker is not None and maker.op_type in PASSING:
        maker = makers.get(maker.input[0])
    return maker


def matrices_behind(graph: GraphProto, nodes: Sequence[NodeProto]) -> list[NDArray[np.float64] | None]:
    """Return for each operator the constant matrix that its output is multiplied by, and nothing else reads.

    Leaves that are stored in parts, to be added in single precision without rounding, are put together this way.
    """
    readers: dict[str, list[NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    constants = {tensor.name: tensor for tensor in graph.initializer}
    matrices: list[NDArray[np.float64] | None] = []
    for node in nodes:
        tensor, read = node.output[0], readers.get(node.output[0], [])
        while len(read) == 1 and read[0].op_type in PASSING:
            tensor, read = read[0].output[0], readers.get(read[0].output[0], [])
        is_product = len(read) == 1 and read[0].op_type == "MatMul" and read[0].input[0] == tensor
        matrix = constants.get(read[0].input[1]) if is_product else None
        matrices.append(None if matrix is None else tensor_array(matrix).astype(np.float64))
    return matrices


def in_reading_order(nodes: Sequence[NodeProto], tensor: str, makers: Mapping[str, NodeProto]) -> list[NodeProto]:
    """Return nodes in the order in which ``tensor`` reads them, its inputs first to last; those it does not read last.

    Exporters list the members of a bagging ensemble in any order, but concatenate them in theirs.
    """
    rank: dict[str, int] = {}
    waiting = [tensor]
    while waiting:
        name = waiting.pop()
        if name not in rank:
            rank[name] = len(rank)
            waiting.extend(reversed(makers[name].input if name in makers else ()))
    return sorted(nodes, key=lambda node: min((rank.get(name, len(rank)) for name in node.output), default=len(rank)))
