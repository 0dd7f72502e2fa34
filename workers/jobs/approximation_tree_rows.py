"""Rows of approximation trees that no process holds: partitions that read and score them, and a sample of them.

Above ``schemas.approximation_trees.MAX_ROWS_HELD`` rows, the job knows a seeded sample of the rows, and what it counts
over partitions, in this process or on a cluster. Partitions keep predictions and targets; values are read again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from storage.dataset_files import DatasetFile
from storage.dataset_rows import open_rows
from storage.datasets import StoredDataset
from storage.feature_matching import match_features
from storage.object_store import ObjectStore
from tree_explainers.approximation_trees.fidelity import ModelPredictions
from tree_explainers.approximation_trees.oracle import Answering, DecidedAnswers, oracle_scores
from tree_explainers.approximation_trees.partitioned_fidelity import PredictedRows
from tree_explainers.compute.partitions import (
    BLOCK_ROWS,
    LocalPartitions,
    Partitions,
    bounds_of_partitions,
    check_cancelled,
)
from tree_explainers.compute.progress import ReportProgress, Tick
from tree_explainers.compute.threads import n_cores
from tree_explainers.errors import RowRefused
from tree_explainers.prediction_scores import Targets
from tree_explainers.rows import Rows

from ..cluster.identity import identity
from ..runtime.context import JobContext
from .cluster_inputs import ModelSource, RowsSource, check_node, node_objects, open_on_node
from .inputs import OpenModel, naming_the_row_or_target, source_of
from .row_targets import check_target_type, known_targets_of_labels, may_lack_targets

if TYPE_CHECKING:
    from ..cluster.connection import Cluster

_BYTES_A_VALUE = 40  # of a row that is being read, as texts may be
_MOST_THREADS = 16  # that read blocks of rows in this process: estimates reckon with no more
_BYTES_A_ROW = 60  # of the indices and targets of a row, and 16 for each of its scores
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EvaluationRows:
    """Rows with the model's predictions and the true targets."""

    rows: Rows  # by the model's names of its features
    answers: ModelPredictions
    truth: Targets | None  # of the labelled rows; None without a target
    labelled: Integers | None = None  # the rows that have a target, ascending; None: all of them


@dataclass(frozen=True, slots=True)
class PartitionedRows:
    """A dataset's rows in partitions."""

    parts: Partitions  # of ``ScoredPart``
    n_rows: int
    sample: EvaluationRows  # some of the rows, in their order; it may be empty
    never_missing: frozenset[str]  # features of numbers that no row misses

    @property
    def n_sampled(self) -> int:
        """Number of rows in the sample."""
        return len(self.sample.answers.scores)


# What partitions are read with, and by whom.


class Access(Protocol):
    """Opens the rows and the model that a partition is of, where the partition lies."""

    def open_rows(self) -> DatasetFile:
        """Return the rows, open for one thread."""

    def answering(self) -> Answering:
        """Return what predicts for the model."""


@dataclass(frozen=True, slots=True)
class AccessHere:
    """Access in the job's own process."""

    objects: ObjectStore
    content: str
    session: Answering

    def open_rows(self) -> DatasetFile:
        """See ``Access.open_rows``."""
        return open_rows(self.objects, self.content, pages=True)

    def answering(self) -> Answering:
        """See ``Access.answering``."""
        return self.session


@dataclass(frozen=True)
class AccessOnNode:
    """Access on a worker of the cluster."""

    content: str
    model: ModelSource
    expected: dict[str, str]  # identity of the job's process
    decides: bool  # the answers are what the model decides

    def open_rows(self) -> DatasetFile:
        """See ``Access.open_rows``."""
        check_node(self.expected)
        return open_rows(node_objects(), self.content, pages=True)

    def answering(self) -> Answering:
        """See ``Access.answering``."""
        session = open_on_node(self.model)[0]
        return DecidedAnswers(session) if self.decides else session


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is read of a dataset."""

    access: Access
    source: RowsSource
    names: tuple[str, ...]  # of the model's features
    classes: tuple[str, ...]  # of the model; none of regression
    target: str | None
    may_lack: bool  # rows may have no target

    def blocks(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[tuple[slice, list[NDArray[Any]]]]:
        """Yield consecutive rows of some columns block by block, with their indices."""
        with self.access.open_rows() as file:
            for first in range(start, stop, BLOCK_ROWS):
                check_cancelled()
                last = min(first + BLOCK_ROWS, stop)
                yield slice(first, last), list(file.read_columns(columns, first, last))


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """Consecutive rows with the model's predictions and their targets; a ``PredictedPart``."""

    reading: _Reading
    start: int
    scores: NDArray[np.float64]  # (n_own, n_scores)
    predicted: NDArray[Any]  # (n_own,)
    truth: NDArray[Any] | None

    def __sizeof__(self) -> int:
        """Return what a part takes: a cluster's workers spill by it."""
        held = (self.scores, self.predicted, self.truth)
        return sum(array.nbytes for array in held if array is not None)

    def blocks(self, names: Sequence[str]) -> Iterator[PredictedRows]:
        """See ``PredictedPart.blocks``."""
        if not names:
            yield PredictedRows(Rows((), ()), self.scores, self.predicted, self.truth)
            return
        column_of = dict(zip(self.reading.names, self.reading.source.columns, strict=True))
        columns = [column_of[name] for name in names]
        for span, values in self.reading.blocks(self.start, self.start + len(self.scores), columns):
            rows = slice(span.start - self.start, span.stop - self.start)
            truth = None if self.truth is None else self.truth[rows]
            yield PredictedRows(Rows(tuple(names), tuple(values)), self.scores[rows], self.predicted[rows], truth)


@dataclass(frozen=True, slots=True)
class _Learned:
    """What a job learns from a partition when it is scored."""

    sample: PredictedRows
    is_missed: NDArray[np.bool_]  # (n_features,) features that some row misses, or that are no numbers


# Scoring.


def score_in_partitions(
    context: JobContext, model: OpenModel, stored: StoredDataset, n_sampled: int, report: ReportProgress, tick: Tick
) -> PartitionedRows:
    """Apply the model to all rows of a dataset in partitions, and return them with a sample of rows.

    ``report`` is called after each partition, ``tick`` whenever one of this process is worked on later.

    Raises
    ------
    RowRefused
        For the first row that the model does not take; the error names it.
    StorageError
        ``schema_mismatch`` for a target that does not fit the model.
    """
    n_rows, reading = stored.view.n_rows, _reading_of(context, model, stored)
    sampled = np.sort(context.rng.choice(n_rows, n_sampled, replace=False, shuffle=False)).astype(np.int64)
    bounds = _bounds(context, model, n_rows)
    ends = list(pairwise(bounds.tolist()))
    cuts = pairwise(np.searchsorted(sampled, bounds).tolist())
    values = [(*ends_of_part, sampled[slice(*cut)]) for ends_of_part, cut in zip(ends, cuts, strict=True)]
    try:
        parts, findings = _score(context.cluster, values, reading, report, tick)
    except RowRefused as refusal:
        raise naming_the_row_or_target(context.objects, refusal, stored) from refusal
    is_missed = np.logical_or.reduce([each.is_missed for each in findings])
    never = frozenset(name for name, missed in zip(reading.names, is_missed.tolist(), strict=True) if not missed)
    return PartitionedRows(parts, n_rows, _evaluation_rows(findings, len(reading.classes)), never)


def _reading_of(context: JobContext, model: OpenModel, stored: StoredDataset) -> _Reading:
    source = RowsSource(stored.content, match_features(model.view, stored.view))
    access: Access
    if context.cluster is None:
        answering = DecidedAnswers(model.session) if model.by_outcome else model.session
        access = AccessHere(context.objects, stored.content, answering)
    else:
        access = AccessOnNode(stored.content, source_of(context, model), dict(identity()), model.by_outcome)
    view, classes = stored.view, tuple(model.view.classes)
    target = None if model.by_outcome else view.target  # the truth is of classes or values, and no outcome
    if target is not None:
        check_target_type(view, classes)
    return _Reading(access, source, model.description.feature_names, classes, target, may_lack_targets(view))


def _bounds(context: JobContext, model: OpenModel, n_rows: int) -> Integers:
    if context.cluster is None:
        return bounds_of_partitions(n_rows, BLOCK_ROWS)
    n_scores, n_features = max(1, len(model.view.classes)), model.view.n_features
    bytes_a_row = _BYTES_A_ROW + 16 * n_scores + _BYTES_A_VALUE * n_features
    length = context.cluster.rows_of_partition(n_rows, bytes_a_row)
    return np.append(np.arange(0, n_rows, length), n_rows).astype(np.int64)


def _score(
    cluster: "Cluster | None", values: Sequence[tuple[Any, ...]], reading: _Reading, report: ReportProgress, tick: Tick
) -> tuple[Partitions, list[_Learned]]:
    """Return the scored partitions and what was found in each; ``report`` is called after each of them."""
    stage, findings = "evaluating the model", []
    if cluster is None:
        parts, n_threads = [], min(n_cores(), _MOST_THREADS)
        for part, of_part in LocalPartitions(values, n_threads).map(_score_part, reading):
            parts.append((part,))
            findings.append(of_part)
            report(len(findings) / len(values), stage)
        return LocalPartitions(parts, n_threads, tick), findings
    scored = cluster.spread(values).keep(_score_part, reading)
    stage = f"{stage} on the cluster ({cluster.n_threads} threads, {len(scored)} partitions)"
    for of_part in scored.map(_learned):
        findings.append(of_part)
        report(len(findings) / len(scored), stage)
    return scored.keep(_part), findings


def _part(scored: tuple[ScoredPart, _Learned]) -> ScoredPart:
    return scored[0]


def _learned(scored: tuple[ScoredPart, _Learned]) -> _Learned:
    return scored[1]


def _score_part(start: int, stop: int, sampled: Integers, reading: _Reading) -> tuple[ScoredPart, _Learned]:
    """Read some rows and their targets, and predict them."""
    session = reading.access.answering()
    columns = [*reading.source.columns, *([] if reading.target is None else [reading.target])]
    blocks, samples, is_missed = [], [], np.zeros(len(reading.names), np.bool_)
    for span, values in reading.blocks(start, stop, columns):
        rows = Rows(reading.names, tuple(values[: len(reading.names)]))
        is_missed |= [column.dtype == object or bool(np.isnan(column).any()) for column in rows.columns]
        blocks.append(_predicted(session, rows, None if reading.target is None else values[-1], reading, span.start))
        indices = sampled[slice(*np.searchsorted(sampled, (span.start, span.stop)))] - span.start
        samples.append(_some(blocks[-1], rows.take(indices), indices))
    whole = _joined(blocks)
    part = ScoredPart(reading, start, whole.scores, whole.predicted, whole.truth)
    return part, _Learned(_joined(samples), is_missed)


def _predicted(
    session: Answering, rows: Rows, labels: NDArray[Any] | None, reading: _Reading, first: int
) -> PredictedRows:
    """Return a block's predictions and targets, without its values."""
    truth, may_lack = None, reading.may_lack
    try:
        answers = session.predict(rows)
        if labels is not None:
            assert reading.target is not None  # for the type checker: it is what was read
            truth = known_targets_of_labels(labels, reading.target, reading.classes, may_lack=may_lack)
    except RowRefused as refusal:
        raise refusal.after(first) from refusal
    scores = oracle_scores(answers, session.description)
    predicted = answers.scores[:, 0].astype(np.float64) if answers.labels is None else answers.labels
    return PredictedRows(Rows((), ()), scores, predicted, truth)


def _some(block: PredictedRows, rows: Rows, indices: Integers) -> PredictedRows:
    truth = None if block.truth is None else block.truth[indices]
    return PredictedRows(rows, block.scores[indices], block.predicted[indices], truth)


def _joined(parts: Sequence[PredictedRows]) -> PredictedRows:
    columns = zip(*(part.rows.columns for part in parts), strict=True)
    truths = [part.truth for part in parts if part.truth is not None]
    return PredictedRows(
        Rows(parts[0].rows.names, tuple(map(np.concatenate, columns))),
        np.concatenate([part.scores for part in parts]),
        np.concatenate([part.predicted for part in parts]),
        np.concatenate(truths) if truths else None,
    )


def _evaluation_rows(findings: Sequence[_Learned], n_classes: int) -> EvaluationRows:
    sample = _joined([each.sample for each in findings])
    answers = ModelPredictions(sample.scores, _targets(sample.predicted, n_classes))
    if sample.truth is None:
        return EvaluationRows(sample.rows, answers, None)
    known = np.flatnonzero(sample.truth >= 0 if n_classes else ~np.isnan(sample.truth))
    if not len(known):
        return EvaluationRows(sample.rows, answers, None)
    labelled = None if len(known) == len(sample.truth) else known
    return EvaluationRows(sample.rows, answers, _targets(sample.truth[known], n_classes), labelled)


def _targets(values: NDArray[Any], n_classes: int) -> Targets:
    return Targets.of_classes(values, n_classes) if n_classes else Targets.of_values(values)


def sampled_rows(
    objects: ObjectStore, content: str, columns: Sequence[str], n_sampled: int, rng: np.random.Generator
) -> list[NDArray[Any]]:
    """Return some columns of a seeded sample of a dataset's rows, in their order; of all rows, if there are no more."""
    with open_rows(objects, content) as file:
        if file.n_rows <= n_sampled:
            return list(file.read_columns(columns))
        sampled = np.sort(rng.choice(file.n_rows, n_sampled, replace=False, shuffle=False))
        return columns_of_rows(file, columns, sampled)


def columns_of_rows(file: DatasetFile, columns: Sequence[str], rows: NDArray[np.int64]) -> list[NDArray[Any]]:
    """Return some columns of some rows, ascending; the file is read block by block, and no more is held at once."""
    starts = range(0, file.n_rows, BLOCK_ROWS)
    cuts = pairwise(np.searchsorted(rows, [*starts, file.n_rows]).tolist())
    parts = [
        [values[rows[slice(*cut)] - start] for values in block]
        for start, block, cut in zip(starts, file.blocks(columns), cuts, strict=True)
    ]
    return [np.concatenate(column) for column in zip(*parts, strict=True)]
