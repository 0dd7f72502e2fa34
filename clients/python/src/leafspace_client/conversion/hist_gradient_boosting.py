"""Histogram gradient boosting: thresholds made ready for float32, and a refusal of what would be converted wrongly."""

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from ..errors import CannotConvert
from .single_precision import floor_float32, nearest_float32

_KINDS = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)


def prepare_thresholds(final: Any, *, exact: bool) -> None:  # noqa: ANN401  # an estimator
    """Round thresholds to float32 in place, so that rows go where they went in double precision.

    They are often values of the data. Down, where rows are ``exact`` in float32; else to the nearest, which leaves
    rows that lie on a threshold on their side of it.

    Raises
    ------
    CannotConvert
        If trees ask about sets of categories.
    """
    if not isinstance(final, _KINDS):
        return
    if final.is_categorical_ is not None and np.any(final.is_categorical_):
        detail = (
            f"{type(final).__name__} splits categories itself, which this version does not convert; fit it behind an "
            "OrdinalEncoder or OneHotEncoder, with categorical_features=None"
        )
        raise CannotConvert("cannot_convert", detail)
    rounded = floor_float32 if exact else nearest_float32
    for predictor in (each for stage in final._predictors for each in stage):  # noqa: SLF001  # as skl2onnx does
        predictor.nodes["num_threshold"] = rounded(predictor.nodes["num_threshold"])
