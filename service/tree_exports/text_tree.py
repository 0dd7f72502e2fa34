"""Trees as indented text, for people."""

from collections.abc import Iterator

from schemas.approximation_trees import ApproximationNode, ApproximationTreeResult

from .words import prediction, question, rows, shares, summary, sureness

_MOST_CLASSES = 5  # told of a leaf
_ABOUT = "p: how likely new pseudo rows would lead to another question; cap: no more rows were allowed"


def write_text(content: ApproximationTreeResult) -> str:
    """Return a line for each node, both ways of a question below it."""
    head = [summary(content)]
    if any(node.p_value is not None for node in content.nodes):
        head.append(_ABOUT)
    return "\n".join([*head, "", *_lines(content, 0, "", "")]) + "\n"


def _lines(content: ApproximationTreeResult, at: int, way: str, indent: str) -> Iterator[str]:
    """Yield the lines of a node and all below it.

    Parameters
    ----------
    content
        The tree.
    at
        The node.
    way
        What stands before its text.
    indent
        What stands before all lines below it.
    """
    node = content.nodes[at]
    if node.left is None or node.right is None:
        yield f"{way}{_leaf(node)}"
        return
    yield f"{way}{question(node)}?  [{_joined(rows(node), sureness(node))}]"
    yield from _lines(content, node.left, f"{indent}├─ yes: ", f"{indent}│  ")
    yield from _lines(content, node.right, f"{indent}└─ no:  ", f"{indent}   ")


def _leaf(node: ApproximationNode) -> str:
    return f"{prediction(node)}  [{_joined(rows(node), shares(node, _MOST_CLASSES))}]"


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))
