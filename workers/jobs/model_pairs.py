"""Two models and their predictions for the same rows: outcomes by the same names, values, and how far they differ."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schemas.comparisons import MAX_SAMPLED_ROWS, ComparisonRequest
from storage.models import ModelStore
from tree_explainers.compute.progress import ReportProgress, part_of

from ..runtime.context import JobContext
from .compared_rows import ComparedRows, draw_sample, load_rows
from .inputs import open_model


@dataclass(frozen=True, slots=True)
class ModelPair:
    """Both models' predictions for all rows."""

    sides: tuple[ComparedRows, ComparedRows]
    names: tuple[str, ...]  # of outcomes, of either model; empty where values are compared
    outcomes: tuple[NDArray[np.int64], NDArray[np.int64]] | None  # (n_rows,) indices into names
    differences: NDArray[np.float64] | None  # (n_rows,) not negative; None: scores are of different kinds

    @property
    def changes(self) -> NDArray[np.float64]:
        """How much each row changed, (n_rows,): 1 or 0 of outcomes, the absolute difference of values."""
        if self.outcomes is not None:
            return np.asarray(self.outcomes[0] != self.outcomes[1], np.float64)
        assert self.differences is not None  # of values
        return self.differences

    @property
    def values(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both models' values, (n_rows,) each."""
        first, second = (side.scored.scores[:, 0].astype(np.float64) for side in self.sides)
        return first, second


def load_pair(context: JobContext, request: ComparisonRequest, report: ReportProgress) -> ModelPair:
    """Apply both models to the dataset."""
    assert request.other_model is not None  # which is looked at before
    models = ModelStore(context.database)
    sample = draw_sample(context, request.dataset, MAX_SAMPLED_ROWS)
    sides = []
    for model_id, start, end in zip((request.model, request.other_model), (0.0, 0.5), (0.5, 1.0), strict=True):
        model = open_model(models, context.objects, model_id)
        sides.append(load_rows(context, model, request.dataset, sample, part_of(report, start, end)))
    return _pair_of(sides[0], sides[1])


def _pair_of(first: ComparedRows, second: ComparedRows) -> ModelPair:
    sides = first, second
    decide = all(side.description.decision is not None for side in sides)
    if not decide and not first.description.classes:
        return ModelPair(sides, (), None, _gaps_of_values(sides))
    named = [side.classes_or_outcomes(by_outcome=decide) for side in sides]
    names = tuple(dict.fromkeys((*named[0][0], *named[1][0])))
    outcomes = [np.array([names.index(name) for name in own], np.int64)[indices] for own, indices in named]
    return ModelPair(sides, names, (outcomes[0], outcomes[1]), _gaps_of_scores(sides))


def _gaps_of_values(sides: tuple[ComparedRows, ComparedRows]) -> NDArray[np.float64]:
    first, second = (side.scored.scores[:, 0].astype(np.float64) for side in sides)
    return np.abs(first - second)


def _gaps_of_scores(sides: tuple[ComparedRows, ComparedRows]) -> NDArray[np.float64] | None:
    """Return the largest difference of a class's score; a class that a model does not know has the score 0 there."""
    first, second = sides
    if first.description.score_kind != second.description.score_kind:
        return None
    if not first.description.classes:
        return _gaps_of_values(sides)
    gaps = np.zeros(first.scored.n_rows)
    for name in dict.fromkeys((*first.description.classes, *second.description.classes)):
        scores = [
            side.scored.scores[:, side.description.classes.index(name)].astype(np.float64)
            if name in side.description.classes
            else np.zeros(1)
            for side in sides
        ]
        gaps = np.maximum(gaps, np.abs(scores[0] - scores[1]))
    return gaps
