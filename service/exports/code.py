"""Rules and trees as code: one expression of standard SQL, or Python functions without imports.

The SQL is a ``CASE`` over the raw columns and also runs in SQLite, PostgreSQL and DuckDB. A missing value is NULL
there, for which only conditions that mention NULL hold. Python is ASCII but for comments.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leafspace_drawings.tree_texts import condition

from explanations.rules import Term, terms_of
from explanations.trees import Split, merged_splits, splits_of
from schemas.approximation_trees import ApproximationNode, ApproximationTreeResult
from schemas.rule_sets import Rule, RuleSetResult

from ..sql_queries.cases import Case, CaseTree
from ..sql_queries.expressions import ABOUT_NAN, ALWAYS, number, on_one_line, sql_condition, sql_value
from .terms import ABOUT_ROWS, PYTHON_READERS, python_condition, python_text, python_tuple, python_value
from .weighted_rules import weighted_python, weighted_sql

_PREDICT_BY_RULES = f'''\
def predict(row):
    """Return what %s for a row.

    {ABOUT_ROWS}
    """

{PYTHON_READERS}
'''
_PREDICT_BY_TREE = f'''\
def predict(row):
    """Return what the tree predicts for a row.

    {ABOUT_ROWS}
    Only the features that are tested on the path are read.
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
{PYTHON_READERS}
"""


def write_rules_sql(content: RuleSetResult) -> str:
    """Return the rules as an SQL expression: one case for each rule, in order, or the sums of rules with weights."""
    if content.combination == "weighted_mean":
        conditions = [" AND ".join(map(sql_condition, terms)) or ALWAYS for terms in terms_of(content)]
        return "\n".join([*weighted_sql(content, conditions), ""])
    default = sql_value(content.default_prediction)
    cases = "".join(_sql_case(rule, terms) for rule, terms in zip(content.rules, terms_of(content), strict=True))
    return f"CASE\n  {ABOUT_NAN}\n{cases}  ELSE {default}\nEND\n" if cases else f"{default}\n"


def _sql_case(rule: Rule, terms: Sequence[Term]) -> str:
    conditions = " AND ".join(map(sql_condition, terms)) or ALWAYS
    return f"  -- {rule.rank}. {on_one_line(rule.text)}\n  WHEN {conditions} THEN {sql_value(rule.prediction)}\n"


def write_rules_python(content: RuleSetResult) -> str:
    """Return the source of a function ``predict``: one ``if`` for each rule, in order."""
    booleans = _booleans(content)
    if content.combination == "weighted_mean":
        head = _PREDICT_BY_RULES % "the weighted mean of the rules that hold predicts"
        return f"{head}{weighted_python(content, booleans)}"
    pairs = zip(content.rules, terms_of(content), strict=True)
    cases = "".join(_python_case(rule, terms, booleans) for rule, terms in pairs)
    head = _PREDICT_BY_RULES % "the first rule that holds predicts"
    return f"{head}{cases}    return {python_value(content.default_prediction)}\n"


def _booleans(content: RuleSetResult | ApproximationTreeResult) -> frozenset[str]:
    return frozenset(feature.name for feature in content.features if feature.type == "boolean")


def _python_case(rule: Rule, terms: Sequence[Term], booleans: frozenset[str]) -> str:
    conditions = " and ".join(python_condition(term, booleans) for term in terms) or "True"
    comment = f"# {rule.rank}. {on_one_line(rule.text)}"
    return f"    {comment}\n    if {conditions}:\n        return {python_value(rule.prediction)}\n"


def write_tree_sql(content: ApproximationTreeResult) -> str:
    """Return the tree's prediction of a row as an SQL expression; a split whose sides predict the same is left out."""
    splits, predictions = merged_splits(splits_of(content), [sql_value(node.prediction) for node in content.nodes])
    steps = [None if split is None else Case([sql_condition(split.term)], split.left, split.right) for split in splits]
    return "\n".join([*CaseTree(steps, predictions).lines(), ""])


def write_tree_python(content: ApproximationTreeResult) -> str:
    """Return the source of ``predict`` and, for classification, ``predict_scores``.

    A split is left out where both sides predict the same, with the same scores.
    """
    splits, answers = merged_splits(splits_of(content), [_python_answer(node) for node in content.nodes])
    tree = _PythonTree(content.nodes, splits, _booleans(content))
    reached = [0, *(child for split in splits if split is not None for child in (split.left, split.right))]
    leaves = sorted(node for node in reached if splits[node] is None)
    tables = _python_table("_PREDICTIONS", [(leaf, answers[leaf][0]) for leaf in leaves])
    if content.classes:
        tables += f"_CLASSES = {python_tuple(map(python_text, content.classes))}\n"
        tables += _python_table("_SCORES", [(leaf, answers[leaf][1]) for leaf in leaves])
    branches = "".join(tree.lines(0, "    "))
    return f"{_PREDICT_BY_TREE}{_PREDICT_SCORES if content.classes else ''}{_LEAF}{branches}\n\n{tables}"


def _python_answer(node: ApproximationNode) -> tuple[str, str]:
    return python_value(node.prediction), python_tuple(number(score.value) for score in node.scores)


@dataclass(frozen=True, slots=True)
class _PythonTree:
    nodes: Sequence[ApproximationNode]
    steps: Sequence[Split | None]
    booleans: frozenset[str]  # columns

    def lines(self, node: int, indent: str) -> Iterator[str]:
        """Yield the lines of a node and all below it; every "yes" branch returns, so "no" needs no ``else``."""
        while (step := self.steps[node]) is not None:
            yield f"{indent}# {on_one_line(condition(self.nodes[node]))}\n"
            yield f"{indent}if {python_condition(step.term, self.booleans)}:\n"
            yield from self.lines(step.left, f"{indent}    ")
            node = step.right
        yield f"{indent}return {node}\n"


def _python_table(name: str, entries: Sequence[tuple[int, str]]) -> str:
    lines = "".join(f"    {node}: {value},\n" for node, value in entries)
    return f"{name} = {{\n{lines}}}\n"
