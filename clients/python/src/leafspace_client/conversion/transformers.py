"""Transformers that call functions of numpy, which skl2onnx does not write."""

from typing import Any

import numpy as np
from skl2onnx.algebra.onnx_ops import (
    OnnxAbs,
    OnnxAdd,
    OnnxCast,
    OnnxCeil,
    OnnxDiv,
    OnnxExp,
    OnnxFloor,
    OnnxIdentity,
    OnnxLog,
    OnnxNeg,
    OnnxPow,
    OnnxReciprocal,
    OnnxRound,
    OnnxSign,
    OnnxSqrt,
    OnnxSub,
    OnnxTanh,
)
from skl2onnx.common._registration import get_converter, get_shape_calculator
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType
from skl2onnx.operator_converters.common import concatenate_variables
from skl2onnx.proto import onnx_proto
from sklearn.preprocessing import FunctionTransformer

from .step_columns import NoCounterpart

# What follows one another; each operator with its second argument, if it takes one.
_FUNCTIONS: dict[Any, tuple[tuple[Any, float | None], ...]] = {
    np.log: ((OnnxLog, None),),
    np.log1p: ((OnnxAdd, 1.0), (OnnxLog, None)),
    np.log2: ((OnnxLog, None), (OnnxDiv, np.log(2))),
    np.log10: ((OnnxLog, None), (OnnxDiv, np.log(10))),
    np.exp: ((OnnxExp, None),),
    np.expm1: ((OnnxExp, None), (OnnxSub, 1.0)),
    np.sqrt: ((OnnxSqrt, None),),
    np.tanh: ((OnnxTanh, None),),
    np.square: ((OnnxPow, 2.0),),
    np.absolute: ((OnnxAbs, None),),
    np.sign: ((OnnxSign, None),),
    np.floor: ((OnnxFloor, None),),
    np.ceil: ((OnnxCeil, None),),
    np.rint: ((OnnxRound, None),),
    np.negative: ((OnnxNeg, None),),
    np.reciprocal: ((OnnxReciprocal, None),),
}


def function_shapes(operator: Any) -> None:  # skl2onnx's own
    """Say that a function keeps the number of columns."""
    if operator.raw_operator.func is None:
        get_shape_calculator("SklearnFunctionTransformer")(operator)
        return
    is_double = any(isinstance(each.type, DoubleTensorType) for each in operator.inputs)
    width = sum(each.type.shape[1] for each in operator.inputs)
    operator.outputs[0].type = (DoubleTensorType if is_double else FloatTensorType)([None, width])


def check_function(transformer: FunctionTransformer) -> None:
    """Refuse a function that is not written here; it may make any columns of any others.

    Raises
    ------
    NoCounterpart
        Naming the functions that are.
    """
    if transformer.func is not None and (transformer.kw_args or transformer.func not in _FUNCTIONS):
        known = ", ".join(f"np.{func.__name__}" for func in _FUNCTIONS)
        name = getattr(transformer.func, "__name__", repr(transformer.func))
        why = f"calls {name}, which has no counterpart in ONNX here ({known} have one, without kw_args)"
        raise NoCounterpart(transformer, why)


def convert_function(scope: Any, operator: Any, container: Any, *, is_single: bool) -> None:
    """Add the nodes of a FunctionTransformer, calculated in double precision unless scikit-learn has single."""
    transformer = operator.raw_operator
    if transformer.func is None:
        get_converter("SklearnFunctionTransformer")(scope, operator, container)
        return
    check_function(transformer)
    opset = {"op_version": container.target_opset}
    value = OnnxCast(_joined(scope, operator, container), to=onnx_proto.TensorProto.DOUBLE, **opset)
    for kind, constant in _FUNCTIONS[transformer.func]:
        value = kind(value, *([] if constant is None else [np.array([constant])]), **opset)
        if is_single:
            value = OnnxCast(value, to=onnx_proto.TensorProto.FLOAT, **opset)
            value = OnnxCast(value, to=onnx_proto.TensorProto.DOUBLE, **opset)
    is_double = isinstance(operator.outputs[0].type, DoubleTensorType)
    output_type = onnx_proto.TensorProto.DOUBLE if is_double else onnx_proto.TensorProto.FLOAT
    outputs = {"output_names": [operator.outputs[0].full_name]}
    OnnxCast(OnnxIdentity(value, **opset), to=output_type, **opset, **outputs).add_to(scope, container)


def _joined(scope: Any, operator: Any, container: Any) -> Any:  # skl2onnx's own
    return concatenate_variables(scope, operator.inputs, container) if len(operator.inputs) > 1 else operator.inputs[0]
