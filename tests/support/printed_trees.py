"""Approximation trees as public documents, and what rows get by them, read straight from their words."""

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.approximation_trees import ApproximationTreeResult
from schemas.rule_sets import Condition, RuleFeature
from tests.support.printed_rules import Row
from tests.support.trees_of_conditions import GrownTree
from tree_explainers.rows import Rows
from workers.jobs.approximation_trees import view_tree

_EVALUATION = {
    "n_rows": 100,
    "evaluated_on": "dataset",
    "fidelity": 0.95,
    "balanced_fidelity": 0.9,
    "probability_l1": 0.1,
    "mean_questions": 2.5,
    "model": None,
    "constant": {"prediction": "no", "model_prediction": "no", "fidelity": 0.9, "balanced_fidelity": 0.5},
}


def tree_content(known: GrownTree, method: str = "sta") -> ApproximationTreeResult:
    """Return the document of a tree as its job writes it; the figures of its quality are invented."""
    view = view_tree(known.tree, known.description, {})
    nodes = [node.model_dump() for node in view["nodes"]]
    counted = {"n_rows": len(known.rows), "n_trees": known.description.n_trees}
    return document(nodes, view["features"], known.description.classes, method=method, **counted)


def document(
    nodes: Sequence[Mapping[str, Any]], features: Sequence[RuleFeature], classes: Sequence[str], **view: object
) -> ApproximationTreeResult:
    """Return the document of these nodes."""
    content = {
        "task": "classification" if classes else "regression",
        "classes": list(classes),
        "method": "sta",
        "n_rows": 10,
        "n_trees": 3,
        "n_features": len(features),
        "n_nodes": len(nodes),
        "n_leaves": sum(node["left"] is None for node in nodes),
        "depth": max(node["depth"] for node in nodes),
        "features": list(features),
        "nodes": list(nodes),
        "smoothing": None,
        "evaluation": _EVALUATION,
        "training_evaluation": _EVALUATION,
        "cautions": [],
        "stability": None,
        "n_repeats": 1,
    }
    return ApproximationTreeResult.model_validate(content | view)


def stump(
    feature: RuleFeature,
    condition: Condition,
    yes: float | str,
    no: float | str,
    *,
    text: str | None = None,
    classes: Sequence[str] | None = None,
) -> ApproximationTreeResult:
    """Return the document of a tree with one split."""
    if classes is None:
        classes = sorted({each for each in (yes, no) if isinstance(each, str)})
    view = condition.model_dump() | {"text": text or f"{condition.feature} {condition.operator} {condition.value}"}
    root = leaf(0, 0, yes, classes) | view | {"left": 1, "right": 2, "p_value": 0.03, "at_cap": True}
    return document([root, leaf(1, 1, yes, classes), leaf(2, 1, no, classes)], [feature], classes)


def leaf(at: int, depth: int, prediction: float | str, classes: Sequence[str]) -> dict[str, Any]:
    """Return a leaf's fields."""
    scores = [{"label": label, "value": float(label == prediction)} for label in classes]
    empty = ("feature", "column", "operator", "value", "or_missing", "text", "left", "right", "p_value", "at_cap")
    facts = {"id": at, "depth": depth, "prediction": prediction, "n_samples": 5, "n_pseudo_samples": 0}
    return dict.fromkeys(empty) | facts | {"scores": scores}


def plain_rows(rows: Rows) -> list[Row]:
    """Return rows as callers have them: plain values by name, ``None`` where missing."""
    columns = [
        [None if value is None or value != value else value for value in values.tolist()]  # NaN
        for values in rows.columns
    ]
    return [dict(zip(rows.names, values, strict=True)) for values in zip(*columns, strict=True)]


def predictions(known: GrownTree, rows: Rows) -> list[float | str]:
    """Return what the tree itself predicts."""
    if not known.description.classes:
        return [float(value) for value in known.tree.scores_of(rows)[:, 0]]
    return [known.description.classes[label] for label in known.tree.labels_of(rows)]
