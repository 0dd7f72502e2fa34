"""Nested boosters: XGBoost and LightGBM models as the last step of a scikit-learn pipeline."""

from dataclasses import dataclass, field
from typing import Any

from .kinds import final_step, library_of


@dataclass(frozen=True, slots=True)
class NestedConverters:
    """What skl2onnx is told about classes that it does not know."""

    converters: dict[type, Any] = field(default_factory=dict)
    shapes: dict[type, Any] = field(default_factory=dict)


def booster_converters(estimator: Any) -> NestedConverters:  # noqa: ANN401  # an estimator
    """Return the converter of the estimator's last step, where that is of another library."""
    final = final_step(estimator)
    library = library_of(final)
    if library not in ("xgboost", "lightgbm"):
        return NestedConverters()
    from skl2onnx.common.shape_calculator import (  # noqa: PLC0415  # an extra
        calculate_linear_classifier_output_shapes,
        calculate_linear_regressor_output_shapes,
    )

    is_classifier = hasattr(final, "predict_proba")
    shape = calculate_linear_classifier_output_shapes if is_classifier else calculate_linear_regressor_output_shapes
    return NestedConverters({type(final): _converter(library)}, {type(final): shape})


def _converter(library: str) -> Any:  # noqa: ANN401  # a function of onnxmltools
    if library == "xgboost":
        from onnxmltools.convert.xgboost.operator_converters.XGBoost import convert_xgboost  # noqa: PLC0415  # an extra

        return convert_xgboost
    from onnxmltools.convert.lightgbm.operator_converters.LightGbm import convert_lightgbm  # noqa: PLC0415  # an extra

    return convert_lightgbm
