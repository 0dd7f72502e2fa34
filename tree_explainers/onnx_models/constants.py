"""Constant tensors of a graph as numpy arrays, checked first: a lie about their size must not cost memory."""

import math

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper

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


def tensor_array(tensor: TensorProto) -> NDArray[np.generic]:
    """Return a constant's values in its own shape; strings as objects of ``bytes``.

    Raises
    ------
    ModelRefused
        ``model_external_data`` where the values are said to be in a file; ``model_op_not_allowed`` for an element type
        without use here; ``model_invalid_graph`` where dims and data do not agree.
    """
    name = ascii(tensor.name[:80])
    if tensor.data_location == TensorProto.EXTERNAL or tensor.external_data:
        detail = f"The constant {name} is kept outside the file; export the model with all its data inside."
        raise ModelRefused("model_external_data", detail)
    if tensor.data_type != TensorProto.STRING and tensor.data_type not in _ITEM_BYTES:
        raise ModelRefused("model_op_not_allowed", f"The constant {name} has the element type {tensor.data_type}.")
    # Raw data that are there are read, empty or not, whatever stands beside them.
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
