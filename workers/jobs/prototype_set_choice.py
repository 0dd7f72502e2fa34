"""Choose the prototypes of a set: in which leaves rows are compared, how many prototypes there are, and which rows.

Leaves come first, where they are left open; ``prototype_leaf_choice`` tries them. What needs them alone, such as the
file of all reference rows, is made while prototypes are chosen.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schemas.prototype_sets import (
    MAX_PROTOTYPES_BY_COVERAGE,
    MAX_PROTOTYPES_VALIDATED,
    PrototypeSetRequest,
    Validation,
)
from storage.artefacts import most_prototypes
from storage.errors import StorageError
from storage.models import ModelStore
from tree_explainers.compute.progress import ReportProgress, ignore_progress, part_of
from tree_explainers.leaf_space.coarser_leaves import coarser_leaves
from tree_explainers.leaf_space.leaves import ProximityKind
from tree_explainers.prototype_sets.classifier import nearest_by_size
from tree_explainers.prototype_sets.cost import default_candidates_by_leaves
from tree_explainers.prototype_sets.euclidean_sweep import default_candidates
from tree_explainers.prototype_sets.kept_sums import KeptSums
from tree_explainers.prototype_sets.selection import PrototypeSelection, sample_candidates, select_prototypes
from tree_explainers.prototype_sets.supervised import EvaluatedRows, Metric
from tree_explainers.prototype_sets.validation import score_labels, score_numbers, validate_number

from ..runtime.context import JobContext
from .inputs import OpenModel, ScoredDataset, apply_model, open_model
from .prototype_leaf_choice import ChosenLeaves, choose_leaves, per_class_of
from .prototype_set_evaluation import ChosenPrototypes, EvaluationRows
from .row_targets import agreeing_rows, classes_of_rows, fitting_targets
from .spaces import EuclideanSpace, LeafSpace, Space, compare_by_distance, proximity_kind

_N_FOR_LEAVES = 10  # prototypes by which leaves are chosen where their number is still to be found

# Shares of the progress of choosing.
_LEAVES, _NUMBER, _SELECTION = (0.0, 0.6), (0.6, 0.8), (0.8, 1.0)


@dataclass(frozen=True, slots=True)
class PrototypeSetInputs:
    """The inputs of a prototype set."""

    model: OpenModel
    dataset: ScoredDataset
    evaluation: EvaluationRows  # the dataset's, or those of another that the request names


def load_inputs(
    context: JobContext, request: PrototypeSetRequest, report: ReportProgress = ignore_progress
) -> PrototypeSetInputs:
    """Open the model and apply it to the datasets; refuse a target that does not fit the model."""
    model = open_model(ModelStore(context.database), context.objects, request.model)
    is_training = request.evaluation_dataset in {None, request.dataset}
    dataset = of_evaluation = apply_model(context, model, request.dataset, part_of(report, 0, 0.8))
    if request.evaluation_dataset is not None and not is_training:
        of_evaluation = apply_model(context, model, request.evaluation_dataset, part_of(report, 0.8, 1))
    if request.labels == "predicted":
        model = model.deciding()
        dataset, of_evaluation = dataset.deciding(model), of_evaluation.deciding(model)
    if request.proximity_kind == "euclidean":
        dataset, of_evaluation = compare_by_distance(context.objects, dataset, of_evaluation, part_of(report, 1, 1))
    evaluation = EvaluationRows.of(context.objects, model, of_evaluation, request.labels, is_training=is_training)
    return PrototypeSetInputs(model, dataset, evaluation)


@dataclass(frozen=True, slots=True)
class Choice:
    """The prototypes, and how their leaves and their number were found."""

    prototypes: ChosenPrototypes
    leaves: ChosenLeaves | None  # what ``auto`` tried, and took
    validation: Validation | None

    def without_pairs(self) -> "Choice":
        """Return the same without the pairs that swaps gathered."""
        chosen = self.prototypes
        return replace(self, prototypes=replace(chosen, selection=chosen.selection.without_pairs()))


@dataclass(frozen=True, slots=True)
class ChosenSpace:
    """The space in which rows are compared, which is chosen before the prototypes are."""

    space: Space
    _leaves: ChosenLeaves | None
    _task: "_Task"
    _report: ReportProgress

    def choose(self) -> Choice:
        """Choose prototypes as the request says.

        Raises
        ------
        StorageError
            For a target that does not fit the model.
        """
        number, validation = None, None
        if self._task.request.n_prototypes == "validate":
            number, validation = _validate(self._task, self.space, part_of(self._report, *_NUMBER))
        selection = self._task.select(self.space, part_of(self._report, *_SELECTION), number)
        return Choice(ChosenPrototypes(self.space, self._task.classes, selection), self._leaves, validation)


def choose_space(
    context: JobContext,
    request: PrototypeSetRequest,
    inputs: PrototypeSetInputs,
    report: ReportProgress = ignore_progress,
) -> ChosenSpace:
    """Choose the space as the request says; ``report`` is of choosing prototypes, too.

    Raises
    ------
    StorageError
        For rows of a single class, fewer candidates than classes, or a target that does not fit the model.
    InvalidInput
        For a ``min_leaf_rows`` at which no tree is left, among others.
    """
    task = _Task.of(context, request, inputs)
    leaves: ChosenLeaves | None = None
    space: Space
    if request.proximity_kind == "euclidean":
        space = EuclideanSpace.of(inputs.model, inputs.dataset)
    elif request.min_leaf_rows == "auto":
        leaves = task.choose_leaves(part_of(report, *_LEAVES))
        space = task.space(leaves.min_leaf_rows, leaves.kind)
    else:
        space = task.space(request.min_leaf_rows, proximity_kind(request.proximity_kind))
    return ChosenSpace(space, leaves, task, report)


@dataclass(frozen=True, slots=True)
class _Task:
    """What is to be chosen, from which rows."""

    request: PrototypeSetRequest
    inputs: PrototypeSetInputs
    classes: NDArray[np.int64]  # (n_rows,) as predicted or as in the target; all 0 for regression
    candidates: NDArray[np.int64] | None  # rows that may become prototypes, ascending; None: all
    agrees: NDArray[np.bool_] | None  # (n_rows,) whether each row's own label is the model's; None: not known

    @staticmethod
    def of(context: JobContext, request: PrototypeSetRequest, inputs: PrototypeSetInputs) -> "_Task":
        model, dataset = inputs.model, inputs.dataset
        classes = classes_of_rows(context.objects, model, dataset, request.labels)
        _refuse_one_class(request, model, classes)
        agrees = agreeing_rows(model, dataset, fitting_targets(context.objects, model, dataset))
        return _Task(request, inputs, classes, _candidates(context, request, classes, dataset), agrees)

    @property
    def number_is_open(self) -> bool:
        """Whether the number of prototypes is still to be found."""
        is_validated = self.request.n_prototypes == "validate"
        return is_validated or self.request.coverage is not None or self.request.method == "a_pete"

    def at_most(self, n_prototypes: int) -> int:
        """Return how many prototypes there may be: at most this number, as candidates and a result allow."""
        n_candidates = len(self.classes) if self.candidates is None else len(self.candidates)
        return min(n_prototypes, n_candidates, most_prototypes(self.inputs.model.view.feature_names))

    def choose_leaves(self, report: ReportProgress) -> ChosenLeaves:
        """Return the leaves that are best for as many prototypes as are requested, or for ten."""
        number = self.request.n_prototypes
        n_prototypes = number if isinstance(number, int) and not self.number_is_open else _N_FOR_LEAVES
        model, dataset = self.inputs.model, self.inputs.dataset
        rows = self.classes, self.agrees
        return choose_leaves(self.request, model, dataset, rows, self.at_most(n_prototypes), report)

    def space(self, min_leaf_rows: int, kind: ProximityKind) -> LeafSpace:
        """Return the dataset's rows in the leaves of the trees, cut back so far."""
        leaves = coarser_leaves(self.inputs.model.ensemble, self.inputs.dataset.table, min_leaf_rows)
        return LeafSpace.of(self.inputs.model, self.inputs.dataset, kind, leaves)

    def select(
        self,
        space: Space,
        report: ReportProgress,
        n_prototypes: int | None = None,
        *,
        swaps: bool = True,
    ) -> PrototypeSelection:
        """Choose as the request says; ``n_prototypes`` where it leaves that to be found.

        Without ``swaps`` the choice is only tried: it will not be certified.
        """
        request = self.request
        if n_prototypes is None:
            n_prototypes = request.n_prototypes if isinstance(request.n_prototypes, int) else 1
            n_prototypes = n_prototypes if request.coverage is None else self.at_most(MAX_PROTOTYPES_BY_COVERAGE)
        return select_prototypes(
            space.dataset.table,
            self.classes,
            space.weights,
            request.method,
            n_prototypes=n_prototypes,
            coverage=request.coverage,
            alpha=request.alpha,
            refine=request.refine if swaps else "none",
            evaluated=self._evaluated_rows(space) if request.method == "sg" else None,
            candidates=self.candidates,
            agrees=self.agrees,
            per_class=per_class_of(request, self.inputs.model),
            kept=KeptSums() if swaps else None,
            report=report,
        )

    def _evaluated_rows(self, space: Space) -> EvaluatedRows:
        """Return the rows whose predictions by the nearest prototype are to be improved."""
        is_accuracy = self.request.metric in ("accuracy", "fidelity")
        metric: Metric = "accuracy" if is_accuracy else "balanced_accuracy"
        of_model = self.request.metric in ("fidelity", "balanced_fidelity")
        if self.request.selected_on == "dataset":
            predicted = space.dataset.labels
            return EvaluatedRows(self.classes if predicted is None or not of_model else predicted, None, metric)
        rows = self.inputs.evaluation.within(space)
        return EvaluatedRows(rows.predicted if of_model else rows.classes, rows.dataset.table, metric)


def _refuse_one_class(request: PrototypeSetRequest, model: OpenModel, classes: NDArray[np.int64]) -> None:
    if model.view.task != "classification" or classes.min() != classes.max():
        return
    name = model.view.classes[classes[0]]
    if len(model.view.classes) == 1:
        detail = (
            f"model {request.model!r} has the one class {name!r}, and prototypes separate classes: no rows have "
            "prototypes for it; take a model of at least two classes"
        )
    elif model.by_outcome:
        detail = (
            f"all {len(classes)} rows of dataset {request.dataset!r} have the outcome {name!r}: prototypes separate "
            "outcomes; send rows of at least two, or register the model with bands that part these"
        )
    else:
        is_predicted = request.labels == "predicted"
        detail = (
            f"all {len(classes)} rows of dataset {request.dataset!r} are {'predicted' if is_predicted else 'labelled'} "
            f"{name!r}: prototypes separate classes; send rows of at least two classes"
            + (", or take labels=target if the targets differ" if is_predicted else "")
        )
    raise StorageError("schema_mismatch", detail)


def _candidates(
    context: JobContext, request: PrototypeSetRequest, classes: NDArray[np.int64], dataset: ScoredDataset
) -> NDArray[np.int64] | None:
    """Return the rows that may become prototypes, ascending, or ``None`` for all."""
    n_rows, n_candidates = len(classes), request.n_candidates
    if n_candidates is None and request.proximity_kind == "euclidean":
        n_candidates = default_candidates(n_rows, len(dataset.columns))
    elif n_candidates is None:
        n_candidates = default_candidates_by_leaves(n_rows, dataset.table.n_trees)
    if n_candidates >= n_rows:
        return None
    n_classes = len(np.unique(classes))
    if n_candidates < n_classes:
        detail = f"{n_candidates} candidates are too few for the {n_classes} classes that the rows are of; request more"
        raise StorageError("validation_failed", detail, "/n_candidates")
    return sample_candidates(classes, n_candidates, context.rng)


# The number of prototypes, by how well they predict other rows.


def _validate(task: _Task, space: Space, report: ReportProgress) -> tuple[int, Validation]:
    """Return the smallest number of prototypes that is good enough on the evaluation rows."""
    most = task.at_most(MAX_PROTOTYPES_VALIDATED)
    chosen = ChosenPrototypes(space, task.classes, task.select(space, report, most, swaps=False))
    rows = task.inputs.evaluation.within(space)
    each_nearest = nearest_by_size(rows.dataset.table, space.weights, chosen.leaves)
    predictions = (chosen.predictions(nearest, chosen.selection.rows) for nearest in each_nearest)
    score = score_numbers if rows.labels is None else score_labels
    result = validate_number(score(predicted, rows.measured_against) for predicted in predictions)
    validation = Validation(
        measure=_MEASURES[rows.labels is None, rows.truth is None],
        scores=list(result.scores),
        best_n_prototypes=result.best,
        standard_error=result.standard_error,
    )
    return result.n_prototypes, validation


_MEASURES: dict[tuple[bool, bool], Literal["balanced_accuracy", "balanced_fidelity", "r2", "r2_of_model"]] = {
    (False, False): "balanced_accuracy",
    (False, True): "balanced_fidelity",
    (True, False): "r2",
    (True, True): "r2_of_model",
}
"""By whether the model is one of regression, and whether the rows lack a target."""
