"""Sentences: explanations, rules and trees as text for people, made of the sentences that the service sends."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ._generated.models import (
    ApproximationNode,
    ApproximationPath,
    FiringRule,
    NearestPrototype,
    PathNode,
    Prediction,
    Rule,
)

if TYPE_CHECKING:
    from .explanations import Explanation

_SHOWN_REASONS = 5


def describe_explanation(explanation: "Explanation") -> str:
    """Return the explanation as a few short lines."""
    if explanation.problem is not None:
        return f"Row {explanation.row_id} could not be explained: {explanation.problem.detail}"
    lines = [f"Row {explanation.row_id} is predicted as {describe_prediction(explanation.prediction)}."]
    lines += [line for prototype in explanation.nearest_prototypes for line in _prototype_lines(prototype)]
    if not explanation.nearest_prototypes:
        lines.append("It shares no leaf with any prototype.")
    if explanation.contrast is not None:
        contrast = explanation.contrast
        lines.append(f"Nearest of another class: row {contrast.row_id} ({contrast.label}), {contrast.proximity:.0%}.")
    lines += [f"Rule {_rule(rule)}." for rule in explanation.rules]
    if explanation.approximation_path is not None:
        lines.append(_path_line(explanation.approximation_path))
    return "\n".join(lines)


def describe_rules(rules: Sequence[Rule], default_prediction: float | str) -> str:
    """Return rules one a line, in the order in which they are asked."""
    return "\n".join([*map(_rule, rules), f"otherwise {_told(default_prediction)}"])


def describe_tree(nodes: Sequence[ApproximationNode]) -> str:
    """Return a tree one node a line; below a question what it leads to, where it holds and where it does not."""
    return "\n".join("  " * node.depth + line for node, line in zip(nodes, _node_lines(nodes), strict=True))


def describe_prediction(prediction: Prediction) -> str:
    """Return the label and its score, or the value."""
    if prediction.label is None:
        return number(prediction.value)
    score = next((score.value for score in prediction.scores if score.label == prediction.label), None)
    return prediction.label if score is None else f"{prediction.label} ({score:.1%})"


def number(value: float | None) -> str:
    """Return a number short enough to read."""
    return "missing" if value is None else f"{value:.6g}"


def _prototype_lines(prototype: NearestPrototype) -> list[str]:
    label = number(prototype.value) if prototype.label is None else prototype.label
    head = f"{prototype.rank}. Like row {prototype.row_id} ({label}): {prototype.proximity:.0%} near"
    # Explanation sets of earlier releases have no sentences.
    reasons = [reason.text or reason.feature for reason in prototype.similar_because[:_SHOWN_REASONS]]
    rest = len(prototype.similar_because) - len(reasons)
    if not reasons:
        return [f"{head}."]
    return [f"{head}, because", *(f"   {reason}" for reason in reasons), *([f"   and {rest} more"] if rest > 0 else [])]


def _path_line(path: ApproximationPath) -> str:
    questions = ", ".join(map(_answered, path.nodes)) or "nothing is asked"
    agrees = "" if path.agrees is None else ", as the model" if path.agrees else ", unlike the model"
    return f"In the tree: {questions}: {_told(path.leaf.prediction)}{agrees}."


def _answered(node: PathNode) -> str:
    return f"{node.text}? {'yes' if node.holds else 'no'}"


def _node_lines(nodes: Sequence[ApproximationNode]) -> list[str]:
    answers = [""] * len(nodes)
    for node in nodes:
        if node.left is not None and node.right is not None:
            answers[node.left], answers[node.right] = "yes: ", "no: "
    told = [_leaf(node) if node.text is None else f"{node.text}?" for node in nodes]
    return [answer + line for answer, line in zip(answers, told, strict=True)]


def _leaf(node: ApproximationNode) -> str:
    share = next((f" ({score.value:.0%})" for score in node.scores if score.label == node.prediction), "")
    return f"{_told(node.prediction)}{share}"


def _rule(rule: Rule | FiringRule) -> str:
    return f"{rule.rank}. if {rule.text} then {_told(rule.prediction)}"


def _told(prediction: float | str) -> str:
    return prediction if isinstance(prediction, str) else number(prediction)
