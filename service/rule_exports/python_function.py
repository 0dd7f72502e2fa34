"""Rules as a Python function that needs nothing but Python."""

from collections.abc import Iterable

from explanations.rule_terms import MissingTerm, Term, TextTerm, terms_of
from schemas.rule_sets import Rule, RuleSetContent

from .literals import in_a_comment, number, python_text

_HEAD = '''\
def predict(row):
    """Return what the first rule that holds predicts for a row.

    ``row`` has values by the names of features, such as a dict; None and NaN are missing values.
    """

    def value(name):
        found = row[name]
        return None if found is None or found != found else found

    def text(name):  # codes such as 7 are often written without quotes
        found = value(name)
        return found if found is None or isinstance(found, str) else str(found)

'''


def write_python(content: RuleSetContent) -> str:
    """Return the function's source, in ASCII but for comments."""
    rules = zip(content.rules, terms_of(content), strict=True)
    cases = "".join(_case(rule, terms) for rule, terms in rules)
    return f"{_HEAD}{cases}    return {_told(content.default_prediction)}\n"


def _case(rule: Rule, terms: Iterable[Term]) -> str:
    asked = " and ".join(map(_asked, terms)) or "True"
    return f"    # {rule.rank}. {in_a_comment(rule.text)}\n    if {asked}:\n        return {_told(rule.prediction)}\n"


def _asked(term: Term) -> str:
    column = python_text(term.column)
    if isinstance(term, TextTerm):
        return _of_text(term, f"text({column})")
    value = f"value({column})"
    if isinstance(term, MissingTerm):
        return f"{value} is {'None' if term.is_missing else 'not None'}"
    asked = f"{value} {'>' if term.is_above else '<='} {number(term.bound)}"
    return f"({value} is None or {asked})" if term.or_missing else f"({value} is not None and {asked})"


def _of_text(term: TextTerm, value: str) -> str:
    """Ask with what stands for a missing value among the others, on whichever side it belongs to."""
    missing = ["None"] if term.missing_text is None else ["None", python_text(term.missing_text)]
    texts = [*map(python_text, term.texts), *(missing if term.is_among == term.or_missing else [])]
    listed = "".join(f"{text}, " for text in dict.fromkeys(texts)).strip()
    return f"{value} {'in' if term.is_among else 'not in'} ({listed})"


def _told(prediction: float | str) -> str:
    return python_text(prediction) if isinstance(prediction, str) else number(prediction)
