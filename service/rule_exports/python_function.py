"""Rules as a Python function that needs nothing but Python."""

from collections.abc import Iterable

from explanations.rules import Term, terms_of
from schemas.rule_sets import Rule, RuleSetContent

from ..export_text.literals import on_one_line, python_value
from ..export_text.python_terms import ABOUT_ROWS, READING, asked_in_python

_HEAD = f'''\
def predict(row):
    """Return what the first rule that holds predicts for a row.

    {ABOUT_ROWS}
    """

{READING}
'''


def write_python(content: RuleSetContent) -> str:
    """Return the function's source, in ASCII but for comments."""
    rules = zip(content.rules, terms_of(content), strict=True)
    cases = "".join(_case(rule, terms) for rule, terms in rules)
    return f"{_HEAD}{cases}    return {python_value(content.default_prediction)}\n"


def _case(rule: Rule, terms: Iterable[Term]) -> str:
    asked = " and ".join(map(asked_in_python, terms)) or "True"
    told = f"# {rule.rank}. {on_one_line(rule.text)}"
    return f"    {told}\n    if {asked}:\n        return {python_value(rule.prediction)}\n"
