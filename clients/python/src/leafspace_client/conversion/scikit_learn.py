"""scikit-learn to ONNX, with what skl2onnx leaves out: exact scaling, missing texts, where missing numbers go."""

import copy
from typing import Any

from skl2onnx import convert_sklearn
from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType
from sklearn.utils.validation import check_is_fitted

from ..errors import CannotConvert
from .exact_scaling import SCALERS, convert_scaler
from .hist_gradient_boosting import prepare_thresholds
from .inputs import GRAPH_NAME, ModelInputs
from .kinds import final_step
from .missing_texts import read_missing_texts
from .nested_boosters import exact_converters, make_known
from .single_precision import is_exact
from .tree_nodes import TREE_MODELS, convert_trees

MATRIX = "X"
# Named, so that newer libraries give the same file for the same model; converters of boosters know no later ones.
_OPSETS = {"": 18, "ai.onnx.ml": 3}
_TENSORS = {"float": FloatTensorType, "int64": Int64TensorType, "string": StringTensorType}


def sklearn_onnx(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    """Return a fitted estimator as ONNX; the estimator stays as it is."""
    _check(estimator)
    prepared = copy.deepcopy(estimator)
    read_missing_texts(prepared)
    exact = is_exact(estimator, inputs.rows)
    prepare_thresholds(final_step(prepared), exact=exact)
    make_known(final_step(prepared))
    is_classifier = hasattr(prepared, "predict_proba")
    model = convert_sklearn(
        prepared,
        name=GRAPH_NAME,
        initial_types=_initial_types(inputs),
        target_opset=_OPSETS,
        options={id(prepared): {"zipmap": False}} if is_classifier else None,
        custom_conversion_functions={
            **dict.fromkeys(SCALERS, convert_scaler),
            **dict.fromkeys(TREE_MODELS, convert_trees),
            **(exact_converters(final_step(prepared)) if exact else {}),
        },
    )
    return bytes(model.SerializeToString())


def _check(estimator: Any) -> None:  # noqa: ANN401  # an estimator
    check_is_fitted(final_step(estimator))
    if not (hasattr(estimator, "predict_proba") or hasattr(estimator, "predict")):
        detail = f"{type(estimator).__name__} predicts nothing; register a classifier or a regressor"
        raise CannotConvert("cannot_convert", detail)
    if getattr(final_step(estimator), "n_outputs_", 1) != 1:
        detail = f"{type(estimator).__name__} predicts several targets at once; fit one model for each"
        raise CannotConvert("cannot_convert", detail)


def _initial_types(inputs: ModelInputs) -> list[tuple[str, Any]]:
    if inputs.column_types is None:
        return [(MATRIX, FloatTensorType([None, inputs.n_features]))]
    names = inputs.names or []
    return [(name, _TENSORS[kind]([None, 1])) for name, kind in zip(names, inputs.column_types, strict=True)]
