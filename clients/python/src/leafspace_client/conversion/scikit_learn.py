"""scikit-learn to ONNX: what comes before the trees by skl2onnx, the trees so that they decide as the estimator."""

import copy
from functools import partial
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto
from onnx.shape_inference import InferenceError, infer_shapes
from skl2onnx import convert_sklearn
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType
from skl2onnx.common.exceptions import MissingConverter, MissingShapeCalculator
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import Binarizer, FunctionTransformer, OneHotEncoder

from ..errors import CannotConvert
from .estimators import (
    GRAPH_NAME,
    ModelInputs,
    are_single,
    decides_in_double,
    final_step,
    library_of,
    predicts_classes,
    predicts_labels_alone,
)
from .native_graph import MATRIX
from .native_models import make_known, native_writer, trees_behind_steps
from .preprocessing import SCALERS, calculates, convert_binarizer, convert_imputer, convert_scaler, read_missing_texts
from .refusals import refuse_several_targets
from .rising_steps import move_tests_to_raw_numbers, take_off
from .sklearn_trees import TREE_MODELS, convert_trees, writer_of
from .transformers import convert_function, convert_one_hot, function_shapes, one_hot_shapes
from .tree_operators import OPSET_OF_TREE_ENSEMBLE
from .voting import is_voting, write_voting

# Named, so that newer libraries give the same file for the same model.
_OPSETS = {"": 18, "ai.onnx.ml": 3}
_IR_VERSION = 10  # of the operator set that TreeEnsemble is in
_SINGLE_ONLY = ("Imputer", "LabelEncoder", "Binarizer")  # as onnxruntime has them
_NOT_IN_DOUBLE = (InferenceError, MissingConverter, MissingShapeCalculator, NotImplementedError, RuntimeError)
_TENSORS = {"float": FloatTensorType, "int64": Int64TensorType, "string": StringTensorType}


def sklearn_onnx(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    """Return a fitted estimator as ONNX; the estimator stays as it is."""
    _check(estimator)
    if decides_in_double(final_step(estimator)) or _is_scaled_in_double(estimator, inputs):
        try:
            return _written(estimator, inputs, is_double=True)
        except _NOT_IN_DOUBLE:  # steps before the trees that take single precision only
            pass
    return _written(estimator, inputs, is_double=False)


def _is_scaled_in_double(estimator: Any, inputs: ModelInputs) -> bool:  # noqa: ANN401  # an estimator
    """Whether steps calculate in double precision before the trees round what comes of it to single."""
    final = final_step(estimator)
    rounds = writer_of(final) is not None or library_of(final) in ("xgboost", "catboost")
    return rounds and calculates(estimator) and not are_single(inputs.rows)


def _written(estimator: Any, inputs: ModelInputs, *, is_double: bool) -> bytes:  # noqa: ANN401  # an estimator
    prepared = copy.deepcopy(estimator)
    read_missing_texts(prepared)
    final = final_step(prepared)
    make_known(final)
    native = trees_behind_steps(final)
    write = native_writer(native) if native else writer_of(final)
    taken = take_off(prepared) if write and not (native and native.codings) else []
    write = write or (write_voting if is_voting(final) else None)

    model = _converted(prepared, inputs, write, is_double=is_double)
    if write is not None:
        _declare_precision(model)
    if taken:
        numbers = np.float32 if are_single(inputs.rows) else np.float64
        move_tests_to_raw_numbers(model, taken, final.n_features_in_, numbers)
    if is_double:
        _check_types(model)
    return bytes(model.SerializeToString())


def _converted(prepared: Any, inputs: ModelInputs, write: Any, *, is_double: bool) -> ModelProto:  # noqa: ANN401
    """Return what skl2onnx makes of an estimator; ``write`` converts its last step, None: skl2onnx's own."""
    final, is_single = final_step(prepared), are_single(inputs.rows)
    has_scores = predicts_classes(prepared) and not predicts_labels_alone(prepared)
    model: ModelProto = convert_sklearn(
        prepared,
        name=GRAPH_NAME,
        initial_types=_initial_types(inputs, is_double=is_double),
        target_opset=_OPSETS,
        options={id(prepared): {"zipmap": False}} if has_scores else {id(final): {}},
        custom_conversion_functions={
            **dict.fromkeys(SCALERS, partial(convert_scaler, is_single=is_single)),
            SimpleImputer: convert_imputer,
            Binarizer: convert_binarizer,
            **dict.fromkeys(TREE_MODELS, convert_trees),
            FunctionTransformer: partial(convert_function, is_single=is_single),
            OneHotEncoder: convert_one_hot,
            **({} if write is None else {type(final): _only_for(final, write)}),
            **_writers_of_members(final),
        },
        custom_shape_calculators={FunctionTransformer: function_shapes, OneHotEncoder: one_hot_shapes},
    )
    return model


def _writers_of_members(final: Any) -> dict[type, Any]:  # noqa: ANN401  # an estimator
    """Return converters for the members of a vote, so that each decides as it does alone."""
    if not is_voting(final):
        return {}
    writers: dict[type, dict[int, Any]] = {}
    for member in final.estimators_:
        make_known(member)
        write = writer_of(member)
        if write is not None:
            writers.setdefault(type(member), {})[id(member)] = write
    return {kind: partial(_written_member, writers=each) for kind, each in writers.items()}


def _written_member(scope: Any, operator: Any, container: Any, writers: dict[int, Any]) -> None:  # noqa: ANN401
    writers.get(id(operator.raw_operator), convert_trees)(scope, operator, container)


def _only_for(final: Any, write: Any) -> Any:  # noqa: ANN401  # an estimator, a converter
    """Return a converter for one model, and skl2onnx's own for others of its type, which are parts of other models."""
    return lambda scope, operator, container: (write if operator.raw_operator is final else convert_trees)(
        scope, operator, container
    )


def _declare_precision(model: ModelProto) -> None:
    """Declare that the graph's scores are doubles, and which operator set its trees are of."""
    model.graph.output[-1].type.tensor_type.elem_type = TensorProto.DOUBLE
    if any(node.op_type == "TreeEnsemble" for node in model.graph.node):
        model.ir_version = max(model.ir_version, _IR_VERSION)
        for opset in model.opset_import:
            if opset.domain == "ai.onnx.ml":
                opset.version = OPSET_OF_TREE_ENSEMBLE


def _check_types(model: ModelProto) -> None:
    """Raise one of ``_NOT_IN_DOUBLE`` where an operator gets doubles that it does not take."""
    typed = infer_shapes(model, check_type=True, strict_mode=True)
    values = (*typed.graph.value_info, *typed.graph.input)
    doubles = {each.name for each in values if each.type.tensor_type.elem_type == TensorProto.DOUBLE}
    for node in model.graph.node:
        if node.op_type in _SINGLE_ONLY and doubles.intersection(node.input):
            msg = f"{node.op_type} takes single precision only"
            raise InferenceError(msg)


def _check(estimator: Any) -> None:  # noqa: ANN401  # an estimator
    if not (hasattr(estimator, "predict_proba") or hasattr(estimator, "predict")):
        detail = f"{type(estimator).__name__} predicts nothing; register a classifier or a regressor"
        raise CannotConvert("cannot_convert", detail)
    refuse_several_targets(estimator)


def _initial_types(inputs: ModelInputs, *, is_double: bool) -> list[tuple[str, Any]]:
    tensors = {**_TENSORS, "float": DoubleTensorType} if is_double else _TENSORS
    if inputs.column_types is None:
        return [(MATRIX, tensors["float"]([None, inputs.n_features]))]
    names = inputs.names or []
    return [(name, tensors[kind]([None, 1])) for name, kind in zip(names, inputs.column_types, strict=True)]
