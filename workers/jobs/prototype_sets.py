"""Make a prototype set: choose rows that represent the others, bound how good a choice could be, evaluate this one."""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.datasets import Cell
from schemas.prototype_classifiers import ClassifierPrototype
from schemas.prototype_quality import PrototypeQuality
from schemas.prototype_sets import (
    MAX_CRITICISMS,
    CertificateObjective,
    Coverage,
    Criticism,
    Prototype,
    PrototypeSetRequest,
    PrototypeSetResult,
    RowCoverage,
    StopReason,
)
from storage.array_files import write_arrays
from storage.artefacts import most_prototypes
from storage.dataset_rows import open_rows
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import part_of
from tree_explainers.leaf_space.nearest_by_masks import NearestWithin
from tree_explainers.prototype_sets.certificate import Certificate, certify
from tree_explainers.prototype_sets.criticisms import Criticisms, find_criticisms
from tree_explainers.prototype_sets.goal import covered_classes
from tree_explainers.prototype_sets.leaf_boxes import leaf_boxes
from tree_explainers.prototype_sets.quality import Quality
from tree_explainers.prototype_sets.readable import feature_numbers
from tree_explainers.prototype_sets.selection import StoppingImprovement

from ..runtime.context import JobContext, Produced
from .euclidean_space import EuclideanSpace
from .prototype_classifiers import write_classifier
from .prototype_set_choice import Choice, choose, load_inputs
from .prototype_set_evaluation import (
    ChosenPrototypes,
    EvaluationRows,
    caution_of,
    caution_of_row_coverage,
    classes_without_prototypes,
    evaluate_baselines,
    evaluate_by_size,
    measure,
    measure_row_coverage,
    typicality_quantiles,
    view_quality_of_each,
    view_quality_of_set,
    view_typicality,
)
from .reference_rows import Reference, write_reference
from .represented_rows import write_represented

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.25)
_CHOOSING = (0.25, 0.6)
_CERTIFYING = (0.6, 0.85)
_MEASURING = (0.85, 0.88)
_EVALUATING = (0.88, 0.92)
_COMPARING = (0.92, 1.0)
_SELECTED_ON_THEM = (
    "prototypes were selected for their predictions of the rows of evaluation_dataset: these scores are better than "
    "those of other rows will be"
)


def make_prototype_set(context: JobContext) -> Produced:
    """Make the artefact that a ``PrototypeSetRequest`` describes."""
    request = PrototypeSetRequest(**context.request)
    inputs = load_inputs(context, request, part_of(context.report, *_READING))
    choice = choose(context, request, inputs, part_of(context.report, *_CHOOSING))
    rows = inputs.evaluation.within(choice.prototypes.space)
    criticisms = _find_criticisms(choice.prototypes)
    cells = _take(context.objects, choice.prototypes, criticisms)
    with ThreadPoolExecutor() as pool:  # files need the choice alone: they are written while it is measured
        written = _begin_files(pool, context, choice.without_pairs().prototypes, cells, rows)
        certificate = _certify(context, choice.prototypes)
        choice = choice.without_pairs()
        chosen = choice.prototypes
        quality = measure(chosen, rows, part_of(context.report, *_MEASURING))
        row_coverage, quantiles = measure_row_coverage(chosen), typicality_quantiles(quality, chosen, rows)
        nearest = None if certificate is None else certificate.nearest
        evaluated = _evaluate(context, request, choice, rows, row_coverage, nearest)
        arrays = _arrays(chosen, quantiles)
    reference, files = written()
    selection, view = chosen.selection, chosen.space.model.view
    prototypes = _view_prototypes(chosen, quality, cells)
    content = PrototypeSetResult(
        proximity_kind=chosen.space.kind,
        task=view.task,
        classes=view.classes,
        n_rows=chosen.space.dataset.n_rows,
        n_trees=view.n_trees,
        min_leaf_rows=chosen.space.min_leaf_rows,
        n_trees_used=chosen.space.n_trees_used,
        leaf_steps=choice.leaf_steps,
        row_coverage=row_coverage,
        validation=choice.validation,
        nearest_rows=reference.view,
        n_candidates=selection.n_candidates,
        n_selected=len(selection.rows),
        n_swaps=selection.n_swaps,
        nested=selection.nested,
        objective=selection.objective / selection.total_weight,
        objective_mean=selection.objective_mean,
        **(_NO_CERTIFICATE if certificate is None else _view_certificate(certificate, selection.total_weight)),
        stopped_by=_view_stop_reason(request, choice, row_coverage),
        prototypes=prototypes,
        criticisms=_view_criticisms(chosen, criticisms, cells[len(prototypes) :]),
        quality=view_quality_of_set(quality, chosen, rows),
        typicality=view_typicality(quantiles, chosen, rows),
        **evaluated,
    )
    return Produced(content.model_dump_json().encode(), arrays, files)


def _begin_files(
    pool: ThreadPoolExecutor,
    context: JobContext,
    chosen: ChosenPrototypes,
    cells: list[dict[str, object]],
    rows: EvaluationRows,
) -> Callable[[], tuple[Reference, dict[str, Path]]]:
    """Begin to write all files beside the result; return what waits for them.

    One of them reads and packs rows, another is built of objects, so that they are written at once.
    """
    represented = pool.submit(write_represented, context, chosen)
    if isinstance(chosen.space, EuclideanSpace):  # no leaves by which rows could be explained or classified later
        return lambda: (Reference(), represented.result())
    reference = pool.submit(write_reference, context, chosen.space, rows.truth if rows.is_training else None)
    given = [_given(chosen, index, cells[index]) for index in range(len(chosen.selection.rows))]
    classifier = pool.submit(write_classifier, context, chosen, given)
    return lambda: (
        reference.result(),
        {**reference.result().files, **classifier.result(), **represented.result()},
    )


# Certificate: how close the choice is to the best one, rounded such that every bound stays a bound.


def _certify(context: JobContext, chosen: ChosenPrototypes) -> Certificate | None:
    if isinstance(chosen.space, EuclideanSpace):  # its bounds are sums over leaves
        return None
    selection = chosen.selection
    return certify(
        chosen.space.dataset.table,
        chosen.classes,
        chosen.space.weights,
        selection.rows,
        method=selection.method,
        greedy_rows=selection.rows_before_swaps,
        candidates=None if selection.n_candidates == selection.n_rows else selection.candidates,
        pairs=selection.pairs,
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


_NO_CERTIFICATE: dict[str, None] = dict.fromkeys(
    (
        *("all_rows_certificate", "all_rows_upper_bound", "certificate", "objective_upper_bound"),
        *("certificate_scope", "certificate_objective"),
    )
)


def _rounded_up(exact: Fraction) -> float:
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


def _rounded_down(exact: Fraction) -> float:
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)


# Evaluation.


def _evaluate(
    context: JobContext,
    request: PrototypeSetRequest,
    choice: Choice,
    rows: EvaluationRows,
    row_coverage: RowCoverage | None,
    nearest: NearestWithin | None,
) -> dict[str, Any]:
    """Return the fields of ``PrototypeSetResult`` about how well the prototypes predict."""
    chosen = choice.prototypes
    evaluation = list(evaluate_by_size(chosen, rows, part_of(context.report, *_EVALUATING)))
    baseline = evaluate_baselines(chosen, rows, context.rng, part_of(context.report, *_COMPARING), nearest)
    left_out = classes_without_prototypes(chosen)
    cautions = (
        caution_of_row_coverage(request, choice.leaf_steps, row_coverage),
        caution_of(rows, baseline.model, left_out),
        _SELECTED_ON_THEM if request.selected_on == "evaluation_dataset" else None,
    )
    return {
        "evaluation": evaluation,
        "evaluated_on": "dataset" if rows.is_training else "evaluation_dataset",
        "measured_against": "model" if rows.truth is None else "target",
        "baseline": baseline,
        "classes_without_prototypes": left_out,
        "caution": "; ".join(caution for caution in cautions if caution) or None,
    }


# The result: real rows with their values and gains, why the choice ended, and arrays for explainers.


def _take(objects: ObjectStore, chosen: ChosenPrototypes, criticisms: Criticisms) -> list[dict[str, object]]:
    """Return the cells of prototypes and criticisms, which lie in the same parts of the file as a rule."""
    with open_rows(objects, chosen.space.dataset.stored.content) as file:
        return file.take([*chosen.selection.rows.tolist(), *criticisms.rows.tolist()])


def _view_prototypes(chosen: ChosenPrototypes, quality: Quality, cells: list[dict[str, object]]) -> list[Prototype]:
    """Return the prototypes in the order in which they were chosen, whose cells come first."""
    qualities = view_quality_of_each(quality)
    return [_view_prototype(chosen, index, cells[index], each) for index, each in enumerate(qualities)]


def _view_prototype(
    chosen: ChosenPrototypes, index: int, found: dict[str, object], quality: PrototypeQuality
) -> Prototype:
    selection, given = chosen.selection, _given(chosen, index, found)
    return Prototype(
        rank=index + 1,
        row_id=given.row_id,
        row=int(selection.rows[index]),
        label=given.label,
        value=given.value,
        gain=int(selection.gains[index]) / selection.total_weight,
        objective=int(selection.objectives[index]) / selection.total_weight,
        coverage=Coverage(n_rows=int(selection.n_covered[index]), share=float(selection.coverage_shares[index])),
        quality=quality,
        features=_cells(found, chosen),
    )


def _given(chosen: ChosenPrototypes, index: int, found: dict[str, object]) -> ClassifierPrototype:
    """Return what a row gets whose nearest prototype this is."""
    view, is_regression = chosen.space.model.view, chosen.space.model.view.task == "regression"
    return ClassifierPrototype(
        row_id=str(found["row_id"]),
        label=None if is_regression else view.classes[chosen.selection.classes[index]],
        value=float(str(chosen.space.dataset.scores[chosen.selection.rows[index], 0])) if is_regression else None,
    )


def _find_criticisms(chosen: ChosenPrototypes) -> Criticisms:
    """Find rows that no prototype represents well, as many as a result has room for."""
    space, selection = chosen.space, chosen.selection
    n_criticisms = max(0, min(MAX_CRITICISMS, most_prototypes(space.model.view.feature_names) - len(selection.rows)))
    classes = covered_classes(selection.method, chosen.classes)
    return find_criticisms(space.dataset.table, space.weights, classes, selection.rows, n_criticisms)


def _view_criticisms(chosen: ChosenPrototypes, found: Criticisms, cells: list[dict[str, object]]) -> list[Criticism]:
    space, view = chosen.space, chosen.space.model.view
    return [
        Criticism(
            rank=rank,
            row_id=str(own["row_id"]),
            row=row,
            label=view.classes[chosen.classes[row]] if view.classes else None,
            value=None if view.classes else float(str(space.dataset.scores[row, 0])),
            proximity=covered / chosen.selection.total_weight,
            features=_cells(own, chosen),
        )
        for rank, (row, covered, own) in enumerate(
            zip(found.rows.tolist(), found.covered.tolist(), cells, strict=True), 1
        )
    ]


def _cells(row: dict[str, object], chosen: ChosenPrototypes) -> list[Cell]:
    by_name = {cell["name"]: cell["value"] for cell in row["values"]}  # type: ignore[attr-defined]  # cells as JSON
    named = zip(chosen.space.model.view.feature_names, chosen.space.dataset.columns, strict=True)
    return [Cell(name=feature, value=by_name[column]) for feature, column in named]


def _view_stop_reason(request: PrototypeSetRequest, choice: Choice, row_coverage: RowCoverage | None) -> StopReason:
    """Return why no more prototypes were chosen."""
    share = 0.0 if row_coverage is None else row_coverage.share
    selection = choice.prototypes.selection
    stopping = selection.stopping_improvement
    if stopping is not None:
        classes = choice.prototypes.space.model.view.classes
        detail = _describe_improvement(request, stopping, selection.total_weight, classes)
        return StopReason(reason="alpha", detail=detail)
    n_selected, reason = len(selection.rows), str(selection.stopped_by)
    if reason == "n_prototypes" and request.coverage is not None:
        reason = "max_prototypes"
    if reason == "n_prototypes" and choice.validation is not None:
        reason = "validate"
    details = {
        "n_prototypes": f"{n_selected} prototypes were chosen, as requested",
        "coverage": f"with {n_selected} prototypes {request.coverage or 0:.1%} of the rows have the minimum proximity",
        "max_prototypes": f"{n_selected} prototypes, the most there may be, reach {share:.1%} of the rows",
        "validate": f"{n_selected} prototypes are within one standard error of the best number",
        "no_gain": "no further row would bring any row closer to a prototype",
        "no_improvement": f"no further row would raise the {request.metric.replace('_', ' ')}",
    }
    return StopReason(reason=reason, detail=details[reason])


def _describe_improvement(
    request: PrototypeSetRequest, stopping: StoppingImprovement, total_weight: int, classes: list[str]
) -> str:
    last = f"{stopping.improvement / total_weight:.6g}{_of_class(classes, stopping.prototype_class)}"
    before = f"{stopping.previous_improvement / total_weight:.6g}{_of_class(classes, stopping.previous_class)}"
    change = f"a relative change of {stopping.relative_change:.3g}, not above alpha {request.alpha:g}"
    return f"prototype {stopping.rank} improved the objective by {last}, the one before by {before}: {change}"


def _of_class(classes: list[str], index: int) -> str:
    return f" (class {classes[index]!r})" if classes else ""


def _arrays(chosen: ChosenPrototypes, quantiles: NDArray[np.int64]) -> bytes | None:
    """Return what explainers need: the prototypes' leaves and boxes, how to find a row's leaves, what is typical."""
    if isinstance(chosen.space, EuclideanSpace):
        return None
    space = chosen.leaf_space
    features = feature_numbers(space.model.description.columns)
    boxes = leaf_boxes(space.leaves.cut(space.model.ensemble), chosen.leaves, features).to_arrays()
    prototypes: dict[str, NDArray[Any]] = {
        "leaves": chosen.leaves,
        "classes": chosen.selection.classes,
        "typicality_quantiles": quantiles,
    }
    return write_arrays(space.arrays() | prototypes | {f"boxes_{name}": array for name, array in boxes.items()})
