"""The inputs of approximation trees, and how a job grows trees from them, by each method."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from schemas.approximation_trees import MAX_LEAVES, MAX_ROWS_HELD, ApproximationMethod, ApproximationTreeRequest
from schemas.generators import BootstrapGenerator, DatasetGenerator, Generator, KernelGenerator, RanksGenerator
from storage.dataset_rows import open_rows
from storage.datasets import DatasetStore, StoredDataset
from storage.feature_matching import match_features
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.approximation_trees.candidate_splits import GivenSplits
from tree_explainers.approximation_trees.controls import (
    ControlSettings,
    grow_born_again,
    grow_cart,
    grow_cart_on_rows,
)
from tree_explainers.approximation_trees.fidelity import ModelPredictions
from tree_explainers.approximation_trees.generators import GeneratorSettings, row_generator
from tree_explainers.approximation_trees.ism import IsmSettings, IsmTraining, TestsOf, grow_ism
from tree_explainers.approximation_trees.merging import face
from tree_explainers.approximation_trees.mixed_tests import statement_tests
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import (
    Answering,
    DecidedAnswers,
    Oracle,
    decided_description,
    oracle_scores,
)
from tree_explainers.approximation_trees.partitioned_ism import PartitionedTraining, grow_ism_in_partitions
from tree_explainers.approximation_trees.partitioned_tests import PartitionedTests
from tree_explainers.approximation_trees.possible_rows import PossibleRows
from tree_explainers.approximation_trees.sta import StaSettings, grow_sta
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.approximation_trees.unusable_splits import unusable_splits
from tree_explainers.column_words import Phrases
from tree_explainers.compute.progress import ReportProgress, Tick, part_of
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import Predictions
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.conditions import Condition
from tree_explainers.questions.implications import Implications
from tree_explainers.questions.statements import statements_of
from tree_explainers.rows import Rows

from ..runtime.context import JobContext
from .approximation_tree_rows import (
    EvaluationRows,
    PartitionedRows,
    sampled_rows,
    score_in_partitions,
)
from .inputs import OpenModel, ScoredDataset, apply_model, open_model
from .row_targets import known_targets, predicted_targets
from .surrogates import ClusterAnswers, cluster_answers, dataset_phrases, known_implications, oracle_of, predict_each

_DRAWN_AT_ONCE = 16_384  # pseudo rows between reports of progress
_UNIT_BYTES = 100  # of a row's scores, of some classes


# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.05)
_READING_FOR_EVALUATION = (0.05, 0.08)


# Inputs: raw rows with all of the model's features, the model's answers, pseudo rows.


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
    are_held_out: bool  # the dataset declares that the model was not trained on its rows

    @property
    def answers(self) -> Answering:
        """The oracle, which labels rows that are made up."""
        answering = self.on_cluster or self.model.session
        return DecidedAnswers(answering) if self.model.by_outcome else answering

    @property
    def described(self) -> ModelDescription:
        """What is known of the model, as a classifier into outcomes where the tree says these."""
        description = self.model.description
        return decided_description(description) if self.model.by_outcome else description

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

    The tree says what the model decides; with ``ism``, which is made of the ensemble's own leaves, what it predicts.

    Raises
    ------
    StorageError
        ``schema_mismatch`` for a target that does not fit the model.
    """
    model = open_model(ModelStore(context.database), context.objects, request.model)
    if method_of(request) != "ism":
        model = model.deciding()
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
        model,
        on_cluster,
        training,
        all_rows,
        evaluation,
        phrases,
        implications,
        is_relational,
        generator,
        stored.view.held_out,
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
    dataset = apply_model(context, model, stored.view.id, report).deciding(model)
    return _evaluation_rows(context.objects, model, dataset)


def _evaluation_rows(objects: ObjectStore, model: OpenModel, dataset: ScoredDataset) -> EvaluationRows:
    with open_rows(objects, dataset.stored.content) as file:
        columns = file.read_columns(dataset.columns)
    rows = Rows(model.description.feature_names, tuple(columns))
    if model.by_outcome:  # the truth is of classes or values, and no outcome
        scores = np.eye(len(model.view.classes))[dataset.labels]
        return EvaluationRows(rows, ModelPredictions(scores, predicted_targets(model, dataset)), None)
    scores = oracle_scores(Predictions(dataset.scores, dataset.labels), model.description)
    predicted = ModelPredictions(scores, predicted_targets(model, dataset))
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


# Growing.


_Grow = Callable[
    [ApproximationTreeRequest, ApproximationTreeInputs, np.random.Generator, ReportProgress], ApproximationTree
]
_GrowControl = Callable[
    [Rows, Oracle, ControlSettings, np.random.Generator, Mapping[str, str], ReportProgress], ApproximationTree
]


def grow_trees(
    request: ApproximationTreeRequest,
    inputs: ApproximationTreeInputs,
    rng: np.random.Generator,
    report: ReportProgress,
) -> list[ApproximationTree]:
    """Return one tree for each repeat; the first is the same, whatever the number of repeats."""
    grow, trees = _METHODS[method_of(request)], []
    for repeat, repeat_rng in enumerate(rng.spawn(request.n_repeats)):
        share = repeat / request.n_repeats, (repeat + 1) / request.n_repeats
        trees.append(grow(request, inputs, repeat_rng, part_of(report, *share)))
    if not inputs.is_relational:
        return trees
    states_absence = _states_absence(inputs)
    return [face(tree, states_absence) for tree in trees]


def _states_absence(inputs: ApproximationTreeInputs) -> Callable[[Condition], bool]:
    """Return a predicate for the conditions on queries that state the absence of something."""
    never_missing = inputs.never_missing

    def states_absence(condition: Condition) -> bool:
        words, interval = inputs.phrases.get(condition.column), condition.interval
        if words is None or interval is None:
            return False
        or_missing = interval.or_missing or condition.column in never_missing
        return words.states_absence(interval._replace(or_missing=or_missing))

    return states_absence


def _grow_sta(
    request: ApproximationTreeRequest,
    inputs: ApproximationTreeInputs,
    rng: np.random.Generator,
    report: ReportProgress,
) -> ApproximationTree:
    settings = StaSettings(
        _limits(request, inputs),
        request.significance,
        request.max_pseudo_samples,
        inputs.implications,
        inputs.generator,
        request.compare,
        request.significance_level_of,
        request.choose_by,
        _requested_splits(request),
        validates_depth=request.max_depth == "validate",
    )
    return grow_sta(
        inputs.training.rows, oracle_of(inputs.answers), settings, rng, inputs.model.description.missing_texts, report
    )


def unusable_candidates(request: ApproximationTreeRequest, inputs: ApproximationTreeInputs) -> list[Condition | str]:
    """Return the request's own candidates that can split nothing: conditions, or the names of features."""
    candidates, texts = _requested_splits(request), inputs.model.description.missing_texts
    if candidates is None:
        return []
    return unusable_splits(inputs.training.rows, texts, _limits(request, inputs).min_samples_leaf, candidates)


def _requested_splits(request: ApproximationTreeRequest) -> dict[str, GivenSplits] | None:
    if request.candidates is None:
        return None
    return {
        candidate.feature: GivenSplits(tuple(candidate.thresholds), tuple(candidate.categories), candidate.missing)
        for candidate in request.candidates
    }


def _grow_control(
    grow: _GrowControl,
    request: ApproximationTreeRequest,
    inputs: ApproximationTreeInputs,
    rng: np.random.Generator,
    report: ReportProgress,
) -> ApproximationTree:
    if request.method == "cart" and request.fitted_on == "dataset":
        answers, texts = inputs.training.answers, inputs.model.description.missing_texts
        return grow_cart_on_rows(inputs.training.rows, answers, _limits(request, inputs), rng, texts)
    settings = ControlSettings(
        _limits(request, inputs),
        request.max_pseudo_samples,
        inputs.implications,
        inputs.generator,
        request.smearing_probability,
    )
    return grow(
        inputs.training.rows, oracle_of(inputs.answers), settings, rng, inputs.model.description.missing_texts, report
    )


def _grow_ism(
    request: ApproximationTreeRequest,
    inputs: ApproximationTreeInputs,
    rng: np.random.Generator,
    report: ReportProgress,
) -> ApproximationTree:
    model, statements = inputs.model, statements_of(inputs.model.ensemble, inputs.model.description)
    settings = IsmSettings(
        _limits(request, inputs),
        request.stop_when_pure,
        criterion=request.criterion,
        leaf_probabilities=request.leaf_probabilities,
        choose_by=request.choose_by,
    )
    if inputs.all_rows is not None and counts_all_rows(request):
        parts = PartitionedTraining(inputs.all_rows.parts, statements, inputs.implications)
        return grow_ism_in_partitions(parts, model.ensemble, model.description, settings, report)
    held, classes = inputs.training, _true_classes(inputs.training)
    rows, scores, labels, n_training = held.rows, held.answers.scores, held.answers.targets.classes, len(held.rows)
    if request.fitted_on == "generator":
        rows, scores, labels = _with_drawn_rows(request, inputs, rng, part_of(report, 0, 0.5))
        classes = None if classes is None else np.append(classes, np.full(len(rows) - n_training, -1))
        report = part_of(report, 0.5, 1)
    binned = BinnedRows.of(statements, rows)
    training = IsmTraining(rows, binned, scores, labels, classes, inputs.implications, n_training)
    tests_of = _tests_on_cluster(inputs.on_cluster, binned) if inputs.on_cluster else statement_tests
    return grow_ism(training, model.ensemble, model.description, settings, report, tests_of)


def _tests_on_cluster(answers: ClusterAnswers, binned: BinnedRows) -> TestsOf:
    """Return what makes tests whose rows lie with the workers."""
    bytes_a_row = len(binned.bins) * binned.bins.itemsize + _UNIT_BYTES
    most_rows = answers.cluster.rows_of_partition(binned.n_rows, bytes_a_row)
    return partial(PartitionedTests.of, spread=answers.cluster.spread, most_rows=most_rows)


def _with_drawn_rows(
    request: ApproximationTreeRequest, inputs: ApproximationTreeInputs, rng: np.random.Generator, report: ReportProgress
) -> tuple[Rows, NDArray[np.float64], NDArray[np.int64] | None]:
    """Return the training rows and pseudo rows near them, with the model's scores and labels of all."""
    rows, answers = inputs.training.rows, inputs.training.answers
    description, n_drawn = inputs.model.description, request.max_pseudo_samples
    generator = row_generator(rows, description.missing_texts, inputs.generator, report)
    draw = PossibleRows(generator, inputs.implications).at_node(rows, NodeBox(description.missing_texts))
    parts, scores, labels = [rows], [answers.scores], [answers.targets.classes]
    report(0, "evaluating the model")
    drawn = (draw(min(_DRAWN_AT_ONCE, n_drawn - start), rng) for start in range(0, n_drawn, _DRAWN_AT_ONCE))
    for part, predicted in predict_each(inputs.answers, drawn):
        report(len(parts) * _DRAWN_AT_ONCE / n_drawn, "evaluating the model")
        parts.append(part)
        scores.append(oracle_scores(predicted, description))
        labels.append(predicted.labels)
    columns = tuple(map(np.concatenate, zip(*(part.columns for part in parts), strict=True)))
    known = [of_part for of_part in labels if of_part is not None]
    return Rows(rows.names, columns), np.concatenate(scores), np.concatenate(known) if known else None


def _true_classes(rows: EvaluationRows) -> NDArray[np.int64] | None:
    """Return the true class of each row, -1 where it is not known; ``None`` without a target."""
    if rows.truth is None or rows.labelled is None:
        return None if rows.truth is None else rows.truth.classes
    classes = np.full(len(rows.rows), -1)
    classes[rows.labelled] = rows.truth.classes
    return classes


def _limits(request: ApproximationTreeRequest, inputs: ApproximationTreeInputs) -> TreeLimits:
    """Return the limits of the request; no tree grows larger than a request may specify: nobody reads those.

    Of a sample, a leaf has the same share at least as of all rows.
    """
    allowed = None if 2**request.deepest <= MAX_LEAVES else MAX_LEAVES
    share = 1 if counts_all_rows(request) else len(inputs.training.rows) / inputs.n_rows
    least = max(1, round(request.min_samples_leaf * share))
    return TreeLimits(request.deepest, least, request.max_leaves or allowed)


def method_of(request: ApproximationTreeRequest) -> ApproximationMethod:
    """Return the method of a request that became a job, which names it."""
    return "sta" if request.method == "auto" else request.method


_METHODS: dict[ApproximationMethod, _Grow] = {
    "sta": _grow_sta,
    "ism": _grow_ism,
    "born_again": partial(_grow_control, grow_born_again),
    "cart": partial(_grow_control, grow_cart),
}
