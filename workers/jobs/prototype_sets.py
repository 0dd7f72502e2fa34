"""Make a prototype set: choose rows that represent the others, bound how good a choice could be, evaluate this one."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.datasets import Cell
from schemas.prototype_quality import PrototypeQuality
from schemas.prototype_sets import (
    CertificateObjective,
    Coverage,
    Prototype,
    PrototypeSetRequest,
    PrototypeSetResult,
    StopReason,
)
from storage.array_files import write_arrays
from storage.dataset_files import DatasetFile
from storage.errors import StorageError
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import part_of
from tree_explainers.leaf_space.leaves import tree_weights
from tree_explainers.prototype_sets.certificate import Certificate, certify
from tree_explainers.prototype_sets.leaf_boxes import leaf_boxes
from tree_explainers.prototype_sets.quality import Quality
from tree_explainers.prototype_sets.readable import feature_numbers
from tree_explainers.prototype_sets.selection import (
    PrototypeSelection,
    StoppingImprovement,
    sample_candidates,
    select_prototypes,
)

from ..runtime.context import JobContext, Produced
from .inputs import OpenModel, ScoredDataset, apply_model, open_model, proximity_kind
from .prototype_set_evaluation import (
    ChosenPrototypes,
    EvaluationRows,
    caution_of,
    classes_without_prototypes,
    evaluate_baselines,
    evaluate_by_size,
    measure,
    typicality_quantiles,
    view_quality_of_each,
    view_quality_of_set,
    view_typicality,
)
from .row_targets import classes_of_rows

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.2)
_READING_FOR_EVALUATION = (0.2, 0.25)
_CHOOSING = (0.25, 0.6)
_CERTIFYING = (0.6, 0.85)
_MEASURING = (0.85, 0.88)
_EVALUATING = (0.88, 0.92)
_COMPARING = (0.92, 1.0)

_MAX_COMPARISONS = 5e12  # rows x rows x trees with all rows as candidates: minutes, and as much again for certificates
_N_SAMPLED = 10_000


def make_prototype_set(context: JobContext) -> Produced:
    """Make the artefact that a ``PrototypeSetRequest`` describes."""
    request = PrototypeSetRequest(**context.request)
    inputs = load_inputs(context, request)
    chosen = choose(context, request, inputs)
    certificate = _certify(context, chosen)
    quality = measure(chosen, inputs.evaluation, part_of(context.report, *_MEASURING))
    evaluation = _evaluate(context, chosen, inputs.evaluation)
    quantiles = typicality_quantiles(quality, chosen, inputs.evaluation)
    selection, view = chosen.selection, chosen.model.view
    content = PrototypeSetResult(
        proximity_kind=chosen.kind,
        task=view.task,
        classes=view.classes,
        n_rows=chosen.dataset.n_rows,
        n_trees=view.n_trees,
        n_candidates=selection.n_candidates,
        n_selected=len(selection.rows),
        n_swaps=selection.n_swaps,
        nested=selection.nested,
        objective=selection.objective / selection.total_weight,
        objective_mean=selection.objective_mean,
        **_view_certificate(certificate, selection.total_weight),
        stopped_by=_view_stop_reason(request, selection, view.classes),
        prototypes=_view_prototypes(context.objects, chosen, quality),
        quality=view_quality_of_set(quality, chosen, inputs.evaluation),
        typicality=view_typicality(quantiles, chosen, inputs.evaluation),
        **evaluation,
    )
    return Produced(content.model_dump_json().encode(), _arrays(chosen, quantiles))


@dataclass(frozen=True, slots=True)
class PrototypeSetInputs:
    """The inputs of a prototype set."""

    model: OpenModel
    dataset: ScoredDataset
    evaluation: EvaluationRows  # the dataset's, or those of another that the request names


def load_inputs(context: JobContext, request: PrototypeSetRequest) -> PrototypeSetInputs:
    """Open the model and apply it to the datasets; refuse a target that does not fit the model."""
    model = open_model(ModelStore(context.database), context.objects, request.model)
    dataset = apply_model(context, model, request.dataset, part_of(context.report, *_READING))
    is_training, of_evaluation = request.evaluation_dataset in {None, request.dataset}, dataset
    if request.evaluation_dataset is not None and not is_training:
        report = part_of(context.report, *_READING_FOR_EVALUATION)
        of_evaluation = apply_model(context, model, request.evaluation_dataset, report)
    evaluation = EvaluationRows.of(context.objects, model, of_evaluation, request.labels, is_training=is_training)
    return PrototypeSetInputs(model, dataset, evaluation)


# Choice.


def choose(context: JobContext, request: PrototypeSetRequest, inputs: PrototypeSetInputs) -> ChosenPrototypes:
    """Choose prototypes by the method of the request."""
    model, dataset, kind = inputs.model, inputs.dataset, proximity_kind(request.proximity_kind)
    weights = tree_weights(kind, dataset.table, model.ensemble.leaf_values)
    classes = classes_of_rows(context.objects, model, dataset, request.labels)
    _refuse_one_class(request, model, classes)
    selection = select_prototypes(
        dataset.table,
        classes,
        weights,
        request.method,
        n_prototypes=request.n_prototypes or 1,
        alpha=request.alpha,
        refine=request.refine,
        candidates=_candidates(context, request, classes, dataset.table.n_trees),
        report=part_of(context.report, *_CHOOSING),
    )
    return ChosenPrototypes(model, dataset, kind, weights, classes, selection)


def _refuse_one_class(request: PrototypeSetRequest, model: OpenModel, classes: NDArray[np.int64]) -> None:
    if model.view.task == "classification" and classes.min() == classes.max():
        verb = "predicted" if request.labels == "predicted" else "labelled"
        detail = (
            f"all {len(classes)} rows of dataset {request.dataset!r} are {verb} {model.view.classes[classes[0]]!r}: "
            "prototypes separate classes; send rows of at least two classes"
        )
        raise StorageError("schema_mismatch", detail)


def _candidates(
    context: JobContext, request: PrototypeSetRequest, classes: NDArray[np.int64], n_trees: int
) -> NDArray[np.int64] | None:
    """Return the rows that may become prototypes, ascending, or ``None`` for all."""
    n_rows, n_candidates = len(classes), request.n_candidates
    if n_candidates is None:
        n_candidates = n_rows if n_rows**2 * n_trees <= _MAX_COMPARISONS else _N_SAMPLED
    if n_candidates >= n_rows:
        return None
    n_classes = len(np.unique(classes))
    if n_candidates < n_classes:
        detail = f"{n_candidates} candidates are too few for the {n_classes} classes that the rows are of; request more"
        raise StorageError("validation_failed", detail, "/n_candidates")
    return sample_candidates(classes, n_candidates, context.rng)


# Certificate: how close the choice is to the best one, rounded such that every bound stays a bound.


def _certify(context: JobContext, chosen: ChosenPrototypes) -> Certificate:
    selection = chosen.selection
    return certify(
        chosen.dataset.table,
        chosen.classes,
        chosen.weights,
        selection.rows,
        method=selection.method,
        greedy_rows=selection.rows_before_swaps,
        candidates=None if selection.n_candidates == selection.n_rows else selection.candidates,
        report=part_of(context.report, *_CERTIFYING),
    )


def _view_certificate(found: Certificate, total_weight: int) -> dict[str, Any]:
    """Return the fields of ``PrototypeSetResult`` about the best that this number of prototypes could reach."""
    # Coverage is given as the objective is, which is a sum over rows; the other objective as the mean that it is.
    unit = total_weight if found.objective_name == "coverage" else found.unit
    of_all_rows = found.upper_bound if found.all_rows_upper_bound is None else found.all_rows_upper_bound
    return {
        "all_rows_certificate": _rounded_down(Fraction(found.objective, of_all_rows)),
        "all_rows_upper_bound": _rounded_up(Fraction(of_all_rows, unit)),
        "certificate": _rounded_down(Fraction(found.objective, found.upper_bound)),
        "objective_upper_bound": _rounded_up(Fraction(found.upper_bound, unit)),
        "certificate_scope": found.scope,
        "certificate_objective": CertificateObjective(
            name=found.objective_name, value=found.objective / unit, constraint=found.constraint
        ),
    }


def _rounded_up(exact: Fraction) -> float:
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


def _rounded_down(exact: Fraction) -> float:
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)


# Evaluation.


def _evaluate(context: JobContext, chosen: ChosenPrototypes, rows: EvaluationRows) -> dict[str, Any]:
    """Return the fields of ``PrototypeSetResult`` about how well the prototypes predict."""
    evaluation = list(evaluate_by_size(chosen, rows, part_of(context.report, *_EVALUATING)))
    baseline = evaluate_baselines(chosen, rows, context.rng, part_of(context.report, *_COMPARING))
    left_out = classes_without_prototypes(chosen)
    return {
        "evaluation": evaluation,
        "evaluated_on": "dataset" if rows.is_training else "evaluation_dataset",
        "measured_against": "model" if rows.truth is None else "target",
        "baseline": baseline,
        "classes_without_prototypes": left_out,
        "caution": caution_of(rows, baseline.model, left_out),
    }


# The result: real rows with their values and gains, why the choice ended, and arrays for explainers.


def _view_prototypes(objects: ObjectStore, chosen: ChosenPrototypes, quality: Quality) -> list[Prototype]:
    """Return the prototypes in the order in which they were chosen."""
    rows = chosen.selection.rows
    with DatasetFile(objects.path(chosen.dataset.stored.content)) as file:
        found = file.take(rows)
    qualities = view_quality_of_each(quality)
    return [_view_prototype(chosen, index, found[index], qualities[index]) for index in range(len(rows))]


def _view_prototype(
    chosen: ChosenPrototypes, index: int, found: dict[str, object], quality: PrototypeQuality
) -> Prototype:
    selection, view = chosen.selection, chosen.model.view
    row = int(selection.rows[index])
    is_regression = view.task == "regression"
    return Prototype(
        rank=index + 1,
        row_id=str(found["row_id"]),
        row=row,
        label=None if is_regression else view.classes[selection.classes[index]],
        value=float(str(chosen.dataset.scores[row, 0])) if is_regression else None,
        gain=int(selection.gains[index]) / selection.total_weight,
        objective=int(selection.objectives[index]) / selection.total_weight,
        coverage=Coverage(n_rows=int(selection.n_covered[index]), share=float(selection.coverage_shares[index])),
        quality=quality,
        features=_cells(found, chosen),
    )


def _cells(row: dict[str, object], chosen: ChosenPrototypes) -> list[Cell]:
    by_name = {cell["name"]: cell["value"] for cell in row["values"]}  # type: ignore[attr-defined]  # cells as JSON
    named = zip(chosen.model.view.feature_names, chosen.dataset.columns, strict=True)
    return [Cell(name=feature, value=by_name[column]) for feature, column in named]


def _view_stop_reason(request: PrototypeSetRequest, selection: PrototypeSelection, classes: list[str]) -> StopReason:
    """Return why no more prototypes were chosen."""
    details = {
        "n_prototypes": f"{len(selection.rows)} prototypes were chosen, as requested",
        "no_gain": "no further row would bring any row closer to a prototype",
        "no_improvement": "no further row would raise the balanced accuracy",
    }
    stopping = selection.stopping_improvement
    if stopping is None:
        return StopReason(reason=selection.stopped_by, detail=details[selection.stopped_by])
    return StopReason(reason="alpha", detail=_describe_improvement(request, stopping, selection.total_weight, classes))


def _describe_improvement(
    request: PrototypeSetRequest, stopping: StoppingImprovement, total_weight: int, classes: list[str]
) -> str:
    last = f"{stopping.improvement / total_weight:.6g}{_of_class(classes, stopping.prototype_class)}"
    before = f"{stopping.previous_improvement / total_weight:.6g}{_of_class(classes, stopping.previous_class)}"
    change = f"a relative change of {stopping.relative_change:.3g}, not above alpha {request.alpha:g}"
    return f"prototype {stopping.rank} improved the objective by {last}, the one before by {before}: {change}"


def _of_class(classes: list[str], index: int) -> str:
    return f" (class {classes[index]!r})" if classes else ""


def _arrays(chosen: ChosenPrototypes, quantiles: NDArray[np.int64]) -> bytes:
    """Return what explainers need: the prototypes' leaves, the boxes of those leaves, and what is typical."""
    features = feature_numbers(chosen.model.description.columns)
    boxes = leaf_boxes(chosen.model.ensemble, chosen.leaves, features).to_arrays()
    prototypes: dict[str, NDArray[Any]] = {
        "leaves": chosen.leaves,
        "weights": chosen.weights,
        "classes": chosen.selection.classes,
        "typicality_quantiles": quantiles,
    }
    return write_arrays(prototypes | {f"boxes_{name}": array for name, array in boxes.items()})
