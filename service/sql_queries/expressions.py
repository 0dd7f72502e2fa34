"""Names, texts, numbers and conditions in SQL, and the lines that longer expressions are made of.

Names and categories come from users. Each is quoted so that it stays a text and never becomes code. A text may hold a
line end, so an expression is a list of lines, which can be indented without a change to the text.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from explanations.rules import MissingTerm, NumberTerm, Term, TextTerm
from storage.errors import StorageError

Lines = list[str]

ALWAYS = "1 = 1"
NEVER = "1 = 0"
_ABOUT_BACKSLASHES = (
    "-- A backslash in a text is a plain character here, as in standard SQL. Where it escapes the next one (MySQL,\n"
    "-- BigQuery, Databricks, Snowflake), double each before it is run: a text could end early, and its rest be code.\n"
)
ABOUT_NAN = "-- A missing value is NULL: some databases hold NaN to be greater than any number."


def number(value: float) -> str:
    """Return a finite number in the fewest digits that restore it; SQL and Python write it alike."""
    return repr(float(value))


def single(value: float) -> str:
    """Return a finite number in the fewest digits that restore its single precision, where that is all that it has.

    Columns of several tables are read in single precision, and cuts lie between such numbers: 0.292 in a table is not
    above a cut of 0.292, though the single next to it, 0.29199999570846558, is less.
    """
    return str(np.float32(value)) if float(np.float32(value)) == value else number(value)


def with_warning(sql: str) -> str:
    """Return SQL below a comment on backslashes, if it holds any."""
    return _ABOUT_BACKSLASHES + sql if "\\" in sql else sql


def sql_name(name: str) -> str:
    """Return a column's name, quoted as in standard SQL."""
    return f'"{_without_nul(name).replace(chr(34), chr(34) * 2)}"'


def sql_text(text: str) -> str:
    """Return a text, quoted as in standard SQL, where a backslash is no escape character."""
    return f"'{_without_nul(text).replace(chr(39), chr(39) * 2)}'"


def sql_value(prediction: float | str) -> str:
    """Return a label or a value in SQL."""
    return sql_text(prediction) if isinstance(prediction, str) else number(prediction)


def _without_nul(text: str) -> str:
    if "\0" in text:
        detail = f"{ascii(text)[:80]} holds a NUL, which SQL has no way to write; take JSON or Python"
        raise StorageError("method_not_applicable", detail)
    return text


def on_one_line(text: str) -> str:
    """Return a text for a part of a line, such as a comment, with line ends and invisible characters escaped."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def sql_condition(term: Term, operand: str | None = None, write: Callable[[float], str] = number) -> str:
    """Return the condition that is true where a term holds, for ``CASE`` in standard SQL.

    It also runs in SQLite, PostgreSQL and DuckDB. A missing value is NULL, for which only conditions that mention NULL
    hold.

    Parameters
    ----------
    term
        The condition.
    operand
        The expression that is tested; by default the term's column.
    write
        How numbers are written.
    """
    operand = sql_name(term.column) if operand is None else operand
    if isinstance(term, MissingTerm):
        return f"{operand} IS {'NULL' if term.is_missing else 'NOT NULL'}"
    if isinstance(term, TextTerm):
        return _membership(term, operand)
    # Some databases store booleans as such, others as 1 and 0.
    if term.is_boolean:
        is_number = f"= {int(term.is_above)}" if 0 <= term.bound < 1 else comparison(term)
        compared = f"CAST({operand} AS INTEGER) {is_number}"
    else:
        compared = f"{operand} {comparison(term, write)}"
    return _or_null(compared, operand, or_null=term.or_missing)


def _membership(term: TextTerm, operand: str) -> str:
    """List the text that represents a missing value among the others where both get the same answer."""
    lists_missing = term.is_among == term.or_missing
    missing = [term.missing_text] if lists_missing and term.missing_text is not None else []
    texts = ", ".join(map(sql_text, dict.fromkeys((*term.texts, *missing))))
    if texts:
        return _or_null(f"{operand} {'IN' if term.is_among else 'NOT IN'} ({texts})", operand, or_null=term.or_missing)
    if lists_missing:
        return f"{operand} IS NULL" if term.is_among else f"{operand} IS NOT NULL"
    return f"NOT ({ALWAYS})" if term.is_among else ALWAYS


def _or_null(condition: str, operand: str, *, or_null: bool) -> str:
    return f"({condition} OR {operand} IS NULL)" if or_null else condition


def comparison(term: NumberTerm, write: Callable[[float], str] = number) -> str:
    """Return the comparison of a term without its operand."""
    return f"{'>' if term.is_above else '<='} {write(term.bound)}"


def row_of(expressions: Sequence[str]) -> str:
    """Return one value, or several in brackets as a row."""
    return expressions[0] if len(expressions) == 1 else f"({', '.join(expressions)})"


def equal(left: Iterable[str], right: Iterable[str]) -> str:
    """Return the condition that values are equal, one by one."""
    return " AND ".join(f"{one} = {other}" for one, other in zip(left, right, strict=True))


def clause(word: str, conditions: Sequence[str]) -> Lines:
    """Return ``WHERE`` or ``HAVING`` with conditions that all have to hold; nothing where there are none."""
    return [f"{word} {' AND '.join(conditions)}"] if conditions else []


def indented(lines: Iterable[str]) -> Lines:
    """Return lines two spaces further in; line ends inside a text are left alone."""
    return [f"  {line}" for line in lines]


def framed(before: str, lines: Sequence[str], after: str) -> Lines:
    """Return an expression with something before its first line and after its last one."""
    *above, last = lines
    return [before + above[0], *above[1:], last + after] if above else [before + last + after]


def chained(parts: Sequence[Lines], word: str) -> Lines:
    """Return expressions with a word, such as `` AND ``, between each two."""
    first, *others = parts
    for part in others:
        first = [*first[:-1], f"{first[-1]}{word}{part[0]}", *part[1:]]
    return first
