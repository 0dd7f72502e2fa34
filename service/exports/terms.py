"""Names, texts and conditions in Python and Markdown.

Names and categories come from users. Each is quoted so that it stays a text and never becomes code, and escaped where
it appears in a comment or a table cell.
"""

import re
from collections.abc import Collection, Iterable

from explanations.rules import MissingTerm, Term, TextTerm

from ..sql_queries.expressions import comparison, number, on_one_line

_BACKTICKS = re.compile("`+")

ABOUT_ROWS = "``row`` has values by the names of features, such as a dict; None and NaN are missing values."
PYTHON_READERS = """\
    def value(name):
        found = row[name]
        return None if found is None or found != found else found

    def text(name):  # codes such as 7 are often written without quotes
        found = value(name)
        return found if found is None or isinstance(found, str) else str(found)
"""
"""The source of the two functions that conditions in Python call, to be nested in a function of ``row``."""


def python_text(text: str) -> str:
    """Return a text as a Python literal, in ASCII."""
    return ascii(text)


def python_value(prediction: float | str) -> str:
    """Return a label or a value in Python."""
    return python_text(prediction) if isinstance(prediction, str) else number(prediction)


def markdown_cell(text: str) -> str:
    r"""Return a text as code in a table cell, where only ``|`` has a meaning and is escaped by ``\``."""
    line = on_one_line(text).replace("|", r"\|")
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(line)), default=0))
    padding = " " if line[:1] in ("`", "") or line.endswith("`") else ""
    return f"{fence}{padding}{line}{padding}{fence}"


def python_tuple(parts: Iterable[str]) -> str:
    """Return expressions as a tuple in Python."""
    return f"({''.join(f'{part}, ' for part in parts).strip()})"


def python_condition(term: Term, booleans: Collection[str] = ()) -> str:
    """Return the condition that is true where a term holds, in terms of the functions of ``PYTHON_READERS``.

    ``booleans`` are the columns that are true or false: these are not compared with numbers.
    """
    column = python_text(term.column)
    if isinstance(term, TextTerm):
        # What represents a missing value is among the texts where both get the same answer.
        missing = ["None"] if term.missing_text is None else ["None", python_text(term.missing_text)]
        texts = [*map(python_text, term.texts), *(missing if term.is_among == term.or_missing else [])]
        return f"text({column}) {'in' if term.is_among else 'not in'} {python_tuple(dict.fromkeys(texts))}"
    value = f"value({column})"
    if isinstance(term, MissingTerm):
        return f"{value} is {'None' if term.is_missing else 'not None'}"
    if term.column in booleans and 0 <= term.bound < 1:
        # A missing one is None, which is as little true as False is.
        if term.is_above:
            return f"({value} is None or {value})" if term.or_missing else value
        return f"not {value}" if term.or_missing else f"({value} is not None and not {value})"
    condition = f"{value} {comparison(term)}"
    return f"({value} is None or {condition})" if term.or_missing else f"({value} is not None and {condition})"
