"""Terms in standard SQL (also SQLite's, PostgreSQL's, DuckDB's): conditions for CASE, of raw columns.

A missing value is NULL, which fulfils nothing but what says so.
"""

from explanations.rules import MissingTerm, NumberTerm, Term, TextTerm

from .literals import number, sql_name, sql_text

ALWAYS = "1 = 1"
ABOUT_NAN = "  -- A missing value is NULL: some databases hold NaN to be greater than any number.\n"


def asked_in_sql(term: Term) -> str:
    """Return the condition that is true where a term holds."""
    name = sql_name(term.column)
    if isinstance(term, MissingTerm):
        return f"{name} IS {'NULL' if term.is_missing else 'NOT NULL'}"
    if isinstance(term, TextTerm):
        return _of_text(term, name)
    return _or_null(_of_number(term, name), name, or_null=term.or_missing)


def _of_number(term: NumberTerm, name: str) -> str:
    return f"{name} {'>' if term.is_above else '<='} {number(term.bound)}"


def _of_text(term: TextTerm, name: str) -> str:
    """Ask with the text for a missing value among the others, on whichever side it belongs to."""
    is_with_missing = term.is_among == term.or_missing
    missing = [] if term.missing_text is None or not is_with_missing else [term.missing_text]
    texts = ", ".join(map(sql_text, dict.fromkeys((*term.texts, *missing))))
    if not texts:
        return _nothing_or_all(term, name)
    return _or_null(f"{name} {'IN' if term.is_among else 'NOT IN'} ({texts})", name, or_null=term.or_missing)


def _nothing_or_all(term: TextTerm, name: str) -> str:
    if term.is_among == term.or_missing:
        return f"{name} IS NULL" if term.is_among else f"{name} IS NOT NULL"
    return f"NOT ({ALWAYS})" if term.is_among else ALWAYS


def _or_null(asked: str, name: str, *, or_null: bool) -> str:
    return f"({asked} OR {name} IS NULL)" if or_null else asked
