"""Make a prototype set: choose rows that represent the others, bound how good a choice could be, evaluate this one."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explanations.feature_phrases import VALUES
from schemas.cautions import Caution
from schemas.prototype_sets import (
    MAX_CRITICISMS,
    PrototypeSetRequest,
    PrototypeSetResult,
    RowCoverage,
)
from storage.array_files import write_arrays
from storage.artefacts import most_prototypes
from storage.dataset_rows import open_rows
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import part_of
from tree_explainers.leaf_space.nearest_by_masks import NearestWithin
from tree_explainers.prototype_sets.criticisms import Criticisms, find_criticisms
from tree_explainers.prototype_sets.goal import covered_classes
from tree_explainers.prototype_sets.leaf_boxes import leaf_boxes
from tree_explainers.prototype_sets.readable import feature_numbers

from ..runtime.context import JobContext, Produced
from .cautions import caution_of_agreement, known_cautions
from .prototype_set_choice import Choice, choose, load_inputs
from .prototype_set_evaluation import (
    ChosenPrototypes,
    EvaluationRows,
    caution_of_classes,
    caution_of_outcomes,
    caution_of_row_coverage,
    caution_of_rows,
    classes_without_prototypes,
    evaluate_baselines,
    evaluate_by_size,
    measure,
    measure_row_coverage,
    typicality_quantiles,
    view_quality_of_set,
    view_typicality,
)
from .prototype_set_files import measured_values, write_classifier, write_represented
from .prototype_set_views import classifier_prototype, view_certificate, view_choice, view_rows
from .searched_rows import Reference, searched_space, write_reference
from .spaces import LeafSpace

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.25)
_CHOOSING = (0.25, 0.6)
_CERTIFYING = (0.6, 0.85)
_MEASURING = (0.85, 0.88)
_EVALUATING = (0.88, 0.92)
_COMPARING = (0.92, 1.0)
_SELECTED_ON_THEM = Caution(
    code="chosen_by_its_evaluation_rows",
    detail="prototypes were selected for their predictions of the rows that figures are measured on: these scores are "
    "better than those of other rows will be",
)
_NUMBER_CHOSEN_ON_THEM = Caution(
    code="chosen_by_its_evaluation_rows",
    detail="the number of prototypes was chosen by their predictions of the rows that figures are measured on: these "
    "scores are somewhat better than those of other rows will be",
)


def make_prototype_set(context: JobContext) -> Produced:
    """Make the artefact that a ``PrototypeSetRequest`` describes."""
    request = PrototypeSetRequest(**context.request)
    inputs = load_inputs(context, request, part_of(context.report, *_READING))
    choice = choose(context, request, inputs, part_of(context.report, *_CHOOSING))
    rows = inputs.evaluation.within(choice.prototypes.space)
    criticisms = _find_criticisms(choice.prototypes)
    cells = _take(context.objects, choice.prototypes, criticisms)
    searched = searched_space(inputs.model, inputs.dataset, request)
    with ThreadPoolExecutor() as pool:  # files need the choice alone: they are written while it is measured
        written = _begin_files(pool, context, choice.without_pairs().prototypes, searched, cells, rows)
        chosen, report = choice.prototypes, part_of(context.report, *_CERTIFYING)
        certificate = chosen.space.certify(chosen.classes, chosen.selection, report)
        choice = choice.without_pairs()
        chosen = choice.prototypes
        quality = measure(chosen, rows, part_of(context.report, *_MEASURING))
        row_coverage, quantiles = measure_row_coverage(chosen), typicality_quantiles(quality, chosen, rows)
        nearest = None if certificate is None else certificate.nearest
        evaluated = _evaluate(context, request, choice, rows, row_coverage, nearest)
        arrays = _arrays(context.objects, chosen, quantiles)
    reference, files = written()
    content = PrototypeSetResult(
        nearest_rows=reference.view,
        **view_choice(request, choice, row_coverage),
        **view_certificate(certificate, chosen.selection.total_weight),
        **view_rows(chosen, quality, criticisms, cells),
        quality=view_quality_of_set(quality, chosen, rows),
        typicality=view_typicality(quantiles, chosen, rows),
        **evaluated,
    )
    return Produced(content.model_dump_json().encode(), arrays, files)


def _begin_files(
    pool: ThreadPoolExecutor,
    context: JobContext,
    chosen: ChosenPrototypes,
    searched: LeafSpace | None,
    cells: list[dict[str, object]],
    rows: EvaluationRows,
) -> Callable[[], tuple[Reference, dict[str, Path]]]:
    """Begin to write all files beside the result; return what waits for them.

    One of them reads and packs rows, another is built of objects, so that they are written at once.
    """
    represented = pool.submit(write_represented, context, chosen)
    if searched is None:
        return lambda: (Reference(), represented.result())
    truth = rows.truth if rows.is_training else None
    reference = pool.submit(write_reference, context, searched, chosen.leaf_space, truth)
    prototypes = [classifier_prototype(chosen, index, cells[index]) for index in range(len(chosen.selection.rows))]
    classifier = pool.submit(write_classifier, context, chosen, prototypes)
    return lambda: (
        reference.result(),
        {**reference.result().files, **classifier.result(), **represented.result()},
    )


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
    cautions = known_cautions(
        caution_of_row_coverage(request, [] if choice.leaves is None else choice.leaves.steps, row_coverage),
        caution_of_agreement(evaluation[-1], baseline.constant),
        caution_of_rows(rows, baseline.model),
        caution_of_classes(left_out),
        caution_of_outcomes(chosen),
        _SELECTED_ON_THEM if request.selected_on == "evaluation_dataset" else None,
        _NUMBER_CHOSEN_ON_THEM if choice.validation is not None and not rows.is_training else None,
    )
    return {
        "evaluation": evaluation,
        "evaluated_on": "dataset" if rows.is_training else "evaluation_dataset",
        "measured_against": "model" if rows.truth is None else "target",
        "baseline": baseline,
        "classes_without_prototypes": left_out,
        "cautions": cautions,
    }


# The rows of the result, and arrays for explainers.


def _take(objects: ObjectStore, chosen: ChosenPrototypes, criticisms: Criticisms) -> list[dict[str, object]]:
    """Return the cells of prototypes and criticisms, which lie in the same parts of the file as a rule."""
    with open_rows(objects, chosen.space.dataset.stored.content) as file:
        return file.take([*chosen.selection.rows.tolist(), *criticisms.rows.tolist()])


def _find_criticisms(chosen: ChosenPrototypes) -> Criticisms:
    """Find rows that no prototype represents well, up to the number that fits into a result."""
    space, selection = chosen.space, chosen.selection
    n_criticisms = max(0, min(MAX_CRITICISMS, most_prototypes(space.model.view.feature_names) - len(selection.rows)))
    classes = covered_classes(selection.method, chosen.classes)
    return find_criticisms(space.dataset.table, space.weights, classes, selection.rows, n_criticisms)


def _arrays(objects: ObjectStore, chosen: ChosenPrototypes, quantiles: NDArray[np.int64]) -> bytes | None:
    """Return what explainers need: the prototypes' leaves and boxes, how to find a row's leaves, what is typical."""
    if not chosen.space.is_explainable:
        return None
    space = chosen.leaf_space
    features = feature_numbers(space.model.description.columns)
    boxes = leaf_boxes(space.leaves.cut(space.model.ensemble), chosen.leaves, features).to_arrays()
    prototypes: dict[str, NDArray[Any]] = {
        "leaves": chosen.leaves,
        "classes": chosen.selection.classes,
        "typicality_quantiles": quantiles,
    }
    values = {f"{VALUES}{name}": array for name, array in measured_values(objects, space.model, space.dataset).items()}
    return write_arrays(space.arrays() | prototypes | values | {f"boxes_{name}": each for name, each in boxes.items()})
