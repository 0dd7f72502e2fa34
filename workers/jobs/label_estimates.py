"""Label estimates: how many of a dataset's labels are wrong, by trees that are grown on its rows, or a sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.label_audits import EstimatedWrong
from storage.dataset_rows import open_rows
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.out_of_bag_votes import N_TREES, number_of_sampled_rows, out_of_bag_votes
from tree_explainers.wrong_labels import LEVEL, MIN_ROWS, estimate_wrong_labels, probabilities_by_rank

from ..runtime.context import JobContext
from .approximation_tree_rows import columns_of_rows
from .inputs import ScoredDataset


@dataclass(frozen=True, slots=True)
class LabelEstimate:
    """How many labels are wrong, and how probable that is at each rank of an audit."""

    wrong: EstimatedWrong
    by_rank: NDArray[np.float64]  # (n_rows,) from rank 1 on


def estimate_labels(
    context: JobContext,
    dataset: ScoredDataset,
    labels: NDArray[np.int64],
    rows: NDArray[np.int64],
    ranking: NDArray[np.int64],
    report: ReportProgress,
) -> LabelEstimate | None:
    """Return how many of the audited labels are wrong; ``None`` where rows are too few to say, or of one class.

    Parameters
    ----------
    context
        The job, whose generator draws the sample and the trees.
    dataset
        The audited rows.
    labels : (n_rows,)
        Their classes.
    rows : (n_rows,)
        Their indices in the dataset's file, ascending.
    ranking : (n_rows,)
        The same rows as the audit ranks them, numbered from 0.
    report
        Progress.
    """
    n_rows = len(labels)
    n_sampled = number_of_sampled_rows(n_rows, len(dataset.columns), int(labels.max()) + 1)
    sampled = np.sort(context.rng.choice(n_rows, n_sampled, replace=False, shuffle=False))
    if n_sampled < MIN_ROWS or len(np.unique(labels[sampled])) == 1:
        return None
    with open_rows(context.objects, dataset.stored.content) as file:
        features = _matrix(columns_of_rows(file, dataset.columns, rows[sampled]))
    seed = int(context.rng.integers(2**32))
    votes = out_of_bag_votes(features, labels[sampled], seed, report)
    wrong = estimate_wrong_labels(votes, labels[sampled], seed)
    ranks = np.empty(n_rows, np.int64)
    ranks[ranking] = np.arange(n_rows)
    number = wrong.share * n_rows
    return LabelEstimate(
        EstimatedWrong(
            number=round(number),
            low=floor(wrong.low * n_rows),
            high=ceil(wrong.high * n_rows),
            level=LEVEL,
            n_rows=n_sampled,
            n_trees=N_TREES,
        ),
        probabilities_by_rank(ranks[sampled], wrong.probabilities, n_rows, number),
    )


def _matrix(columns: Sequence[NDArray[Any]]) -> NDArray[np.float32]:
    """Return columns side by side, (n_rows, n_columns); categories are numbered by their names, NaN where missing."""
    with np.errstate(over="ignore"):  # infinite then, as what is infinite in the dataset
        return np.stack([_numbers(column).astype(np.float32) for column in columns], axis=1)


def _numbers(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype != object:
        return values
    numbers = {name: number for number, name in enumerate(sorted({value for value in values if value is not None}))}
    return np.array([np.nan if value is None else numbers[value] for value in values], np.float64)
