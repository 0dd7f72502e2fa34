"""Statements of an ensemble as conditions on raw values, with the same result for every training row.

The model compares what it has rounded, scaled or encoded; the printed condition compares raw values. Its threshold is
the shortest decimal that still separates the training rows, and where possible all values, as the model does.
"""

from dataclasses import dataclass
from math import inf
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..onnx_models.description import ModelDescription, column_types
from ..questions.binned_rows import BinnedRows, KnownRows
from ..questions.conditions import Condition
from ..questions.cut_points import Rounding, roundest_between
from ..questions.statements import FeatureStatements, Statements
from ..rows import Rows

_ROUNDINGS = 2.0**-20  # some sixteen in single precision, of what is added up
_HALF = 0.5  # between no and yes of a one-hot column


@dataclass(frozen=True, slots=True)
class StatementCondition:
    """A statement as it is printed."""

    condition: Condition  # rows for which it holds go left
    is_true: bool  # the truth of the statement where the condition holds


class KnownValues(KnownRows, Protocol):
    """What conditions depend on: the values of training rows, wherever these lie."""

    def gap(self, feature: int, cut: int) -> tuple[float, float]:
        """Return the largest value of a number not above a cut, and the smallest above it; infinite if none is.

        Values are those of the dataset, and not what the model rounds them to.
        """

    def are_single(self, feature: int) -> bool:
        """Return whether all values of a number are exact in single precision."""


@dataclass(frozen=True, slots=True)
class ValuesHere:
    """The values of rows in this process; ``KnownValues``."""

    rows: Rows
    binned: BinnedRows  # the same rows

    @property
    def statements(self) -> Statements:
        """The ensemble's statements."""
        return self.binned.statements

    def has_missing(self, feature: int) -> bool:
        """Return whether some row misses a feature."""
        return self.binned.has_missing(feature)

    def gap(self, feature: int, cut: int) -> tuple[float, float]:
        """See ``KnownValues.gap``."""
        values, bins = self._values(feature), self.binned.bins[feature]
        is_above = (bins > cut) & (bins != self.statements.features[feature].missing_bin)
        return float(values[bins <= cut].max(initial=-inf)), float(values[is_above].min(initial=inf))

    def are_single(self, feature: int) -> bool:
        """See ``KnownValues.are_single``."""
        return all_single(self._values(feature))

    def _values(self, feature: int) -> NDArray[np.float64]:
        return self.rows.select([self.statements.features[feature].name]).columns[0].astype(np.float64)


def all_single(values: NDArray[np.float64]) -> bool:
    """Return whether all values that are not missing are exact in single precision."""
    return bool((values.astype(np.float32) == values)[~np.isnan(values)].all())


@dataclass(frozen=True, slots=True)
class StatementConditions:
    """The conditions of an ensemble's statements, consistent on the training rows."""

    values: KnownValues
    description: ModelDescription

    def of_statement(self, feature: int, statement: int) -> StatementCondition:
        """Return a feature's ``statement`` as a condition on raw values.

        Numbers are compared as they are, in double precision, while the model rounds what it reads; see ``_threshold``.
        If no training row misses the feature, no condition on it holds for a missing value.
        """
        about = self.values.statements.features[feature]
        has_missing = self.values.has_missing(feature)
        if about.answers is not None:
            return StatementCondition(
                _of_category(about, about.answers[statement], has_missing=has_missing), is_true=True
            )
        missing_greater = bool(about.missing_greater[statement])
        if about.cuts[statement] == inf:
            return StatementCondition(
                Condition(about.name, about.name, "is missing", None, or_missing=False), is_true=True
            )
        low, high = self.values.gap(feature, statement)
        if about.one_hot_category is not None and low <= _HALF < high:
            name, category = about.one_hot_category
            return StatementCondition(
                Condition(name, about.name, "is", category, missing_greater and has_missing), is_true=True
            )
        value = self._threshold(feature, float(about.cuts[statement]), (low, high))
        or_missing = has_missing and not missing_greater
        return StatementCondition(Condition(about.name, about.name, "<=", value, or_missing), is_true=False)

    def _threshold(self, feature: int, cut: float, gap: tuple[float, float]) -> float:
        """Return a threshold: the training values up to it are those that the model finds not above the cut.

        If the model reads single precision and all training values are exact in it, the threshold is the shortest
        decimal that separates all numbers of single precision as the model does, seen in training or not. If training
        values have more digits, as 0.3 has, it is the shortest decimal that the model reads as its cut, unless a
        training value closer to the cut than single precision resolves would change sides. In this case, and if numbers
        are read in double precision, it is the largest double that the model finds not above its cut. If the model
        scales its input, its cut is known only up to some roundings: the threshold is the shortest decimal within
        them, such as 2.5 for 2.4999998.
        """
        about = self.values.statements.features[feature]
        if (doubt := self._doubt(about, cut)) > 0:
            return roundest_between(max(gap[0], cut - doubt), min(gap[1], cut + doubt), cut)
        types = column_types(self.description.inputs)
        reads_single = types[about.raw_index] == "float"
        rounded = np.float32(cut)
        single = np.nextafter(rounded, np.float32(-inf)) if float(rounded) > cut else rounded
        last = float(Rounding(np.float32, np.float64).lower(np.array([float(single)]))[0])
        if not reads_single:
            return cut
        short = float(str(single))
        if self.values.are_single(feature):
            short = roundest_between(float(single), float(np.nextafter(last, inf)), short)
        return short if gap[0] <= short < gap[1] else last

    def _doubt(self, feature: FeatureStatements, cut: float) -> float:
        """Return how far the model's own cut may be from a given one, in raw units: 0 if the feature is not scaled."""
        scaled = (
            abs(cut) + abs(column.offset / column.scale)
            for column in self.description.columns
            if column.raw_index == feature.raw_index and column.is_calculated
        )
        return _ROUNDINGS * max(scaled, default=0.0)


def _of_category(feature: FeatureStatements, answers: NDArray[np.bool_], *, has_missing: bool) -> Condition:
    named = tuple(each for each, inside in zip(feature.categories, answers[:-2], strict=True) if inside)
    with_missing = has_missing and bool(answers[-1])
    if not named:
        return Condition(feature.name, feature.name, "is missing", None, or_missing=False)
    if len(named) == 1:
        return Condition(feature.name, feature.name, "is", named[0], with_missing)
    return Condition(feature.name, feature.name, "is one of", named, with_missing)
