"""The rows that rules are found and evaluated on: in one part of this process, or with the workers of a cluster.

Of each row the parts hold its bins, what the model predicts, and its target. Raw values are read again where they are
needed, in those columns alone. On a cluster, nothing that grows with the rows comes to the job's process.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from storage.dataset_rows import open_rows
from storage.datasets import StoredDataset
from storage.object_store import ObjectStore
from tree_explainers.compute.partitions import BLOCK_ROWS, check_cancelled
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.errors import RowRefused
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.statements import Statements
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.row_parts import RowParts, RowsPart

from ..cluster.identity import identity
from ..runtime.context import JobContext
from .cluster_inputs import ModelSource, RowsSource, check_node, node_objects, open_on_node
from .inputs import OpenModel, ScoredDataset, naming_the_row_or_target, source_of
from .row_targets import check_target_type, may_lack_targets, predicted_targets, targets_of_labels, true_targets

if TYPE_CHECKING:
    from ..cluster.connection import Cluster

Labels = Literal["predicted", "target"]

_BYTES_A_VALUE = 40  # of a row that is being read, as texts may be
_BYTES_A_TARGET = 24  # what is predicted, what is true, and what rules are to predict
FITS_AT_ONCE = 2
"""Fits of regions on a cluster: while one is added up, the workers have the other's sums to make."""


@dataclass(frozen=True, slots=True)
class FileRows:
    """Raw values of rows that follow each other in a dataset, read from its file."""

    objects: Callable[[], ObjectStore]
    content: str
    columns: Mapping[str, str]  # by feature: the dataset's column
    first_row: int

    def read(self, names: Sequence[str], rows: slice) -> Rows:
        """Return the columns of these features for some of the rows; those of one feature where none is named."""
        names = tuple(names) or tuple(self.columns)[:1]
        with open_rows(self.objects(), self.content, pages=True) as file:
            columns = [self.columns[name] for name in names]
            values = file.read_columns(columns, self.first_row + rows.start, self.first_row + rows.stop)
        return Rows(names, tuple(values))


# In this process.


def rows_here(
    context: JobContext, model: OpenModel, dataset: ScoredDataset, statements: Statements, labels: Labels
) -> RowParts:
    """Return all rows of a scored dataset in one part.

    Raises
    ------
    StorageError
        ``schema_mismatch`` for a target that does not fit the model.
    """
    predicted = predicted_targets(model, dataset)
    truth = None if model.by_outcome else true_targets(context.objects, model, dataset)  # the truth is of classes
    features = dict(zip(model.description.feature_names, dataset.columns, strict=True))
    raw = FileRows(lambda: context.objects, dataset.stored.content, features, 0)
    targets = predicted if labels == "predicted" or truth is None else truth
    binned = _read_bins(raw, statements, dataset.n_rows)
    return RowParts.of_parts([RowsPart(binned, targets, 0, BLOCK_ROWS, raw=raw, predicted=predicted, truth=truth)])


def _read_bins(raw: FileRows, statements: Statements, n_rows: int) -> BinnedRows:
    names = [feature.name for feature in statements.features]
    bins = _no_bins(statements, n_rows)
    for start in range(0, n_rows, BLOCK_ROWS):
        rows = slice(start, min(start + BLOCK_ROWS, n_rows))
        bins[:, rows] = _bins_of(statements, raw.read(names, rows), start)
    return BinnedRows(statements, bins)


def _no_bins(statements: Statements, n_rows: int) -> NDArray[np.unsignedinteger]:
    n_bins = max((feature.n_bins for feature in statements.features), default=1)
    return np.empty((len(statements.features), n_rows), np.min_scalar_type(n_bins - 1))


def _bins_of(statements: Statements, rows: Rows, first: int) -> NDArray[np.unsignedinteger]:
    try:
        return BinnedRows.of(statements, rows).bins
    except RowRefused as refusal:
        raise refusal.after(first) from refusal


# On a cluster.


@dataclass(frozen=True, slots=True)
class RuleRowsSource:
    """What a worker makes its part of the rows from."""

    model: ModelSource
    rows: RowsSource  # with the column of each of the model's features
    statements: Statements
    classes: tuple[str, ...]  # empty for values
    by_outcome: bool  # the classes are the outcomes that are decided
    target: str | None  # column of the true targets; None: there is none
    labels: Labels  # what rules are to predict
    block_rows: int


def are_on_cluster(context: JobContext, n_rows: int) -> bool:
    """Return whether rows lie with the workers: where there are any, and more than a block of rows."""
    return context.cluster is not None and n_rows > BLOCK_ROWS


def rows_on_cluster(  # what is applied to which rows
    cluster: "Cluster",
    context: JobContext,
    stored: StoredDataset,
    source: RuleRowsSource,
    most_regions: int,
    report: ReportProgress,
) -> RowParts:
    """Have workers read, score and bin all rows, which stay there; ``report`` is called after each partition.

    Parameters
    ----------
    cluster, context
        Where the rows will lie, and the job.
    stored
        The dataset.
    source
        What rows are made from.
    most_regions
        Regions of a fit, for each of which workers keep a number for each row.
    report
        Progress.

    Raises
    ------
    RowRefused
        Naming the first row that the model does not take.
    StorageError
        ``schema_mismatch`` for a target that does not fit the model.
    """
    n_rows = stored.view.n_rows
    bin_bytes = len(source.statements.features) * _no_bins(source.statements, 0).itemsize
    of_fits = 8 * most_regions * (2 * FITS_AT_ONCE + 1)
    bytes_a_row = bin_bytes + of_fits + _BYTES_A_TARGET + _BYTES_A_VALUE * len(source.rows.columns)
    length = -(-cluster.rows_of_partition(n_rows, bytes_a_row) // source.block_rows) * source.block_rows
    bounds = np.append(np.arange(0, n_rows, length), n_rows).astype(np.int64)
    spans = cluster.spread(list(pairwise(bounds.tolist())))
    stage = f"reading rows on the cluster ({cluster.n_threads} threads, {len(spans)} partitions)"
    try:
        parts = spans.keep(read_rule_rows, source, dict(identity()))
        for n_read, _ in enumerate(parts.map(_n_rows), start=1):
            report(n_read / len(parts), stage)
    except RowRefused as refusal:
        raise naming_the_row_or_target(context.objects, refusal, stored) from refusal
    return RowParts(source.statements, [parts], [bounds], len(source.classes))


def source_on_cluster(
    context: JobContext,
    model: OpenModel,
    stored: StoredDataset,
    columns: tuple[str, ...],
    statements: Statements,
    labels: Labels,
) -> RuleRowsSource:
    """Return what workers make rows from; refuse a target whose type does not fit the model."""
    view = stored.view
    target = None if model.by_outcome or may_lack_targets(view) else view.target  # the truth is of classes
    rows, classes = RowsSource(stored.content, columns), tuple(model.view.classes)
    if target is not None:
        check_target_type(view, classes)
    opened = source_of(context, model)
    return RuleRowsSource(opened, rows, statements, classes, model.by_outcome, target, labels, BLOCK_ROWS)


def read_rule_rows(start: int, stop: int, source: RuleRowsSource, expected: Mapping[str, str]) -> RowsPart:
    """Read some rows, score them and put them into bins, on a worker."""
    check_node(expected)
    features = dict(zip(open_on_node(source.model)[0].description.feature_names, source.rows.columns, strict=True))
    raw = FileRows(node_objects, source.rows.content, features, start)
    bins = _no_bins(source.statements, stop - start)
    predicted, truth = [], []
    for rows in _slices(stop - start, source.block_rows):
        try:
            block = raw.read(tuple(features), rows)
            predicted.append(_predict(source, block))
            bins[:, rows] = _bins_of(source.statements, block, 0)
            truth += [] if source.target is None else [_read_truth(source, start + rows.start, start + rows.stop)]
        except RowRefused as refusal:
            raise refusal.after(start + rows.start) from refusal
    by_model, of_target = _joined(predicted), _joined(truth) if truth else None
    targets = by_model if source.labels == "predicted" or of_target is None else of_target
    binned = BinnedRows(source.statements, bins)
    return RowsPart(binned, targets, start, source.block_rows, raw=raw, predicted=by_model, truth=of_target)


def _slices(n_rows: int, length: int) -> Iterator[slice]:
    for start in range(0, n_rows, length):
        check_cancelled()
        yield slice(start, min(start + length, n_rows))


def _predict(source: RuleRowsSource, rows: Rows) -> Targets:
    session = open_on_node(source.model)[0]
    predictions = session.predict(rows)
    if source.by_outcome:
        outcomes = session.description.outcome_indices(predictions.scores, predictions.labels)
        assert outcomes is not None  # of a model that decides
        return Targets.of_classes(outcomes, len(source.classes))
    if predictions.labels is None:
        return Targets.of_values(predictions.scores[:, 0].astype(np.float64))
    return Targets.of_classes(predictions.labels, len(source.classes))


def _read_truth(source: RuleRowsSource, start: int, stop: int) -> Targets:
    assert source.target is not None  # for the type checker: the caller has looked
    with open_rows(node_objects(), source.rows.content, pages=True) as file:
        (values,) = file.read_columns([source.target], start, stop)
    return targets_of_labels(values, source.target, source.classes)


def _joined(targets: Sequence[Targets]) -> Targets:
    values = np.concatenate([each.classes_or_values for each in targets])
    return Targets.of_classes(values, targets[0].n_classes) if targets[0].n_classes else Targets.of_values(values)


def _n_rows(part: RowsPart) -> int:
    return part.n_rows
