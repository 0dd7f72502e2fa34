"""RowBatch: rows that the model takes, with what is known of each before it is explained."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tree_explainers.onnx_models.label_index import near_ties
from tree_explainers.onnx_models.session import Outcome
from tree_explainers.prototype_sets.nearest import contiguous_leaves
from tree_explainers.rows import Rows

from . import documents
from .cell_texts import MANY_ROWS, CellTexts, LateTexts, SentRows, cell_texts
from .decisions import decisions_of
from .instances import ReadInstances
from .warm_explainer import WarmExplainer


class RowBatch(NamedTuple):
    """The rows of a call, (n_rows,), that the model takes."""

    outcome: Outcome
    rows: Rows | NDArray[np.float64]  # as the model takes them; a matrix where all features are numbers
    sent: SentRows
    cells: Sequence[CellTexts]
    scores: list[list[float]]  # of classes, or the value alone, in as few digits as their precision takes
    labels: Sequence[int | None]  # indices of the predicted classes; None for a regression
    compared: Sequence[int | None]  # class or outcome, which prototypes of others contrast with; None: neither
    decided: Sequence[dict[str, Any]] | None  # None of a plain regression
    leaves: NDArray[np.int32]  # (n_rows, n_trees) by which rows are compared with prototypes
    proximities: NDArray[np.int64]  # (n_rows, n_prototypes)
    usual: list[bool]  # nothing is missing, and all is within the ranges of the reference rows
    are_near: NDArray[np.bool_]  # two scores are so near that rounding may have decided
    targets: list[str | float | None]  # the class or value in the target column, where that is known
    references: list[int | None]  # index among the reference rows of those that are some

    @property
    def are_many(self) -> bool:
        """Whether they are written together."""
        return len(self.sent.values) >= MANY_ROWS

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """The rows as numbers, (n_rows, n_features), where all features are."""
        return None if isinstance(self.rows, Rows) else self.rows


def row_batch(warm: WarmExplainer, read: ReadInstances, outcome: Outcome, indices: Sequence[int]) -> RowBatch:
    """Return the rows at some indices of those that were read; the outcome is that of the model for them."""
    rows, leaves = _accepted_rows(read, indices), contiguous_leaves(warm.leaves(outcome))
    values = _accepted_values(read, indices)
    are_many = len(values) >= MANY_ROWS
    scores, classes = documents.decimals(outcome.scores), warm.compared_classes(outcome)
    return RowBatch(
        outcome=outcome,
        rows=rows,
        sent=SentRows.of(values, None if isinstance(rows, Rows) or not are_many else rows),
        cells=list(map(LateTexts if are_many else cell_texts, values)),
        scores=scores,
        labels=[None] * len(indices) if outcome.labels is None else outcome.labels.tolist(),
        compared=[None] * len(indices) if classes is None else classes.tolist(),
        decided=decisions_of(warm.session.description, outcome, scores),
        leaves=leaves,
        proximities=warm.index.proximities(leaves),
        usual=are_usual(warm, rows),
        are_near=near_ties(outcome.scores, warm.session.description),
        targets=list(map(read.targets.get, indices)),
        references=list(map(read.references.get, indices)),
    )


def _accepted_rows(read: ReadInstances, indices: Sequence[int]) -> Rows | NDArray[np.float64]:
    """Return the rows that the model takes, by their indices among the instances."""
    if len(indices) == len(read.indices):
        return read.rows
    position = {index: at for at, index in enumerate(read.indices)}
    taken = np.array([position[index] for index in indices], np.int64)
    return read.rows.take(taken) if isinstance(read.rows, Rows) else read.rows[taken]


def _accepted_values(read: ReadInstances, indices: Sequence[int]) -> list[list[Any]]:
    if len(indices) == len(read.indices):
        return read.values
    values = dict(zip(read.indices, read.values, strict=True))
    return [values[index] for index in indices]


def are_usual(warm: WarmExplainer, rows: Rows | NDArray[np.float64]) -> list[bool]:
    """Return of which rows it is known by now that nothing is missing or out of range."""
    if isinstance(rows, Rows):
        return [False] * len(rows)
    return warm.wording.warnings.are_usual(rows)
