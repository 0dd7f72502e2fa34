"""What rules are made of and judged on: raw rows, the bins that statements put them in, what the model says of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schemas.rule_sets import RuleSetRequest
from storage.dataset_files import DatasetFile
from storage.errors import StorageError
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.statements import Statements, statements_of
from tree_explainers.rows import Rows
from tree_explainers.scoring import Targets

from ...runtime.context import JobContext
from ...runtime.progress import part_of
from ..inputs import OpenModel, SeenDataset, open_model, see_dataset
from ..row_targets import predicted_targets, true_targets
from .stages import READING, READING_FOR_EVALUATION


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """A dataset's rows, with what the model says of them and what is true of them."""

    rows: Rows  # the features that trees ask about
    binned: BinnedRows
    predicted: Targets
    truth: Targets | None  # None without a target


@dataclass(frozen=True, slots=True)
class Material:
    """All that a rule set is made of."""

    model: OpenModel
    statements: Statements
    training: JudgedRows
    evaluation: JudgedRows | None  # other rows to judge on
    targets: Targets  # of the training rows: what rules are to predict


def gather(context: JobContext, request: RuleSetRequest) -> Material:
    """Open the model, have it look at the datasets, and put their rows into bins.

    Raises
    ------
    MethodNotApplicable
        Where a tree asks about a column that cannot be led back to a raw feature.
    StorageError
        ``schema_mismatch`` for a target that does not fit the model, and for rows that are all to be told the same.
    """
    model = open_model(ModelStore(context.database), context.objects, request.model)
    statements = statements_of(model.ensemble, model.description)
    seen = see_dataset(context, model, request.dataset, part_of(context.report, *READING))
    training = _judged(context.objects, model, seen, statements)
    targets = _targets(request, model, training)
    evaluation = None
    if request.evaluation_dataset is not None:
        report = part_of(context.report, *READING_FOR_EVALUATION)
        seen = see_dataset(context, model, request.evaluation_dataset, report)
        evaluation = _judged(context.objects, model, seen, statements)
    return Material(model, statements, training, evaluation, targets)


def _judged(objects: ObjectStore, model: OpenModel, seen: SeenDataset, statements: Statements) -> JudgedRows:
    rows = _raw_rows(objects, seen, statements)
    predicted, truth = predicted_targets(model, seen), true_targets(objects, model, seen)
    return JudgedRows(rows, BinnedRows.of(statements, rows), predicted, truth)


def _raw_rows(objects: ObjectStore, seen: SeenDataset, statements: Statements) -> Rows:
    features = statements.features
    with DatasetFile(objects.path(seen.stored.content)) as file:
        columns = file.read_columns([seen.columns[feature.raw_index] for feature in features])
    return Rows(tuple(feature.name for feature in features), tuple(columns))


def _targets(request: RuleSetRequest, model: OpenModel, training: JudgedRows) -> Targets:
    targets = training.predicted if request.labels == "predicted" or training.truth is None else training.truth
    told = told_by(targets)
    if told.min() == told.max():
        name = repr(model.view.classes[int(told[0])]) if model.view.classes else f"{told[0]:g}"
        verb = "predicted" if request.labels == "predicted" else "labelled"
        detail = (
            f"all {len(told)} rows of dataset {request.dataset!r} are {verb} {name}: there is nothing for rules to "
            "tell apart; send rows of which the model says different things"
        )
        raise StorageError("schema_mismatch", detail)
    return targets


def told_by(targets: Targets) -> NDArray[np.float64] | NDArray[np.int64]:
    """Return the class or the value of each row, (n_rows,)."""
    found = targets.values if targets.classes is None else targets.classes
    assert found is not None  # noqa: S101  # for the type checker: there is one of the two
    return found
