"""How well the nearest prototype predicts, for each number of prototypes, beside the model and the nearest row."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.prototype_sets import Baseline, BaselineScore, Evaluation, PrototypeSetRequest
from tree_explainers.prototypes.classifier import (
    Scores,
    classes_of,
    nearest_by_size,
    nearest_training_rows,
    score_classes,
    score_values,
    values_of,
)

from ...context import JobContext
from ...inputs import SeenDataset, see_dataset, true_classes, true_values
from ...progress import part_of
from .choosing import ChosenPrototypes, Material

_MAX_COMPARISONS = 2e11  # rows x rows x trees for the nearest-row baseline: some 20 s


@dataclass(frozen=True, slots=True)
class Judged:
    """The rows that predictions are judged on, with what is to be compared."""

    seen: SeenDataset
    is_training: bool  # they are the rows that prototypes were chosen from
    truth: NDArray[Any] | None  # (n_rows,) classes or values
    predicted: NDArray[Any]  # (n_rows,) what the model says

    def score(self, given: NDArray[Any], rows: NDArray[np.int64] | slice = slice(None)) -> Scores:
        """Judge what was given to these rows."""
        truth = None if self.truth is None else self.truth[rows]
        if self.predicted.dtype.kind == "f":
            return score_values(given, self.predicted[rows] if truth is None else truth)
        return score_classes(given, truth, self.predicted[rows])


def rows_to_judge(context: JobContext, request: PrototypeSetRequest, material: Material) -> Judged:
    """Return the rows that predictions are judged on; refuse a target that does not fit the model."""
    seen, model = material.seen, material.model
    is_training = request.evaluation_dataset in {None, request.dataset}
    if request.evaluation_dataset is not None and not is_training:
        report = part_of(context.report, 0.25, 0.3)
        seen = see_dataset(context, model, request.evaluation_dataset, report)
    if seen.labels is None:
        values = seen.scores[:, 0].astype(np.float64)
        return Judged(seen, is_training, true_values(context.objects, seen), values)
    return Judged(seen, is_training, true_classes(context.objects, model, seen), seen.labels)


def evaluate(context: JobContext, chosen: ChosenPrototypes, judged: Judged) -> dict[str, Any]:
    """Return the fields of ``PrototypeSetContent`` that tell how well the prototypes predict."""
    context.report(0.85, "evaluating")
    return {
        "evaluation": list(_evaluations(chosen, judged)),
        "evaluated_on": "dataset" if judged.is_training else "evaluation_dataset",
        "measured_against": "model" if judged.truth is None else "target",
        "baseline": _baseline(context, chosen, judged),
    }


def _given(chosen: ChosenPrototypes, nearest: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[Any]:
    """Return what each row gets from its nearest among the dataset's ``rows``."""
    if chosen.seen.labels is None:
        return values_of(nearest, chosen.seen.scores[rows, 0].astype(np.float64))
    return classes_of(nearest, chosen.classes[rows])


def _evaluations(chosen: ChosenPrototypes, judged: Judged) -> Iterator[Evaluation]:
    rows = chosen.selection.rows
    for position, nearest in enumerate(nearest_by_size(judged.seen.table, chosen.weights, chosen.leaves)):
        if chosen.selection.nested or position == len(rows) - 1:
            scores = judged.score(_given(chosen, nearest, rows))
            yield Evaluation(n_prototypes=position + 1, **asdict(scores))


def _baseline(context: JobContext, chosen: ChosenPrototypes, judged: Judged) -> Baseline:
    n_rows = judged.seen.n_rows
    model = None if judged.truth is None else BaselineScore(n_rows=n_rows, **asdict(judged.score(judged.predicted)))
    sample = _sample(context.rng, n_rows, chosen.seen.n_rows * len(chosen.weights))
    nearest = nearest_training_rows(
        chosen.seen.table,
        chosen.weights,
        judged.seen.leaves_of(sample),
        sample if judged.is_training else None,
        part_of(context.report, 0.85, 1),
    )
    scores = judged.score(_given(chosen, nearest, np.arange(chosen.seen.n_rows)), sample)
    return Baseline(model=model, one_nearest_neighbor=BaselineScore(n_rows=len(sample), **asdict(scores)))


def _sample(rng: np.random.Generator, n_rows: int, n_comparisons_each: int) -> NDArray[np.int64]:
    n_affordable = max(1, int(_MAX_COMPARISONS / n_comparisons_each))
    if n_affordable >= n_rows:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, n_affordable, replace=False))
