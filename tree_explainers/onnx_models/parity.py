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
    label_mismatches: int  # rows whose label differs, though the scores of both labels are as good as equal


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
        the library's scores of both labels are further apart than that, and not at the graph's cut-off: names the row
        and both values.
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
    _check_labels(outcome.labels, predictions, names, theirs, are_highest=description.labels_are_highest)
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
            f"in the caller's library ({int(differs.any(axis=1).sum())} of {len(differs)} rows differ); "
            f"{_advice(ours, theirs)}."
        )
        raise ModelRefused("model_parity_failed", detail)


def _advice(ours: NDArray[Any], theirs: NDArray[Any]) -> str:
    """Return what may have led to other scores, as far as the scores themselves show it."""
    tolerance = _ABSOLUTE + _RELATIVE * np.abs(theirs)
    in_order, wanted = np.sort(ours, axis=1), np.sort(theirs, axis=1)
    if ours.shape[1] > 1 and (np.abs(in_order - wanted) <= tolerance.max(axis=1, keepdims=True)).all():
        return "the scores are the same in another order: declare the classes in the order of the graph's scores"
    return (
        "the graph does not calculate what the library does: export it again with all of its parameters (objective, "
        "link, base score, number of trees), and send rows whose columns are in the order of the graph's features"
    )


def _check_labels(
    labels: NDArray[np.int64],
    theirs: NDArray[Any],
    names: Sequence[str],
    wanted: NDArray[np.int64],
    *,
    are_highest: bool,
) -> None:
    """Refuse other labels than the caller's, unless the caller's scores of the two are as good as equal.

    The caller's label need not have the highest score: support vectors vote, and estimate probabilities besides.
    """
    every = np.arange(len(theirs))
    score, wanted_score = theirs[every, labels], theirs[every, wanted]
    tolerance = _ABSOLUTE + _RELATIVE * np.maximum(np.abs(score), np.abs(wanted_score))
    differs = (labels != wanted) & (np.abs(score - wanted_score) > tolerance)
    if not are_highest:
        differs &= ~_on_cut_off(labels, theirs, tolerance)
    if differs.any():
        row = int(np.argmax(differs))
        detail = (
            f"Row {row}: labels differ, scores agree: the model's label is {names[labels[row]]!r} (score "
            f"{score[row]:.9g}) here and {names[wanted[row]]!r} (score {wanted_score[row]:.9g}) in the caller's "
            f"library, in {int(differs.sum())} of {len(labels)} rows: this estimator has a cut-off or a rule of its "
            "own, which the graph lacks; put it into the graph's label output, or register the estimator within it."
        )
        raise ModelRefused("model_parity_failed", detail)


def _on_cut_off(
    labels: NDArray[np.int64], theirs: NDArray[Any], tolerance: NDArray[np.floating[Any]]
) -> NDArray[np.bool_]:
    """Return which rows' last score may be the cut-off between two classes itself, shape (n_rows,).

    The cut-off lies between the scores of the rows on its two sides. So a row is on it where none lies further inside.
    """
    if theirs.shape[1] != 2 or len(np.unique(labels)) < 2:  # which a cut-off separates
        return np.zeros(len(labels), np.bool_)
    score = theirs[:, -1]
    lowest_above, highest_below = score[labels == 1].min(), score[labels == 0].max()
    edge = np.where(labels == 1, lowest_above, highest_below)
    is_at_edge = np.abs(score - edge) <= tolerance
    return np.asarray(is_at_edge & (np.abs(lowest_above - highest_below) <= tolerance), np.bool_)
