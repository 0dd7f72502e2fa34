"""Trees as Graphviz's DOT: one digraph whose texts are quoted, and what they mean to Graphviz is taken from them."""

from collections.abc import Iterator

from schemas.approximation_trees import ApproximationNode, ApproximationTreeResult

from .colours import Colours, ink_on
from .words import prediction, question, rows, shares, summary, sureness

_MOST_CLASSES = 3  # told of a node
_HEAD = """\
digraph approximation_tree {
  graph [rankdir=TB, fontname="sans-serif", labelloc=t, label=%s];
  node [shape=box, style="rounded,filled", fontname="sans-serif", fillcolor="#ffffff", color="#5f6b7a"];
  edge [fontname="sans-serif", color="#5f6b7a"];
"""


def write_graphviz(content: ApproximationTreeResult) -> str:
    """Return the source of a drawing: a node of the digraph for each of the tree, called ``n`` and its id."""
    colours = Colours.of(content)
    lines = "".join(f"  {line}\n" for node in content.nodes for line in _lines(node, colours))
    return f"{_HEAD % quoted(summary(content))}{lines}}}\n"


def quoted(*lines: str) -> str:
    r"""Return lines of text as one quoted string of DOT.

    Graphviz reads ``\N`` and its like in labels, and entities such as ``&amp;``: both are written so that they come out
    as they are.
    """
    escaped = "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in lines)
    return f'"{escaped}"'


def _lines(node: ApproximationNode, colours: Colours) -> Iterator[str]:
    if node.left is None or node.right is None:
        fill, ink = colours.of_prediction(node.prediction), ink_on(colours.of_prediction(node.prediction))
        label = quoted(*filter(None, (prediction(node), shares(node, _MOST_CLASSES), rows(node))))
        yield f'n{node.id} [label={label}, fillcolor="{fill}", fontcolor="{ink}"];'
        return
    told = (f"{question(node)}?", shares(node, _MOST_CLASSES), "; ".join(filter(None, (rows(node), sureness(node)))))
    yield f"n{node.id} [label={quoted(*filter(None, told))}];"
    yield f'n{node.id} -> n{node.left} [label="yes"];'
    yield f'n{node.id} -> n{node.right} [label="no"];'
