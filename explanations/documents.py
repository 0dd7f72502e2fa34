"""The parts of an explanation as plain values, for one row; ``schemas.explanations`` describes their fields."""

from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.problems import problem_for, problem_json
from tree_explainers.errors import RowRefused

from .warm_explainer import WarmPrototype


def decimals(values: NDArray[np.float32 | np.float64]) -> list[Any]:
    """Return the shortest decimals that are the same numbers in the array's own precision; all are finite.

    Of a matrix they are lists, one of each line. A score of 0.88333334 in single precision is written as that, where a
    double would be 0.8833333253860474.
    """
    if values.dtype == np.float64:
        return list(values.tolist())
    numbers: list[Any] = orjson.loads(orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY))
    return numbers


def as_json(document: Any) -> orjson.Fragment:  # JSON, or a part of it that is written already
    """Return a document as what becomes a part of another one."""
    return document if isinstance(document, orjson.Fragment) else orjson.Fragment(orjson.dumps(document))


def written(rows: list[Any]) -> list[Any]:
    """Replace rows by their JSON, one at a time: the interpreter's lock is released in between, and their memory."""
    for index, row in enumerate(rows):
        rows[index] = as_json(row)
    return rows


def refusal(row_id: str, error: RowRefused) -> dict[str, Any]:
    """Return the explanation of a row that the model refuses."""
    problem = problem_json(problem_for(error.code, error.detail))
    return {"object": "explanation", "row_id": row_id, "status": "error", "problem": problem}


def class_prediction(label: str, classes: list[str], scores: list[float], *, near_tie: bool) -> dict[str, Any]:
    """Return the prediction of a classifier."""
    named = [{"label": name, "value": score} for name, score in zip(classes, scores, strict=True)]
    prediction: dict[str, Any] = {"task": "classification", "label": label, "scores": named}
    if near_tie:
        prediction["near_tie"] = True
    return prediction


def value_prediction(value: float) -> dict[str, Any]:
    """Return the prediction of a regression."""
    return {"task": "regression", "value": value}


def prototype_prediction(nearest: WarmPrototype, label: str | None) -> dict[str, Any]:
    """Return the prediction of the nearest prototype, and whether the model, which predicts ``label``, agrees."""
    if nearest.label is None:
        return {"value": nearest.value}
    return {"label": nearest.label, "agrees": nearest.label == label}
