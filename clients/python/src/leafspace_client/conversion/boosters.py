"""XGBoost, LightGBM and CatBoost to ONNX, each by its own or its usual converter."""

import copy
import tempfile
from pathlib import Path
from typing import Any

from ..errors import CannotConvert, Invalid
from .inputs import GRAPH_NAME, ModelInputs

_MATRIX = "X"
_LIGHTGBM = ("LgbmClassifier", "LgbmRegressor")  # as onnxmltools calls them


def xgboost_onnx(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    """Return a fitted XGBoost model as ONNX; the estimator stays as it is."""
    from onnxmltools import convert_xgboost  # noqa: PLC0415  # an extra

    _refuse_texts(estimator, inputs)
    if "c" in (estimator.get_booster().feature_types or []):
        _refuse_categories(estimator)
    prepared = copy.deepcopy(estimator)
    # The converter knows features by number; names go into the metadata.
    prepared.get_booster().feature_names = None
    return bytes(convert_xgboost(prepared, name=GRAPH_NAME, initial_types=_matrix_type(inputs)).SerializeToString())


def lightgbm_onnx(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    """Return a fitted LightGBM model as ONNX."""
    from onnxmltools import convert_lightgbm  # noqa: PLC0415  # an extra

    from .nested_boosters import flooring_converter  # noqa: PLC0415  # imports an extra
    from .single_precision import is_exact  # noqa: PLC0415  # imports an extra

    _refuse_texts(estimator, inputs)
    if estimator.booster_.dump_model().get("pandas_categorical"):
        _refuse_categories(estimator)
    exact = is_exact(estimator, inputs.rows)
    model = convert_lightgbm(
        estimator,
        name=GRAPH_NAME,
        initial_types=_matrix_type(inputs),
        custom_conversion_functions=dict.fromkeys(_LIGHTGBM, flooring_converter()) if exact else None,
        zipmap=False,
    )
    return bytes(model.SerializeToString())


def catboost_onnx(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    """Return a fitted CatBoost model as ONNX, which it writes itself."""
    _refuse_texts(estimator, inputs)
    if estimator.get_cat_feature_indices() or estimator.get_text_feature_indices():
        _refuse_categories(estimator)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        estimator.save_model(str(path), format="onnx", export_parameters={"onnx_graph_name": GRAPH_NAME})
        return path.read_bytes()


def _matrix_type(inputs: ModelInputs) -> list[tuple[str, Any]]:
    from onnxmltools.convert.common.data_types import FloatTensorType  # noqa: PLC0415  # an extra

    return [(_MATRIX, FloatTensorType([None, inputs.n_features]))]


def _refuse_texts(estimator: Any, inputs: ModelInputs) -> None:  # noqa: ANN401  # an estimator
    if inputs.column_types is not None and "string" in inputs.column_types:
        _refuse_categories(estimator)
    if inputs.rows is not None and len(inputs.rows) == 0:
        raise Invalid("dataset_empty", "X has no rows; pass some, or leave it out")


def _refuse_categories(estimator: Any) -> None:  # noqa: ANN401  # an estimator
    detail = (
        f"{type(estimator).__name__} splits categories itself, which ONNX trees cannot say; encode them before, for "
        "example with a OneHotEncoder in a scikit-learn pipeline"
    )
    raise CannotConvert("cannot_convert", detail)
