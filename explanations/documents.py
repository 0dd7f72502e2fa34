"""The parts of an explanation as plain values, for one row; ``schemas.explanations`` says what their fields mean.

Whoever writes many at once has these functions fill in holes, so that there is one place that says what is told.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import orjson

from schemas.problems import problem_for, problem_json
from tree_explainers.errors import RowRefused

from .warm_explainer import WarmPrototype


class Included(NamedTuple):
    """What is told where it was asked for: nothing otherwise, or a hole."""

    contrast: Any  # an object
    rules: Any  # a list
    approximation_path: Any  # an object


def explanation(
    row_id: Any,  # noqa: ANN401  # a text, or a hole
    prediction: dict[str, Any],
    nearest_prototypes: Any,  # noqa: ANN401  # a list, or a hole
    prototype_prediction: Any,  # noqa: ANN401  # an object, or a hole
    included: Included,
) -> dict[str, Any]:
    """Return what is said of a row that the model takes."""
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
    """Return what is said of a row that the model does not take."""
    problem = problem_json(problem_for(error.code, error.detail))
    return {"object": "explanation", "row_id": row_id, "status": "error", "problem": problem}


def prediction(
    classes: Iterable[str],
    label: str | None,
    scores: list[Any],
    near_tie: Any,  # noqa: ANN401  # a truth value, or a hole
) -> dict[str, Any]:
    """Return what the model says; no label stands for a regression."""
    if label is None:
        return {"task": "regression", "label": None, "value": scores[0], "scores": [], "near_tie": near_tie}
    named = [{"label": name, "value": score} for name, score in zip(classes, scores, strict=True)]
    return {"task": "classification", "label": label, "value": None, "scores": named, "near_tie": near_tie}


def near_prototype(prototype: WarmPrototype, n_trees: int, of_pair: tuple[Any, ...]) -> dict[str, Any]:
    """Return what is said of a prototype near a row.

    ``of_pair`` are its rank, proximity, distance, number of shared trees, compared features and reasons, or holes.
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
    """Return what the nearest prototype predicts, and whether that is what the model says."""
    if nearest is None:
        return {"status": "unassigned", "label": None, "value": None, "agrees": None}
    agrees = None if label is None else nearest.label == label
    return {"status": "assigned", "label": nearest.label, "value": nearest.value, "agrees": agrees}


def contrast(prototype: WarmPrototype, proximity: Any) -> dict[str, Any]:  # noqa: ANN401  # a number, or a hole
    """Return what is said of the nearest prototype of another class."""
    return {"row_id": prototype.row_id, "label": prototype.label, "proximity": proximity}


def compared(prototype: WarmPrototype, values: list[bytes]) -> orjson.Fragment:
    """Return the prototype's values beside those of the instance, whose JSON texts are given, as a JSON list."""
    pieces = [b"},"] * (3 * len(prototype.texts))
    pieces[0::3] = prototype.texts
    pieces[1::3] = [values[position] for position in prototype.positions]
    return orjson.Fragment(b"[%b]" % b"".join(pieces)[:-1])
