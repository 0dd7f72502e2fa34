"""Approximation trees as questionnaires: which feature is needed next, given the answers so far."""

from collections.abc import Mapping
from typing import Any

from explanations.instances import encoded_value
from explanations.trees import PartialPath, follow_path, splits_of
from schemas.approximation_trees import ApproximationNode, ApproximationTreeResult, PathNode
from schemas.models import Model
from schemas.next_questions import NextQuestion, NextQuestionRequest, Question
from schemas.nouns import APPROXIMATION_TREES
from storage.errors import StorageError
from tree_explainers.errors import RowRefused

from ..app_context import AppContext
from .approximation_trees import read_tree


def next_question(context: AppContext, tree_id: str, request: NextQuestionRequest) -> NextQuestion:
    """Return the next question, or the prediction where the answers determine it.

    Raises
    ------
    StorageError
        ``artefact_not_ready``; ``unknown_feature``, ``bad_feature_type`` or ``non_finite_number`` for an answer,
        which is named.
    """
    content = read_tree(context, tree_id)
    model = context.models.get(context.artefacts.get(APPROXIMATION_TREES.name, tree_id).model).view
    _check_answers(model, request.answers)
    path = follow_path(splits_of(content), request.answers)
    return _view(tree_id, content, path)


def _check_answers(model: Model, answers: Mapping[str, Any]) -> None:
    types = dict(zip(model.feature_names, model.feature_types, strict=True))
    for name, value in answers.items():
        if name not in types:
            detail = f"model {model.id!r} has no feature {name[:80]!r}; take the name that `question.column` gave"
            raise StorageError("unknown_feature", detail, _pointer(name))
        try:
            encoded_value(name, types[name], value)
        except RowRefused as error:
            raise StorageError(error.code, error.detail, _pointer(name)) from error


def _pointer(name: str) -> str:
    return "/answers/" + name.replace("~", "~0").replace("/", "~1")


def _view(tree_id: str, content: ApproximationTreeResult, path: PartialPath) -> NextQuestion:
    reached = content.nodes[path.reached]
    is_leaf = reached.left is None
    return NextQuestion(
        approximation_tree=tree_id,
        question=None if is_leaf else _question(content, reached),
        prediction=reached.prediction if is_leaf else None,
        scores=reached.scores,
        n_asked=len({content.nodes[node].column for node, _ in path.passed}),
        n_features=content.n_features,
        path=[_path_node(content.nodes[node], holds=holds) for node, holds in path.passed],
    )


def _question(content: ApproximationTreeResult, node: ApproximationNode) -> Question:
    (kind,) = (feature.type for feature in content.features if feature.name == node.column)
    return Question(
        node=node.id,
        feature=node.feature or "",
        column=node.column or "",
        type=kind,
        text=node.text or "",
        operator=node.operator or "",
        value=node.value,
        or_missing=bool(node.or_missing),
        categories=_categories(content, node.column) if kind == "category" else [],
    )


def _categories(content: ApproximationTreeResult, column: str | None) -> list[str]:
    """Return the categories that the tree's questions on a column name."""
    values = [node.value for node in content.nodes if node.column == column and node.value is not None]
    return sorted({str(text) for value in values for text in (value if isinstance(value, list) else [value])})


def _path_node(node: ApproximationNode, *, holds: bool) -> PathNode:
    return PathNode(id=node.id, feature=node.feature or "", text=node.text or "", holds=holds)
