"""The inputs of rule sets: raw rows, the bins that the trees' tests put them in, and their targets."""

from collections.abc import Mapping
from dataclasses import dataclass

from schemas.rule_sets import RuleSetRequest
from storage.dataset_rows import open_rows
from storage.errors import StorageError
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import part_of
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.statements import Statements, statements_of
from tree_explainers.rows import Rows
from tree_explainers.scoring import Targets
from tree_explainers.wording import Phrases

from ..runtime.context import JobContext
from .column_phrases import dataset_phrases
from .inputs import OpenModel, ScoredDataset, apply_model, open_model
from .row_targets import predicted_targets, refuse_unlabelled, true_targets

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.1)
_READING_FOR_EVALUATION = (0.1, 0.15)
INPUTS_LOADED = 0.15


@dataclass(frozen=True, slots=True)
class EvaluationRows:
    """A dataset's rows with the model's predictions and the true targets."""

    rows: Rows  # the features that trees test
    binned: BinnedRows
    predicted: Targets
    truth: Targets | None  # None without a target


@dataclass(frozen=True, slots=True)
class RuleSetInputs:
    """The inputs of a rule set."""

    model: OpenModel
    dataset: ScoredDataset  # of the training rows
    statements: Statements
    training: EvaluationRows
    evaluation: EvaluationRows | None  # other rows, if the request names any
    targets: Targets  # what rules are to predict for the training rows
    phrases: Phrases  # of columns that have words of their own


def load_inputs(context: JobContext, request: RuleSetRequest) -> RuleSetInputs:
    """Open the model, apply it to the datasets, and put their rows into bins.

    Raises
    ------
    MethodNotApplicable
        Where a tree tests a column that cannot be mapped back to a raw feature.
    StorageError
        ``schema_mismatch`` for a target that does not fit the model, and if all rows have the same target.
    """
    model = open_model(ModelStore(context.database), context.objects, request.model)
    statements = statements_of(model.ensemble, model.description)
    dataset = apply_model(context, model, request.dataset, part_of(context.report, *_READING))
    read = _features_read(request, model, statements)
    training, phrases = (
        _evaluation_rows(context.objects, model, dataset, statements, read),
        dataset_phrases(context, model, dataset),
    )
    if request.labels == "target":
        refuse_unlabelled(context.objects, dataset)
    targets = _training_targets(request, model, training)
    evaluation = None
    if request.evaluation_dataset is not None:
        report = part_of(context.report, *_READING_FOR_EVALUATION)
        other = apply_model(context, model, request.evaluation_dataset, report)
        evaluation = _evaluation_rows(context.objects, model, other, statements, read)
    return RuleSetInputs(model, dataset, statements, training, evaluation, targets, phrases)


def _features_read(request: RuleSetRequest, model: OpenModel, statements: Statements) -> dict[str, int]:
    """Return the features that rules may be about, with their indices: those that trees test, or all for a new tree."""
    if request.method == "decision_tree":
        return {name: index for index, name in enumerate(model.description.feature_names)}
    return {feature.name: feature.raw_index for feature in statements.features}


def _evaluation_rows(
    objects: ObjectStore, model: OpenModel, dataset: ScoredDataset, statements: Statements, read: Mapping[str, int]
) -> EvaluationRows:
    with open_rows(objects, dataset.stored.content) as file:
        columns = file.read_columns([dataset.columns[index] for index in read.values()])
    rows = Rows(tuple(read), tuple(columns))
    predicted, truth = predicted_targets(model, dataset), true_targets(objects, model, dataset)
    return EvaluationRows(rows, BinnedRows.of(statements, rows), predicted, truth)


def _training_targets(request: RuleSetRequest, model: OpenModel, training: EvaluationRows) -> Targets:
    targets = training.predicted if request.labels == "predicted" or training.truth is None else training.truth
    given = targets.classes_or_values
    if given.min() == given.max():
        name = repr(model.view.classes[int(given[0])]) if model.view.classes else f"{given[0]:g}"
        verb = "predicted" if request.labels == "predicted" else "labelled"
        detail = (
            f"all {len(given)} rows of dataset {request.dataset!r} are {verb} {name}: there is nothing for rules to "
            "separate; send rows for which the model predicts different things"
        )
        raise StorageError("schema_mismatch", detail)
    return targets
