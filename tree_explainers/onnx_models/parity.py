"""Parity: the model must predict here what the caller's own library predicted there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, ModelRefused
from ..rows import Rows
from .session import ModelSession

_ABSOLUTE = 1e-4
_RELATIVE = 1e-5


@dataclass(frozen=True, slots=True)
class ParityReport:
    """What came of comparing predictions; where they disagree, ``check_parity`` raises instead."""

    n_rows: int
    max_difference: float  # largest |ours - theirs| over all rows and scores
    label_mismatches: int  # rows whose label differs, though their two best scores are as good as equal


def check_parity(
    session: ModelSession, rows: Rows, predictions: NDArray[np.floating[Any]], labels: Sequence[str] | None = None
) -> ParityReport:
    """Compare the model's scores with those that the caller's library gave for the same rows.

    Parameters
    ----------
    session
        The open model.
    rows : (n_rows,)
        Raw rows.
    predictions : (n_rows, n_classes) or (n_rows, 1)
        Scores in the order of the model's classes, or values of a regression.
    labels : (n_rows,)
        Classes that the library predicts; ``None``: the first of those with the highest scores.

    Raises
    ------
    ModelRefused
        ``model_parity_failed`` where ``|ours - theirs| > 1e-4 + 1e-5 |theirs|``, or where the label differs although
        their two top scores are further apart than that: names the row and both values.
    InvalidInput
        Where the shape of the predictions does not fit, or they are not finite.
    RowRefused
        Where a row does not fit the model.
    """
    description = session.description
    names = description.classes or ("value",)
    if not len(rows) or predictions.shape != (len(rows), len(names)) or not np.isfinite(predictions).all():
        msg = f"parity needs finite predictions of shape ({len(rows)}, {len(names)}) for at least one row"
        raise InvalidInput(msg)
    outcome = session.run_in_chunks(rows)
    difference = np.abs(outcome.scores - predictions)
    tolerance = _ABSOLUTE + _RELATIVE * np.abs(predictions)
    _check_scores(outcome.scores, predictions, difference > tolerance, names)
    if outcome.labels is None:
        return ParityReport(len(rows), float(difference.max()), 0)
    theirs = predictions.argmax(axis=1) if labels is None else _indices(labels, names, len(rows))
    _check_labels(outcome.labels, predictions, names, theirs)
    return ParityReport(len(rows), float(difference.max()), int((outcome.labels != theirs).sum()))


def _indices(labels: Sequence[str], names: Sequence[str], n_rows: int) -> NDArray[np.int64]:
    index_of = {name: index for index, name in enumerate(names)}
    unknown = [label for label in labels if label not in index_of]
    if unknown or len(labels) != n_rows:
        wrong = f"{unknown[0]!r:.40} is none of them" if unknown else f"there are {len(labels)} for {n_rows} rows"
        msg = f"parity needs one label for each row, each of them one of the model's classes; {wrong}"
        raise InvalidInput(msg)
    return np.array([index_of[label] for label in labels], np.int64)


def _check_scores(ours: NDArray[Any], theirs: NDArray[Any], differs: NDArray[np.bool_], names: Sequence[str]) -> None:
    if differs.any():
        row, column = np.argwhere(differs)[0].tolist()
        detail = (
            f"Row {row}, {names[column]!r}: the model gives {ours[row, column]:.9g} here and {theirs[row, column]:.9g} "
            "in the caller's library; check that features come in the same order and that the conversion is exact."
        )
        raise ModelRefused("model_parity_failed", detail)


def _check_labels(
    labels: NDArray[np.int64], theirs: NDArray[Any], names: Sequence[str], wanted: NDArray[np.int64]
) -> None:
    """Refuse other labels than the caller's, unless their scores are as good as equal.

    The caller's label need not have the highest score: support vectors vote, and estimate probabilities besides.
    """
    highest = theirs.max(axis=1)
    behind = highest - theirs[np.arange(len(theirs)), labels]
    differs = (behind > _ABSOLUTE + _RELATIVE * np.abs(highest)) & (labels != wanted)
    if differs.any():
        row = int(np.argmax(differs))
        detail = (
            f"Row {row}: the model's label is {names[labels[row]]!r} here and {names[theirs[row].argmax()]!r} by the "
            "caller's scores; check the order of the classes."
        )
        raise ModelRefused("model_parity_failed", detail)
