"""The formats of exports: which function writes each, and its media type. JSON is written here."""

from collections.abc import Callable, Collection
from typing import Literal

import orjson
from leafspace_drawings.tree_svg import write_svg

from schemas.approximation_trees import ApproximationTreeResult, TreeExportFormat
from schemas.prototype_classifiers import ClassifierExportFormat, PrototypeClassifier
from schemas.rule_sets import RuleExportFormat, RuleSetResult

from ..sql_queries.expressions import with_warning
from .classifiers import write_classifier_python, write_classifier_sql
from .code import write_rules_python, write_rules_sql, write_tree_python, write_tree_sql
from .text import write_graphviz, write_indented_tree, write_markdown

TextFormat = Literal["json", "text", "graphviz", "svg", "sql", "python"]
"""A tree's formats but ``onnx``, which the job writes: the API never imports ``onnx``."""

RULE_MEDIA_TYPES: dict[RuleExportFormat, str] = {
    "json": "application/json",
    "markdown": "text/markdown",
    "sql": "application/sql",
    "python": "text/x-python",
    "html": "text/html",
}
TREE_MEDIA_TYPES: dict[TreeExportFormat, str] = {
    "json": "application/json",
    "text": "text/plain",
    "graphviz": "text/vnd.graphviz",
    "svg": "image/svg+xml",
    "sql": "application/sql",
    "python": "text/x-python",
    "onnx": "application/octet-stream",
    "html": "text/html",
}

CLASSIFIER_MEDIA_TYPES: dict[ClassifierExportFormat, str] = {
    "json": "application/json",
    "sql": "application/sql",
    "python": "text/x-python",
    "onnx": "application/octet-stream",
    "html": "text/html",
}

# What is needed to apply the result; how it was made and evaluated is left out.
_RULE_FIELDS = {"task", "classes", "features", "combination", "rules", "default_prediction", "default_scores"}
_TREE_FIELDS = {"task", "classes", "features", "n_nodes", "n_leaves", "depth", "nodes"}


def write_rules(content: RuleSetResult, export_format: RuleExportFormat) -> str:
    """Return the rules in a format.

    Raises
    ------
    StorageError
        ``method_not_applicable`` where a name or category cannot be written in it.
    """
    return _with_warning(_RULE_WRITERS[export_format](content), export_format)


def write_tree(content: ApproximationTreeResult, export_format: TextFormat, adverse: Collection[str] = ()) -> str:
    """Return the tree in a format; what people read says which classes are ``adverse`` to the person concerned.

    Raises
    ------
    StorageError
        ``method_not_applicable`` where a name or category cannot be written in it.
    """
    if export_format in _TREE_DRAWINGS:
        return _TREE_DRAWINGS[export_format](content, adverse)
    return _with_warning(_TREE_WRITERS[export_format](content), export_format)


def write_classifier(content: PrototypeClassifier, export_format: Literal["sql", "python"]) -> str:
    """Return the nearest-prototype classifier in a format.

    Raises
    ------
    StorageError
        ``method_not_applicable`` where trees test what is no raw feature, or a name cannot be written in it.
    """
    return _with_warning(_CLASSIFIER_WRITERS[export_format](content), export_format)


def _with_warning(text: str, export_format: str) -> str:
    return with_warning(text) if export_format == "sql" else text


def _write_rules_json(content: RuleSetResult) -> str:
    return _indented(content.model_dump(mode="json", include=_RULE_FIELDS))


def _write_tree_json(content: ApproximationTreeResult) -> str:
    return _indented(content.model_dump(mode="json", include=_TREE_FIELDS))


def _indented(document: object) -> str:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


_RULE_WRITERS: dict[RuleExportFormat, Callable[[RuleSetResult], str]] = {
    "json": _write_rules_json,
    "markdown": write_markdown,
    "sql": write_rules_sql,
    "python": write_rules_python,
}
_CLASSIFIER_WRITERS: dict[str, Callable[[PrototypeClassifier], str]] = {
    "sql": write_classifier_sql,
    "python": write_classifier_python,
}
_TREE_WRITERS: dict[TextFormat, Callable[[ApproximationTreeResult], str]] = {
    "json": _write_tree_json,
    "sql": write_tree_sql,
    "python": write_tree_python,
}
_TREE_DRAWINGS: dict[TextFormat, Callable[[ApproximationTreeResult, Collection[str]], str]] = {
    "text": write_indented_tree,
    "graphviz": write_graphviz,
    "svg": write_svg,
}
