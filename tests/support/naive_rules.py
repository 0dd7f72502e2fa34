"""Rules read word by word, evaluated row by row, and searched by trying everything: slow, obvious twins."""

from collections.abc import Sequence
from math import isnan, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.questions.conditions import Condition
from tree_explainers.questions.statements import FeatureStatements
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.rule_lists import PrintedRules


def holds(condition: Condition, value: float | str | None, rules: PrintedRules) -> bool:
    """Read a condition as it is printed."""
    if (
        value is None
        or value == rules.missing_texts.get(condition.column)
        or (isinstance(value, float) and isnan(value))
    ):
        return condition.operator == "is missing" or condition.or_missing
    if isinstance(value, str):
        among = value in (condition.value if isinstance(condition.value, tuple) else [condition.value])
        return {"is": among, "is one of": among, "is not": not among, "is none of": not among}.get(
            condition.operator, condition.operator == "is not missing"
        )
    number = float(rules.precision(value))
    bound = condition.value if isinstance(condition.value, float) else 0.5
    readings = {">": number > bound, "<=": number <= bound, "is": number > bound, "is not": number <= bound}
    return readings.get(condition.operator, condition.operator == "is not missing")


def first_that_holds(rules: PrintedRules, rows: Rows, row: int) -> int:
    """Return the first rule all of whose conditions hold for a row; the number of rules where none does."""
    column = dict(zip(rows.names, rows.columns, strict=True))
    for place, rule in enumerate(rules.rules):
        if all(holds(condition, column[condition.column][row], rules) for condition in rule):
            return place
    return len(rules.rules)


def admitted_bins(feature: FeatureStatements, eta: Sequence[float], certainty: float) -> list[bool]:
    """Return which bins answer each statement that a region is certain of as the region does."""
    admitted = []
    for own in range(feature.n_bins):
        answers = []
        for statement in range(feature.n_statements):
            if feature.answers is not None:
                answers.append(bool(feature.answers[statement, own]))
            elif own == feature.missing_bin:
                answers.append(bool(feature.missing_greater[statement]))
            else:
                answers.append(own > statement)
        certain = [(each, answer) for each, answer in zip(eta, answers, strict=True)]
        admitted.append(
            all(answer for each, answer in certain if each > 1 - certainty)
            and not any(answer for each, answer in certain if each < certainty)
        )
    return admitted


def labels_in_nats(decided_by: NDArray[np.int64], labels: NDArray[Any], *, is_regression: bool) -> float:
    """Return the description length of labels given what decides each row."""
    groups = [labels[decided_by == slot] for slot in np.unique(decided_by)]
    if is_regression:
        squares = sum(float(((own - own.mean()) ** 2).sum()) for own in groups)
        return len(labels) / 2 * log(squares)
    shares = [(len(own), (np.bincount(own) / len(own)).tolist()) for own in groups]
    return float(sum(-size * p * log(p) for size, share in shares for p in share if p > 0))


def roundest(low: float, high: float) -> int:
    """Return the fewest decimals with which a number can be written at or above ``low`` and below ``high``."""
    for n_decimals in range(-20, 20):
        step = 10.0**-n_decimals
        first = int(np.floor(low / step)) - 1
        if any(low <= round(each * step, n_decimals) < high for each in range(first, first + 4)):
            return n_decimals
    return 20


def error(predicted: Sequence[int], classes: Sequence[int]) -> float:
    return sum(one != other for one, other in zip(predicted, classes, strict=True)) / len(classes)


def balanced_error(predicted: Sequence[int], classes: Sequence[int]) -> float:
    of_each = []
    for own in sorted(set(classes)):
        rows = [row for row, other in enumerate(classes) if other == own]
        of_each.append(sum(predicted[row] != own for row in rows) / len(rows))
    return sum(of_each) / len(of_each)
