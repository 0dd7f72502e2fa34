"""Which function writes trees in which form, and the media type of each."""

from collections.abc import Callable
from typing import Literal

from schemas.approximation_trees import ApproximationTreeResult, TreeExportFormat

from .graphviz import write_graphviz
from .json_tree import write_json
from .python_function import write_python
from .sql import write_sql
from .svg import write_svg
from .text_tree import write_text

TextForm = Literal["json", "text", "graphviz", "svg", "sql", "python"]

MEDIA_TYPES: dict[TreeExportFormat, str] = {
    "json": "application/json",
    "text": "text/plain",
    "graphviz": "text/vnd.graphviz",
    "svg": "image/svg+xml",
    "sql": "application/sql",
    "python": "text/x-python",
    "onnx": "application/octet-stream",
}
_WRITERS: dict[TextForm, Callable[[ApproximationTreeResult], str]] = {
    "json": write_json,
    "text": write_text,
    "graphviz": write_graphviz,
    "svg": write_svg,
    "sql": write_sql,
    "python": write_python,
}


def write_tree(content: ApproximationTreeResult, form: TextForm) -> str:
    """Return the tree in a form.

    The form ``onnx`` is none of text: it is written where the tree is made.

    Raises
    ------
    StorageError
        ``method_not_applicable`` where a name or category cannot be written in it.
    """
    return _WRITERS[form](content)
