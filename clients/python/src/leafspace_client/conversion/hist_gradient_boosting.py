"""Histogram gradient boosting: thresholds made ready for float32, and a refusal of what would be converted wrongly."""

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from ..errors import CannotConvert

_KINDS = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)


def prepare_thresholds(final: Any) -> None:  # noqa: ANN401  # an estimator
    """Round thresholds down to float32 in place, so that float32 values go where they would go in double precision.

    Raises
    ------
    CannotConvert
        If trees ask about sets of categories.
    """
    if not isinstance(final, _KINDS):
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
