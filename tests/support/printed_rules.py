"""Rule sets as public documents, put together by hand, and what rows get by them, read straight from their words."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from schemas.rule_sets import (
    Condition,
    ConstantRuleScores,
    Rule,
    RuleFeature,
    RuleScores,
    RuleSetEvaluation,
    RuleSetResult,
)

Row = Mapping[str, Any]
_EVALUATION = RuleSetEvaluation(
    n_rows=1,
    evaluated_on="dataset",
    measured_against="model",
    as_printed=RuleScores(error=0.0),
    model=None,
    constant=ConstantRuleScores(error=0.0, prediction="no", model_prediction="no"),
    coverage=1.0,
    mean_rules_per_row=1.0,
)


def condition(
    column: str,
    operator: str,
    value: float | str | list[str] | None = None,
    *,
    or_missing: bool = False,
    of: str | None = None,
) -> Condition:
    """Return a condition on a column, which is one of those ``of`` a feature where that is named."""
    return Condition(feature=of or column, column=column, operator=operator, value=value, or_missing=or_missing)


def rule_set(
    features: Sequence[RuleFeature],
    rules: Sequence[tuple[Sequence[Condition], float | str]],
    default: float | str,
) -> RuleSetResult:
    """Return the document of these rules; the figures of their quality are invented."""
    operand = [
        Rule(
            rank=rank,
            text=" and ".join(f"{each.feature} {each.operator} {each.value}" for each in conditions),
            conditions=list(conditions),
            prediction=prediction,
            scores=[],
            coverage=0.5,
            precision=None if isinstance(prediction, float) else 0.75,
            decided_precision=None if isinstance(prediction, float) else 1.0,
            n_rows=2,
            support=1,
        )
        for rank, (conditions, prediction) in enumerate(rules, 1)
    ]
    return RuleSetResult.model_validate(
        {
            "task": "regression" if isinstance(default, float) else "classification",
            "classes": [],
            "method": "rule_list",
            "labels": "predicted",
            "n_rows": 2,
            "n_trees": 1,
            "n_statements": 1,
            "n_rules": len(operand),
            "n_conditions": sum(len(rule.conditions) for rule in operand),
            "features": list(features),
            "rules": operand,
            "default_prediction": default,
            "default_scores": [],
            "default_support": 0,
            "evaluation": _EVALUATION,
            "cautions": [],
            "training_evaluation": _EVALUATION,
            "restarts": [],
            "lower_bounds": [],
        }
    )


def holds(tested: Condition, row: Row, content: RuleSetResult) -> bool:
    """Return whether a row fulfils a condition, as its words say."""
    value = row[tested.column]
    (feature,) = (each for each in content.features if each.name == tested.column)
    if value is None or (feature.missing_text is not None and value == feature.missing_text):
        return tested.or_missing or tested.operator == "is missing"
    return _WORDS[tested.operator](value, tested.value)


def prediction(content: RuleSetResult, row: Row) -> float | str:
    """Return what the first rule that holds predicts for a row, or the weighted mean of those that hold."""
    if content.combination == "weighted_mean":
        return _weighted_prediction(content, row)
    for rule in content.rules:
        if all(holds(each, row, content) for each in rule.conditions):
            return rule.prediction
    return content.default_prediction


def _weighted_prediction(content: RuleSetResult, row: Row) -> float | str:
    total, weights = Fraction(0), Fraction(0)
    for rule in content.rules:
        if all(holds(each, row, content) for each in rule.conditions):
            mean = rule.scores[1].value if content.classes else rule.prediction
            total += Fraction(str(rule.weight)) * Fraction(mean)
            weights += Fraction(str(rule.weight))
    average = total / weights
    return content.classes[int(average > Fraction(1, 2))] if content.classes else float(average)


_WORDS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": lambda value, bound: value <= bound,
    ">": lambda value, bound: value > bound,
    # Of a number: a column that is 1 where the category is there.
    "is": lambda value, operand: value == operand if isinstance(value, str) else value > 0.5,
    "is not": lambda value, operand: value != operand if isinstance(value, str) else value <= 0.5,
    "is one of": lambda value, operand: value in operand,
    "is none of": lambda value, operand: value not in operand,
    "is missing": lambda _value, _operand: False,
    "is not missing": lambda _value, _operand: True,
}


def run_sql(expression: str, rows: Sequence[Row], texts: frozenset[str]) -> list[Any]:
    """Return what SQLite makes of an expression for each row; ``texts`` are the columns of categories."""
    names = list(rows[0])
    quoted = ['"{}"'.format(name.replace('"', '""')) for name in names]
    typed = [f"{name} {'TEXT' if names[at] in texts else 'REAL'}" for at, name in enumerate(quoted)]
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE given ({', '.join(typed)})")
        holes = ", ".join("?" * len(names))
        connection.executemany(f"INSERT INTO given VALUES ({holes})", [tuple(row.values()) for row in rows])  # noqa: S608
        found = connection.execute(f"SELECT {expression} FROM given ORDER BY rowid").fetchall()  # noqa: S608
    return [answer for (answer,) in found]


def run_python(source: str, rows: Sequence[Row]) -> list[Any]:
    """Return what an exported function returns for each row, with nothing but Python's own names at hand."""
    names: dict[str, Any] = {}
    exec(compile(source, "exported rules", "exec"), names)  # noqa: S102  # that is what it is for
    return [names["predict"](row) for row in rows]
