"""ISM on training rows that lie in partitions: cover counts of batches of statements, summed over partitions.

A partition keeps the bins and the scores of its rows, and which of them reach the nodes of the growing tree. The
caller's process knows sums: rows, scores and labels of a node, and of the bins of some features at a time. Gains follow
from sums of integers, so that the tree is that of ``grow_ism``, however the rows are cut; the values of a regression
are added up exactly.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.exact_sums import exact_sum, exact_value
from ..compute.partitions import Partitions
from ..compute.progress import ReportProgress, ignore_progress
from ..ensemble import TreeEnsemble
from ..onnx_models.description import ModelDescription
from ..questions.binned_rows import BinnedRows, Bins, Layout
from ..questions.implications import Implications
from ..questions.statements import Statements
from .class_bounds import ClassBounds, rows_to_fit
from .information_gain import LEAST_GAIN, UNITS, Units, centred_units, highest, in_units
from .ism import IsmSettings, check_ism, criterion_of
from .ism_growth import MOST_WITNESSES, grow_over
from .leaf_probabilities import IndependentLeaves
from .ordered_tests import NodeSums, count_bins, fill_gains_of_bins
from .partitioned_fidelity import PredictedPart
from .statement_conditions import all_single
from .trees import ApproximationTree, NodeFacts

Integers = NDArray[np.int64]
Path = tuple[tuple[int, int, bool], ...]  # from the root: features, statements about them, and their truth
MOST_CELLS = 1 << 21  # bins times numbers for each, of a batch of features, unless one alone has more
_WITNESSES_OF_PART = 8
_ROW_BYTES = 8  # of a row that is remembered at a node, and at the one above it


@dataclass(frozen=True, slots=True)
class PartitionedTraining:
    """Training rows in partitions, and what is known of all rows."""

    parts: Partitions  # each of them a ``PredictedPart``
    statements: Statements  # the ensemble's
    implications: Implications = field(default_factory=Implications)  # among columns, of any rows that there can be


def grow_ism_in_partitions(
    training: PartitionedTraining,
    ensemble: TreeEnsemble,
    description: ModelDescription,
    settings: IsmSettings = IsmSettings(),  # noqa: B008  # frozen
    report: ReportProgress = ignore_progress,
) -> ApproximationTree:
    """Grow the tree of ``grow_ism`` on rows in partitions, one row at least.

    Raises
    ------
    MethodNotApplicable, InvalidInput
        As ``grow_ism``.
    """
    report(0, "growing the tree")
    rows = _Rows(training, description, settings)
    check_ism(description, settings, has_target=rows.has_target)
    return grow_over(rows, ensemble, description, settings, report)


# What a partition has, and what it counts.


@dataclass(frozen=True, slots=True)
class _Part:
    """The rows of a partition, as ISM sees them."""

    rows: PredictedPart
    statements: Statements
    bins: Bins  # (n_features, n_own)
    scores: NDArray[np.float64]  # (n_own, n_scores)
    units: Units  # the same
    labels: Integers | None  # (n_own,) None for regression
    classes: Integers | None  # (n_own,) true ones, below 0 where not known; None without any
    reached: dict[Path, NDArray[np.int32]] = field(default_factory=dict)  # remembered: the rows at nodes

    def __sizeof__(self) -> int:
        """Return what a part takes, with the rows that it will remember: a cluster's workers spill by it."""
        held = (self.bins, self.scores, self.units, self.labels, self.classes)
        return sum(array.nbytes for array in held if array is not None) + _ROW_BYTES * len(self.scores)

    def rows_at(self, path: Path) -> NDArray[np.int32]:
        """Return the rows that reach a node, ascending, and remember them."""
        self.reached[path] = rows = self._rows_at(path)
        return rows

    def _rows_at(self, path: Path) -> NDArray[np.int32]:
        """Return the rows of a node, from the nearest one above it whose rows are remembered, if not its own."""
        if (known := self.reached.get(path)) is not None:
            return known
        if not path:
            return np.arange(len(self.scores), dtype=np.int32)
        above, (feature, statement, is_true) = self._rows_at(path[:-1]), path[-1]
        holds = self.statements.features[feature].holds(statement, self.bins[feature, above])
        rows: NDArray[np.int32] = above[holds == is_true]
        return rows

    def __reduce__(self) -> tuple[Any, ...]:
        """Send what cannot be found again."""
        return _Part, (self.rows, self.statements, self.bins, self.scores, self.units, self.labels, self.classes)


@dataclass(frozen=True, slots=True)
class _Tally:
    """What is counted of the rows at a node."""

    n_rows: int
    units: Units  # (n_scores,) their sum
    value: int  # exact sum of the values of a regression
    labels: tuple[int, int]  # the lowest and the highest that the ensemble gives; beyond each other without rows
    classes: tuple[int, int]  # the lowest and the highest true one that is known
    witnesses: Bins  # (n_features, n_some)

    def plus(self, other: "_Tally") -> "_Tally":
        return _Tally(
            self.n_rows + other.n_rows,
            self.units + other.units,
            self.value + other.value,
            _ends(self.labels, other.labels),
            _ends(self.classes, other.classes),
            np.concatenate((self.witnesses, other.witnesses), axis=1)[:, :MOST_WITNESSES],
        )


_NONE = (np.iinfo(np.int64).max, -1)  # ends of no numbers


def _ends(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return min(one[0], other[0]), max(one[1], other[1])


def _ends_of(numbers: Integers) -> tuple[int, int]:
    return (int(numbers.min()), int(numbers.max())) if len(numbers) else _NONE


def _bin_part(rows: PredictedPart, statements: Statements, mean: float | None, largest: float) -> _Part:
    """Read and bin the rows of a partition; ``mean`` and ``largest`` are those of a regression's values."""
    names, blocks = [feature.name for feature in statements.features], list(rows.blocks(()))
    scores = _together([block.scores for block in blocks])
    bins = [BinnedRows.of(statements, block.rows).bins for block in rows.blocks(names)] if names else []
    all_bins = np.concatenate(bins, axis=1) if bins else np.empty((0, len(scores)), np.uint8)
    if mean is not None:
        return _Part(rows, statements, all_bins, scores, centred_units(scores, mean, largest), None, None)
    truths = [block.truth for block in blocks if block.truth is not None]
    labels, classes = _together([block.predicted for block in blocks]), _together(truths) if truths else None
    return _Part(rows, statements, all_bins, scores, in_units(scores), labels, classes)


def _together(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return the rows of all blocks; those of a single one are not held twice."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _value_facts(rows: PredictedPart) -> tuple[int, int, float, float]:
    """Return the number of a partition's values of a regression, their exact sum, the least and the largest."""
    values = _together([block.scores for block in rows.blocks(())])
    return len(values), exact_sum(values), float(values.min()), float(values.max())


def _missing(part: _Part) -> tuple[NDArray[np.bool_], bool, Integers]:
    """Return which features some row misses, whether a true class is known, and the number of rows."""
    missing_bins = np.array([feature.missing_bin for feature in part.statements.features])
    is_missing = np.array(
        [(feature_bins == last).any() for feature_bins, last in zip(part.bins, missing_bins, strict=True)], np.bool_
    )
    has_target = part.classes is not None and bool((part.classes >= 0).any())
    return is_missing, has_target, np.array([len(part.scores)])


def _tally(part: _Part, path: Path) -> _Tally:
    rows = part.rows_at(path)
    labels = _NONE if part.labels is None else _ends_of(part.labels[rows])
    classes = np.empty(0, np.int64) if part.classes is None else part.classes[rows]
    some = rows[:: 1 + len(rows) // _WITNESSES_OF_PART] if labels[0] == labels[1] else rows[:0]
    value = exact_sum(part.scores[rows]) if part.labels is None else 0
    units = part.units[rows].sum(axis=0)
    return _Tally(len(rows), units, value, labels, _ends_of(classes[classes >= 0]), part.bins[:, some])


def _tally_sides(
    part: _Part, path: Path, feature: int, statement: int, is_true: bool
) -> tuple[_Tally, _Tally]:  # mapped
    """Return what is counted on both sides of a split; the rows above it are forgotten."""
    sides = tuple(_tally(part, (*path, (feature, statement, truth))) for truth in (is_true, not is_true))
    part.reached.pop(path, None)
    return sides[0], sides[1]


def _count(part: _Part, path: Path, first: int, end: int, bin_starts: Integers) -> tuple[Integers, Integers, Units]:
    """Return the bins of some features in which rows of a node are, how many, and the sums of their units."""
    n_bins, rows = int(bin_starts[-1]), part.rows_at(path)
    counts, sums = np.zeros(n_bins, np.int64), np.zeros((n_bins, part.units.shape[1]), np.int64)
    count_bins(bin_starts, part.bins[first:end], rows.astype(np.int64), part.units, counts, sums)
    occupied = np.flatnonzero(counts)
    return occupied, counts[occupied], sums[occupied]


def _rows_in(part: _Part, start: int, rows: Integers) -> tuple[Bins, NDArray[np.float64]]:
    """Return the bins and scores of some rows, by their indices among all rows, that lie in a partition."""
    indices = rows[(rows >= start) & (rows < start + len(part.scores))] - start
    return part.bins[:, indices], part.scores[indices]


def _value_ends(part: _Part, feature: int) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """Return the least and the largest value in each bin of a number, and whether all are exact in single precision."""
    about = part.statements.features[feature]
    low, high, are_single, start = np.full(about.n_bins, inf), np.full(about.n_bins, -inf), True, 0
    for block in part.rows.blocks((about.name,)):
        values = block.rows.columns[0].astype(np.float64)
        bins = part.bins[feature, start : start + len(values)]
        known = bins != about.missing_bin
        np.minimum.at(low, bins[known], values[known])
        np.maximum.at(high, bins[known], values[known])
        are_single, start = are_single and all_single(values), start + len(values)
    return low, high, are_single


# What the caller's process knows.


@dataclass(frozen=True, slots=True)
class _Batch:
    """Features whose bins are counted together."""

    first: int
    end: int
    layout: Layout


def _batches(statements: Statements, n_scores: int) -> list[_Batch]:
    features, batches, first, n_bins, most_bins = statements.features, [], 0, 0, MOST_CELLS // (1 + n_scores)
    for index, feature in enumerate(features):
        if n_bins and n_bins + feature.n_bins > most_bins:
            batches.append((first, index))
            first, n_bins = index, 0
        n_bins += feature.n_bins
    return [
        _Batch(start, end, Layout.of(Statements(features[start:end], statements.precision)))
        for start, end in (*batches, (first, len(features)))
        if start < end
    ]


class _Values:
    """The rows' values; ``KnownValues``."""

    def __init__(self, parts: Partitions, statements: Statements, is_missing: NDArray[np.bool_]) -> None:
        self.statements, self._parts, self._is_missing = statements, parts, is_missing
        self._known: dict[int, tuple[NDArray[np.float64], NDArray[np.float64], bool]] = {}

    def has_missing(self, feature: int) -> bool:
        return bool(self._is_missing[feature])

    def gap(self, feature: int, cut: int) -> tuple[float, float]:
        low, high, _ = self._ends(feature)
        last = self.statements.features[feature].missing_bin
        return float(high[: cut + 1].max(initial=-inf)), float(low[cut + 1 : last].min(initial=inf))

    def are_single(self, feature: int) -> bool:
        return self._ends(feature)[2]

    def _ends(self, feature: int) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
        if feature not in self._known:
            low, high, are_single = zip(*self._parts.map(_value_ends, feature), strict=True)
            self._known[feature] = np.minimum.reduce(low), np.maximum.reduce(high), all(are_single)
        return self._known[feature]


class _Rows:
    """All rows; ``IsmRows``."""

    def __init__(self, training: PartitionedTraining, description: ModelDescription, settings: IsmSettings) -> None:
        self.is_classifier, self.implications = description.task == "classification", training.implications
        mean, largest = (None, 1.0) if self.is_classifier else _mean_and_largest(training.parts)
        statements = training.statements
        self.parts = training.parts.keep(_bin_part, statements, mean, largest)
        is_missing, has_target, n_rows = zip(*self.parts.map(_missing), strict=True)
        self.has_target, self._lengths = any(has_target), np.concatenate(n_rows)
        self.n_rows = self.n_training = int(self._lengths.sum())
        self.values = _Values(self.parts, statements, np.logical_or.reduce(is_missing))
        self.criterion = criterion_of(settings, is_classifier=self.is_classifier)
        self.batches = _batches(statements, max(1, len(description.classes)))

    def root(self) -> "_RowsAtNode":
        return _RowsAtNode(self, (), _sum(self.parts.map(_tally, ())))

    def class_bounds(self, ensemble: TreeEnsemble, description: ModelDescription) -> ClassBounds | None:
        return ClassBounds.of(ensemble, description, *self._some)

    def independent_leaves(self, ensemble: TreeEnsemble, description: ModelDescription) -> IndependentLeaves:
        return IndependentLeaves.of_parts(ensemble, description, *self._some, self.parts)

    @cached_property
    def _some(self) -> tuple[BinnedRows, NDArray[np.float64]]:
        """The rows of ``rows_to_fit``, and their scores."""
        starts = (np.cumsum(self._lengths) - self._lengths).tolist()
        pieces = self.parts.beside_values(starts).map(_rows_in, rows_to_fit(self.n_rows))
        bins, scores = zip(*pieces, strict=True)
        return BinnedRows(self.values.statements, np.concatenate(bins, axis=1)), np.concatenate(scores)


def _mean_and_largest(parts: Partitions) -> tuple[float, float]:
    """Return the mean of a regression's values, and the largest distance from it."""
    n_rows, total, low, high = zip(*parts.map(_value_facts), strict=True)
    mean = exact_value(sum(total), sum(n_rows))
    return mean, max(abs(min(low) - mean), abs(max(high) - mean))


def _sum(tallies: Iterator[_Tally]) -> _Tally:
    total = next(tallies)
    for tally in tallies:
        total = total.plus(tally)
    return total


@dataclass(frozen=True, slots=True)
class _RowsAtNode:
    """The rows at a node, known by the path to it; ``RowsAtNode``."""

    all_rows: _Rows
    path: Path
    tally: _Tally

    @property
    def n_rows(self) -> int:
        return self.tally.n_rows

    def facts(self) -> NodeFacts:
        n_rows, label = self.tally.n_rows, self.common_label()
        if not self.all_rows.is_classifier:
            return NodeFacts(np.array([exact_value(self.tally.value, n_rows)]), None, n_rows)
        means = self.tally.units / (UNITS * max(1, n_rows))
        return NodeFacts(means, int(self.tally.units.argmax()) if label is None else label, n_rows)

    def common_label(self) -> int | None:
        low, high = self.tally.labels
        return low if low == high else None

    def is_pure(self) -> bool:
        low, high = self.tally.classes
        return low == high

    def witnesses(self) -> Bins:
        return self.tally.witnesses

    def best_test(self, min_samples_leaf: int) -> tuple[int, float] | None:
        node = NodeSums.of(self.n_rows, self.tally.units, min_samples_leaf, self.all_rows.criterion)
        gains = [np.empty(0)]
        for batch in self.all_rows.batches:
            gains.append(np.zeros(batch.layout.n_statements))
            fill_gains_of_bins(batch.layout, *self._counted(batch), node, gains[-1])
        best, gain = highest(np.concatenate(gains))
        return (best, gain) if gain > LEAST_GAIN else None

    def n_true(self) -> Integers:
        counts_true = [np.empty(0, np.int64)]
        for batch in self.all_rows.batches:
            counts = np.split(self._counted(batch)[0], batch.layout.bin_starts[1:-1])
            features = self.all_rows.values.statements.features[batch.first : batch.end]
            for feature, bin_counts in zip(features, counts, strict=True):
                bins = np.arange(feature.n_bins, dtype=np.uint32)
                held = (bin_counts @ feature.holds(statement, bins) for statement in range(feature.n_statements))
                counts_true.append(np.fromiter(held, np.int64, feature.n_statements))
        return np.concatenate(counts_true)

    def _counted(self, batch: _Batch) -> tuple[Integers, Units]:
        """Return how many rows each bin of some features has, and the sums of their units."""
        starts, n_scores = batch.layout.bin_starts, len(self.tally.units)
        counts, sums = np.zeros(int(starts[-1]), np.int64), np.zeros((int(starts[-1]), n_scores), np.int64)
        for of_part in self.all_rows.parts.map(_count, self.path, batch.first, batch.end, starts):
            occupied, own_counts, own_sums = of_part
            counts[occupied] += own_counts
            sums[occupied] += own_sums
        return counts, sums

    def split(self, feature: int, statement: int, *, is_true: bool) -> "tuple[_RowsAtNode, _RowsAtNode]":
        sides = zip(*self.all_rows.parts.map(_tally_sides, self.path, feature, statement, is_true), strict=True)
        first, second = (_sum(iter(of_parts)) for of_parts in sides)
        return (
            _RowsAtNode(self.all_rows, (*self.path, (feature, statement, is_true)), first),
            _RowsAtNode(self.all_rows, (*self.path, (feature, statement, not is_true)), second),
        )
