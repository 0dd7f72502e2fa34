"""Trees as Python functions that need nothing but Python."""

from collections.abc import Iterable, Iterator, Sequence

from explanations.trees import Split, splits_of
from schemas.approximation_trees import ApproximationNode, ApproximationTreeContent

from ..export_text.literals import number, on_one_line, python_text, python_value
from ..export_text.python_terms import ABOUT_ROWS, READING, asked_in_python
from .words import question

_PREDICT = f'''\
def predict(row):
    """Return what the tree predicts for a row.

    {ABOUT_ROWS}
    Nothing is read but what is asked about on the way.
    """
    return _PREDICTIONS[_leaf(row)]
'''
_PREDICT_SCORES = '''

def predict_scores(row):
    """Return the share of each class, by its label, at the leaf that a row reaches; see ``predict`` for rows."""
    return dict(zip(_CLASSES, _SCORES[_leaf(row)]))
'''
_LEAF = f"""

def _leaf(row):
{READING}
"""


def write_python(content: ApproximationTreeContent) -> str:
    """Return the source of ``predict`` and, for classes, ``predict_scores``, in ASCII but for comments."""
    leaves = [node for node in content.nodes if node.left is None]
    told = [(node.id, python_value(node.prediction)) for node in leaves]
    tables = _table("_PREDICTIONS", told)
    if content.classes:
        tables += f"_CLASSES = {_tuple(map(python_text, content.classes))}\n"
        tables += _table("_SCORES", [(node.id, _scores(node)) for node in leaves])
    ways = "".join(_lines(0, splits_of(content), content.nodes, "    "))
    return f"{_PREDICT}{_PREDICT_SCORES if content.classes else ''}{_LEAF}{ways}\n\n{tables}"


def _lines(at: int, steps: Sequence[Split | None], nodes: Sequence[ApproximationNode], indent: str) -> Iterator[str]:
    """Yield the questions from a node on; behind a yes all lines return, so that a no needs no ``else``."""
    while (step := steps[at]) is not None:
        yield f"{indent}# {on_one_line(question(nodes[at]))}\n"
        yield f"{indent}if {asked_in_python(step.term)}:\n"
        yield from _lines(step.left, steps, nodes, f"{indent}    ")
        at = step.right
    yield f"{indent}return {at}\n"


def _table(name: str, told: Sequence[tuple[int, str]]) -> str:
    lines = "".join(f"    {at}: {value},\n" for at, value in told)
    return f"{name} = {{\n{lines}}}\n"


def _scores(node: ApproximationNode) -> str:
    return _tuple(number(score.value) for score in node.scores)


def _tuple(parts: Iterable[str]) -> str:
    listed = "".join(f"{part}, " for part in parts).strip()
    return f"({listed})"
