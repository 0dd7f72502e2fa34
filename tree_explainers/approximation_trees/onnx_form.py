"""An approximation tree as an ONNX file, which runs on raw rows wherever models run."""

from collections.abc import Sequence
from math import inf

import numpy as np

from ..onnx_models.description import ModelDescription
from ..onnx_models.tree_writing import (
    NodeCondition,
    NumberCondition,
    RawFeature,
    RawTree,
    TextCondition,
    write_tree_onnx,
)
from ..questions.conditions import Condition
from .trees import ApproximationTree

_HALF = 0.5  # between no and yes of a one-hot column


def tree_onnx(tree: ApproximationTree, description: ModelDescription) -> bytes:
    """Return the tree as a whole ONNX file; see ``write_tree_onnx`` for its inputs and outputs.

    On rows of finite and missing numbers and of categories its predictions equal those of the tree's own methods,
    bit by bit.

    Parameters
    ----------
    tree
        The tree.
    description
        The model that it represents, with the types of features and the names of classes. Features without a condition
        are left out; a tree of one leaf keeps the first.
    """
    names = [column for column in description.feature_names if column in _tested_features(tree, description)]
    tokens = dict(zip(description.feature_names, description.missing_tokens, strict=True))
    features = tuple(RawFeature(name, _missing_text(tree, name, tokens[name])) for name in names)
    facts = [node.facts for node in tree.nodes]
    labels = None if description.task == "regression" else np.array([each.label for each in facts], np.int64)
    return write_tree_onnx(
        RawTree(
            features=features,
            conditions=tuple(_node_condition(node.condition, names, features) for node in tree.nodes),
            left=np.array([node.left for node in tree.nodes]),
            right=np.array([node.right for node in tree.nodes]),
            scores=np.array([each.scores for each in facts], np.float64),
            labels=labels,
            classes=description.classes,
        )
    )


def _tested_features(tree: ApproximationTree, description: ModelDescription) -> set[str]:
    columns = {node.condition.column for node in tree.nodes if node.condition is not None}
    return columns or {description.feature_names[0]}


def _missing_text(tree: ApproximationTree, name: str, token: str | None) -> str | None:
    return None if token is None else tree.missing_texts.get(name, token)


def _node_condition(
    condition: Condition | None, names: Sequence[str], features: Sequence[RawFeature]
) -> NodeCondition | None:
    if condition is None:
        return None
    index = names.index(condition.column)
    missing_text = features[index].missing_text
    return _of_number(condition, index) if missing_text is None else _of_text(condition, index, missing_text)


def _of_number(condition: Condition, index: int) -> NumberCondition:
    """Whether a value is missing is tested with the largest bound: no value is above it."""
    if condition.value is None:
        is_missing = condition.operator == "is missing"
        return NumberCondition(index, inf, is_above=is_missing, or_missing=is_missing)
    bound = condition.value if isinstance(condition.value, float) else _HALF
    return NumberCondition(index, bound, condition.operator in (">", "is"), condition.or_missing)


def _of_text(condition: Condition, index: int, missing_text: str) -> TextCondition:
    """List the text of a missing value among the others if it has their result."""
    is_among = condition.operator in ("is", "is one of", "is missing")
    or_missing = condition.or_missing or condition.operator == "is missing"
    value = condition.value
    listed = value if isinstance(value, tuple) else () if value is None else (str(value),)
    texts = [*(text for text in listed if text != missing_text), *([missing_text] if is_among == or_missing else [])]
    return TextCondition(index, tuple(dict.fromkeys(texts)), is_among)
