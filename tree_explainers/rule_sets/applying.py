"""Applying printed rules: raw rows and printed conditions are all that it takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..rows import Rows
from .conditions import Condition, TrainingValues, conditions_of
from .rule_lists import RuleList, first_firing

_HALF = 0.5  # between no and yes of a one-hot column


@dataclass(frozen=True, slots=True)
class ConditionReader:
    """Asks conditions of raw rows."""

    precision: type[np.float32 | np.float64]  # numbers are rounded to this before they are compared
    missing_texts: Mapping[str, str]  # by column: a text that stands for a missing category

    def holds(self, condition: Condition, rows: Rows) -> NDArray[np.bool_]:
        """Return for which rows a condition holds, (n_rows,).

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` where the column is lacking that it reads.
        """
        values = _column(rows, condition.column)
        is_missing = self._is_missing(condition.column, values)
        if condition.value is None:
            return is_missing if condition.operator == "is missing" else ~is_missing
        if _compares_numbers(condition, values):
            asked = _above(condition, values, self.precision)
        else:
            asked = _among(condition, values)
        return np.where(is_missing, condition.or_missing, asked)

    def _is_missing(self, column: str, values: NDArray[Any]) -> NDArray[np.bool_]:
        if values.dtype != object:
            return np.asarray(np.isnan(values), dtype=np.bool_)
        texts: list[Any] = [None, self.missing_texts.get(column)]
        found: NDArray[np.bool_] = np.isin(values, texts)
        return found


@dataclass(frozen=True, slots=True)
class PrintedRules:
    """Rules in the order in which they are asked, as they are printed."""

    rules: tuple[tuple[Condition, ...], ...]
    precision: type[np.float32 | np.float64]  # numbers are rounded to this, as by the model, before they are compared
    missing_texts: Mapping[str, str]  # by column: a text that stands for a missing category

    def fires(self, rows: Rows) -> NDArray[np.bool_]:
        """Return for which rows each rule's conditions hold, (n_rows, n_rules).

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` where a column is lacking that some condition reads.
        """
        reader = ConditionReader(self.precision, self.missing_texts)
        held: dict[Condition, NDArray[np.bool_]] = {}
        fires = np.ones((len(rows), len(self.rules)), dtype=np.bool_)
        for place, rule in enumerate(self.rules):
            for condition in rule:
                if condition not in held:
                    held[condition] = reader.holds(condition, rows)
                fires[:, place] &= held[condition]
        return fires

    def deciding(self, rows: Rows) -> NDArray[np.int64]:
        """Return the first rule that holds for each row, (n_rows,); the number of rules where none does."""
        return first_firing(self.fires(rows))


def print_rules(rules: RuleList, values: TrainingValues) -> PrintedRules:
    """Return the conditions of each rule; on training rows they hold exactly where the rule's box covers the row."""
    statements = values.binned.statements
    texts = {each.name: each.missing_token for each in statements.features if each.missing_token is not None}
    return PrintedRules(tuple(conditions_of(box, values) for box in rules.boxes), statements.precision, texts)


def _column(rows: Rows, name: str) -> NDArray[Any]:
    try:
        return rows.select([name]).columns[0]
    except KeyError as error:
        msg = f"The rows lack the feature {name!r}, which a rule reads."
        raise InvalidInput(msg, code="schema_mismatch") from error


def _compares_numbers(condition: Condition, values: NDArray[Any]) -> bool:
    """Tell numbers from categories; a column without any value is either."""
    return values.dtype != object or isinstance(condition.value, float)


def _above(condition: Condition, values: NDArray[Any], precision: type[np.float32 | np.float64]) -> NDArray[np.bool_]:
    if values.dtype == object:
        return np.zeros(len(values), dtype=np.bool_)  # nothing but missing values
    bound = condition.value if isinstance(condition.value, float) else _HALF
    with np.errstate(over="ignore"):
        above: NDArray[np.bool_] = values.astype(precision).astype(np.float64) > bound
    return above if condition.operator in (">", "is") else ~above


def _among(condition: Condition, values: NDArray[Any]) -> NDArray[np.bool_]:
    named: list[Any] = list(condition.value) if isinstance(condition.value, tuple) else [condition.value]
    among = np.isin(values, named)
    return among if condition.operator in ("is", "is one of") else ~among
