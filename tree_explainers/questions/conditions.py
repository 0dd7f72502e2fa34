"""Conditions: what a rule asks of raw values, in words and round numbers that keep every training row on its side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf, isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import wording
from ..errors import InvalidInput
from ..rows import Rows
from .binned_rows import BinnedRows
from .cuts import roundest_between
from .statements import FeatureStatements

Operator = Literal["<=", ">", "is", "is not", "is one of", "is none of", "is missing", "is not missing"]
_HALF = 0.5  # between no and yes of a one-hot column


@dataclass(frozen=True, slots=True)
class Condition:
    """What is asked of one feature of a raw row."""

    feature: str
    column: str  # the raw column that is read: ``feature``, but for one-hot columns declared to belong together
    operator: Operator
    value: float | str | tuple[str, ...] | None
    or_missing: bool  # a missing value fulfils it, too; else it does not

    @property
    def text(self) -> str:
        """The condition in words."""
        return _told_together((self,))


@dataclass(frozen=True, slots=True)
class TrainingValues:
    """The raw training values that printed thresholds must tell apart as the bins do."""

    rows: Rows
    binned: BinnedRows

    def gap(self, feature: int, cut: int) -> tuple[float, float]:
        """Return the largest value not above a cut of a number, and the smallest above it; infinite where none is.

        Values count both as they are and as the model rounds them, so that a threshold in between tells them apart
        for whoever rounds and for whoever does not.
        """
        own, statements = self.binned.statements.features[feature], self.binned.statements
        bins = self.binned.bins[feature]
        values = self.rows.select([own.name]).columns[0].astype(np.float64)
        rounded = values.astype(statements.precision).astype(np.float64)
        below, above = bins <= cut, (bins > cut) & (bins != own.missing_bin)
        low = np.maximum(values, rounded)[below].max(initial=-inf)
        return float(low), float(np.minimum(values, rounded)[above].min(initial=inf))

    def has_missing(self, feature: int) -> bool:
        """Return whether some training row misses a feature."""
        return self.binned.has_missing(feature)


def rule_text(conditions: tuple[Condition, ...]) -> str:
    """Return a rule's conditions as one sentence; without any, it always holds."""
    if not conditions:
        return "always"
    parts = groupby(conditions, key=lambda each: (each.feature, each.or_missing))
    return ", and ".join(_told_together(tuple(own)) for _, own in parts)


def _told_together(conditions: Sequence[Condition]) -> str:
    """Tell conditions on one feature, such as an interval's two ends, as one."""
    asked = " and ".join(wording.comparison(each.operator, each.value) for each in conditions)
    return f"{conditions[0].feature} is {asked}{wording.MISSING_ALLOWED if conditions[0].or_missing else ''}"


def conditions_on(at: int, admitted: NDArray[np.bool_], values: TrainingValues) -> Iterator[Condition]:
    """Yield the conditions that hold for the bins admitted of a feature; see ``conditions_of``."""
    feature = values.binned.statements.features[at]
    has_missing = values.has_missing(at)
    with_missing = bool(admitted[-1]) and has_missing
    present = admitted[: len(feature.cuts[feature.cuts < inf]) + 1] if feature.is_number else admitted[:-1]
    if not present.any():
        yield Condition(feature.name, feature.name, "is missing", None, or_missing=False)
    elif present.all():
        if has_missing:
            yield Condition(feature.name, feature.name, "is not missing", None, or_missing=False)
    elif feature.is_number:
        inside = np.flatnonzero(present)
        if inside[0] > 0:
            yield _of_end(at, values, ">", int(inside[0]) - 1, or_missing=with_missing)
        if inside[-1] < len(present) - 1:
            yield _of_end(at, values, "<=", int(inside[-1]), or_missing=with_missing)
    else:
        yield _of_category(feature, admitted[:-2], admits_others=bool(admitted[-2]), or_missing=with_missing)


def _of_end(at: int, values: TrainingValues, operator: Operator, cut: int, *, or_missing: bool) -> Condition:
    feature = values.binned.statements.features[at]
    low, high = values.gap(at, cut)
    if feature.stands_for is not None and low <= _HALF < high:
        name, category = feature.stands_for
        return Condition(name, feature.name, "is" if operator == ">" else "is not", category, or_missing)
    value = roundest_between(*_near(low, high, float(feature.cuts[cut])), float(feature.cuts[cut]))
    return Condition(feature.name, feature.name, operator, value, or_missing)


def _near(low: float, high: float, cut: float) -> tuple[float, float]:
    """Return the part of a gap that is within a quarter of its width from the cut; all of one without an end."""
    quarter = high / 4 - low / 4
    return (max(low, cut - quarter), min(high, cut + quarter)) if isfinite(quarter) else (low, high)


def _of_category(
    feature: FeatureStatements, admitted: NDArray[np.bool_], *, admits_others: bool, or_missing: bool
) -> Condition:
    """Name the categories that are admitted, or those that are not where all others are."""
    named = tuple(each for each, inside in zip(feature.categories, admitted, strict=True) if inside != admits_others)
    one: Operator = "is not" if admits_others else "is"
    some: Operator = "is none of" if admits_others else "is one of"
    value: str | tuple[str, ...] = named[0] if len(named) == 1 else named
    return Condition(feature.name, feature.name, one if len(named) == 1 else some, value, or_missing)


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
