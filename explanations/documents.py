"""The parts of an explanation as plain values, for one row; ``schemas.explanations`` describes their fields.

Code that writes many rows at once passes placeholders for what differs between rows, and cuts the document into the
texts between them: so the form of an explanation is defined here alone.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.problems import problem_for, problem_json
from tree_explainers.errors import RowRefused

from .warm_explainer import WarmPrototype

PLACEHOLDER = orjson.Fragment(b"\0")
"""Represents in a document a value that is not known yet."""


def pieces_between(document: dict[str, Any]) -> list[bytes]:
    """Return the JSON texts before, between and after the placeholders of a document."""
    return orjson.dumps(document).split(b"\0")  # a character that no other JSON text holds


def decimals(values: NDArray[np.float32 | np.float64]) -> list[float]:
    """Return the shortest decimals that are the same numbers in the array's own precision; all are finite.

    A score of 0.88333334 in single precision is written as that, where a double would be 0.8833333253860474.
    """
    found: list[float] = orjson.loads(orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY))
    return found


class Included(NamedTuple):
    """The parts that requests may include: ``None`` where they do not, or a placeholder."""

    contrast: Any  # an object
    rules: Any  # a list
    approximation_path: Any  # an object


def explanation(
    row_id: Any,  # noqa: ANN401  # a text, or a placeholder
    prediction: dict[str, Any],
    nearest_prototypes: Any,  # noqa: ANN401  # a list, or a placeholder
    prototype_prediction: Any,  # noqa: ANN401  # an object, or a placeholder
    included: Included,
) -> dict[str, Any]:
    """Return the explanation of a row that the model accepts."""
    return {
        "object": "explanation",
        "row_id": row_id,
        "status": "ok",
        "prediction": prediction,
        "nearest_prototypes": nearest_prototypes,
        "prototype_prediction": prototype_prediction,
        "contrast": included.contrast,
        "rules": included.rules,
        "approximation_path": included.approximation_path,
    }


def refusal(row_id: str, error: RowRefused) -> dict[str, Any]:
    """Return the explanation of a row that the model refuses."""
    problem = problem_json(problem_for(error.code, error.detail))
    return {"object": "explanation", "row_id": row_id, "status": "error", "problem": problem}


def prediction(
    classes: Iterable[str],
    label: str | None,
    scores: list[Any],
    near_tie: Any,  # noqa: ANN401  # a truth value, or a placeholder
) -> dict[str, Any]:
    """Return the model's prediction; without a label, that of a regression."""
    if label is None:
        return {"task": "regression", "label": None, "value": scores[0], "scores": [], "near_tie": near_tie}
    named = [{"label": name, "value": score} for name, score in zip(classes, scores, strict=True)]
    return {"task": "classification", "label": label, "value": None, "scores": named, "near_tie": near_tie}


def near_prototype(prototype: WarmPrototype, n_trees: int, of_pair: tuple[Any, ...]) -> dict[str, Any]:
    """Return the entry of a prototype near a row.

    ``of_pair`` has its rank, proximity, distance, number of shared trees, compared features and reasons.
    """
    rank, proximity, distance, n_shared, features, reasons = of_pair
    return {
        "rank": rank,
        "row_id": prototype.row_id,
        "label": prototype.label,
        "value": prototype.value,
        "proximity": proximity,
        "distance": distance,
        "shared_trees": n_shared,
        "n_trees": n_trees,
        "coverage": prototype.coverage,
        "features": features,
        "similar_because": reasons,
    }


def prototype_prediction(nearest: WarmPrototype | None, label: str | None) -> dict[str, Any]:
    """Return the prediction of the nearest prototype, and whether the model agrees."""
    if nearest is None:
        return {"status": "unassigned", "label": None, "value": None, "agrees": None}
    agrees = None if label is None else nearest.label == label
    return {"status": "assigned", "label": nearest.label, "value": nearest.value, "agrees": agrees}


def contrast(prototype: WarmPrototype, proximity: Any) -> dict[str, Any]:  # noqa: ANN401  # a number, or a placeholder
    """Return the entry of the nearest prototype of another class."""
    return {"row_id": prototype.row_id, "label": prototype.label, "proximity": proximity}


def compared(prototype: WarmPrototype, values: list[bytes]) -> orjson.Fragment:
    """Return the prototype's values beside those of the instance, whose JSON texts are given, as a JSON list."""
    pieces = [b"},"] * (3 * len(prototype.texts))
    pieces[0::3] = prototype.texts
    pieces[1::3] = [values[index] for index in prototype.feature_indices]
    return orjson.Fragment(b"[%b]" % b"".join(pieces)[:-1])
