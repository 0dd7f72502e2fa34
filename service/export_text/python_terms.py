"""Terms in Python: conditions of ``row``, read by two functions that are defined beside them."""

from explanations.rules import MissingTerm, Term, TextTerm

from .literals import number, python_text

ABOUT_ROWS = "``row`` has values by the names of features, such as a dict; None and NaN are missing values."
READING = """\
    def value(name):
        found = row[name]
        return None if found is None or found != found else found

    def text(name):  # codes such as 7 are often written without quotes
        found = value(name)
        return found if found is None or isinstance(found, str) else str(found)
"""
"""The source of the two functions, to stand inside one that has ``row``."""


def asked_in_python(term: Term) -> str:
    """Return the condition that is true where a term holds."""
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
