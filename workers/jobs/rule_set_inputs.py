"""The inputs of rule sets: the rows, in the bins that the trees' tests put them in, their targets and predictions."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from schemas.rule_sets import RuleSetRequest
from storage.dataset_rows import open_rows
from storage.datasets import DatasetStore, StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features
from storage.models import ModelStore
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.questions.statements import Statements, statements_of
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.row_parts import RowParts, RowsPart
from tree_explainers.wording import Phrases

from ..runtime.context import JobContext
from .column_phrases import dataset_phrases
from .inputs import OpenModel, apply_model, open_model
from .row_targets import refuse_unlabelled
from .rule_rows import are_on_cluster, rows_here, rows_on_cluster, source_on_cluster

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.1)
_READING_FOR_EVALUATION = (0.1, 0.15)
INPUTS_LOADED = 0.15

_IN_PARTS = ("rule_list", "fab", "em")  # methods that take rows wherever they lie


@dataclass(frozen=True, slots=True)
class RuleSetInputs:
    """The inputs of a rule set."""

    model: OpenModel
    stored: StoredDataset  # the dataset of the training rows
    columns: tuple[str, ...]  # (n_features,) its column for each feature
    statements: Statements
    training: RowParts
    evaluation: RowParts | None  # other rows, if the request names any
    phrases: Phrases  # of columns that have words of their own
    are_sent: bool  # a fit that another process runs is sent all rows, which are few

    @property
    def held(self) -> RowsPart:
        """The training rows, where this process holds them all."""
        (part,) = self.training.map(_itself)
        return part


def _itself(part: RowsPart) -> RowsPart:
    return part


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
    stored = DatasetStore(context.database).get(request.dataset)
    load = partial(_load_rows, context, request, model, statements)
    if request.labels == "target":
        refuse_unlabelled(context.objects, stored)
    training = load(request.dataset, part_of(context.report, *_READING))
    _refuse_equal_targets(request, model, training)
    evaluation = None
    if request.evaluation_dataset is not None:
        evaluation = load(request.evaluation_dataset, part_of(context.report, *_READING_FOR_EVALUATION))
    return RuleSetInputs(
        model,
        stored,
        match_features(model.view, stored.view),
        statements,
        training,
        evaluation,
        dataset_phrases(context, model, stored),
        not are_on_cluster(context, stored.view.n_rows),
    )


def _load_rows(  # a request's rows
    context: JobContext,
    request: RuleSetRequest,
    model: OpenModel,
    statements: Statements,
    dataset_id: str,
    report: ReportProgress,
) -> RowParts:
    stored = DatasetStore(context.database).get(dataset_id)
    if context.cluster is None or request.method not in _IN_PARTS or not are_on_cluster(context, stored.view.n_rows):
        return rows_here(context, model, apply_model(context, model, dataset_id, report), statements, request.labels)
    columns = match_features(model.view, stored.view)
    source = source_on_cluster(context, model, stored, columns, statements, request.labels)
    return rows_on_cluster(context.cluster, context, stored, source, request.max_rules, report)


def read_rows(context: JobContext, inputs: RuleSetInputs) -> Rows:
    """Return the values of all features of the training rows, in this process: for a method that needs them so."""
    with open_rows(context.objects, inputs.stored.content) as file:
        columns = file.read_columns(list(inputs.columns))
    return Rows(inputs.model.description.feature_names, tuple(columns))


def _refuse_equal_targets(request: RuleSetRequest, model: OpenModel, training: RowParts) -> None:
    ends = np.array(list(training.map(_least_and_most)))
    least, most = ends[:, 0].min(), ends[:, 1].max()
    if least == most:
        name = repr(model.view.classes[int(least)]) if model.view.classes else f"{least:g}"
        verb = "predicted" if request.labels == "predicted" else "labelled"
        detail = (
            f"all {training.n_rows} rows of dataset {request.dataset!r} are {verb} {name}: there is nothing for rules "
            "to separate; send rows for which the model predicts different things"
        )
        raise StorageError("schema_mismatch", detail)


def _least_and_most(part: RowsPart) -> tuple[float, float]:
    targets = part.targets.classes_or_values
    return float(targets.min()), float(targets.max())
