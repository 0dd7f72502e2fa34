"""What a library itself predicts: labels by its own rule, scores where it has them."""

from typing import Any

import numpy as np

from .cases import Estimator, Prediction, Rows


def predict_with(estimator: Estimator, rows: Rows) -> Prediction:
    """Return the library's own prediction; classifiers are those that say so, or have classes."""
    predicted = np.asarray(estimator.predict(rows))
    if not _is_classifier(estimator):
        return Prediction(predicted.astype(np.float64).reshape(len(predicted), -1), None)
    labels = predicted.ravel().tolist()
    known = {str(each): each for each in np.asarray(estimator.classes_).tolist()}
    labels = [known.get(label, label) if isinstance(label, str) else label for label in labels]
    return Prediction(_scores(estimator, rows), labels)


def _is_classifier(estimator: Estimator) -> bool:
    from sklearn.base import is_classifier  # heavy

    if hasattr(estimator, "predict_proba"):
        return True
    try:
        return bool(is_classifier(estimator))
    except (AttributeError, TypeError):
        return False


def _scores(estimator: Estimator, rows: Rows) -> Any:  # an array or None
    if not hasattr(estimator, "predict_proba"):
        return None
    return np.asarray(estimator.predict_proba(rows), np.float64)
