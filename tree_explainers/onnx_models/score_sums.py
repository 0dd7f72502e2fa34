"""From the sums of leaf values to scores, as onnxruntime calculates them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..walker.loops import logistic_of_sums, softmax_of_sums
from .description import Scoring


def link_sums(sums: NDArray[Any], scoring: Scoring) -> None:
    """Add the base values to sums, (n_rows, n_outputs), and apply the link to them."""
    if scoring.base_values:
        sums += np.array(scoring.base_values, sums.dtype)
    if scoring.link == "logistic":
        logistic_of_sums(sums)
    elif scoring.link == "softmax":
        softmax_of_sums(sums)


def scores_of_linked(sums: NDArray[Any], scoring: Scoring) -> NDArray[Any]:
    """Return the scores of linked sums, which may be changed, before they get a column for each class."""
    if scoring.whole is not None:
        sums = np.concatenate([sums.dtype.type(scoring.whole) - sums, sums], axis=1)
    if scoring.divisor is not None:
        sums /= sums.dtype.type(scoring.divisor)
    return sums.astype(np.float64 if scoring.sums == "double" else np.float32, copy=False)
