"""What is compared of two models or two datasets: predictions of all rows; of a sample leaves, values and effects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from storage.dataset_rows import open_rows
from storage.datasets import DatasetStore
from tree_explainers.comparisons.feature_effects import FeatureEffects, feature_effects
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind, tree_weights
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.prediction_scores import r2_of
from tree_explainers.rows import Rows

from ..runtime.context import JobContext
from .cautions import caution_of_memory
from .inputs import OpenModel, ScoredDataset, apply_model
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


def caution_of_rows(context: JobContext, rows: ComparedRows, consequence: str) -> str | None:
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
