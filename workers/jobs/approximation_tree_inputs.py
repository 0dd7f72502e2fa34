"""Inputs of approximation trees: raw rows with all of the model's features, the model's answers, pseudo rows."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from schemas.approximation_trees import MAX_ROWS_HELD, ApproximationTreeRequest
from schemas.generators import BootstrapGenerator, DatasetGenerator, Generator, KernelGenerator, RanksGenerator
from storage.dataset_rows import open_rows
from storage.datasets import DatasetStore, StoredDataset
from storage.feature_matching import match_features
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.approximation_trees.fidelity import ModelPredictions
from tree_explainers.approximation_trees.generators import GeneratorSettings
from tree_explainers.approximation_trees.oracle import Answering, oracle_scores
from tree_explainers.compute.progress import ReportProgress, Tick, part_of
from tree_explainers.onnx_models.session import Predictions
from tree_explainers.questions.implications import Implications
from tree_explainers.rows import Rows
from tree_explainers.wording import Phrases

from ..runtime.context import JobContext
from .answering import ClusterAnswers, cluster_answers
from .approximation_tree_rows import (
    EvaluationRows,
    PartitionedRows,
    sampled_rows,
    score_in_partitions,
)
from .column_phrases import dataset_phrases, known_implications
from .inputs import OpenModel, ScoredDataset, apply_model, open_model
from .row_targets import known_targets, predicted_targets

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.05)
_READING_FOR_EVALUATION = (0.05, 0.08)


@dataclass(frozen=True, slots=True)
class ApproximationTreeInputs:
    """The inputs of an approximation tree."""

    model: OpenModel
    on_cluster: ClusterAnswers | None  # what answers for the model, if it is not its session
    training: EvaluationRows  # of a dataset that is not held: its sample
    all_rows: PartitionedRows | None  # the dataset, if it is not held
    evaluation: EvaluationRows | PartitionedRows | None  # other rows, if the request names any
    phrases: Phrases  # of columns that have words of their own
    implications: Implications  # among columns that are queries of several tables
    is_relational: bool  # columns are such queries
    generator: GeneratorSettings  # of pseudo rows

    @property
    def answers(self) -> Answering:
        """The oracle, which labels rows that are made up."""
        return self.on_cluster or self.model.session

    @property
    def n_rows(self) -> int:
        """Number of rows of the dataset."""
        return len(self.training.rows) if self.all_rows is None else self.all_rows.n_rows

    @property
    def never_missing(self) -> frozenset[str]:
        """Features of numbers that no row of the dataset misses."""
        if self.all_rows is not None:
            return self.all_rows.never_missing
        columns = zip(self.training.rows.names, self.training.rows.columns, strict=True)
        return frozenset(name for name, values in columns if values.dtype != object and not np.isnan(values).any())


def load_inputs(context: JobContext, request: ApproximationTreeRequest, tick: Tick) -> ApproximationTreeInputs:
    """Open the model, and apply it to the datasets; ``tick`` is called while partitions of this process are worked on.

    Raises
    ------
    StorageError
        ``schema_mismatch`` for a target that does not fit the model.
    """
    model = open_model(ModelStore(context.database), context.objects, request.model)
    stored = DatasetStore(context.database).get(request.dataset)
    n_sampled = 0 if counts_all_rows(request) else MAX_ROWS_HELD
    load = partial(_rows, context, model, tick)
    rows = load(stored, n_sampled, part_of(context.report, *_READING))
    all_rows, training = (rows, rows.sample) if isinstance(rows, PartitionedRows) else (None, rows)
    phrases = dataset_phrases(context, model, stored)
    is_relational = stored.view.feature_set is not None
    implications = known_implications(model, phrases) if is_relational else Implications()
    evaluation = None
    if request.evaluation_dataset is not None:
        report = part_of(context.report, *_READING_FOR_EVALUATION)
        evaluation = load(DatasetStore(context.database).get(request.evaluation_dataset), 0, report)
    generator = _generator(context, model, request.generator)
    on_cluster = cluster_answers(context, model)
    return ApproximationTreeInputs(
        model, on_cluster, training, all_rows, evaluation, phrases, implications, is_relational, generator
    )


def counts_all_rows(request: ApproximationTreeRequest) -> bool:
    """Return whether a tree's splits are chosen from counts of all rows, however many there are."""
    return request.method == "ism" and request.fitted_on == "dataset"


def _rows(
    context: JobContext, model: OpenModel, tick: Tick, stored: StoredDataset, n_sampled: int, report: ReportProgress
) -> EvaluationRows | PartitionedRows:
    """Return a dataset's rows: held, if they are few; otherwise in partitions, with a sample."""
    if stored.view.n_rows > MAX_ROWS_HELD:
        return score_in_partitions(context, model, stored, n_sampled, report, tick)
    return _evaluation_rows(context.objects, model, apply_model(context, model, stored.view.id, report))


def _evaluation_rows(objects: ObjectStore, model: OpenModel, dataset: ScoredDataset) -> EvaluationRows:
    with open_rows(objects, dataset.stored.content) as file:
        columns = file.read_columns(dataset.columns)
    scores = oracle_scores(Predictions(dataset.scores, dataset.labels), model.description)
    predicted = ModelPredictions(scores, predicted_targets(model, dataset))
    rows = Rows(model.description.feature_names, tuple(columns))
    return EvaluationRows(rows, predicted, *known_targets(objects, model, dataset))


def _generator(context: JobContext, model: OpenModel, requested: Generator) -> GeneratorSettings:
    """Return how pseudo rows are made; rows of another dataset are read, or a sample of them."""
    if isinstance(requested, DatasetGenerator):
        stored = DatasetStore(context.database).get(requested.dataset)
        names = match_features(model.view, stored.view)
        columns = sampled_rows(context.objects, stored.content, names, MAX_ROWS_HELD, context.rng)
        rows = Rows(model.description.feature_names, tuple(columns))
        return GeneratorSettings(requested.method, rows=rows)
    if isinstance(requested, BootstrapGenerator):
        return GeneratorSettings(requested.method)
    bandwidth = requested.bandwidth if isinstance(requested, RanksGenerator | KernelGenerator) else None
    return GeneratorSettings(requested.method, bandwidth, requested.neighbor_probability)
