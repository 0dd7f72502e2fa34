"""Reasons in a person's terms: model-side columns mapped back to raw features, their units and categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..onnx_models.description import ModelColumn
from ..onnx_models.monotone_functions import defined_between
from .feature_reasons import (
    FeatureReason,
    ReferenceColumn,
    combine_columns,
    imputed_number,
    is_number,
    number_sentence,
    rounded_end,
)
from .raw_units import ColumnUnits, RawReasons, RawSide, Wanted, group_by_feature


def feature_numbers(columns: Sequence[ModelColumn]) -> NDArray[np.int32]:
    """Return, for each model-side column, the number of the feature it belongs to, in the order of first columns.

    Columns that could not be mapped back to a raw feature are features of their own.
    """
    numbers: dict[tuple[str, str | int], int] = {}
    keys: list[tuple[str, str | int]] = [
        ("model", index) if column.transformed or column.feature is None else ("raw", column.feature)
        for index, column in enumerate(columns)
    ]
    for key in keys:
        numbers.setdefault(key, len(numbers))
    return np.array([numbers[key] for key in keys], dtype=np.int32)


@dataclass(frozen=True, slots=True)
class ReasonReader:
    """Translates reasons; what depends on the model alone is prepared once."""

    columns: tuple[ModelColumn, ...]
    units: ColumnUnits
    precision: type[np.float32 | np.float64]
    reference: tuple[ReferenceColumn, ...]  # (n_columns,) of each column's raw feature
    sets: tuple[frozenset[float], ...] = ()  # that trees test membership in, as ``LeafBoxes`` numbers them

    @staticmethod
    def build(
        columns: Sequence[ModelColumn],
        precision: type[np.float32 | np.float64] = np.float64,
        reference: Sequence[ReferenceColumn] | None = None,
        sets: Sequence[NDArray[np.float64]] = (),
    ) -> "ReasonReader":
        """Prepare for a model's columns, in the order in which its trees number them.

        Parameters
        ----------
        columns
            Of the model.
        precision
            In which the model takes raw numbers. Ends are written as the shortest decimals that are the same number in
            it: 0.18635, where a double would be 0.1863499879837036.
        reference
            What is known of the raw features, in their order; ``None``: nothing, so that each may be missing.
        sets
            That the trees test membership in: those of ``LeafBoxes``.
        """
        features = feature_numbers(columns)
        known = tuple(_reference_of(column, reference) for column in columns)
        varies = np.array([is_number(column) and column.scale != 0 for column in columns], dtype=np.bool_)
        scales, offsets = ([getattr(column, name) for column in columns] for name in ("scale", "offset"))
        defined = [defined_between(column.functions) for column in columns]
        units = ColumnUnits(
            scale=np.where(varies, scales, 1.0),
            offset=np.where(varies, offsets, 0.0),
            imputed=np.array([imputed_number(column) for column in columns], dtype=np.float64),
            lowest=np.array([low for low, _ in defined], dtype=np.float64),
            highest=np.array([high for _, high in defined], dtype=np.float64),
            is_alone=varies & (np.bincount(features)[features] == 1),
            is_exact=np.array([not column.is_calculated for column in columns], dtype=np.bool_),
            is_nullable=np.array([of_column.has_missing for of_column in known], dtype=np.bool_),
            is_single=precision is np.float32,
        )
        known_sets = tuple(frozenset(members.tolist()) for members in sets)
        return ReasonReader(tuple(columns), units, precision, known, known_sets)

    def read(
        self, reasons: NDArray[Any], n_pairs: int, is_missing: NDArray[np.bool_] | None = None
    ) -> list[list[FeatureReason]]:
        """Translate the reasons of one row and some prototypes.

        Parameters
        ----------
        reasons : (n_reasons,) REASON
            From ``Reasons.of``.
        n_pairs
            Number of prototypes.
        is_missing : (n_columns,) bool, optional
            Of which columns the row misses the raw value; see ``group``.

        Returns
        -------
        list of n_pairs lists
            Features by the share of trees that test them, largest first (ties: order of the model's columns).
            The ends of an affine column are calculated back from the model's in float64; the model itself rounds to
            float32 on the way, and such an end is exact to that rounding only.
        """
        raw = self.group(reasons, n_pairs, is_missing)
        features = [
            self.other(reasons, raw, index, is_missing) if is_other else self._of_number(raw, index)
            for index, is_other in enumerate(raw.reasons["is_other"].tolist())
        ]
        return [features[start:end] for start, end in pairwise(raw.bounds.tolist())]

    def group(
        self,
        reasons: NDArray[Any],
        n_pairs: int,
        is_missing: NDArray[np.bool_] | None = None,
        wanted: Wanted | None = None,
    ) -> RawReasons:
        """Group reasons by feature, sorted as by ``read``; only features that are single numbers are complete.

        All are returned, or those that are ``wanted``.

        Reasons mention that a missing value is allowed for features that some reference row misses, and for those that
        the row itself misses (``is_missing``): without it the reason would not be true of the row.
        """
        wanted = wanted or Wanted(np.ones(len(self.columns), dtype=np.bool_), len(self.columns))
        return group_by_feature(reasons, n_pairs, self.units, self._nullable(is_missing), wanted)

    def other(
        self, reasons: NDArray[Any], raw: RawReasons, index: int, is_missing: NDArray[np.bool_] | None = None
    ) -> FeatureReason:
        """Translate one of grouped reasons, of a feature that has several columns, or one that is no single number."""
        first, n_own = raw.reasons["first"][index], raw.reasons["n_own"][index]
        of_feature = reasons[first : first + n_own]
        column = int(of_feature["column"][0])
        return combine_columns(of_feature, self, self.reference[column], self._nullable(is_missing))

    def _nullable(self, is_missing: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        return self.units.is_nullable if is_missing is None else self.units.is_nullable | is_missing

    def rounded(self, ends: NDArray[np.float64], of: NDArray[np.int64]) -> NDArray[np.float32] | NDArray[np.float64]:
        """Return ends of columns in the precision in which they are written."""
        if self.precision is np.float32:
            with np.errstate(over="ignore"):  # an end beyond what the precision holds is no end
                return ends.astype(np.float32)
        rounded = ends.copy()
        for column in np.unique(of).tolist():
            if self.columns[column].is_rounded:
                values, positions = np.unique(ends[of == column], return_inverse=True)
                shortest = [self.columns[column].shortest_equivalent(end) for end in values.tolist()]
                rounded[of == column] = np.array(shortest)[positions]
        return rounded

    def _of_number(self, raw: RawReasons, index: int) -> FeatureReason:
        reason = raw.reasons[index]
        column, side = self.columns[reason["column"]], RawSide(int(reason["side"]))
        low, high = (rounded_end(self._shortest(column, reason[end]), self.precision) for end in ("low", "high"))
        return FeatureReason(
            feature=column.name,
            text=number_sentence(column, low, high, side, is_single=self.precision is np.float32),
            low=low,
            high=high,
            low_inclusive=bool(side & RawSide.LOW_INCLUSIVE),
            high_inclusive=bool(side & RawSide.HIGH_INCLUSIVE),
            or_missing=bool(side & RawSide.OR_MISSING),
            exact=bool(side & RawSide.EXACT),
            is_missing=bool(side & RawSide.IS_MISSING),
            category=None,
            categories=(),
            excluded_categories=(),
            share_of_trees=float(reason["share_of_trees"]),
            transformed=column.transformed,
        )

    def _shortest(self, column: ModelColumn, end: float) -> float:
        return end if self.precision is np.float32 else column.shortest_equivalent(float(end))


def _reference_of(column: ModelColumn, reference: Sequence[ReferenceColumn] | None) -> ReferenceColumn:
    if reference is None:
        return ReferenceColumn()
    if column.raw_index is None:  # made of several
        return ReferenceColumn(has_missing=any(column_values.has_missing for column_values in reference))
    return reference[column.raw_index]
