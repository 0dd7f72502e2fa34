"""check_independence: whether a row's prediction is the same whichever rows are sent with it.

A graph may average, normalise or rank over its rows, mostly because an axis is wrong. Then a row has no prediction of
its own that could be explained.
"""

import numpy as np

from ..errors import ModelRefused
from ..rows import Rows
from .session import ModelSession, Outcome

_N_BESIDE, _N_ALONE = 64, 16  # rows that are predicted again in other company, and without any
_TOLERANCE = 1e-4  # of a score, relative where it is above 1: matrices of other sizes are added up in another order
_MOST_AT_THRESHOLDS = 0.125  # of the rows: a last digit may send some of them into other leaves


def check_independence(session: ModelSession, rows: Rows, outcome: Outcome) -> None:
    """Refuse a model whose prediction of a row changes when other rows come with it, or none.

    Parameters
    ----------
    session
        The open model.
    rows : (n_rows, n_features)
        Rows that the model takes.
    outcome
        What it predicts for all of them together.

    Raises
    ------
    ModelRefused
        ``model_invalid_graph``.
    """
    some = np.arange(min(_N_BESIDE, len(rows)))
    alone = [np.array([row]) for row in some[:_N_ALONE]]
    for parts in ([some[::-1]], [some[::7]], alone):
        again = np.concatenate([session.run(session.encode(rows.take(part))).scores for part in parts])
        known = outcome.scores[np.concatenate(parts)]
        is_other = (np.abs(again - known) > _TOLERANCE * np.maximum(1, np.abs(known))).any(axis=1)
        if is_other.mean() > _MOST_AT_THRESHOLDS:
            detail = (
                "The model's prediction of a row depends on the rows that are sent with it, as where an operator adds "
                "up, averages or normalises over the rows (axis 0); export it so that it predicts each row by itself."
            )
            raise ModelRefused("model_invalid_graph", detail)
