"""Rules whose weighted mean predicts, as SQL and Python: sums of whole numbers, so that both predict the same."""

from collections.abc import Sequence

from explanations.rules import terms_of, whole_sums_in
from schemas.rule_sets import RuleSetResult

from ..sql_queries.expressions import ABOUT_NAN, Lines, indented, number, on_one_line, sql_value
from .terms import python_condition, python_value


def weighted_sql(content: RuleSetResult, conditions: Sequence[str]) -> Lines:
    """Return the lines of an SQL expression; ``conditions`` are those of the rules, (n_rules,).

    Sums begin with a large whole number type, so that no database takes a smaller one.
    """
    sums = whole_sums_in(content)
    texts = [f"{rule.rank}. {on_one_line(rule.text)}" for rule in content.rules]
    parts = _sum(texts, conditions, sums.parts)
    if content.classes:
        first, second = map(sql_value, content.classes)
        return ["CASE", f"  {ABOUT_NAN}", "  WHEN", *indented(parts), f"  > 0 THEN {second}", f"  ELSE {first}", "END"]
    weights = _sum(texts, conditions, sums.weights)
    return [
        ABOUT_NAN,
        "CAST(",
        *indented(parts),
        "AS DOUBLE PRECISION) / (",
        *indented(weights),
        f") / {number(sums.scale)}",
    ]


def _sum(texts: Sequence[str], conditions: Sequence[str], numbers: Sequence[int]) -> Lines:
    lines = ["(CAST(0 AS BIGINT)"]
    for text, condition, each in zip(texts, conditions, numbers, strict=True):
        lines += [f"-- {text}", f"+ CASE WHEN {condition} THEN {each} ELSE 0 END"]
    return [*indented(lines), "  )"]


def weighted_python(content: RuleSetResult, booleans: frozenset[str]) -> str:
    """Return the statements that follow the readers of a row's values, as source."""
    sums, lines = whole_sums_in(content), ["parts = weights = 0"]
    for rule, terms, part, weight in zip(content.rules, terms_of(content), sums.parts, sums.weights, strict=True):
        holds = " and ".join(python_condition(term, booleans) for term in terms) or "True"
        lines += [f"# {rule.rank}. {on_one_line(rule.text)}", f"if {holds}:"]
        lines += [f"    parts += {part}", f"    weights += {weight}"]
    if content.classes:
        first, second = map(python_value, content.classes)
        lines.append(f"return {second} if parts > 0 else {first}")
    else:
        lines.append(f"return parts / weights / {number(sums.scale)}")
    return "".join(f"    {line}\n" for line in lines)
