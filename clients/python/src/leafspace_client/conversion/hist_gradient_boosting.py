"""Histogram gradient boosting: what skl2onnx needs to convert it, and a refusal of what it would convert wrongly."""

from typing import Any

import numpy as np
from skl2onnx.operator_converters.random_forest import (
    convert_sklearn_random_forest_classifier,
    convert_sklearn_random_forest_regressor_converter,
)
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from ..errors import CannotConvert

HIST_GRADIENT_BOOSTING = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)


class _PlainContainer:
    """A container that takes attributes as Python values: ONNX refuses numpy's."""

    def __init__(self, container: Any) -> None:  # noqa: ANN401  # skl2onnx's own
        self._container = container

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # whatever the container has
        return getattr(self._container, name)

    def add_node(self, *arguments: Any, **attributes: Any) -> Any:  # noqa: ANN401  # passed on
        return self._container.add_node(*arguments, **{name: _plain(value) for name, value in attributes.items()})


def convert_plainly(scope: Any, operator: Any, container: Any) -> None:  # noqa: ANN401  # skl2onnx's own
    """Convert through skl2onnx, with plain attributes."""
    is_classifier = isinstance(operator.raw_operator, HistGradientBoostingClassifier)
    convert = (
        convert_sklearn_random_forest_classifier if is_classifier else convert_sklearn_random_forest_regressor_converter
    )
    convert(scope, operator, _PlainContainer(container))


def prepared_trees(final: Any) -> None:  # noqa: ANN401  # an estimator
    """Round thresholds down to float32 in place, so that float32 values go where they would go in double precision.

    Raises
    ------
    CannotConvert
        If trees ask about sets of categories.
    """
    if not isinstance(final, HIST_GRADIENT_BOOSTING):
        return
    if final.is_categorical_ is not None and np.any(final.is_categorical_):
        detail = (
            f"{type(final).__name__} asks about sets of categories, which the converter cannot write; fit it behind an "
            "OrdinalEncoder or OneHotEncoder, with categorical_features=None"
        )
        raise CannotConvert("cannot_convert", detail)
    for predictor in (each for stage in final._predictors for each in stage):  # noqa: SLF001  # as skl2onnx does
        predictor.nodes["num_threshold"] = floor_float32(predictor.nodes["num_threshold"])


def floor_float32(values: Any) -> Any:  # noqa: ANN401  # numpy's array types
    """Return the largest float32 numbers that are not above the values, as float64."""
    nearest = np.asarray(values, np.float64).astype(np.float32)
    below = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest > values, below, nearest).astype(np.float64)


def _plain(value: Any) -> Any:  # noqa: ANN401  # any attribute
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, bool) else value
