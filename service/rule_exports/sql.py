"""Rules as one expression of standard SQL (also SQLite's, PostgreSQL's, DuckDB's): a CASE over the raw columns."""

from collections.abc import Iterable

from explanations.rule_terms import MissingTerm, NumberTerm, Term, TextTerm, terms_of
from schemas.rule_sets import Rule, RuleSetContent

from .literals import in_a_comment, number, sql_name, sql_text

_ALWAYS = "1 = 1"


def write_sql(content: RuleSetContent) -> str:
    """Return the expression; a missing value is NULL, which fulfils nothing but what says so."""
    otherwise = _told(content.default_prediction)
    cases = [_case(rule, terms) for rule, terms in zip(content.rules, terms_of(content), strict=True)]
    return f"CASE\n{''.join(cases)}  ELSE {otherwise}\nEND\n" if cases else f"{otherwise}\n"


def _case(rule: Rule, terms: Iterable[Term]) -> str:
    asked = " AND ".join(map(_asked, terms)) or _ALWAYS
    return f"  -- {rule.rank}. {in_a_comment(rule.text)}\n  WHEN {asked} THEN {_told(rule.prediction)}\n"


def _asked(term: Term) -> str:
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
    return f"NOT ({_ALWAYS})" if term.is_among else _ALWAYS


def _or_null(asked: str, name: str, *, or_null: bool) -> str:
    return f"({asked} OR {name} IS NULL)" if or_null else asked


def _told(prediction: float | str) -> str:
    return sql_text(prediction) if isinstance(prediction, str) else number(prediction)
