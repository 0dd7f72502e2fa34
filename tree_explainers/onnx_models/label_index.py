"""From the label that a graph returns for a row to the index of its class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelRefused
from .description import ModelDescription

_FEW_SCORES = 64  # whose calls of numpy would take longer than their comparisons


class LabelIndex:
    """The indices of a model's labels among its classes."""

    def __init__(self, description: ModelDescription) -> None:
        self._is_classifier = description.task == "classification"
        self._index_of = {value: index for index, value in enumerate(description.label_values)}
        self._is_its_own_index = description.label_values == tuple(range(len(description.classes)))
        self._is_alone = len(description.classes) == 1  # then onnxruntime returns the scores of a second class, too

    def find(self, scores: NDArray[np.floating[Any]], labels: NDArray[Any] | None) -> NDArray[np.int64] | None:
        """Return each row's class, shape (n_rows,); ``None`` for regression.

        Parameters
        ----------
        scores : (n_rows, n_classes)
            Decide where the graph has no label output: the first of the highest wins.
        labels : (n_rows,) or (n_rows, 1)
            The graph's labels, integers or texts.

        Raises
        ------
        ModelRefused
            ``validation_failed`` where a label is none of the classes.
        """
        if not self._is_classifier:
            return None
        if self._is_alone:
            return np.zeros(len(scores), np.int64)
        if labels is None:
            highest: NDArray[np.int64] = scores.argmax(axis=1)
            return highest
        flat = labels.reshape(-1)
        if self._is_its_own_index and flat.dtype == np.int64:
            indices: NDArray[np.int64] = flat
            return indices
        try:
            return np.array([self._index_of[label] for label in flat.tolist()], np.int64)
        except KeyError as error:
            detail = f"The graph's label {ascii(error.args[0])[:40]} is not one of the model's classes; give `classes`."
            raise ModelRefused("validation_failed", detail) from error


def near_ties(scores: NDArray[np.floating[Any]], rounding: float) -> NDArray[np.bool_]:
    """Return which rows' two best scores are so close that rounding may have decided between them, shape (n_rows,).

    Parameters
    ----------
    scores : (n_rows, n_classes), or (n_rows, 1): the value of a regression
        As ``ModelSession`` returns them.
    rounding
        Of the model's description.
    """
    if scores.shape[1] == 1 or rounding == 0:
        return np.zeros(len(scores), np.bool_)
    if scores.size <= _FEW_SCORES:
        return np.array([_is_near_tie(sorted(row), rounding) for row in scores.tolist()], np.bool_)
    best = np.partition(scores, -2, axis=1)[:, -2:].astype(np.float64)
    near: NDArray[np.bool_] = best[:, 1] - best[:, 0] <= rounding * np.maximum(1, np.abs(best).max(axis=1))
    return near


def _is_near_tie(ascending: list[float], rounding: float) -> bool:
    *_, second, best = ascending
    return best - second <= rounding * max(1, abs(best), abs(second))
