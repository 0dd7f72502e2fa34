"""Oracle: an ensemble that can be asked about any raw row."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..onnx_models.description import ModelDescription
from ..onnx_models.session import ModelSession, Predictions
from ..rows import Rows


class Oracle(Protocol):
    """Answers for rows whatever they are."""

    @property
    def is_classifier(self) -> bool:
        """Whether answers are shares of classes; else they are values."""

    def ask(self, rows: Rows) -> NDArray[np.float64]:
        """Return the shares of classes of each row, (n_rows, n_classes), which sum to 1; or (n_rows, 1) a value."""


class SessionOracle:
    """A registered model as an oracle.

    A model whose scores are no probabilities gives its label the whole share.
    """

    def __init__(self, session: ModelSession) -> None:
        self._session = session

    @property
    def is_classifier(self) -> bool:
        """Whether the model predicts classes, of which there may be only one."""
        return self._session.description.task == "classification"

    def ask(self, rows: Rows) -> NDArray[np.float64]:
        """Return what the model says of rows that have its features by name; see ``Oracle.ask``.

        Raises
        ------
        RowRefused
            Where the model does not take a row.
        """
        return answers(self._session.predict(rows), self._session.description)


def answers(predictions: Predictions, description: ModelDescription) -> NDArray[np.float64]:
    """Return what a model said of rows in the shape in which oracles answer; see ``SessionOracle``."""
    scores = predictions.scores.astype(np.float64)
    if predictions.labels is None:
        return scores
    if description.score_kind == "raw":
        return np.eye(scores.shape[1])[predictions.labels]
    totals = scores.sum(axis=1, keepdims=True)
    some = totals > 0
    return np.where(some, scores / np.where(some, totals, 1), np.eye(scores.shape[1])[predictions.labels])
