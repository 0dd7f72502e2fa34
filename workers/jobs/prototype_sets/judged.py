"""The rows that prototypes are judged on: the dataset's, or those of another."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from schemas.prototype_sets import PrototypeSetRequest
from tree_explainers.prototype_sets.classifier import (
    Scores,
    score_classes,
    score_constant_class,
    score_constant_value,
    score_values,
)

from ...runtime.context import JobContext
from ...runtime.progress import part_of
from ..inputs import SeenDataset, see_dataset, true_classes, true_values
from .choosing import Material
from .stages import READING_FOR_EVALUATION


@dataclass(frozen=True, slots=True)
class Judged:
    """The rows that predictions are judged on, with what is to be compared."""

    seen: SeenDataset
    is_training: bool  # they are the rows that prototypes were chosen from
    truth: NDArray[Any] | None  # (n_rows,) classes or values
    predicted: NDArray[Any]  # (n_rows,) what the model says
    labels: Literal["predicted", "target"] | None  # which of the two are the rows' classes; None for regression

    @property
    def classes(self) -> NDArray[np.int64]:
        """Class of each row, (n_rows,); all 0 for regression."""
        if self.labels is None:
            return np.zeros(self.seen.n_rows, dtype=np.int64)
        return self.truth if self.truth is not None and self.labels == "target" else self.predicted

    def score(self, given: NDArray[Any], rows: NDArray[np.int64] | slice = slice(None)) -> Scores:
        """Judge what was given to these rows."""
        truth = None if self.truth is None else self.truth[rows]
        if self.labels is None:
            return score_values(given, self.measured_against[rows])
        return score_classes(given, truth, self.predicted[rows])

    @property
    def measured_against(self) -> NDArray[Any]:
        """What predictions are to be, (n_rows,): the truth, or what the model says where that is not known."""
        return self.predicted if self.truth is None else self.truth

    def score_constant(self) -> Scores:
        """Judge what is always the same prediction."""
        if self.labels is None:
            return score_constant_value(self.measured_against)
        return score_constant_class(self.truth, self.predicted)


def rows_to_judge(context: JobContext, request: PrototypeSetRequest, material: Material) -> Judged:
    """Return the rows that predictions are judged on; refuse a target that does not fit the model."""
    seen, model = material.seen, material.model
    is_training = request.evaluation_dataset in {None, request.dataset}
    if request.evaluation_dataset is not None and not is_training:
        report = part_of(context.report, *READING_FOR_EVALUATION)
        seen = see_dataset(context, model, request.evaluation_dataset, report)
    if seen.labels is None:
        values = seen.scores[:, 0].astype(np.float64)
        return Judged(seen, is_training, true_values(context.objects, seen), values, None)
    truth = true_classes(context.objects, model, seen)
    return Judged(seen, is_training, truth, seen.labels, "predicted" if truth is None else request.labels)
