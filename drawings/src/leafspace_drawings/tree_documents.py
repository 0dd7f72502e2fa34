"""The fields of an approximation tree's document that drawings read; any object with these attributes will do."""

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Protocol, cast


class Score(Protocol):
    """A class and its share."""

    @property
    def label(self) -> str:
        """The class."""

    @property
    def value(self) -> float:
        """Its share, 0 to 1."""


class Node(Protocol):
    """A node of the tree; see ``ApproximationNode`` of the contract."""

    @property
    def id(self) -> int:
        """Its number: nodes are in preorder."""

    @property
    def depth(self) -> int:
        """Number of questions above it."""

    @property
    def feature(self) -> str | None:
        """The column that its question is about."""

    @property
    def text(self) -> str | None:
        """The condition as a phrase; None for leaves."""

    @property
    def question(self) -> str | None:
        """The condition as a question that was given for it, if one was."""

    @property
    def left(self) -> int | None:
        """The node of rows for which the condition holds; None for leaves."""

    @property
    def right(self) -> int | None:
        """The node of all other rows; None for leaves."""

    @property
    def prediction(self) -> float | str:
        """A class or a value."""

    @property
    def scores(self) -> Sequence[Score]:
        """Shares of the classes, in their order."""

    @property
    def n_samples(self) -> int:
        """Number of the dataset's rows that reach it."""

    @property
    def p_value(self) -> float | None:
        """Of the test that chose its question, if there was one."""

    @property
    def at_cap(self) -> bool | None:
        """Whether the test ended for want of pseudo rows."""

    @property
    def settled(self) -> bool | None:
        """Whether a leaf's label is proved for every row that could reach it; None where none is tried."""


class Tree(Protocol):
    """An approximation tree; see ``ApproximationTreeResult`` of the contract."""

    @property
    def task(self) -> str:
        """Classification or regression."""

    @property
    def classes(self) -> Sequence[str]:
        """In the model's order."""

    @property
    def method(self) -> str:
        """How it was found."""

    @property
    def n_rows(self) -> int:
        """Number of the dataset's rows."""

    @property
    def n_trees(self) -> int | None:
        """Number of trees of the model, if it has any."""

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""

    @property
    def depth(self) -> int:
        """The most questions on a path."""

    @property
    def nodes(self) -> Sequence[Node]:
        """In preorder."""

    @property
    def evaluation(self) -> Any:  # its fields differ by task
        """How well it predicts what the model predicts."""


def tree_of(result: Mapping[str, Any]) -> Tree:
    """Return the result of an approximation tree's JSON as an object with the same fields."""
    return cast("Tree", _object(result))


def with_labels(result: Mapping[str, Any], said: Callable[[Any], Any]) -> Mapping[str, Any]:
    """Return the result with what people call its classes in their place, where no two have the same name.

    Parameters
    ----------
    result
        Of an approximation tree, as JSON.
    said
        Returns what people call a class, and anything else as it is.
    """
    classes = result.get("classes") or []
    if len({said(label) for label in classes}) < len(classes):
        return result
    nodes = [
        {
            **node,
            "prediction": said(node["prediction"]),
            "scores": [{**score, "label": said(score["label"])} for score in node["scores"]],
        }
        for node in result["nodes"]
    ]
    evaluation = result["evaluation"]
    if constant := evaluation.get("constant"):
        named = {**constant, "model_prediction": said(constant["model_prediction"])}
        evaluation = {**evaluation, "constant": named}
    return {**result, "classes": [said(label) for label in classes], "nodes": nodes, "evaluation": evaluation}


def _object(value: Any) -> Any:  # JSON
    if isinstance(value, Mapping):
        return SimpleNamespace(**{name: _object(each) for name, each in value.items()})
    return [_object(each) for each in value] if isinstance(value, list) else value
