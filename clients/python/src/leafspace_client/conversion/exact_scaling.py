"""Exact scaling: scalers computed in double precision, as scikit-learn does.

In single precision the last digit of a scaled value differs now and then. A value that lies on a threshold then goes to
the other side: with few distinct values (ages, prices) that happens to one row in a hundred.
"""

from typing import Any

import numpy as np
from skl2onnx.algebra.onnx_ops import OnnxAdd, OnnxCast, OnnxClip, OnnxDiv, OnnxIdentity, OnnxMul, OnnxSub
from skl2onnx.operator_converters.common import concatenate_variables
from skl2onnx.proto import onnx_proto
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

SCALERS = (StandardScaler, MinMaxScaler, RobustScaler, MaxAbsScaler)


def convert_scaler(scope: Any, operator: Any, container: Any) -> None:  # noqa: ANN401  # skl2onnx's own
    """Add the nodes of a scaler: cast to double, the scaler's own arithmetic, cast to float."""
    if len(operator.inputs) > 1:
        columns = concatenate_variables(scope, operator.inputs, container)
    else:
        columns = operator.inputs[0]
    opset = {"op_version": container.target_opset}
    value = OnnxCast(columns, to=onnx_proto.TensorProto.DOUBLE, **opset)
    for kind, constants in _steps(operator.raw_operator):
        value = kind(value, *(np.asarray(each, np.float64) for each in constants), **opset)
    outputs = {"output_names": [operator.outputs[0].full_name]}
    OnnxCast(OnnxIdentity(value, **opset), to=onnx_proto.TensorProto.FLOAT, **opset, **outputs).add_to(scope, container)


def _steps(scaler: Any) -> list[tuple[Any, tuple[Any, ...]]]:  # noqa: ANN401  # a scaler
    if isinstance(scaler, MinMaxScaler):
        clip = [(OnnxClip, scaler.feature_range)] if scaler.clip else []
        return [(OnnxMul, (scaler.scale_,)), (OnnxAdd, (scaler.min_,)), *clip]
    if isinstance(scaler, StandardScaler):
        offset, scale = scaler.mean_ if scaler.with_mean else None, scaler.scale_ if scaler.with_std else None
    elif isinstance(scaler, RobustScaler):
        offset = scaler.center_ if scaler.with_centering else None
        scale = scaler.scale_ if scaler.with_scaling else None
    else:
        offset, scale = None, scaler.scale_
    subtracted = [] if offset is None else [(OnnxSub, (offset,))]
    return subtracted + ([] if scale is None else [(OnnxDiv, (scale,))])
