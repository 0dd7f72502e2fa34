"""Rules read word by word, evaluated row by row, and searched by trying everything: slow, obvious twins."""

from collections.abc import Sequence
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.questions.conditions import Condition
from tree_explainers.questions.statements import FeatureStatements
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.rule_lists import PrintedRules


def holds(condition: Condition, values: NDArray[Any], rules: PrintedRules) -> NDArray[np.bool_]:
    """Read a condition as it is printed: whether it holds for each value of its column, (n_rows,)."""
    missing = is_missing(values, rules.missing_texts.get(condition.column))
    if condition.operator in ("is missing", "is not missing"):
        return missing if condition.operator == "is missing" else ~missing
    if values.dtype == object:
        answers = _of_texts(condition, values)
    else:
        answers = _of_numbers(condition, values.astype(rules.precision).astype(np.float64))
    return np.where(missing, condition.or_missing, answers)


def is_missing(values: NDArray[Any], missing_text: str | None) -> NDArray[np.bool_]:
    """Return which values are missing: ``None``, no number, or the text that stands for what is missing."""
    if values.dtype != object:
        return np.asarray(np.isnan(values))
    return np.array([value is None or value != value or value == missing_text for value in values], bool)


def _of_texts(condition: Condition, values: NDArray[Any]) -> NDArray[np.bool_]:
    named = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    among = np.array([value in named for value in values], bool)
    return {"is": among, "is one of": among, "is not": ~among, "is none of": ~among}[condition.operator]


def _of_numbers(condition: Condition, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    bound = condition.value if isinstance(condition.value, float) else 0.5  # between an indicator's 0 and 1
    greater, at_most = numbers > bound, numbers <= bound
    return {">": greater, "<=": at_most, "is": greater, "is not": at_most}[condition.operator]


def first_that_hold(rules: PrintedRules, rows: Rows) -> list[int]:
    """Return, of each row, the first rule all of whose conditions hold; the number of rules where none does."""
    columns = dict(zip(rows.names, rows.columns, strict=True))
    first = np.full(len(rows), len(rules.rules))
    for number, rule in reversed(list(enumerate(rules.rules))):
        fulfilled = [holds(condition, columns[condition.column], rules) for condition in rule]
        first[np.logical_and.reduce(fulfilled)] = number
    return first.tolist()


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
