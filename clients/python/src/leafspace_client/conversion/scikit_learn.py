"""scikit-learn to ONNX: what comes before the trees by skl2onnx, the trees so that they decide as the estimator."""

import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto
from onnx.shape_inference import InferenceError, infer_shapes
from skl2onnx import convert_sklearn
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType
from skl2onnx.common.exceptions import MissingConverter, MissingShapeCalculator
from sklearn.ensemble import RandomTreesEmbedding
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Binarizer, FunctionTransformer

from ..errors import CannotConvert
from ..row_kinds import is_frame
from .combinations import is_written, reads_columns_alone
from .estimators import (
    GRAPH_NAME,
    ModelInputs,
    are_single,
    decides_in_double,
    library_of,
    predicts_classes,
    predicts_labels_alone,
)
from .native_graph import MATRIX, OPSET_OF_TABLES
from .preprocessing import SCALERS, calculates, convert_binarizer, convert_scaler, read_missing_texts
from .refusals import refuse_several_targets
from .rising_steps import move_tests_to_raw_numbers, take_off
from .sparse_rows import are_sparse_behind, read_zeros_as_missing
from .steps import parse_pipeline
from .transformers import convert_function, function_shapes
from .tree_operators import OPSET_OF_TREE_ENSEMBLE
from .unwrapping import all_models, all_pipelines, final_step
from .written_models import written_last

# Named, so that newer libraries give the same file for the same model; converters of boosters know no later ones.
_OPSETS = {"": 18, "ai.onnx.ml": 3}
_IR_VERSION = 10  # of the operator set that TreeEnsemble is in
_SINGLE_ONLY = ("Imputer", "LabelEncoder", "Binarizer")  # as onnxruntime has them
_NOT_IN_DOUBLE = (InferenceError, MissingConverter, MissingShapeCalculator, NotImplementedError, RuntimeError)
_TENSORS = {"float": FloatTensorType, "int64": Int64TensorType, "string": StringTensorType}


def sklearn_onnx(estimator: Any, inputs: ModelInputs) -> bytes:  # an estimator
    """Return a fitted estimator as ONNX; the estimator stays as it is."""
    _check(estimator)
    inputs = _by_column(estimator, inputs)
    if decides_in_double(estimator) or _is_scaled_in_double(estimator, inputs):
        try:
            return _written(estimator, inputs, is_double=True)
        except _NOT_IN_DOUBLE:  # steps before the trees that take single precision only
            pass
    return _written(estimator, inputs, is_double=False)


def _by_column(estimator: Any, inputs: ModelInputs) -> ModelInputs:  # an estimator
    """Return each column as an input by itself where a model that has no steps before it codes categories."""
    has_steps = len(getattr(estimator, "steps", [estimator])) > 1
    if inputs.column_types is not None or has_steps or not is_frame(inputs.rows):
        return inputs
    has_categories = any(hasattr(inputs.rows.iloc[:, at], "cat") for at in range(inputs.n_features))
    if not has_categories and not any(_codes_categories(each) for each in all_models(estimator)):
        return inputs
    return replace(inputs, column_types=["float"] * inputs.n_features)


def _codes_categories(model: Any) -> bool:  # an estimator
    return library_of(model) == "catboost" and bool(model.get_cat_feature_indices())


def _is_scaled_in_double(estimator: Any, inputs: ModelInputs) -> bool:  # an estimator
    """Whether steps calculate in double precision before the trees round what comes of it to single."""
    rounds = is_written(final_step(estimator))
    return rounds and any(map(calculates, all_pipelines(estimator))) and not are_single(inputs.rows)


def _written(estimator: Any, inputs: ModelInputs, *, is_double: bool) -> bytes:  # an estimator
    prepared = copy.deepcopy(estimator)
    for pipeline in all_pipelines(prepared):
        read_missing_texts(pipeline, inputs.rows)
        if are_sparse_behind([step for _, step in pipeline.steps[:-1]]):
            read_zeros_as_missing(pipeline)
        _make_dense(pipeline)
    final = final_step(prepared)
    taken = take_off(prepared) if reads_columns_alone(final) else []

    model = _converted(prepared, inputs, is_double=is_double)
    if is_written(final):
        model.graph.output[-1].type.tensor_type.elem_type = TensorProto.DOUBLE
    _declare_operator_sets(model)
    if taken:
        numbers = np.float32 if are_single(inputs.rows) else np.float64
        move_tests_to_raw_numbers(model, taken, final.n_features_in_, numbers)
    if is_double:
        _check_types(model)
    return bytes(model.SerializeToString())


def _make_dense(pipeline: Any) -> None:  # a pipeline
    """Change steps that make sparse columns of trees in place: skl2onnx writes dense ones only, of the same numbers."""
    for _, step in pipeline.steps[:-1]:
        if isinstance(step, RandomTreesEmbedding):
            step.sparse_output = False


def _converted(prepared: Any, inputs: ModelInputs, *, is_double: bool) -> ModelProto:  # an estimator
    """Return what skl2onnx makes of an estimator whose last step is written here, if it can be."""
    final, is_single = final_step(prepared), are_single(inputs.rows)
    has_scores = predicts_classes(prepared) and not predicts_labels_alone(prepared)
    if is_written(final):
        prepared = written_last(prepared, inputs)
    model: ModelProto = convert_sklearn(
        prepared,
        name=GRAPH_NAME,
        initial_types=_initial_types(inputs, is_double=is_double),
        target_opset=_OPSETS,
        options={id(prepared): {"zipmap": False}} if has_scores else {id(final): {}},
        custom_conversion_functions={
            **dict.fromkeys(SCALERS, partial(convert_scaler, is_single=is_single)),
            Binarizer: convert_binarizer,
            FunctionTransformer: partial(convert_function, is_single=is_single),
        },
        custom_shape_calculators={FunctionTransformer: function_shapes},
        custom_parsers={Pipeline: parse_pipeline},
    )
    return model


def _declare_operator_sets(model: ModelProto) -> None:
    """Declare which operator set the graph's trees and tables are of: skl2onnx knows older ones only."""
    version = OPSET_OF_TREE_ENSEMBLE if any(node.op_type == "TreeEnsemble" for node in model.graph.node) else 0
    if any(_is_table(node) for node in model.graph.node):
        version = max(version, OPSET_OF_TABLES)
    if version:
        model.ir_version = max(model.ir_version, _IR_VERSION)
    for opset in model.opset_import:
        if opset.domain == "ai.onnx.ml":
            opset.version = max(opset.version, version)


def _check_types(model: ModelProto) -> None:
    """Raise one of ``_NOT_IN_DOUBLE`` where an operator gets doubles that it does not take."""
    typed = infer_shapes(model, check_type=True, strict_mode=True)
    values = (*typed.graph.value_info, *typed.graph.input)
    doubles = {each.name for each in values if each.type.tensor_type.elem_type == TensorProto.DOUBLE}
    for node in model.graph.node:
        if node.op_type in _SINGLE_ONLY and not _is_table(node) and doubles.intersection(node.input):
            msg = f"{node.op_type} takes single precision only"
            raise InferenceError(msg)


def _is_table(node: NodeProto) -> bool:
    """Whether a node looks up numbers in double precision, which newer operator sets do."""
    return any(each.name == "keys_tensor" for each in node.attribute)


def _check(estimator: Any) -> None:  # an estimator
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
