"""How the tree is told: its nodes in words and numbers, and the features that it asks about."""

from collections.abc import Sequence
from typing import Any

from schemas.approximation_trees import ApproximationMethod, ApproximationNode, Smoothing, StructureCount
from schemas.models import Score
from schemas.rule_sets import RuleFeature
from tree_explainers.approximation_trees.born_again import REPLACED
from tree_explainers.approximation_trees.smoothed_columns import BANDWIDTH, MOVE_PROBABILITY
from tree_explainers.approximation_trees.stability import count_structures
from tree_explainers.approximation_trees.trees import ApproximationTree, NodeFacts, TreeNode
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.rule_sets.conditions import Condition

_SMOOTHED = Smoothing(bandwidth=BANDWIDTH, move_probability=MOVE_PROBABILITY)
SMOOTHING: dict[ApproximationMethod, Smoothing | None] = {
    "sta": _SMOOTHED,
    "ism": None,
    "born_again": Smoothing(swap_probability=REPLACED),
    "cart": _SMOOTHED,
}


def view_tree(tree: ApproximationTree, description: ModelDescription) -> dict[str, Any]:
    """Return the fields of ``ApproximationTreeResult`` that tell the tree."""
    depths, classes = tree.depths.tolist(), description.classes
    return {
        "n_nodes": len(tree.nodes),
        "n_leaves": tree.n_leaves,
        "depth": tree.depth,
        "features": _features(tree, description),
        "nodes": [_node(at, depths[at], node, classes) for at, node in enumerate(tree.nodes)],
    }


def view_stability(trees: Sequence[ApproximationTree]) -> list[StructureCount] | None:
    """Return how many different trees there are down to each depth; nothing of a single tree."""
    if len(trees) == 1:
        return None
    counts = count_structures(trees).tolist()
    return [StructureCount(depth=level + 1, n_structures=count) for level, count in enumerate(counts)]


def _features(tree: ApproximationTree, description: ModelDescription) -> list[RuleFeature]:
    asked = {node.condition.column for node in tree.nodes if node.condition is not None}
    pairs = zip(description.feature_names, description.missing_tokens, strict=True)
    return [
        RuleFeature(name=name, type="number" if token is None else "category", missing_text=token)
        for name, token in pairs
        if name in asked
    ]


def _node(at: int, depth: int, node: TreeNode, classes: Sequence[str]) -> ApproximationNode:
    told = dict.fromkeys(("feature", "column", "operator", "value", "or_missing", "text", "left", "right"))
    if node.condition is not None:
        told = {**_question(node.condition), "left": node.left, "right": node.right}
    return ApproximationNode(
        id=at,
        depth=depth,
        **told,
        **_said(node.facts, classes),
        n_samples=node.facts.n_samples,
        n_pseudo_samples=node.facts.n_pseudo_samples,
        p_value=None if node.confidence is None else node.confidence.p_value,
        at_cap=None if node.confidence is None else node.confidence.at_cap,
    )


def _question(condition: Condition) -> dict[str, Any]:
    return {
        "feature": condition.feature,
        "column": condition.column,
        "operator": condition.operator,
        "value": list(condition.value) if isinstance(condition.value, tuple) else condition.value,
        "or_missing": condition.or_missing,
        "text": condition.text,
    }


def _said(facts: NodeFacts, classes: Sequence[str]) -> dict[str, Any]:
    if facts.label is None:
        return {"prediction": float(facts.scores[0]), "scores": []}
    pairs = zip(classes, facts.scores.tolist(), strict=True)
    return {"prediction": classes[facts.label], "scores": [Score(label=label, value=value) for label, value in pairs]}
