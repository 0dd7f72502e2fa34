"""The rows that a model is evaluated on: those of a dataset that have a label or value, with what is predicted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schemas.evaluations import EvaluationRequest
from storage.dataset_rows import open_rows
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.models import ModelStore
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.errors import RowRefused
from tree_explainers.prediction_scores import Targets

from ..runtime.context import JobContext
from .inputs import OpenModel, apply_model, naming_the_row_or_target, open_model
from .row_targets import NO_CLASS, known_targets_of_labels


@dataclass(frozen=True, slots=True)
class EvaluatedRows:
    """Rows with a label or value, (n_rows,) of each array, and what the model predicts for them."""

    model: OpenModel
    stored: StoredDataset
    columns: tuple[str, ...]  # (n_features,) the dataset's column for each feature
    rows: NDArray[np.int64]  # (n_rows,) 0-based indices in the dataset, ascending
    truth: Targets
    scores: NDArray[np.floating]  # (n_rows, n_classes), or (n_rows, 1): the value of a regression
    labels: NDArray[np.int64] | None  # (n_rows,) predicted classes; None of a regression
    outcomes: NDArray[np.int64] | None  # (n_rows,) what is decided; None without a decision

    @property
    def n_rows(self) -> int:
        """Number of evaluated rows."""
        return len(self.rows)

    @property
    def classes(self) -> tuple[str, ...]:
        """The model's classes; empty of a regression."""
        return self.model.description.classes

    @property
    def values(self) -> NDArray[np.float64]:
        """The predicted values of a regression, (n_rows,)."""
        return self.scores[:, 0].astype(np.float64)

    @property
    def residuals(self) -> NDArray[np.float64]:
        """Target less prediction, of a regression, (n_rows,)."""
        assert self.truth.values is not None  # of a regression
        return self.truth.values - self.values

    @property
    def errors(self) -> NDArray[np.float64]:
        """How wrong each prediction is, (n_rows,): 1 or 0 of classes, the absolute residual of values."""
        if self.labels is None:
            return np.abs(self.residuals)
        return np.asarray(self.labels != self.truth.classes, np.float64)


def load_evaluated_rows(context: JobContext, request: EvaluationRequest, report: ReportProgress) -> EvaluatedRows:
    """Apply the model to the dataset, and keep the rows that have a label or value.

    Raises
    ------
    StorageError
        ``schema_mismatch`` where no row has a label, or one has a label that the model does not know.
    """
    model = open_model(ModelStore(context.database), context.objects, request.model)
    scored = apply_model(context, model, request.dataset, report)
    targets = _read_targets(context, model, scored.stored)
    is_known = targets != NO_CLASS if model.description.classes else ~np.isnan(targets)
    rows = np.flatnonzero(is_known)
    if not len(rows):
        view = scored.stored.view
        detail = f"no row of dataset {view.id!r} has a {view.target!r}; name a dataset whose rows have labels"
        raise StorageError("schema_mismatch", detail)
    n_classes = len(model.description.classes)
    known = targets[rows]
    truth = (
        Targets.of_classes(known.astype(np.int64), n_classes)
        if n_classes
        else Targets.of_values(known.astype(np.float64))
    )
    scores = scored.scores[rows]
    labels = None if scored.labels is None else scored.labels[rows]
    outcomes = model.description.outcome_indices(scores, labels) if model.description.decision else None
    return EvaluatedRows(model, scored.stored, scored.columns, rows, truth, scores, labels, outcomes)


def _read_targets(
    context: JobContext, model: OpenModel, stored: StoredDataset
) -> NDArray[np.int64] | NDArray[np.float64]:
    """Return the class or value of each row, (n_rows,); ``NO_CLASS`` or NaN where it is missing."""
    target = stored.view.target
    assert target is not None  # which is looked at before
    with open_rows(context.objects, stored.content) as file:
        values = file.read_columns([target])[0]
    try:
        return known_targets_of_labels(values, target, model.description.classes, may_lack=True)
    except RowRefused as refusal:
        raise naming_the_row_or_target(context.objects, refusal, stored) from refusal
