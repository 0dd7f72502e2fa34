"""Preprocessing: steps before the trees, computed in double precision as scikit-learn does.

In single precision the last digit of a scaled value differs now and then. A value that lies on a threshold then goes to
the other side: with few distinct values (ages, prices) that happens to one row in a hundred.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from skl2onnx.algebra.onnx_ops import (
    OnnxAdd,
    OnnxCast,
    OnnxClip,
    OnnxDiv,
    OnnxGreater,
    OnnxIdentity,
    OnnxMul,
    OnnxSub,
)
from skl2onnx.common._registration import get_converter
from skl2onnx.common.data_types import DoubleTensorType
from skl2onnx.operator_converters.common import concatenate_variables
from skl2onnx.proto import onnx_proto
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from ..row_kinds import is_frame
from .category_writers import is_exact

SCALERS = (StandardScaler, MinMaxScaler, RobustScaler, MaxAbsScaler)


def calculates(estimator: Any) -> bool:  # an estimator, a step or the text for one
    """Whether any step before the last makes new numbers of numbers, which come out otherwise of rounded ones.

    Numbers that are chosen, filled in or encoded are the same whether they are rounded before or after.
    """
    if isinstance(estimator, Pipeline):
        *before, last = (step for _, step in estimator.steps)
        return any(_makes_numbers(step) for step in before) or (isinstance(last, Pipeline) and calculates(last))
    return False


def _makes_numbers(step: Any) -> bool:  # a step or the text for one
    if isinstance(step, Pipeline):
        return any(_makes_numbers(each) for _, each in step.steps)
    if isinstance(step, ColumnTransformer):
        return any(_makes_numbers(each) for _, each, _ in step.transformers_)
    if isinstance(step, FeatureUnion):
        return any(_makes_numbers(each) for _, each in step.transformer_list)
    if isinstance(step, OneHotEncoder | OrdinalEncoder | TargetEncoder):
        return not is_exact(step)
    return not (step is None or isinstance(step, str | SimpleImputer | MissingIndicator | SelectorMixin))


def convert_scaler(scope: Any, operator: Any, container: Any, *, is_single: bool) -> None:
    """Add the nodes of a scaler: cast to double, the scaler's own arithmetic, cast to what comes next.

    ``is_single`` means that scikit-learn gets rows in single precision: then it rounds after every step, and
    StandardScaler rounds its own numbers before.
    """
    if len(operator.inputs) > 1:
        columns = concatenate_variables(scope, operator.inputs, container)
    else:
        columns = operator.inputs[0]
    opset = {"op_version": container.target_opset}
    value = OnnxCast(columns, to=onnx_proto.TensorProto.DOUBLE, **opset)
    own = np.float32 if is_single and isinstance(operator.raw_operator, StandardScaler) else np.float64
    for kind, constants in _steps(operator.raw_operator):
        value = kind(value, *(np.asarray(each, own).astype(np.float64) for each in constants), **opset)
        if is_single:
            value = OnnxCast(value, to=onnx_proto.TensorProto.FLOAT, **opset)
            value = OnnxCast(value, to=onnx_proto.TensorProto.DOUBLE, **opset)
    outputs = {"output_names": [operator.outputs[0].full_name]}
    is_double = isinstance(operator.outputs[0].type, DoubleTensorType)
    output_type = onnx_proto.TensorProto.DOUBLE if is_double else onnx_proto.TensorProto.FLOAT
    OnnxCast(OnnxIdentity(value, **opset), to=output_type, **opset, **outputs).add_to(scope, container)


def _steps(scaler: Any) -> list[tuple[Any, tuple[Any, ...]]]:  # a scaler
    if isinstance(scaler, MinMaxScaler):
        clip = [(OnnxClip, scaler.feature_range)] if scaler.clip else []
        return [(OnnxMul, (scaler.scale_,)), (OnnxAdd, (scaler.min_,)), *clip]
    if isinstance(scaler, StandardScaler):
        offset, scale = scaler.mean_ if scaler.with_mean else None, scaler.scale_ if scaler.with_std else None
    elif isinstance(scaler, RobustScaler):
        offset = scaler.center_ if scaler.with_centering else None
        scale = scaler.scale_ if scaler.with_scaling else None
    else:
        clip = [(OnnxClip, (-1.0, 1.0))] if getattr(scaler, "clip", False) else []
        return [(OnnxDiv, (scaler.scale_,)), *clip]
    subtracted = [] if offset is None else [(OnnxSub, (offset,))]
    return subtracted + ([] if scale is None else [(OnnxDiv, (scale,))])


def convert_binarizer(scope: Any, operator: Any, container: Any) -> None:  # skl2onnx's own
    """Add the nodes of a binarizer; in double precision skl2onnx's own lets what equals the threshold be 1."""
    if not isinstance(operator.inputs[0].type, DoubleTensorType):
        get_converter("SklearnBinarizer")(scope, operator, container)
        return
    columns = operator.inputs[0]
    if len(operator.inputs) > 1:
        columns = concatenate_variables(scope, operator.inputs, container)
    opset = {"op_version": container.target_opset}
    is_above = OnnxGreater(columns, np.array([operator.raw_operator.threshold], np.float64), **opset)
    outputs = {"output_names": [operator.outputs[0].full_name]}
    OnnxCast(is_above, to=onnx_proto.TensorProto.DOUBLE, **opset, **outputs).add_to(scope, container)


def read_missing_texts(estimator: Any, rows: Any) -> None:  # an estimator, a DataFrame or a matrix
    """Change imputers of texts in place: an empty text is missing in a tensor, if it is what the imputer fills.

    scikit-learn distinguishes between NaN and ``None`` in texts, which are both missing here: an imputer fills neither
    where the rows hold the other one alone.
    """
    # Whether NaN may be what is missing in texts, and whether ``None`` may be.
    texts = [rows.iloc[:, at] for at in range(rows.shape[1])] if is_frame(rows) else []
    missing = [each for column in texts if column.dtype.kind not in "iufbM" for each in column[column.isna()]]
    n_none = sum(each is None for each in missing)
    fills_nan, fills_none = n_none < len(missing) or not missing, n_none > 0 or not missing
    for step in _all_steps(estimator):
        is_of_texts = isinstance(step, SimpleImputer) and step.statistics_.dtype.kind in "OUST"
        if is_of_texts and not isinstance(step.missing_values, str):
            step.missing_values = "" if (fills_none if step.missing_values is None else fills_nan) else np.nan


def _all_steps(estimator: Any) -> Iterator[Any]:  # an estimator, its steps
    inner = [*getattr(estimator, "steps", ()), *getattr(estimator, "transformer_list", ())]
    for _, step, *_ in [*inner, *getattr(estimator, "transformers_", ())]:
        yield from _all_steps(step)
    yield estimator
