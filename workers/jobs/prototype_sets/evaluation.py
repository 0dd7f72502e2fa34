"""How well the nearest prototype predicts, for each number of prototypes, beside the model and the nearest row."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.prototype_sets import Baseline, BaselineScore, ConstantScore, Evaluation
from tree_explainers.prototype_sets.classifier import (
    classes_of,
    nearest_by_size,
    nearest_other_rows,
    nearest_training_rows,
    values_of,
)
from tree_explainers.scoring import constant_class, constant_value

from ...runtime.cautions import caution_of_figures
from ...runtime.context import JobContext
from ...runtime.progress import part_of
from .choosing import ChosenPrototypes
from .judged import Judged
from .stages import COMPARING, EVALUATING

_NAMED_CLASSES = 30  # in a caution; `classes_without_prototypes` has them all
_MAX_COMPARISONS = 2e11  # rows x rows x trees for the nearest-row baseline: some 10 s


def evaluate(context: JobContext, chosen: ChosenPrototypes, judged: Judged) -> dict[str, Any]:
    """Return the fields of ``PrototypeSetResult`` that tell how well the prototypes predict."""
    evaluation, baseline = list(_evaluations(context, chosen, judged)), _baseline(context, chosen, judged)
    left_out = _classes_without_prototypes(chosen)
    return {
        "evaluation": evaluation,
        "evaluated_on": "dataset" if judged.is_training else "evaluation_dataset",
        "measured_against": "model" if judged.truth is None else "target",
        "baseline": baseline,
        "classes_without_prototypes": left_out,
        "caution": _caution(judged, baseline.model, left_out),
    }


def _classes_without_prototypes(chosen: ChosenPrototypes) -> list[str]:
    """Return the classes that rows of the dataset have and no prototype has, in their order."""
    names = chosen.model.view.classes
    return [names[each] for each in np.setdiff1d(chosen.classes, chosen.selection.classes).tolist()] if names else []


def _caution(judged: Judged, model: BaselineScore | None, left_out: list[str]) -> str | None:
    """Return what is to be known before the figures are believed."""
    parts = []
    if judged.is_training and model is not None:
        parts.append(caution_of_figures(accuracy=model.accuracy, r2=model.r2))
    if left_out:
        parts.append(_of_classes(left_out))
    return "; ".join(part for part in parts if part) or None


def _of_classes(left_out: list[str]) -> str:
    named = ", ".join(map(repr, left_out[:_NAMED_CLASSES])) + (", …" if len(left_out) > _NAMED_CLASSES else "")
    classes = "1 class has" if len(left_out) == 1 else f"{len(left_out)} classes have"
    return (
        f"{classes} no prototype ({named}): the nearest prototype never gives their rows their own class; ask for more "
        "prototypes, or for sm_u, which chooses as many of each class"
    )


def _given(chosen: ChosenPrototypes, nearest: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[Any]:
    """Return what each row gets from its nearest among the dataset's ``rows``."""
    if chosen.seen.labels is None:
        return values_of(nearest, chosen.seen.scores[rows, 0].astype(np.float64))
    return classes_of(nearest, chosen.classes[rows])


def _evaluations(context: JobContext, chosen: ChosenPrototypes, judged: Judged) -> Iterator[Evaluation]:
    rows, report = chosen.selection.rows, part_of(context.report, *EVALUATING)
    for position, nearest in enumerate(nearest_by_size(judged.seen.table, chosen.weights, chosen.leaves)):
        report(position / len(rows), "evaluating")
        if chosen.selection.nested or position == len(rows) - 1:
            scores = judged.score(_given(chosen, nearest, rows))
            yield Evaluation(n_prototypes=position + 1, **asdict(scores))


def _baseline(context: JobContext, chosen: ChosenPrototypes, judged: Judged) -> Baseline:
    n_rows = judged.seen.n_rows
    model = None if judged.truth is None else BaselineScore(n_rows=n_rows, **asdict(judged.score(judged.predicted)))
    sample = _sample(context.rng, n_rows, chosen.seen.n_rows * len(chosen.weights))
    nearest = _nearest_of_all(context, chosen, judged, sample)
    scores = judged.score(_given(chosen, nearest, np.arange(chosen.seen.n_rows)), sample)
    return Baseline(
        model=model,
        one_nearest_neighbor=BaselineScore(n_rows=len(sample), **asdict(scores)),
        constant=_constant(judged, chosen.model.view.classes),
    )


def _constant(judged: Judged, classes: list[str]) -> ConstantScore:
    """Return what always the same prediction scores."""
    n_rows, scores = judged.seen.n_rows, asdict(judged.score_constant())
    given = [_most_or_mean(of, classes) for of in (judged.measured_against, judged.predicted)]
    return ConstantScore(n_rows=n_rows, prediction=given[0], model_prediction=given[1], **scores)


def _most_or_mean(values: NDArray[Any], classes: list[str]) -> str | float:
    return classes[constant_class(values)] if classes else constant_value(values)


def _nearest_of_all(
    context: JobContext, chosen: ChosenPrototypes, judged: Judged, sample: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the nearest of the dataset's rows for some that are judged."""
    table, report = chosen.seen.table, part_of(context.report, *COMPARING)
    if judged.is_training:
        return nearest_other_rows(table, chosen.weights, sample, report)
    return nearest_training_rows(table, chosen.weights, judged.seen.leaves_of(sample), report)


def _sample(rng: np.random.Generator, n_rows: int, n_comparisons_each: int) -> NDArray[np.int64]:
    n_affordable = max(1, int(_MAX_COMPARISONS / n_comparisons_each))
    if n_affordable >= n_rows:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, n_affordable, replace=False))
