"""Views of approximation trees, as readers get them: nodes in words and numbers, features, stability, smoothing."""

from collections.abc import Sequence
from typing import Any

from explanations.feature_phrases import implied_answers
from schemas.approximation_trees import (
    MAX_IMPLICATIONS,
    ApproximationNode,
    ApproximationTreeRequest,
    DepthValidation,
    ImpliedAnswer,
    Smoothing,
    StructureCount,
)
from schemas.models import Score
from schemas.rule_sets import RuleFeature
from tree_explainers.approximation_trees.fidelity import count_structures
from tree_explainers.approximation_trees.generators import GeneratorSettings
from tree_explainers.approximation_trees.trees import ApproximationTree, NodeFacts, TreeNode
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.questions.conditions import Condition, condition_text, question_text
from tree_explainers.wording import Phrases

from .column_phrases import feature_type

_CHOSEN_BY = {"fidelity": "fidelity or, where that is about the same, by gain", "gain": "their gain"}
_SHOWN_CANDIDATES = 5
_CONDITION_FIELDS = ("feature", "column", "operator", "value", "or_missing", "text", "question", "left", "right")


def view_tree(tree: ApproximationTree, description: ModelDescription, phrases: Phrases) -> dict[str, Any]:
    """Return the fields of ``ApproximationTreeResult`` that describe the tree; columns may have words of their own."""
    depths, classes = tree.depths.tolist(), description.classes
    return {
        "n_nodes": len(tree.nodes),
        "n_leaves": tree.n_leaves,
        "depth": tree.depth,
        "features": _features(tree, description, phrases),
        "nodes": [_node(index, depths[index], node, classes, phrases) for index, node in enumerate(tree.nodes)],
    }


def view_implications(tree: ApproximationTree, phrases: Phrases) -> list[ImpliedAnswer]:
    """Return what follows among the tree's conditions."""
    pairs = implied_answers([node.condition for node in tree.nodes], phrases)[:MAX_IMPLICATIONS]
    return [
        ImpliedAnswer(node=node, holds=holds, implied_node=then_node, implied_holds=then_holds)
        for (node, holds), (then_node, then_holds) in pairs
    ]


def view_smoothing(request: ApproximationTreeRequest, generator: GeneratorSettings) -> Smoothing | None:
    """Return how pseudo-samples were smoothed; ``None`` if there were none, or rows were drawn as they are."""
    if request.method == "born_again":
        return Smoothing(swap_probability=request.smearing_probability)
    if request.fitted_on == "dataset" or generator.method in {"bootstrap", "dataset"}:
        return None
    is_kernel, is_ranks = generator.method == "kernel", generator.method == "ranks"
    return Smoothing(
        bandwidth=generator.bandwidth if is_kernel else None,
        rank_bandwidth=generator.bandwidth if is_ranks else None,
        move_probability=generator.neighbor_probability,
    )


def view_validation(tree: ApproximationTree) -> DepthValidation | None:
    """Return the errors by which the depth was chosen; ``None`` where it is the caller's."""
    found = tree.depth_choice
    if found is None:
        return None
    return DepthValidation(
        errors=found.errors.tolist(), standard_errors=found.standard_errors.tolist(), depth=found.depth
    )


def caution_of_tests(request: ApproximationTreeRequest, tree: ApproximationTree) -> str | None:
    """Return how many of the tree's splits are significant, unless all are or none was tested."""
    tests = [node.confidence for node in tree.nodes if node.confidence is not None]
    n_significant = sum(not test.at_cap for test in tests)
    if n_significant == len(tests):
        return None
    within, by = f"significant within {request.max_pseudo_samples:,} pseudo-samples", _CHOSEN_BY[request.choose_by]
    if len(tests) == 1:
        return f"the only split of the tree is not {within}; it was chosen by {by}"
    shown, others = (f"{n_significant:,}", "the others") if n_significant else ("none", "they")
    verb = "is" if n_significant == 1 else "are"
    return f"{shown} of the {len(tests):,} splits of the tree {verb} {within}; {others} were chosen by {by}"


def caution_of_candidates(unusable: Sequence[Condition | str], min_samples_leaf: int, phrases: Phrases) -> str | None:
    """Return which of the request's own candidates can split nothing, unless all can."""
    if not unusable:
        return None
    texts = [each if isinstance(each, str) else condition_text(each, phrases) for each in unusable[:_SHOWN_CANDIDATES]]
    listed = "; ".join([*texts, "..."] if len(unusable) > len(texts) else texts)
    rows = "no row of the dataset" if min_samples_leaf == 1 else f"fewer than {min_samples_leaf:,} rows of the dataset"
    those = "it leaves" if len(unusable) == 1 else "they leave"
    found = f"of the given candidates, {len(unusable):,} can split nothing, as {those} {rows} on one side"
    return f"{found}, or no known value: {listed}"


def view_stability(trees: Sequence[ApproximationTree]) -> list[StructureCount] | None:
    """Return the number of different trees down to each depth; ``None`` for a single tree."""
    if len(trees) == 1:
        return None
    counts = count_structures(trees).tolist()
    return [StructureCount(depth=level + 1, n_structures=count) for level, count in enumerate(counts)]


def _features(tree: ApproximationTree, description: ModelDescription, phrases: Phrases) -> list[RuleFeature]:
    """Return the features that some node tests, in the model's order."""
    used = {node.condition.column for node in tree.nodes if node.condition is not None}
    pairs = zip(description.feature_names, description.missing_tokens, strict=True)
    return [
        RuleFeature(name=name, type=feature_type(name, phrases, is_number=token is None), missing_text=token)
        for name, token in pairs
        if name in used
    ]


def _node(index: int, depth: int, node: TreeNode, classes: Sequence[str], phrases: Phrases) -> ApproximationNode:
    split: dict[str, Any] = dict.fromkeys(_CONDITION_FIELDS)
    if node.condition is not None:
        split = {**_condition(node.condition, phrases), "left": node.left, "right": node.right}
    return ApproximationNode(
        id=index,
        depth=depth,
        **split,
        **_prediction(node.facts, classes),
        n_samples=node.facts.n_samples,
        n_pseudo_samples=node.facts.n_pseudo_samples,
        p_value=None if node.confidence is None else node.confidence.p_value,
        at_cap=None if node.confidence is None else node.confidence.at_cap,
        settled=node.facts.is_settled if node.is_leaf else None,
    )


def _condition(condition: Condition, phrases: Phrases) -> dict[str, Any]:
    return {
        "feature": condition.feature,
        "column": condition.column,
        "operator": condition.operator,
        "value": list(condition.value) if isinstance(condition.value, tuple) else condition.value,
        "or_missing": condition.or_missing,
        "text": condition_text(condition, phrases),
        "question": question_text(condition, phrases),
    }


def _prediction(facts: NodeFacts, classes: Sequence[str]) -> dict[str, Any]:
    if facts.label is None:
        return {"prediction": float(facts.scores[0]), "scores": []}
    pairs = zip(classes, facts.scores.tolist(), strict=True)
    return {"prediction": classes[facts.label], "scores": [Score(label=label, value=value) for label, value in pairs]}
