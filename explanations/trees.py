"""Approximation trees applied to rows, by plain terms."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.approximation_trees import ApproximationNode, ApproximationTreeResult, ImpliedAnswer
from schemas.rule_sets import Condition, RuleFeature
from tree_explainers.onnx_models.description import ModelDescription

from .rules import Term, features_by_name, term_of
from .worded_conditions import WordedConditions

Answer = TypeVar("Answer")

# Splits in plain terms, for single rows, questionnaires and exports.


@dataclass(frozen=True, slots=True)
class Split:
    """An inner node: its test, and its children."""

    term: Term
    left: int  # id of the node for rows for which the term holds
    right: int


@dataclass(frozen=True, slots=True)
class PartialPath:
    """A path from the root, as far as a row's values are known."""

    passed: tuple[tuple[int, bool], ...]  # ids of the nodes, and whether their tests hold
    reached: int  # id of the node at its end: a leaf, or one that tests a value that is not known


def condition_of(node: ApproximationNode) -> Condition | None:
    """Return the test of a node as a condition of rules; ``None`` at a leaf."""
    if node.feature is None or node.column is None or node.operator is None:
        return None
    return Condition(
        feature=node.feature,
        column=node.column,
        operator=node.operator,
        value=node.value,
        or_missing=bool(node.or_missing),
    )


def splits_of(content: ApproximationTreeResult) -> tuple[Split | None, ...]:
    """Return the split of each node, by its id; ``None`` at leaves."""
    features = features_by_name(content.features)
    return tuple(_split(node, features) for node in content.nodes)


def merged_splits(splits: Sequence[Split | None], answers: Sequence[Answer]) -> tuple[list[Split | None], list[Answer]]:
    """Return a tree that gives every row the same answer, without splits both of whose sides give one answer.

    Parameters
    ----------
    splits : (n_nodes,)
        Of the tree; ``None`` at leaves. Children come after their parents.
    answers : (n_nodes,)
        Of each leaf; those of other nodes are not read.

    Returns
    -------
    splits : (n_nodes,)
        ``None`` where all leaves below a node give the same answer.
    answers : (n_nodes,)
        Of each node without a split.
    """
    merged, answers = list(splits), list(answers)
    for node in reversed(range(len(splits))):
        split = merged[node]
        if split is None or merged[split.left] is not None or merged[split.right] is not None:
            continue
        if answers[split.left] == answers[split.right]:
            merged[node], answers[node] = None, answers[split.left]
    return merged, answers


def _split(node: ApproximationNode, features: Mapping[str, RuleFeature]) -> Split | None:
    condition = condition_of(node)
    if condition is None or node.left is None or node.right is None:
        return None
    return Split(term_of(condition, features), node.left, node.right)


def follow_path(
    splits: tuple[Split | None, ...], reached: Mapping[str, Any], implications: Iterable[ImpliedAnswer] = ()
) -> PartialPath:
    """Go from the root as far as a row's values are known, or what they imply.

    Parameters
    ----------
    splits : (n_nodes,)
        Of the tree.
    reached
        Values by column, as callers send them; ``None`` is a missing value, which is known to be missing.
    implications
        What follows from tests' holding, or not, among the tree's nodes.
    """
    answers = {
        node: split.term.holds(reached[split.term.column])
        for node, split in enumerate(splits)
        if split is not None and split.term.column in reached
    }
    answers = _with_implied(answers, implications)
    passed, node = [], 0
    while (split := splits[node]) is not None and node in answers:
        passed.append((node, answers[node]))
        node = split.left if answers[node] else split.right
    return PartialPath(tuple(passed), node)


def _with_implied(answers: dict[int, bool], implications: Iterable[ImpliedAnswer]) -> dict[int, bool]:
    """Return the answers with those that follow, each from those before it; what is answered stays."""
    follows: dict[tuple[int, bool], list[tuple[int, bool]]] = {}
    for each in implications:
        premise, then = (each.node, each.holds), (each.implied_node, each.implied_holds)
        follows.setdefault(premise, []).append(then)
        follows.setdefault((then[0], not then[1]), []).append((premise[0], not premise[1]))
    reached, waiting = dict(answers), list(answers.items())
    while waiting:
        for node, holds in follows.get(waiting.pop(), ()):
            if node not in reached:
                reached[node] = holds
                waiting.append((node, holds))
    return reached


@dataclass(frozen=True, slots=True)
class WarmTree:
    """An approximation tree, prepared to be applied to rows.

    All that explanations have of a row's path follows from its leaf, so it is written once for each leaf.
    """

    splits: tuple[tuple[int, Split] | None, ...]  # (n_nodes,) each with the index of the feature that it tests
    labels: NDArray[np.int64]  # (n_nodes,) indices of predicted labels among the classes; -1: none, in regression
    paths: tuple[dict[str, Any] | None, ...]  # (n_nodes,) path to a leaf as explanations have it, without ``agrees``
    texts: tuple[tuple[bytes, bytes], ...]  # (n_nodes,) the same as JSON, where the model disagrees or agrees
    method: str

    @staticmethod
    def of(
        content: ApproximationTreeResult, features: Sequence[str], conditions: WordedConditions | None = None
    ) -> "WarmTree":
        """Prepare the tree for rows that have these features, in this order, in the words of a dictionary if any."""
        index_of = {name: index for index, name in enumerate(features)}
        splits = splits_of(content)
        paths = _paths(content, splits, conditions)
        is_regression = not content.classes
        return WarmTree(
            tuple(None if split is None else (index_of[split.term.column], split) for split in splits),
            np.array([-1 if is_regression else content.classes.index(str(node.prediction)) for node in content.nodes]),
            paths,
            tuple(_texts(path, is_regression=is_regression) for path in paths),
            content.method,
        )

    def leaf_of(self, values: Sequence[Any]) -> int:
        """Return the leaf that a row reaches.

        Parameters
        ----------
        values : n_features values
            As callers send them, in the order of the features.
        """
        node = 0
        while (indexed := self.splits[node]) is not None:
            index, split = indexed
            node = split.left if split.term.holds(values[index]) else split.right
        return node

    def says_outcomes(self, description: ModelDescription) -> bool:
        """Whether labels are what the model decides; otherwise they are the classes that it predicts."""
        return description.decides_apart and self.method != "ism"

    def text(self, leaf: int, label: int | None) -> bytes:
        """Return the path of a row that reaches a leaf, as JSON.

        Parameters
        ----------
        leaf
            The node.
        label
            Index of the predicted class, or else of the outcome (``says_outcomes``); ``None`` for a regression.
        """
        return self.texts[leaf][label is not None and bool(self.labels[leaf] == label)]


def _paths(
    content: ApproximationTreeResult, splits: tuple[Split | None, ...], conditions: WordedConditions | None
) -> tuple[dict[str, Any] | None, ...]:
    reached: list[dict[str, Any] | None] = [None] * len(splits)
    nodes_above: list[list[dict[str, Any]]] = [[] for _ in splits]
    for index, split in enumerate(splits):  # parents come first
        node = content.nodes[index]
        if split is None:
            reached[index] = {"nodes": nodes_above[index], "leaf": _leaf(node)}
            continue
        nodes_above[split.left] = [*nodes_above[index], path_node(node, conditions, holds=True)]
        nodes_above[split.right] = [*nodes_above[index], path_node(node, conditions, holds=False)]
    return tuple(reached)


def path_node(node: ApproximationNode, conditions: WordedConditions | None = None, *, holds: bool) -> dict[str, Any]:
    """Return a node on a row's path as explanations have it, in the words of a dictionary if any."""
    condition = condition_of(node)
    if conditions is not None and condition is not None:
        feature, text = conditions.feature(condition), conditions.text(condition)
        return {"id": node.id, "feature": feature, "text": text, "holds": holds}
    return {"id": node.id, "feature": node.feature, "text": node.text, "holds": holds}


def _leaf(node: ApproximationNode) -> dict[str, Any]:
    scores = [{"label": score.label, "value": score.value} for score in node.scores]
    return {"id": node.id, "prediction": node.prediction, "scores": scores, "n_samples": node.n_samples}


def _texts(path: dict[str, Any] | None, *, is_regression: bool) -> tuple[bytes, bytes]:
    agreements: tuple[dict[str, bool], ...] = ({}, {}) if is_regression else ({"agrees": False}, {"agrees": True})
    other, same = (orjson.dumps({**agrees, **(path or {})}) for agrees in agreements)
    return other, same
