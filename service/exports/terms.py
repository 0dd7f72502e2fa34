"""Names, texts and conditions in SQL and Python.

Names and categories come from users. Each is quoted so that it stays a text and never becomes code, and escaped where
it appears in a comment or a table cell.
"""

import re
from collections.abc import Collection, Iterable

from explanations.rules import MissingTerm, NumberTerm, Term, TextTerm
from storage.errors import StorageError

_BACKTICKS = re.compile("`+")

ALWAYS_SQL = "1 = 1"
ABOUT_NAN = "  -- A missing value is NULL: some databases hold NaN to be greater than any number.\n"

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


def number(value: float) -> str:
    """Return a finite number in the fewest digits that restore it; SQL and Python write it alike."""
    return repr(float(value))


def sql_name(name: str) -> str:
    """Return a column's name, quoted as in standard SQL."""
    return f'"{_without_nul(name).replace(chr(34), chr(34) * 2)}"'


def sql_text(text: str) -> str:
    """Return a text, quoted as in standard SQL, where a backslash is no escape character."""
    return f"'{_without_nul(text).replace(chr(39), chr(39) * 2)}'"


def sql_value(prediction: float | str) -> str:
    """Return a label or a value in SQL."""
    return sql_text(prediction) if isinstance(prediction, str) else number(prediction)


def python_text(text: str) -> str:
    """Return a text as a Python literal, in ASCII."""
    return ascii(text)


def python_value(prediction: float | str) -> str:
    """Return a label or a value in Python."""
    return python_text(prediction) if isinstance(prediction, str) else number(prediction)


def on_one_line(text: str) -> str:
    """Return a text for a part of a line, such as a comment, with line ends and invisible characters escaped."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def markdown_cell(text: str) -> str:
    r"""Return a text as code in a table cell, where only ``|`` has a meaning and is escaped by ``\``."""
    line = on_one_line(text).replace("|", r"\|")
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(line)), default=0))
    padding = " " if line[:1] in ("`", "") or line.endswith("`") else ""
    return f"{fence}{padding}{line}{padding}{fence}"


def python_tuple(parts: Iterable[str]) -> str:
    """Return expressions as a tuple in Python."""
    return f"({''.join(f'{part}, ' for part in parts).strip()})"


def sql_condition(term: Term) -> str:
    """Return the condition that is true where a term holds, for ``CASE`` in standard SQL.

    It also runs in SQLite, PostgreSQL and DuckDB. A missing value is NULL, for which only conditions that mention NULL
    hold.
    """
    name = sql_name(term.column)
    if isinstance(term, MissingTerm):
        return f"{name} IS {'NULL' if term.is_missing else 'NOT NULL'}"
    if isinstance(term, TextTerm):
        return _sql_membership(term, name)
    return _or_null(f"{name} {_comparison(term)}", name, or_null=term.or_missing)


def _sql_membership(term: TextTerm, name: str) -> str:
    """List the text that represents a missing value among the others where both get the same answer."""
    lists_missing = term.is_among == term.or_missing
    missing = [term.missing_text] if lists_missing and term.missing_text is not None else []
    texts = ", ".join(map(sql_text, dict.fromkeys((*term.texts, *missing))))
    if texts:
        return _or_null(f"{name} {'IN' if term.is_among else 'NOT IN'} ({texts})", name, or_null=term.or_missing)
    if lists_missing:
        return f"{name} IS NULL" if term.is_among else f"{name} IS NOT NULL"
    return f"NOT ({ALWAYS_SQL})" if term.is_among else ALWAYS_SQL


def _or_null(condition: str, name: str, *, or_null: bool) -> str:
    return f"({condition} OR {name} IS NULL)" if or_null else condition


def python_condition(term: Term, booleans: Collection[str] = ()) -> str:
    """Return the condition that is true where a term holds, in terms of the functions of ``PYTHON_READERS``.

    ``booleans`` are the columns that are true or false: these are not compared with numbers.
    """
    column = python_text(term.column)
    if isinstance(term, TextTerm):
        return _python_membership(term, f"text({column})")
    value = f"value({column})"
    if isinstance(term, MissingTerm):
        return f"{value} is {'None' if term.is_missing else 'not None'}"
    if term.column in booleans and 0 <= term.bound < 1:
        return _python_boolean(term, value)
    condition = f"{value} {_comparison(term)}"
    return f"({value} is None or {condition})" if term.or_missing else f"({value} is not None and {condition})"


def _python_boolean(term: NumberTerm, value: str) -> str:
    """Return a condition on the truth of a value; a missing one is None, which is as little true as False is."""
    if term.is_above:
        return f"({value} is None or {value})" if term.or_missing else value
    return f"not {value}" if term.or_missing else f"({value} is not None and not {value})"


def _python_membership(term: TextTerm, value: str) -> str:
    """List what represents a missing value among the texts where both get the same answer."""
    missing = ["None"] if term.missing_text is None else ["None", python_text(term.missing_text)]
    texts = [*map(python_text, term.texts), *(missing if term.is_among == term.or_missing else [])]
    return f"{value} {'in' if term.is_among else 'not in'} {python_tuple(dict.fromkeys(texts))}"


def _comparison(term: NumberTerm) -> str:
    return f"{'>' if term.is_above else '<='} {number(term.bound)}"


def _without_nul(text: str) -> str:
    if "\0" in text:
        detail = f"{ascii(text)[:80]} holds a NUL, which SQL has no way to write; take JSON or Python"
        raise StorageError("method_not_applicable", detail)
    return text
