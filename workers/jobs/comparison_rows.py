"""What is compared of two models or two datasets: predictions of all rows; of a sample leaves, values and effects.

Two models' predictions for the same rows are a pair: outcomes by the same names, or values, and how far they differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.cautions import Caution
from schemas.comparisons import MAX_SAMPLED_ROWS, ComparisonRequest
from storage.dataset_rows import open_rows
from storage.datasets import DatasetStore
from storage.models import ModelStore
from tree_explainers.comparisons.feature_effects import FeatureEffects, feature_effects
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind, tree_weights
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.prediction_scores import r2_of
from tree_explainers.rows import Rows

from ..runtime.context import JobContext
from .cautions import Consequence, caution_of_memory
from .inputs import OpenModel, ScoredDataset, apply_model, open_model
from .row_targets import fitting_targets

N_EXPLAINED, N_REFERENCES = 500, 50
"""Rows whose effects are compared, and rows against which effects are."""

_TEXT_BYTES = 256 << 20  # of the sampled rows


@dataclass(frozen=True, slots=True)
class ComparedRows:
    """A model's predictions for all rows of a dataset, and its leaves for some."""

    model: OpenModel
    scored: ScoredDataset  # of all rows, without their leaves
    table: LeafTable  # of the sampled rows alone, in their order
    weights: NDArray[np.int64]  # (n_trees,) by all rows
    sample: NDArray[np.int64]  # (n_sampled,) rows of the dataset, in an order that says nothing

    @property
    def description(self) -> ModelDescription:
        """What is known of the model."""
        return self.model.description

    @property
    def columns(self) -> dict[str, str]:
        """The dataset's column of each feature of the model."""
        return dict(zip(self.description.feature_names, self.scored.columns, strict=True))

    def classes_or_outcomes(self, *, by_outcome: bool) -> tuple[tuple[str, ...], NDArray[np.int64]]:
        """Return the names of classes, or of what is decided, and which of them each row has, (n_rows,)."""
        scored, description = self.scored, self.description
        labels = description.outcome_indices(scored.scores, scored.labels) if by_outcome else scored.labels
        assert labels is not None  # of a model that has them
        return tuple(description.outcomes if by_outcome else description.classes), labels


def load_rows(
    context: JobContext, model: OpenModel, dataset_id: str, sample: NDArray[np.int64], report: ReportProgress
) -> ComparedRows:
    """Apply a model to a dataset; the leaves of other rows than the sampled ones are let go of."""
    scored = apply_model(context, model, dataset_id, report)
    kind: ProximityKind = "boosting" if model.view.ensemble == "boosting" else "random_forest"
    weights = tree_weights(kind, scored.table, model.ensemble.leaf_values)
    table = scored.take(sample).table
    bare = ScoredDataset(
        scored.stored, scored.columns, scored.scores, scored.labels, LeafTable.without_trees(scored.n_rows)
    )
    return ComparedRows(model, bare, table, weights, sample)


def draw_sample(context: JobContext, dataset_id: str, most: int) -> NDArray[np.int64]:
    """Return rows of a dataset in an order that says nothing: all, or as many as ``most``."""
    n_rows = DatasetStore(context.database).get(dataset_id).view.n_rows
    return context.rng.permutation(n_rows)[:most]


def read_columns(context: JobContext, rows: ComparedRows, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return columns of the sampled rows, by name."""
    with open_rows(context.objects, rows.scored.stored.content) as file:
        return dict(zip(names, file.take_columns(names, rows.sample.tolist(), _TEXT_BYTES), strict=True))


def features_of(rows: ComparedRows, columns: Mapping[str, NDArray[Any]]) -> Rows:
    """Return the sampled rows by the model's features, from the dataset's columns."""
    features = rows.columns
    return Rows(tuple(features), tuple(columns[column] for column in features.values()))


def effects_of(
    rows: ComparedRows, explained: Rows, references: Rows, scores: NDArray[np.int64], report: ReportProgress
) -> FeatureEffects:
    """Return the effects of rows by the dataset's columns; see ``feature_effects``."""
    model = rows.model
    parts = (model.description, model.ensemble, model.parts)
    return feature_effects(parts, explained, references, scores, rows.scored.columns, report)


def caution_of_rows(context: JobContext, rows: ComparedRows, consequence: Consequence) -> Caution | None:
    """Return a caution if a model repeats the targets of rows that are not declared as held out from its training."""
    held_out = rows.scored.stored.view.held_out
    targets = None if held_out else fitting_targets(context.objects, rows.model, rows.scored)
    if targets is None:
        return None
    if targets.classes is not None and rows.scored.labels is not None:
        accuracy = float(np.mean(targets.classes == rows.scored.labels))
        return caution_of_memory(consequence, accuracy=accuracy)
    if targets.values is None:
        return None
    return caution_of_memory(consequence, r2=r2_of(rows.scored.scores[:, 0].astype(np.float64), targets.values))


def caution_of_no_effects(refusal: MethodNotApplicable) -> Caution:
    """Return the caution of a comparison whose models have no effects."""
    reason = str(refusal).removesuffix(".")
    return Caution(code="no_effects_compared", detail=f"no effects are compared: {reason[:1].lower()}{reason[1:]}")


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
    outcomes = [np.array([names.index(name) for name in of_side], np.int64)[indices] for of_side, indices in named]
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
