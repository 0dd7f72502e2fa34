"""The nearest-prototype predictor, and how well it does.

A row gets what its nearest prototype has (ties: the earlier prototype). A row that shares no leaf with any of them is
unassigned and gets nothing.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..errors import InvalidInput
from ..leaf_space.leaves import LeafTable
from ..leaf_space.nearest_by_masks import NearestWithin
from ..leaf_space.nearest_rows import nearest_rows
from ..leaf_space.partitioned_table import PartitionedTable
from ..leaf_space.proximity import each_column
from ..prediction_scores import balanced_share, constant_class, constant_value

UNASSIGNED = -1


@dataclass(frozen=True, slots=True)
class Scores:
    """How well rows are predicted; ``None`` where a measure has no meaning or nothing to compare with."""

    balanced_accuracy: float | None = None  # mean over the true classes of the share of their rows given that class
    accuracy: float | None = None  # share of rows given their true class
    fidelity: float | None = None  # share of rows given the class that the model predicts
    balanced_fidelity: float | None = None  # mean over the classes that the model predicts of that share of their rows
    r2: float | None = None
    mean_absolute_error: float | None = None  # in units of the target
    unassigned: float = 0.0  # share of rows given nothing, which count as wrong in the first four


def nearest_by_size(
    table: LeafTable, weights: NDArray[np.int64], prototype_leaves: NDArray[np.int32]
) -> Iterator[NDArray[np.int64]]:
    """Yield each row's nearest prototype among the first 1, 2, … prototypes.

    Parameters
    ----------
    table
        The rows to predict.
    weights : (n_trees,) int64
        What each tree counts.
    prototype_leaves : (n_prototypes, n_trees) int32
        Leaves of the prototypes in the order chosen, numbered as in the table.

    Yields
    ------
    (n_rows,) int64
        Position of the prototype, or ``UNASSIGNED``; a new array each time.
    """
    if isinstance(table, PartitionedTable):
        return _nearest_of(_nearer_in_partitions(table, weights, prototype_leaves), table.n_rows)
    return nearest_in_columns(each_column(table, weights, prototype_leaves), table.n_rows)


def nearest_in_columns(columns: Iterable[NDArray[Any]], n_rows: int) -> Iterator[NDArray[np.int64]]:
    """Yield the same from the proximities of one prototype after the other to all rows, (n_rows,) each."""
    return _nearest_of(_nearer_rows(columns, n_rows), n_rows)


def _nearest_of(nearer_rows: Iterable[NDArray[np.integer]], n_rows: int) -> Iterator[NDArray[np.int64]]:
    nearest = np.full(n_rows, UNASSIGNED, dtype=np.int64)
    for position, nearer in enumerate(nearer_rows):
        nearest = nearest.copy()
        nearest[nearer] = position
        yield nearest


def _nearer_rows(columns: Iterable[NDArray[Any]], n_rows: int) -> Iterator[NDArray[np.int64]]:
    """Yield which rows each prototype is nearer to than all before it: few of the later ones are."""
    largest = np.zeros(n_rows, dtype=np.uint32)
    for column in columns:
        nearer = np.flatnonzero(column > largest)  # an equally near prototype comes too late
        largest[nearer] = column[nearer]
        yield nearer


def _nearer_in_partitions(
    table: PartitionedTable, weights: NDArray[np.int64], prototype_leaves: NDArray[np.int32]
) -> Iterator[NDArray[np.int64]]:
    """Yield the same; of all partitions before the first prototype."""
    of_parts = list(table.map(_nearer_in_part, weights, prototype_leaves))
    for of_prototype in zip(*of_parts, strict=True):
        yield np.concatenate([first + rows for first, rows in zip(table.bounds[:-1], of_prototype, strict=True)])


def _nearer_in_part(
    table: LeafTable, weights: NDArray[np.int64], prototype_leaves: NDArray[np.int32]
) -> list[NDArray[np.int32]]:
    columns = each_column(table, weights, prototype_leaves)
    return [nearer.astype(np.int32) for nearer in _nearer_rows(columns, table.n_rows)]


def nearest_other_rows(
    table: LeafTable,
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
    report: ReportProgress = ignore_progress,
    within: NearestWithin | None = None,
) -> NDArray[np.int64]:
    """Return the nearest other row of a table for some of its rows: the one-nearest-neighbour baseline.

    Parameters
    ----------
    table, weights
        The rows to choose from, and what each tree counts.
    rows : (n_queries,) int64
        Rows of the table; none is its own neighbour.
    report
        Progress callback; may raise to stop.
    within
        What is known of the nearest rows in classes (``candidate_pairs.nearest_in_pairs``), which may save time where
        all rows are requested.

    Returns
    -------
    (n_queries,) int64
        Row of the table (ties: the lowest), or ``UNASSIGNED`` if no leaf is shared with any.
    """
    if table.n_rows == 1:
        return np.full(len(rows), UNASSIGNED, dtype=np.int64)
    search = nearest_rows(table, weights)
    if within is None or len(rows) < table.n_rows:
        return _assigned(*search.of_rows(rows, 1, report))
    nearest, proximities = search.of_all(within, report)
    return _assigned(nearest[rows], proximities[rows])


def nearest_training_rows(
    table: LeafTable,
    weights: NDArray[np.int64],
    leaves: NDArray[np.int32],
    report: ReportProgress = ignore_progress,
) -> NDArray[np.int64]:
    """Return the nearest row of a table for rows that are not in it, as ``nearest_other_rows`` does.

    ``leaves``, (n_queries, n_trees) int32, are theirs, numbered as in the table.
    """
    return _assigned(*nearest_rows(table, weights).of_leaves(leaves, 1, report))


def score_classes(
    assigned: NDArray[np.int64], truth: NDArray[np.int64] | None, predicted: NDArray[np.int64] | None
) -> Scores:
    """Score classes predicted for rows.

    Parameters
    ----------
    assigned : (n_rows,) int64
        Class given to each row, or ``UNASSIGNED``.
    truth : (n_rows,) int64, optional
        Class that each row has.
    predicted : (n_rows,) int64, optional
        Class that the model predicts.

    Returns
    -------
    Scores
        Balanced accuracy is the mean over the classes that rows truly have, as in scikit-learn; balanced fidelity
        likewise, over the classes that the model gives them.
    """
    _check_rows(assigned, truth, predicted)
    return Scores(
        balanced_accuracy=None if truth is None else balanced_share(assigned == truth, truth),
        accuracy=None if truth is None else float((assigned == truth).mean()),
        fidelity=None if predicted is None else float((assigned == predicted).mean()),
        balanced_fidelity=None if predicted is None else balanced_share(assigned == predicted, predicted),
        unassigned=float((assigned == UNASSIGNED).mean()),
    )


def score_values(values: NDArray[np.float64], truth: NDArray[np.float64]) -> Scores:
    """Score values predicted for rows.

    Parameters
    ----------
    values : (n_rows,) float64
        Value predicted for each row; NaN where it is unassigned.
    truth : (n_rows,) float64
        Value that each row has.

    Returns
    -------
    Scores
        R2 and mean absolute error over the assigned rows only, since no value is as wrong as a wrong class is; read
        them beside ``unassigned``. R2 is ``None`` where the true values do not vary, both if no row is assigned.
    """
    _check_rows(values, truth)
    assigned = ~np.isnan(values)
    unassigned = float((~assigned).mean())
    if not assigned.any():
        return Scores(unassigned=unassigned)
    errors = truth[assigned] - values[assigned]
    spread = float(((truth[assigned] - truth[assigned].mean()) ** 2).sum())
    return Scores(
        r2=1 - float((errors**2).sum()) / spread if spread > 0 else None,
        mean_absolute_error=float(np.abs(errors).mean()),
        unassigned=unassigned,
    )


def score_constant_class(truth: NDArray[np.int64] | None, predicted: NDArray[np.int64]) -> Scores:
    """Score constant classes: the shares of the class that most rows have, to compare with.

    Each measure is that of the constant that is best at it: accuracies are those of the class that most rows truly
    have, fidelities those of the class that the model predicts for most. Parameters are those of ``score_classes``.
    """
    to_model = score_classes(np.full(len(predicted), constant_class(predicted)), None, predicted)
    if truth is None:
        return to_model
    to_truth = score_classes(np.full(len(truth), constant_class(truth)), truth, None)
    return replace(to_truth, fidelity=to_model.fidelity, balanced_fidelity=to_model.balanced_fidelity)


def score_constant_value(truth: NDArray[np.float64]) -> Scores:
    """Score the mean of the true values as a constant, (n_rows,), as ``score_values`` does."""
    return score_values(np.full(len(truth), constant_value(truth)), truth)


def classes_of(nearest: NDArray[np.int64], classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the class of each row's nearest prototype, ``UNASSIGNED`` where there is none."""
    return np.where(nearest == UNASSIGNED, UNASSIGNED, classes[nearest])


def values_of(nearest: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the value of each row's nearest prototype, NaN where there is none."""
    return np.where(nearest == UNASSIGNED, np.nan, values[nearest])


def _assigned(neighbors: NDArray[np.int64], proximities: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(proximities[:, 0] > 0, neighbors[:, 0], UNASSIGNED)


def _check_rows(*columns_of_rows: NDArray[np.int64] | NDArray[np.float64] | None) -> None:
    lengths = {len(column) for column in columns_of_rows if column is not None}
    if len(lengths) > 1 or 0 in lengths:
        msg = f"predictions to be compared are of {sorted(lengths)} rows; they must be as many, and at least one"
        raise InvalidInput(msg)
