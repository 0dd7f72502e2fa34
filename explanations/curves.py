"""Exact curves of a row's score, feature by feature, as explanations have them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from schemas.json_numbers import json_number
from tree_explainers.changes.curves import CategoryCurve, Curve, NumberCurve, merged
from tree_explainers.rows import Rows

from .documents import decimals
from .included_parts import MAX_CURVES, MAX_STEPS
from .warm_explainer import WarmExplainer

_RESOLUTION = 1e-3  # of a probability: the least difference that is printed; of values, of a curve's range


def curves_of(warm: WarmExplainer, row: Rows, values: Sequence[Any], column: int) -> list[dict[str, Any]]:
    """Return the curves of one of a row's scores, those with the widest range first, in the values of ``Curve``.

    Parameters
    ----------
    row
        One raw row that the model takes.
    values : (n_features,)
        The same as sent.
    column
        Index of the score.
    """
    as_sent = dict(zip(warm.session.description.feature_names, values, strict=True))
    hidden = warm.wording.bounds.hidden
    curves = [curve for curve in warm.changes.open().model.curves(row) if curve.feature not in hidden]
    ranges = [_range(curve, column) for curve in curves]
    order = sorted((at for at, width in enumerate(ranges) if width > 0), key=lambda at: -ranges[at])
    classes = warm.session.description.classes
    of = {"score_of": classes[column]} if classes else {}
    documents = []
    for at in order[:MAX_CURVES]:
        curve, resolution = curves[at], _RESOLUTION if classes else _RESOLUTION * ranges[at]
        steps = (
            _number_steps(curve, column, resolution) if isinstance(curve, NumberCurve) else _categories(curve, column)
        )
        missing = {} if curve.missing is None else {"missing": decimals(curve.missing[column : column + 1])[0]}
        listed = {"value": _own_value(curve, as_sent), "steps": steps.pop("steps")}
        label = warm.wording.words.feature_text(curve.feature)
        documents.append({"feature": curve.feature, **label, **of, **listed, **missing, **steps})
    return documents


def _own_value(curve: Curve, as_sent: Mapping[str, Any]) -> Any:  # a cell
    """Return the row's value; of a one-hot group, which is no feature that is sent, its category."""
    if curve.feature in as_sent:
        return json_number(as_sent[curve.feature])
    return None if curve.own is None or isinstance(curve, NumberCurve) else curve.categories[curve.own]


def _range(curve: Curve, column: int) -> float:
    scores = (
        curve.scores[:, column] if curve.missing is None else np.append(curve.scores[:, column], curve.missing[column])
    )
    return float(np.ptp(scores)) if len(scores) else 0.0


def _number_steps(curve: NumberCurve, column: int, resolution: float) -> dict[str, Any]:
    """Return the steps, joined until they are few enough, and the resolution that this takes."""
    joined = merged(curve, column, resolution)
    while len(joined.lows) > MAX_STEPS:
        resolution *= 1.5
        joined = merged(curve, column, resolution)
    scores = decimals(joined.scores[:, column])
    steps: list[dict[str, float]] = [{"score": scores[0]}]
    steps += [{"from": low, "score": score} for low, score in zip(joined.lows[1:].tolist(), scores[1:], strict=True)]
    return {"steps": steps, "resolution": resolution}


def _categories(curve: CategoryCurve, column: int) -> dict[str, Any]:
    """Return the categories; of many those whose scores differ most from the row's own, and its own."""
    scores = curve.scores[:, column]
    listed = np.arange(len(scores))
    if len(scores) > MAX_STEPS:
        difference = np.abs(scores - (np.median(scores) if curve.own is None else scores[curve.own]))
        if curve.own is not None:
            difference[curve.own] = np.inf
        listed = np.sort(np.argsort(-difference, kind="stable")[:MAX_STEPS])
    texts = decimals(scores)
    steps = [
        {**({} if curve.categories[at] is None else {"value": curve.categories[at]}), "score": texts[at]}
        for at in listed.tolist()
    ]
    n_left = len(scores) - len(listed)
    return {"steps": steps, "resolution": 0.0, **({"n_left_out": n_left} if n_left else {})}
