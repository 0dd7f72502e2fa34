"""TailSession: the predictions of sums of leaf values, by the tail of the model's graph."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import RowRefused
from .session import ModelSession, Predictions, open_graph, runtime_errors
from .walked_parts import ScoreTail


class TailSession:
    """What follows a model's trees, opened. Nothing in it changes: threads may share it.

    Parameters
    ----------
    tail
        Of the model's graph.
    session
        Of the model.
    """

    def __init__(self, tail: ScoreTail, session: ModelSession) -> None:
        self._opened, self._session = open_graph(tail.graph), session
        self._input = self._opened.get_inputs()[0].name
        self._dtype = np.dtype(np.float64 if tail.sums == "double" else np.float32)

    def predictions(self, sums: NDArray[Any]) -> Predictions:
        """Return the predictions for sums of leaf values, (n_rows, n_outputs), the same as of the rows they are of.

        Raises
        ------
        RowRefused
            Where not all rows have predictions.
        """
        feeds = {self._input: sums.astype(self._dtype, copy=False)}
        try:
            outputs = self._opened.run(self._session.prediction_names, feeds)
        except runtime_errors() as error:
            raise RowRefused("validation_failed", "The model refuses a value of a row.") from error
        return self._session.predictions_of_outputs(outputs, len(sums))
