"""Inputs of approximation trees: raw rows with all of the model's features, the model's answers, pseudo rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schemas.approximation_trees import ApproximationTreeRequest
from schemas.generators import BootstrapGenerator, DatasetGenerator, Generator, KernelGenerator, RanksGenerator
from storage.dataset_rows import open_rows
from storage.datasets import DatasetStore
from storage.feature_matching import match_features
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.approximation_trees.fidelity import ModelPredictions
from tree_explainers.approximation_trees.generators import GeneratorSettings
from tree_explainers.approximation_trees.oracle import Answering, oracle_scores
from tree_explainers.compute.progress import part_of
from tree_explainers.onnx_models.session import Predictions
from tree_explainers.questions.implications import Implications
from tree_explainers.rows import Rows
from tree_explainers.scoring import Targets
from tree_explainers.wording import Phrases

from ..runtime.context import JobContext
from .answering import ClusterAnswers, cluster_answers
from .column_phrases import dataset_phrases, known_implications
from .inputs import OpenModel, ScoredDataset, apply_model, open_model
from .row_targets import known_targets, predicted_targets

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.05)
_READING_FOR_EVALUATION = (0.05, 0.08)


@dataclass(frozen=True, slots=True)
class EvaluationRows:
    """A dataset's rows with the model's predictions and the true targets."""

    rows: Rows  # by the model's names of its features
    answers: ModelPredictions
    truth: Targets | None  # of the labelled rows; None without a target
    labelled: NDArray[np.int64] | None = None  # the rows that have a target, ascending; None: all of them


@dataclass(frozen=True, slots=True)
class ApproximationTreeInputs:
    """The inputs of an approximation tree."""

    model: OpenModel
    on_cluster: ClusterAnswers | None  # what answers for the model, if it is not its session
    training: EvaluationRows
    evaluation: EvaluationRows | None  # other rows, if the request names any
    phrases: Phrases  # of columns that have words of their own
    implications: Implications  # among columns that are queries of several tables
    is_relational: bool  # columns are such queries
    generator: GeneratorSettings  # of pseudo rows

    @property
    def answers(self) -> Answering:
        """The oracle, which labels rows that are made up."""
        return self.on_cluster or self.model.session


def load_inputs(context: JobContext, request: ApproximationTreeRequest) -> ApproximationTreeInputs:
    """Open the model, and apply it to the datasets.

    Raises
    ------
    StorageError
        ``schema_mismatch`` for a target that does not fit the model.
    """
    model = open_model(ModelStore(context.database), context.objects, request.model)
    dataset = apply_model(context, model, request.dataset, part_of(context.report, *_READING))
    training, evaluation = _evaluation_rows(context.objects, model, dataset), None
    phrases = dataset_phrases(context, model, dataset)
    is_relational = dataset.stored.view.feature_set is not None
    implications = known_implications(model, phrases) if is_relational else Implications()
    if request.evaluation_dataset is not None:
        report = part_of(context.report, *_READING_FOR_EVALUATION)
        dataset = apply_model(context, model, request.evaluation_dataset, report)
        evaluation = _evaluation_rows(context.objects, model, dataset)
    generator = _generator(context, model, request.generator)
    on_cluster = cluster_answers(context, model)
    return ApproximationTreeInputs(
        model, on_cluster, training, evaluation, phrases, implications, is_relational, generator
    )


def _evaluation_rows(objects: ObjectStore, model: OpenModel, dataset: ScoredDataset) -> EvaluationRows:
    with open_rows(objects, dataset.stored.content) as file:
        columns = file.read_columns(dataset.columns)
    scores = oracle_scores(Predictions(dataset.scores, dataset.labels), model.description)
    predicted = ModelPredictions(scores, predicted_targets(model, dataset))
    rows = Rows(model.description.feature_names, tuple(columns))
    return EvaluationRows(rows, predicted, *known_targets(objects, model, dataset))


def _generator(context: JobContext, model: OpenModel, requested: Generator) -> GeneratorSettings:
    """Return how pseudo rows are made; rows of another dataset are read."""
    if isinstance(requested, DatasetGenerator):
        stored = DatasetStore(context.database).get(requested.dataset)
        with open_rows(context.objects, stored.content) as file:
            columns = file.read_columns(match_features(model.view, stored.view))
        rows = Rows(model.description.feature_names, tuple(columns))
        return GeneratorSettings(requested.method, rows=rows)
    if isinstance(requested, BootstrapGenerator):
        return GeneratorSettings(requested.method)
    bandwidth = requested.bandwidth if isinstance(requested, RanksGenerator | KernelGenerator) else None
    return GeneratorSettings(requested.method, bandwidth, requested.neighbor_probability)
