"""XGBoost and LightGBM models made known to skl2onnx, alone or as the last step of a scikit-learn pipeline."""

from typing import Any

from .kinds import library_of

_OPTIONS = {"nocl": [True, False], "zipmap": [True, False, "columns"]}


def make_known(final: Any) -> None:  # noqa: ANN401  # an estimator
    """Tell skl2onnx how to convert a booster, unless it has been told."""
    from skl2onnx import update_registered_converter  # noqa: PLC0415  # an extra
    from skl2onnx._supported_operators import sklearn_operator_name_map  # noqa: PLC0415  # an extra
    from skl2onnx.common.shape_calculator import (  # noqa: PLC0415  # an extra
        calculate_linear_classifier_output_shapes,
        calculate_linear_regressor_output_shapes,
    )

    library = library_of(final)
    if library not in ("xgboost", "lightgbm") or type(final) in sklearn_operator_name_map:
        return
    is_classifier = hasattr(final, "predict_proba")
    shapes = calculate_linear_classifier_output_shapes if is_classifier else calculate_linear_regressor_output_shapes
    options = _OPTIONS if is_classifier else None
    update_registered_converter(type(final), type(final).__name__, shapes, _converter(library), options=options)


def booster_writer(final: Any) -> Any:  # noqa: ANN401  # an estimator, a converter for skl2onnx or None
    """Return what writes a booster, its trees in double precision; ``None`` for other models."""
    from .double_precision import DoublePrecision  # noqa: PLC0415  # imports an extra

    library = library_of(final)
    if library not in ("xgboost", "lightgbm"):
        return None
    convert = _converter(library)
    is_single = library == "xgboost"
    return lambda scope, operator, container: convert(
        scope, operator, DoublePrecision(scope, operator, container, is_single=is_single)
    )


def _converter(library: str) -> Any:  # noqa: ANN401  # a function of onnxmltools
    if library == "xgboost":
        from onnxmltools.convert.xgboost.operator_converters.XGBoost import convert_xgboost  # noqa: PLC0415  # an extra

        return convert_xgboost
    from onnxmltools.convert.lightgbm.operator_converters.LightGbm import convert_lightgbm  # noqa: PLC0415  # an extra

    return convert_lightgbm
