"""Transformers that skl2onnx does not write: functions of numpy, and one-hot columns of all infrequent categories."""

from typing import Any

import numpy as np
from skl2onnx.algebra.onnx_ops import (
    OnnxAbs,
    OnnxAdd,
    OnnxCast,
    OnnxDiv,
    OnnxExp,
    OnnxIdentity,
    OnnxLog,
    OnnxNeg,
    OnnxPow,
    OnnxReciprocal,
    OnnxSqrt,
    OnnxSub,
    OnnxTanh,
)
from skl2onnx.common._registration import get_converter, get_shape_calculator
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, StringTensorType
from skl2onnx.operator_converters.common import concatenate_variables
from skl2onnx.proto import onnx_proto

from ..errors import CannotConvert
from .double_precision import Nodes

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
    np.negative: ((OnnxNeg, None),),
    np.reciprocal: ((OnnxReciprocal, None),),
}


def function_shapes(operator: Any) -> None:  # noqa: ANN401  # skl2onnx's own
    """Say that a function keeps the number of columns."""
    if operator.raw_operator.func is None:
        get_shape_calculator("SklearnFunctionTransformer")(operator)
        return
    is_double = any(isinstance(each.type, DoubleTensorType) for each in operator.inputs)
    width = sum(each.type.shape[1] for each in operator.inputs)
    operator.outputs[0].type = (DoubleTensorType if is_double else FloatTensorType)([None, width])


def convert_function(scope: Any, operator: Any, container: Any, *, is_single: bool) -> None:  # noqa: ANN401
    """Add the nodes of a FunctionTransformer, calculated in double precision unless scikit-learn has single."""
    transformer = operator.raw_operator
    if transformer.func is None:
        get_converter("SklearnFunctionTransformer")(scope, operator, container)
        return
    steps = _FUNCTIONS.get(transformer.func) if not transformer.kw_args else None
    if steps is None:
        known = ", ".join(f"np.{func.__name__}" for func in _FUNCTIONS)
        name = getattr(transformer.func, "__name__", repr(transformer.func))
        detail = f"FunctionTransformer({name}) has no counterpart in ONNX here; those of {known} without kw_args do"
        raise CannotConvert("cannot_convert", detail)
    opset = {"op_version": container.target_opset}
    value = OnnxCast(_joined(scope, operator, container), to=onnx_proto.TensorProto.DOUBLE, **opset)
    for kind, constant in steps:
        value = kind(value, *([] if constant is None else [np.array([constant])]), **opset)
        if is_single:
            value = OnnxCast(value, to=onnx_proto.TensorProto.FLOAT, **opset)
            value = OnnxCast(value, to=onnx_proto.TensorProto.DOUBLE, **opset)
    is_double = isinstance(operator.outputs[0].type, DoubleTensorType)
    output_type = onnx_proto.TensorProto.DOUBLE if is_double else onnx_proto.TensorProto.FLOAT
    outputs = {"output_names": [operator.outputs[0].full_name]}
    OnnxCast(OnnxIdentity(value, **opset), to=output_type, **opset, **outputs).add_to(scope, container)


def _joined(scope: Any, operator: Any, container: Any) -> Any:  # noqa: ANN401  # skl2onnx's own
    return concatenate_variables(scope, operator.inputs, container) if len(operator.inputs) > 1 else operator.inputs[0]


def one_hot_shapes(operator: Any) -> None:  # noqa: ANN401  # skl2onnx's own
    """Say how many columns a one-hot encoder makes."""
    encoder = operator.raw_operator
    if not _has_infrequent(encoder):
        get_shape_calculator("SklearnOneHotEncoder")(operator)
        return
    operator.outputs[0].type = FloatTensorType([None, sum(map(len, _kept_codes(encoder)))])


def convert_one_hot(scope: Any, operator: Any, container: Any) -> None:  # noqa: ANN401  # skl2onnx's own
    """Add the nodes of a one-hot encoder; infrequent categories get one code, and unknown ones that or none."""
    encoder = operator.raw_operator
    if not _has_infrequent(encoder):
        get_converter("SklearnOneHotEncoder")(scope, operator, container)
        return
    nodes = Nodes(scope, container)
    blocks = []
    for at, ((tensor, is_text), kept) in enumerate(zip(_columns(nodes, operator), _kept_codes(encoder), strict=True)):
        keys, attribute = _keys(nodes, tensor, encoder.categories_[at], is_text=is_text)
        codes = _codes(encoder, at)
        is_default = encoder.handle_unknown in ("infrequent_if_exist", "warn") and _infrequent(encoder, at) is not None
        code = nodes.add(
            "LabelEncoder",
            [keys],
            domain="ai.onnx.ml",
            **attribute,
            values_int64s=codes.tolist(),
            default_int64=int(codes.max()) if is_default else -1,
        )
        hot = nodes.add("OneHotEncoder", [code], domain="ai.onnx.ml", cats_int64s=kept, zeros=1)
        blocks.append(nodes.add("Reshape", [hot, nodes.constant(np.array([-1, len(kept)]))]))
    nodes.add("Concat", blocks, operator.outputs[0].full_name, axis=1)


def _infrequent(encoder: Any, at: int) -> Any:  # noqa: ANN401  # an encoder, an array or None
    return getattr(encoder, "infrequent_categories_", [None] * len(encoder.categories_))[at]


def _has_infrequent(encoder: Any) -> bool:  # noqa: ANN401  # an encoder
    is_grouping = getattr(encoder, "_infrequent_enabled", False)
    return is_grouping and any(_infrequent(encoder, at) is not None for at in range(len(encoder.categories_)))


def _codes(encoder: Any, at: int) -> Any:  # noqa: ANN401  # an encoder, an array
    """Return the code of each category of a column; all infrequent ones have the last."""
    mapping = encoder._default_to_infrequent_mappings[at]  # noqa: SLF001  # has no other
    return np.arange(len(encoder.categories_[at])) if mapping is None else np.asarray(mapping, np.int64)


def _kept_codes(encoder: Any) -> list[list[int]]:  # noqa: ANN401  # an encoder
    dropped = [None] * len(encoder.categories_) if encoder.drop_idx_ is None else encoder._drop_idx_after_grouping  # noqa: SLF001
    return [
        [code for code in range(int(_codes(encoder, at).max()) + 1) if code != dropped[at]]
        for at in range(len(encoder.categories_))
    ]


def _columns(nodes: Nodes, operator: Any) -> list[tuple[str, bool]]:  # noqa: ANN401  # skl2onnx's own
    """Return the tensors of single columns, and whether each holds texts."""
    columns = []
    for variable in operator.inputs:
        width = variable.type.shape[1]
        for at in range(width):
            index = nodes.constant(np.array([at]))
            name = variable.full_name
            column = name if width == 1 else nodes.add("Gather", [name, index], axis=1)
            columns.append((column, isinstance(variable.type, StringTensorType)))
    return columns


def _keys(nodes: Nodes, tensor: str, categories: Any, *, is_text: bool) -> tuple[str, dict[str, Any]]:  # noqa: ANN401
    """Return the tensor that is looked up, and its categories: texts, or whole numbers."""
    if is_text:
        return tensor, {"keys_strings": [str(category) for category in categories]}
    numbers = np.asarray(categories)
    if numbers.dtype.kind in "fiub" and (numbers == np.floor(numbers)).all():
        whole = nodes.add("Cast", [tensor], to=onnx_proto.TensorProto.INT64)
        return whole, {"keys_int64s": numbers.astype(np.int64).tolist()}
    detail = "OneHotEncoder groups infrequent numbers with fractions, which is not converted; encode texts or integers"
    raise CannotConvert("cannot_convert", detail)
