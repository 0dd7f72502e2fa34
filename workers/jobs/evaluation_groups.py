"""Rates and errors by group of a column, each beside that of all other rows, with intervals that hold together."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from leafspace_drawings import text_of
from leafspace_drawings.words import counted, number
from numpy.typing import NDArray

from schemas.datasets import Column
from schemas.evaluations import EvaluatedColumn, EvaluatedGroup, GroupFigure, GroupOutcome, GroupShare
from schemas.json_numbers import json_number
from storage.dataset_files import DatasetFile
from storage.dataset_rows import open_rows
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.evaluations.column_groups import (
    MISSING,
    ColumnGroup,
    GroupedColumn,
    GroupMoments,
    group_numbers,
    group_texts,
)
from tree_explainers.evaluations.error_figures import difference_of_means, mean_interval
from tree_explainers.share_intervals import difference_interval

from ..runtime.context import JobContext
from .evaluation_figures import share_of
from .evaluation_rows import EvaluatedRows
from .share_comparisons import CHANCE, interval_view

_OUTCOME = "outcome "  # begins the name of the share of an outcome
_COMPARED = [
    name
    for name, field in EvaluatedGroup.model_fields.items()
    if field.annotation in {GroupShare | None, GroupFigure | None}
]
"""The figures that are compared with those of all other rows."""


@dataclass(frozen=True, slots=True)
class _Shares:
    """A share of each group's rows and of the rows of no such group, counted, (n_groups,) each."""

    n_counted: NDArray[np.int64]
    n_rows: NDArray[np.int64]

    @classmethod
    def of(cls, grouped: GroupedColumn, counts: NDArray[np.bool_], among: NDArray[np.bool_] | None = None) -> "_Shares":
        """Count rows, among all or some."""
        n_groups, inside = len(grouped.groups), slice(None) if among is None else among
        counted_rows = counts if among is None else counts & among
        n_counted = np.bincount(grouped.codes[counted_rows], minlength=n_groups)
        return cls(n_counted, np.bincount(grouped.codes[inside], minlength=n_groups))

    @property
    def n_comparisons(self) -> int:
        """Number of groups that have rows, as the rest has."""
        return int(np.count_nonzero((self.n_rows > 0) & (self.n_rows < self.n_rows.sum())))

    def view(self, group: int, confidence: float) -> GroupShare:
        """Return the share of a group beside that of the rest."""
        one = int(self.n_counted[group]), int(self.n_rows[group])
        rest = int(self.n_counted.sum()) - one[0], int(self.n_rows.sum()) - one[1]
        difference = difference_interval(one, rest, confidence) if one[1] and rest[1] else None
        return GroupShare(
            **share_of(*one).model_dump(),
            rest=share_of(*rest),
            difference_interval=None if difference is None else interval_view(difference),
            differs=difference is not None and not difference.low <= 0 <= difference.high,
        )


@dataclass(frozen=True, slots=True)
class _Means:
    """A mean of each group's rows and of the rows of no such group."""

    inside: GroupMoments
    outside: GroupMoments

    @property
    def n_comparisons(self) -> int:
        """Number of groups that have two rows or more, as the rest has."""
        return int(np.count_nonzero((self.inside.n_rows > 1) & (self.outside.n_rows > 1)))

    def view(self, group: int, confidence: float) -> GroupFigure:
        """Return the mean of a group beside that of the rest."""
        one, rest = (
            (int(each.n_rows[group]), float(each.means[group]), float(each.variances[group]))
            for each in (self.inside, self.outside)
        )
        interval, difference = mean_interval(*one), difference_of_means(one, rest, confidence)
        return GroupFigure(
            value=one[1],
            interval=None if interval is None else interval_view(interval),
            rest=rest[1] if rest[0] else None,
            difference_interval=None if difference is None else interval_view(difference),
            differs=difference is not None and not difference.low <= 0 <= difference.high,
        )


Figures = Mapping[str, _Shares | _Means]


def evaluate_groups(
    context: JobContext, rows: EvaluatedRows, names: Sequence[str], positive: int | None, report: ReportProgress
) -> tuple[list[EvaluatedColumn], int]:
    """Return the groups by each column, and the number of figures that are compared with the rest."""
    described = {column.name: column for column in rows.stored.view.columns}
    measured: list[tuple[Column, GroupedColumn, Figures]] = []
    with open_rows(context.objects, rows.stored.content) as file:
        for index, name in enumerate(names):
            report(index / len(names), "comparing groups")
            grouped = _read_groups(file, described[name], rows.rows)
            measured.append((described[name], grouped, dict(_figures(rows, grouped, positive))))
    n_comparisons = sum(each.n_comparisons for _, _, figures in measured for each in figures.values())
    confidence = 1 - CHANCE / max(1, n_comparisons)
    views = [
        EvaluatedColumn(
            column=column.name,
            is_feature=column.name in rows.columns,
            groups=[
                _group_view(column, group, int(np.count_nonzero(grouped.codes == index)), index, figures, confidence)
                for index, group in enumerate(grouped.groups)
            ],
        )
        for column, grouped, figures in measured
    ]
    return views, n_comparisons


def _read_groups(file: DatasetFile, column: Column, rows: NDArray[np.int64]) -> GroupedColumn:
    """Return the groups of the evaluated rows; texts stay encoded."""
    cells = file.encoded_column(column.name)
    if column.type != "category":
        numbers = pc.fill_null(cells.cast(pa.float64()), float("nan")).to_numpy(zero_copy_only=False)
        return group_numbers(numbers[rows])
    encoded = cells.unify_dictionaries().combine_chunks().dictionary_encode()
    indices = pc.fill_null(encoded.indices.cast(pa.int64()), MISSING).to_numpy(zero_copy_only=False)
    return group_texts(indices[rows], encoded.dictionary.to_pylist())


def _figures(
    rows: EvaluatedRows, grouped: GroupedColumn, positive: int | None
) -> Iterator[tuple[str, _Shares | _Means]]:
    """Yield the figures of a column's groups by their names in the contract."""
    if rows.labels is None:
        yield "mean_absolute_error", _Means(*GroupMoments.of(grouped, np.abs(rows.residuals)))
        yield "mean_residual", _Means(*GroupMoments.of(grouped, rows.residuals))
    else:
        yield "errors", _Shares.of(grouped, rows.errors > 0)
        if positive is not None:
            is_positive, is_predicted = np.asarray(rows.truth.classes == positive), rows.labels == positive
            yield "true_share", _Shares.of(grouped, is_positive)
            yield "predicted_share", _Shares.of(grouped, is_predicted)
            yield "true_positive_rate", _Shares.of(grouped, is_predicted, is_positive)
            yield "false_positive_rate", _Shares.of(grouped, is_predicted, ~is_positive)
    if rows.outcomes is not None and rows.model.description.decides_apart:
        for index, outcome in enumerate(rows.model.description.outcomes):
            yield f"{_OUTCOME}{outcome}", _Shares.of(grouped, rows.outcomes == index)


def _group_view(
    column: Column, group: ColumnGroup, n_rows: int, index: int, figures: Figures, confidence: float
) -> EvaluatedGroup:
    views: dict[str, Any] = {name: each.view(index, confidence) for name, each in figures.items()}
    outcomes = [
        GroupOutcome(outcome=name.removeprefix(_OUTCOME), rows=view)
        for name, view in views.items()
        if name.startswith(_OUTCOME)
    ]
    return EvaluatedGroup(
        text=_text(column, group),
        value=_value(column, group),
        low=None if column.type == "boolean" else _finite(group.low),
        high=None if column.type == "boolean" else _finite(group.high),
        n_rows=n_rows,
        outcomes=outcomes,
        differs=[name for name, view in views.items() if view.differs],
        **{name: views.get(name) for name in _COMPARED},
    )


def _value(column: Column, group: ColumnGroup) -> str | None:
    """Return the value of a group that has one alone: ``north``, ``3``, or ``true``."""
    if group.value is None or column.type != "boolean":
        return text_of(json_number(group.value)) or None
    return "true" if group.value else "false"


def _finite(end: float | None) -> float | None:
    return end if end is not None and math.isfinite(end) else None


def _text(column: Column, group: ColumnGroup) -> str:
    """Return a group in words."""
    if group.kind == "missing":
        return "missing"
    if group.kind == "other":
        return counted(group.n_values, "other value")
    if isinstance(group.value, str):
        return group.value
    if column.type == "boolean":
        return "yes" if group.value else "no"
    if group.kind == "value":
        return number(group.value or 0.0)
    return f"{number(group.low or 0.0)} to {number(group.high or 0.0)}"
