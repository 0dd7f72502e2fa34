"""Conditions on raw values: in words, as printed from bins, and as evaluated on rows.

Thresholds are round numbers that keep every training row on its side of the cut.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf, isfinite
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import wording
from ..column_words import ColumnWords, Phrases
from ..errors import InvalidInput
from ..printed_numbers import NumberPhrases
from ..rows import Rows
from ..wording import Interval
from .binned_rows import BinnedRows
from .cut_points import roundest_between
from .statements import FeatureStatements, Statements

Operator = Literal["<=", ">", "is", "is not", "is one of", "is none of", "is missing", "is not missing"]
_HALF = 0.5  # between no and yes of a one-hot column


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one feature of a raw row."""

    feature: str
    column: str  # the raw column that is read: ``feature``, except for columns of a declared one-hot group
    operator: Operator
    value: float | str | tuple[str, ...] | None
    or_missing: bool  # a missing value fulfils it, too; otherwise it does not

    @property
    def text(self) -> str:
        """The condition in words."""
        return condition_text(self)

    @property
    def interval(self) -> Interval | None:
        """The numbers that fulfil it; ``None`` where it does not compare a number."""
        if not isinstance(self.value, float) or self.operator not in ("<=", ">"):
            return None
        if self.operator == ">":
            return Interval(low=self.value, or_missing=self.or_missing)
        return Interval(high=self.value, or_missing=self.or_missing)


class PrintedValues(Protocol):
    """What is known of training values where conditions are printed: thresholds must separate them as the bins do."""

    @property
    def statements(self) -> Statements:
        """The statements that the bins are of."""

    def gap(self, feature: int, cut: int) -> tuple[float, float]:
        """Return the largest value not above a cut of a number, and the smallest above it; infinite where none is."""

    def has_missing(self, feature: int) -> bool:
        """Return whether some training row misses a feature."""


@dataclass(frozen=True, slots=True)
class TrainingValues:
    """The raw training values of rows that are held here."""

    rows: Rows
    binned: BinnedRows

    @property
    def statements(self) -> Statements:
        """The statements that the bins are of."""
        return self.binned.statements

    def gap(self, feature: int, cut: int) -> tuple[float, float]:
        """Return the largest value not above a cut of a number, and the smallest above it; infinite where none is.

        Values count both as they are and as the model rounds them, so that a threshold in between separates them
        with and without rounding.
        """
        about, statements = self.binned.statements.features[feature], self.binned.statements
        bins = self.binned.bins[feature]
        values = self.rows.select([about.name]).columns[0].astype(np.float64)
        rounded = values.astype(statements.precision).astype(np.float64)
        below, above = bins <= cut, (bins > cut) & (bins != about.missing_bin)
        low = np.maximum(values, rounded)[below].max(initial=-inf)
        return float(low), float(np.minimum(values, rounded)[above].min(initial=inf))

    def has_missing(self, feature: int) -> bool:
        """Return whether some training row misses a feature."""
        return self.binned.has_missing(feature)


def condition_text(condition: Condition, phrases: Phrases | None = None) -> str:
    """Return a condition in words: those of its column, where there are any."""
    return _joint_text((condition,), phrases or {})


def question_text(condition: Condition, phrases: Phrases) -> str | None:
    """Return a condition as a question, where its column has words for it."""
    interval, column = condition.interval, phrases.get(condition.column)
    return None if interval is None or column is None else column.question(interval)


def rule_text(conditions: tuple[Condition, ...], phrases: Phrases | None = None) -> str:
    """Return a rule's conditions as one sentence; without any, it always holds."""
    if not conditions:
        return "always"
    parts = groupby(conditions, key=lambda each: (each.feature, each.or_missing))
    return ", and ".join(_joint_text(tuple(joint), phrases or {}) for _, joint in parts)


def _joint_text(conditions: Sequence[Condition], phrases: Phrases) -> str:
    """Return conditions on one feature, such as an interval's two ends, as one phrase."""
    words = None
    if (column := phrases.get(conditions[0].column)) is not None:
        words = column.words
        intervals = [each.interval for each in conditions]
        if isinstance(column, NumberPhrases):
            intervals = [_intersection(intervals)]
        sentences = [None if each is None else column.sentence(each) for each in intervals]
        if all(sentences):
            return " and ".join(filter(None, sentences))
    comparisons = " and ".join(wording.comparison(each.operator, _labelled(each.value, words)) for each in conditions)
    is_called = words is not None and conditions[0].feature == conditions[0].column
    name = words.name if words is not None and is_called else conditions[0].feature
    return f"{name} is {comparisons}{wording.MISSING_ALLOWED if conditions[0].or_missing else ''}"


def _labelled(
    value: float | str | tuple[str, ...] | None, words: ColumnWords | None
) -> float | str | tuple[str, ...] | None:
    if words is None or value is None:
        return value
    if isinstance(value, tuple):
        return tuple(map(str, words.labelled(value)))
    return words.labels.get(value, value)


def _intersection(intervals: Sequence[Interval | None]) -> Interval | None:
    """Return the numbers in all intervals, which are those of conditions; ``None`` where one compares no number."""
    known = [each for each in intervals if each is not None]
    if len(known) < len(intervals):
        return None
    or_missing = all(each.or_missing for each in known)
    return Interval(max(each.low for each in known), min(each.high for each in known), or_missing=or_missing)


def conditions_on(index: int, admitted: NDArray[np.bool_], values: PrintedValues) -> Iterator[Condition]:
    """Yield the conditions that restrict a feature to some of its bins; of an interval the lower end first.

    A threshold is the number of fewest decimals between the two neighbouring training values and within a quarter of
    their distance from the cut (of these, the nearest to it): for training rows the conditions hold exactly where the
    bin is admitted, and other rows change sides only where they lie near the cut. Where no training row misses the
    feature, nothing is known of missing values: they fulfil no condition on it.

    Parameters
    ----------
    index
        Of the feature among the statements' features.
    admitted : (n_bins,)
        The feature's bins that fulfil the conditions.
    values
        The training values.
    """
    feature = values.statements.features[index]
    has_missing = values.has_missing(index)
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
            yield _at_cut(index, values, ">", int(inside[0]) - 1, or_missing=with_missing)
        if inside[-1] < len(present) - 1:
            yield _at_cut(index, values, "<=", int(inside[-1]), or_missing=with_missing)
    else:
        yield _on_category(feature, admitted[:-2], admits_others=bool(admitted[-2]), or_missing=with_missing)


def _at_cut(index: int, values: PrintedValues, operator: Operator, cut: int, *, or_missing: bool) -> Condition:
    feature = values.statements.features[index]
    low, high = values.gap(index, cut)
    if feature.one_hot_category is not None and low <= _HALF < high:
        name, category = feature.one_hot_category
        return Condition(name, feature.name, "is" if operator == ">" else "is not", category, or_missing)
    return Condition(feature.name, feature.name, operator, printed_threshold(index, values, cut), or_missing)


def printed_threshold(index: int, values: PrintedValues, cut: int) -> float:
    """Return the number that is printed for a finite cut of a feature; see ``conditions_on``."""
    exact = float(values.statements.features[index].cuts[cut])
    return roundest_between(*_near(*values.gap(index, cut), exact), exact)


def _near(low: float, high: float, cut: float) -> tuple[float, float]:
    """Return the part of a gap within a quarter of its width from the cut; the whole gap where an end is infinite."""
    quarter = high / 4 - low / 4
    return (max(low, cut - quarter), min(high, cut + quarter)) if isfinite(quarter) else (low, high)


def _on_category(
    feature: FeatureStatements, admitted: NDArray[np.bool_], *, admits_others: bool, or_missing: bool
) -> Condition:
    """Return the condition that names the admitted categories, or the others where unnamed ones are admitted."""
    named = tuple(each for each, inside in zip(feature.categories, admitted, strict=True) if inside != admits_others)
    one: Operator = "is not" if admits_others else "is"
    some: Operator = "is none of" if admits_others else "is one of"
    value: str | tuple[str, ...] = named[0] if len(named) == 1 else named
    return Condition(feature.name, feature.name, one if len(named) == 1 else some, value, or_missing)


@dataclass(frozen=True, slots=True)
class ConditionReader:
    """Evaluates conditions on raw rows."""

    precision: type[np.float32 | np.float64]  # numbers are rounded to this before they are compared
    missing_texts: Mapping[str, str]  # by column: a text that represents a missing category

    def holds(self, condition: Condition, rows: Rows) -> NDArray[np.bool_]:
        """Return for which rows a condition holds, (n_rows,).

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` where the column that it reads is missing.
        """
        values = _column(rows, condition.column)
        is_missing = self._is_missing(condition.column, values)
        if condition.value is None:
            return is_missing if condition.operator == "is missing" else ~is_missing
        # a column without any value may hold numbers or categories: the condition decides
        if values.dtype != object or isinstance(condition.value, float):
            holds = _is_on_side(condition, values, self.precision)
        else:
            named: list[Any] = list(condition.value) if isinstance(condition.value, tuple) else [condition.value]
            among = np.isin(values, named)
            holds = among if condition.operator in ("is", "is one of") else ~among
        return np.where(is_missing, condition.or_missing, holds)

    def _is_missing(self, column: str, values: NDArray[Any]) -> NDArray[np.bool_]:
        if values.dtype != object:
            return np.asarray(np.isnan(values), dtype=np.bool_)
        texts: list[Any] = [None, self.missing_texts.get(column)]
        is_text_of_missing: NDArray[np.bool_] = np.isin(values, texts)
        return is_text_of_missing


def _column(rows: Rows, name: str) -> NDArray[Any]:
    try:
        return rows.select([name]).columns[0]
    except KeyError as error:
        msg = f"The rows do not have the feature {name!r}, which a rule reads."
        raise InvalidInput(msg, code="schema_mismatch") from error


def _is_on_side(
    condition: Condition, values: NDArray[Any], precision: type[np.float32 | np.float64]
) -> NDArray[np.bool_]:
    if values.dtype == object:
        return np.zeros(len(values), dtype=np.bool_)  # nothing but missing values
    bound = condition.value if isinstance(condition.value, float) else _HALF
    with np.errstate(over="ignore"):
        above: NDArray[np.bool_] = values.astype(precision).astype(np.float64) > bound
    return above if condition.operator in (">", "is") else ~above
