"""Make an approximation tree: grow it, grow it again to measure its stability, evaluate it, write it as ONNX."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schemas.approximation_trees import (
    MAX_LEAVES,
    AgainstTarget,
    ApproximationMethod,
    ApproximationTreeEvaluation,
    ApproximationTreeRequest,
    ApproximationTreeResult,
    ConstantTreeScores,
)
from schemas.generators import BootstrapGenerator, DatasetGenerator, Generator, KernelGenerator, RanksGenerator
from storage.dataset_files import DatasetFile
from storage.datasets import DatasetStore
from storage.feature_matching import match_features
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.approximation_trees.controls import ControlSettings, grow_born_again, grow_cart
from tree_explainers.approximation_trees.fidelity import AgainstTarget as Measured
from tree_explainers.approximation_trees.fidelity import ConstantScores, Fidelity, ModelPredictions, measure_fidelity
from tree_explainers.approximation_trees.generators import GeneratorSettings
from tree_explainers.approximation_trees.ism import IsmSettings, IsmTraining, grow_ism
from tree_explainers.approximation_trees.merging import face, merge_alike
from tree_explainers.approximation_trees.onnx_form import tree_onnx
from tree_explainers.approximation_trees.oracle import Oracle, SessionOracle, oracle_scores
from tree_explainers.approximation_trees.sta import StaSettings, grow_sta
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.onnx_models.session import Predictions
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.conditions import Condition
from tree_explainers.questions.implications import Implications
from tree_explainers.questions.statements import statements_of
from tree_explainers.rows import Rows
from tree_explainers.scoring import Targets
from tree_explainers.wording import Phrases

from ..runtime.context import JobContext, Produced
from .approximation_tree_views import view_implications, view_smoothing, view_stability, view_tree
from .cautions import caution_of_figures
from .column_phrases import dataset_phrases, known_implications
from .inputs import OpenModel, ScoredDataset, apply_model, open_model
from .row_targets import constant_predictions, known_targets, predicted_targets

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.05)
_READING_FOR_EVALUATION = (0.05, 0.08)
_GROWING = (0.08, 0.97)
_EVALUATING = 0.97  # to the end: a moment


def make_approximation_tree(context: JobContext) -> Produced:
    """Make the artefact that an ``ApproximationTreeRequest`` describes."""
    request = ApproximationTreeRequest(**context.request)
    inputs = load_inputs(context, request)
    trees = grow_trees(request, inputs, context.rng, part_of(context.report, *_GROWING))
    context.report(_EVALUATING, "evaluating the tree")
    grown = trees[0]
    if inputs.is_relational and request.method == "ism":
        trees = [merge_alike(tree) for tree in trees]
    content = _content(request, inputs, trees, grown)
    onnx = context.workspace / "tree.onnx"
    onnx.write_bytes(tree_onnx(trees[0], inputs.model.description))
    return Produced(content.model_dump_json().encode(), files={"onnx": onnx})


# Inputs: raw rows with all of the model's features, and the model's answers to them.


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
    training: EvaluationRows
    evaluation: EvaluationRows | None  # other rows, if the request names any
    phrases: Phrases  # of columns that have words of their own
    implications: Implications  # among columns that are queries of several tables
    is_relational: bool  # columns are such queries
    generator: GeneratorSettings  # of pseudo rows


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
    return ApproximationTreeInputs(model, training, evaluation, phrases, implications, is_relational, generator)


def _evaluation_rows(objects: ObjectStore, model: OpenModel, dataset: ScoredDataset) -> EvaluationRows:
    with DatasetFile(objects.path(dataset.stored.content)) as file:
        columns = file.read_columns(dataset.columns)
    scores = oracle_scores(Predictions(dataset.scores, dataset.labels), model.description)
    predicted = ModelPredictions(scores, predicted_targets(model, dataset))
    rows = Rows(model.description.feature_names, tuple(columns))
    return EvaluationRows(rows, predicted, *known_targets(objects, model, dataset))


def _generator(context: JobContext, model: OpenModel, requested: Generator) -> GeneratorSettings:
    """Return how pseudo rows are made; rows of another dataset are read."""
    if isinstance(requested, DatasetGenerator):
        stored = DatasetStore(context.database).get(requested.dataset)
        with DatasetFile(context.objects.path(stored.content)) as file:
            columns = file.read_columns(match_features(model.view, stored.view))
        rows = Rows(model.description.feature_names, tuple(columns))
        return GeneratorSettings(requested.method, rows=rows)
    if isinstance(requested, BootstrapGenerator):
        return GeneratorSettings(requested.method)
    bandwidth = requested.bandwidth if isinstance(requested, RanksGenerator | KernelGenerator) else None
    return GeneratorSettings(requested.method, bandwidth, requested.neighbor_probability)


# Growth, by each method.

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
    grow, trees = _METHODS[_method_of(request)], []
    for repeat, repeat_rng in enumerate(rng.spawn(request.n_repeats)):
        share = repeat / request.n_repeats, (repeat + 1) / request.n_repeats
        trees.append(grow(request, inputs, repeat_rng, part_of(report, *share)))
    if not inputs.is_relational:
        return trees
    states_absence = _states_absence(inputs)
    return [face(tree, states_absence) for tree in trees]


def _states_absence(inputs: ApproximationTreeInputs) -> Callable[[Condition], bool]:
    """Return what finds the conditions on queries that state that there is not something."""
    columns = zip(inputs.training.rows.names, inputs.training.rows.columns, strict=True)
    never_missing = {name for name, values in columns if values.dtype != object and not np.isnan(values).any()}

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
        _limits(request), request.significance, request.max_pseudo_samples, inputs.implications, inputs.generator
    )
    oracle = SessionOracle(inputs.model.session)
    return grow_sta(inputs.training.rows, oracle, settings, rng, inputs.model.description.missing_texts, report)


def _grow_control(
    grow: _GrowControl,
    request: ApproximationTreeRequest,
    inputs: ApproximationTreeInputs,
    rng: np.random.Generator,
    report: ReportProgress,
) -> ApproximationTree:
    settings = ControlSettings(_limits(request), request.max_pseudo_samples, inputs.implications, inputs.generator)
    oracle = SessionOracle(inputs.model.session)
    return grow(inputs.training.rows, oracle, settings, rng, inputs.model.description.missing_texts, report)


def _grow_ism(
    request: ApproximationTreeRequest,
    inputs: ApproximationTreeInputs,
    rng: np.random.Generator,  # noqa: ARG001  # nothing is drawn
    report: ReportProgress,
) -> ApproximationTree:
    model, rows, predicted = inputs.model, inputs.training.rows, inputs.training.answers
    assert predicted.targets.classes is not None  # noqa: S101  # for the type checker: values are refused at once
    binned = BinnedRows.of(statements_of(model.ensemble, model.description), rows)
    labels, classes = predicted.targets.classes, _true_classes(inputs.training)
    training = IsmTraining(rows, binned, predicted.scores, labels, classes, inputs.implications)
    settings = IsmSettings(_limits(request), request.stop_when_pure)
    return grow_ism(training, model.ensemble, model.description, settings, report)


def _true_classes(rows: EvaluationRows) -> NDArray[np.int64] | None:
    """Return the true class of each row, -1 where it is not known; ``None`` without a target."""
    if rows.truth is None or rows.labelled is None:
        return None if rows.truth is None else rows.truth.classes
    classes = np.full(len(rows.rows), -1)
    classes[rows.labelled] = rows.truth.classes
    return classes


def _limits(request: ApproximationTreeRequest) -> TreeLimits:
    """Return the limits of the request; no tree grows larger than a request may specify: nobody reads those."""
    allowed = None if 2**request.max_depth <= MAX_LEAVES else MAX_LEAVES
    return TreeLimits(request.max_depth, request.min_samples_leaf, request.max_leaves or allowed)


def _method_of(request: ApproximationTreeRequest) -> ApproximationMethod:
    """Return the method of a request that became a job, which names it."""
    return "sta" if request.method == "auto" else request.method


_METHODS: dict[ApproximationMethod, _Grow] = {
    "sta": _grow_sta,
    "ism": _grow_ism,
    "born_again": partial(_grow_control, grow_born_again),
    "cart": partial(_grow_control, grow_cart),
}


# Evaluation, on the training rows and on others if the request names any.


def evaluate(
    tree: ApproximationTree,
    rows: EvaluationRows,
    classes: Sequence[str],
    evaluated_on: Literal["dataset", "evaluation_dataset"],
) -> ApproximationTreeEvaluation:
    """Compare the predictions of tree and model with each other and with the true targets."""
    found = _measured(tree, rows)
    return ApproximationTreeEvaluation(
        n_rows=len(rows.rows),
        evaluated_on=evaluated_on,
        fidelity=found.fidelity,
        balanced_fidelity=found.balanced_fidelity,
        probability_l1=found.probability_l1,
        mean_questions=found.mean_questions,
        model=None if found.model is None else AgainstTarget(**asdict(found.model)),
        constant=_constant(found.constant, rows, classes),
        **_against_target(found.tree),
    )


def _measured(tree: ApproximationTree, rows: EvaluationRows) -> Fidelity:
    """Measure the tree on all rows, and against the target on those that have one."""
    if rows.labelled is None:
        return measure_fidelity(tree, rows.rows, rows.answers, rows.truth)
    answers, own = rows.answers, rows.labelled
    some = ModelPredictions(answers.scores[own], answers.targets.take(own))
    found = measure_fidelity(tree, rows.rows, answers)
    known = measure_fidelity(tree, rows.rows.take(own), some, rows.truth)
    constant = replace(found.constant, against_target=known.constant.against_target)
    return replace(found, tree=known.tree, model=known.model, constant=constant)


def _constant(found: ConstantScores, rows: EvaluationRows, classes: Sequence[str]) -> ConstantTreeScores:
    """Return the scores of always the same prediction."""
    return ConstantTreeScores(
        fidelity=found.fidelity,
        balanced_fidelity=found.balanced_fidelity,
        **_against_target(found.against_target),
        **constant_predictions(rows.truth, rows.answers.targets, classes),
    )


def _against_target(found: Measured | None) -> dict[str, float | None]:
    return {} if found is None else asdict(found)


def _caution(on_training: ApproximationTreeEvaluation) -> str | None:
    model = on_training.model
    return None if model is None else caution_of_figures(accuracy=model.accuracy, r2=model.r2)


# The result.


def _content(
    request: ApproximationTreeRequest,
    inputs: ApproximationTreeInputs,
    trees: Sequence[ApproximationTree],
    grown: ApproximationTree,  # the first as it was before leaves were merged
) -> ApproximationTreeResult:
    tree, view, elsewhere = trees[0], inputs.model.view, None
    on_training = evaluate(tree, inputs.training, view.classes, "dataset")
    if inputs.evaluation is not None:
        elsewhere = evaluate(tree, inputs.evaluation, view.classes, "evaluation_dataset")
    return ApproximationTreeResult(
        task=view.task,
        classes=view.classes,
        method=_method_of(request),
        n_rows=len(inputs.training.rows),
        n_trees=view.n_trees,
        n_features=view.n_features,
        **view_tree(tree, inputs.model.description, inputs.phrases),
        n_leaves_before_merging=grown.n_leaves if grown is not tree else None,
        smoothing=view_smoothing(_method_of(request), inputs.generator),
        n_implications=_n_implications(request, inputs),
        implications=view_implications(tree, inputs.phrases),
        training_evaluation=on_training,
        evaluation=elsewhere or on_training,
        caution=_caution(on_training) if elsewhere is None else None,
        stability=view_stability(trees),
        n_repeats=len(trees),
    )


def _n_implications(request: ApproximationTreeRequest, inputs: ApproximationTreeInputs) -> int | None:
    return len(inputs.implications.pairs) if inputs.is_relational and request.method != "ism" else None
