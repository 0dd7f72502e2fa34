"""Trees as JSON: all that it takes to apply them, without how they came about."""

import orjson

from schemas.approximation_trees import ApproximationTreeResult

_TOLD = {"task", "classes", "features", "n_nodes", "n_leaves", "depth", "nodes"}


def write_json(content: ApproximationTreeResult) -> str:
    """Return the tree, indented for people."""
    document = content.model_dump(mode="json", include=_TOLD)
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
