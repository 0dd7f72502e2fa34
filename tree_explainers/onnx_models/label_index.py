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
        if self._is_its_own_index and flat.dtype == np.int64 and self._are_indices(flat):
            indices: NDArray[np.int64] = flat
            return indices
        try:
            return np.array([self._index_of[label] for label in flat.tolist()], np.int64)
        except KeyError as error:
            raise self._unknown_label(error.args[0]) from error

    def _are_indices(self, labels: NDArray[np.int64]) -> bool:
        n_classes = len(self._index_of)
        if len(labels) <= _FEW_SCORES:
            return all(0 <= label < n_classes for label in labels.tolist())
        return bool(labels.min() >= 0 and labels.max() < n_classes)

    def _unknown_label(self, label: Any) -> ModelRefused:  # an integer or a text
        expected = ", ".join(ascii(value)[:40] for value in list(self._index_of)[:10])
        detail = (
            f"The graph's label output contains {ascii(label)[:40]}, which is not one of the model's classes "
            f"({expected}{', …' if len(self._index_of) > 10 else ''}); "  # shown
            "declare `classes` as the label output writes them, in the order of the scores."
        )
        return ModelRefused("validation_failed", detail)


def near_ties(scores: NDArray[np.floating[Any]], description: ModelDescription) -> NDArray[np.bool_]:
    """Return which rows' two best scores are so close that rounding may have decided between them, shape (n_rows,).

    Where labels do not follow the highest score, such as with a cut-off, it is not said of any row.

    Parameters
    ----------
    scores : (n_rows, n_classes), or (n_rows, 1): the value of a regression
        As ``ModelSession`` returns them.
    description
        Of the model.
    """
    if not description.labels_are_highest:
        return np.zeros(len(scores), np.bool_)
    return within_rounding(scores, description.rounding)


def within_rounding(scores: NDArray[np.floating[Any]], rounding: float) -> NDArray[np.bool_]:
    """Return which rows' two best scores are no further apart than rounding may put them, shape (n_rows,)."""
    return np.zeros(len(scores), np.bool_) if rounding == 0 else may_tie(scores, rounding)


def may_tie(scores: NDArray[np.floating[Any]], rounding: float) -> NDArray[np.bool_]:
    """Return which rows' two best scores are equal, or no further apart than rounding may put them, (n_rows,)."""
    if scores.shape[1] == 1:
        return np.zeros(len(scores), np.bool_)
    if scores.size <= _FEW_SCORES:
        return np.array([_is_near_tie(sorted(row), rounding) for row in scores.tolist()], np.bool_)
    best = np.partition(scores, -2, axis=1)[:, -2:].astype(np.float64)
    near: NDArray[np.bool_] = best[:, 1] - best[:, 0] <= rounding * np.maximum(1, np.abs(best).max(axis=1))
    return near


def _is_near_tie(ascending: list[float], rounding: float) -> bool:
    *_, second, best = ascending
    return best - second <= rounding * max(1, abs(best), abs(second))
