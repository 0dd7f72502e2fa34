"""Rules as one expression of standard SQL (also SQLite's, PostgreSQL's, DuckDB's): a CASE over the raw columns."""

from collections.abc import Iterable

from explanations.rules import Term, terms_of
from schemas.rule_sets import Rule, RuleSetContent

from ..export_text.literals import on_one_line, sql_value
from ..export_text.sql_terms import ABOUT_NAN, ALWAYS, asked_in_sql


def write_sql(content: RuleSetContent) -> str:
    """Return the expression; a missing value is NULL, which fulfils nothing but what says so."""
    otherwise = sql_value(content.default_prediction)
    cases = [_case(rule, terms) for rule, terms in zip(content.rules, terms_of(content), strict=True)]
    return f"CASE\n{ABOUT_NAN}{''.join(cases)}  ELSE {otherwise}\nEND\n" if cases else f"{otherwise}\n"


def _case(rule: Rule, terms: Iterable[Term]) -> str:
    asked = " AND ".join(map(asked_in_sql, terms)) or ALWAYS
    return f"  -- {rule.rank}. {on_one_line(rule.text)}\n  WHEN {asked} THEN {sql_value(rule.prediction)}\n"
