"""Rules as a Markdown table, trees as indented text and as Graphviz's DOT."""

from collections.abc import Collection, Iterator

import numpy as np
from leafspace_drawings.tree_colours import Colours, text_colour_on
from leafspace_drawings.tree_texts import (
    ABOUT_SETTLED,
    about_adverse,
    confidence,
    of_repeats,
    of_validation,
    on_one_line,
    prediction,
    question,
    row_count,
    settled,
    shares,
    summary,
)
from leafspace_drawings.words import tenths

from schemas.approximation_trees import ApproximationNode, ApproximationTreeResult
from schemas.rule_sets import Rule, RuleSetResult

from .terms import markdown_cell

_DIGITS = 6  # of a predicted value in a table
_TABLE_HEAD = "| | if | then | rows | right for | of them decided | right for |\n|--:|:--|:--|--:|--:|--:|--:|\n"
_WEIGHTED_HEAD = "| | if | %s | weight | rows |\n|--:|:--|--:|--:|--:|\n"
_WEIGHTED_FOOT = "\nA row gets the mean of all rules that hold for it, by their weights%s.\n"
_ABOUT_TESTS = "p: how likely new pseudo rows would lead to another question; cap: no more rows were allowed"
_CLASSES_OF_LEAF = 5  # whose shares are shown, in indented text
_CLASSES_OF_NODE = 3  # and in DOT
_DIGRAPH_HEAD = """\
digraph approximation_tree {
  graph [rankdir=TB, fontname="sans-serif", labelloc=t, label=%s];
  node [shape=box, style="rounded,filled", fontname="sans-serif", fillcolor="#ffffff", color="#5f6b7a"];
  edge [fontname="sans-serif", color="#5f6b7a"];
"""


def write_markdown(content: RuleSetResult) -> str:
    """Return a table with a line for each rule, in order, and one for the default rule where the first rule decides."""
    if content.combination == "weighted_mean":
        return _write_weighted(content)
    lines = "".join(map(_table_line, content.rules))
    default = _prediction_cell(content.default_prediction)
    return (
        f"{_TABLE_HEAD}{lines}| | otherwise | {default} | | | {content.default_support} | |\n\n{_counted_on(content)}"
    )


def _counted_on(content: RuleSetResult) -> str:
    return f"Rows and shares are those of the {content.n_rows:,} rows that the rules were made from.\n"


def _write_weighted(content: RuleSetResult) -> str:
    second = markdown_cell(content.classes[1]) if content.classes else ""
    foot = f", and {second} where that is over 0.5" if second else ""
    lines = [
        (rule.rank, markdown_cell(rule.text), _prediction_cell(_mean(rule)), f"{rule.weight:g}", rule.n_rows)
        for rule in content.rules
    ]
    table = "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in lines)
    head = _WEIGHTED_HEAD % (f"share of {second}" if second else "mean")
    return f"{head}{table}{_WEIGHTED_FOOT % foot}\n{_counted_on(content)}"


def _mean(rule: Rule) -> float:
    return rule.prediction if isinstance(rule.prediction, float) else rule.scores[1].value


def _table_line(rule: Rule) -> str:
    of_all, of_decided = ("" if each is None else tenths(each) for each in (rule.precision, rule.decided_precision))
    predicted = _prediction_cell(rule.prediction)
    cells = (rule.rank, markdown_cell(rule.text), predicted, rule.n_rows, of_all, rule.support, of_decided)
    return f"| {' | '.join(map(str, cells))} |\n"


def _prediction_cell(predicted: float | str) -> str:
    if isinstance(predicted, str):
        return markdown_cell(predicted)
    return np.format_float_positional(predicted, _DIGITS, fractional=False, trim="-")


def write_indented_tree(content: ApproximationTreeResult, adverse: Collection[str] = ()) -> str:
    """Return a line for each node, with both branches of a split below it.

    ``adverse`` are classes that are so to the person concerned.
    """
    head = [summary(content), *about_adverse(content, adverse)]
    if any(node.p_value is not None for node in content.nodes):
        head.append(_ABOUT_TESTS)
    if any(node.settled for node in content.nodes):
        head.append(ABOUT_SETTLED)
    head += [*of_validation(content), *of_repeats(content)]
    head += [f"Caution: {on_one_line(caution.text)}." for caution in content.cautions]
    return "\n".join([*head, "", *_indented_lines(content, 0, "", "")]) + "\n"


def _indented_lines(content: ApproximationTreeResult, node_id: int, branch: str, indent: str) -> Iterator[str]:
    """Yield the lines of a node and all below it: ``branch`` precedes its text, ``indent`` the lines below."""
    node = content.nodes[node_id]
    if node.left is None or node.right is None:
        yield f"{branch}{prediction(node)}  [{_joined(row_count(node), shares(node, _CLASSES_OF_LEAF), settled(node))}]"
        return
    yield f"{branch}{question(node)}  [{_joined(row_count(node), confidence(node))}]"
    yield from _indented_lines(content, node.left, f"{indent}├─ yes: ", f"{indent}│  ")
    yield from _indented_lines(content, node.right, f"{indent}└─ no:  ", f"{indent}   ")


def write_graphviz(content: ApproximationTreeResult, adverse: Collection[str] = ()) -> str:
    """Return a digraph in DOT, whose nodes are called ``n`` and the id of the tree's node.

    ``adverse`` are classes that are so to the person concerned.
    """
    colours = Colours.of(content, adverse)
    lines = "".join(f"  {line}\n" for node in content.nodes for line in _dot_lines(node, colours))
    return f"{_DIGRAPH_HEAD % _quoted(summary(content), *about_adverse(content, adverse))}{lines}}}\n"


def _dot_lines(node: ApproximationNode, colours: Colours) -> Iterator[str]:
    known = shares(node, _CLASSES_OF_NODE)
    if node.left is None or node.right is None:
        fill = colours.of_prediction(node.prediction)
        label = _quoted(prediction(node), known, row_count(node))
        yield f'n{node.id} [label={label}, fillcolor="{fill}", fontcolor="{text_colour_on(fill)}"];'
        return
    label = _quoted(question(node), known, _joined(row_count(node), confidence(node)))
    yield f"n{node.id} [label={label}];"
    yield f'n{node.id} -> n{node.left} [label="yes"];'
    yield f'n{node.id} -> n{node.right} [label="no"];'


def _quoted(*lines: str) -> str:
    r"""Return the lines that are not empty as one quoted string of DOT.

    Graphviz interprets ``\N`` and the like in labels, and entities such as ``&amp;``: both are escaped.
    """
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in lines if line)
    return '"{}"'.format("\\n".join(escaped))


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))
