"""Make a prototype set: choose rows that represent the others, bound how good a choice could be, evaluate this one."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from schemas.cautions import Caution
from schemas.prototype_sets import (
    MAX_CRITICISMS,
    PrototypeSetRequest,
    PrototypeSetResult,
    RowCoverage,
)
from storage.artefacts import most_prototypes
from tree_explainers.compute.progress import part_of
from tree_explainers.leaf_space.nearest_by_masks import NearestWithin
from tree_explainers.prototype_sets.criticisms import Criticisms, find_criticisms
from tree_explainers.prototype_sets.goal import covered_classes

from ..runtime.context import JobContext, Produced
from .cautions import caution_of_agreement, known_cautions
from .prototype_set_background import Background, Meanwhile, begin_reference
from .prototype_set_choice import Choice, choose_space, load_inputs
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
from .prototype_set_views import view_certificate, view_choice, view_rows

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
    with ThreadPoolExecutor() as pool:  # files are written while rows are chosen and measured
        meanwhile = Meanwhile(pool)
        context = replace(context, meanwhile=meanwhile.begin)
        inputs = load_inputs(context, request, part_of(context.report, *_READING))
        chosen_space = choose_space(context, request, inputs, part_of(context.report, *_CHOOSING))
        rows = inputs.evaluation.within(chosen_space.space)
        reference = begin_reference(pool, context, request, inputs, chosen_space.space)
        choice = chosen_space.choose()
        criticisms = _find_criticisms(choice.prototypes)
        alone = choice.without_pairs().prototypes
        background = Background.begin(pool, context, inputs, alone, reference, criticisms)
        chosen, report = choice.prototypes, part_of(context.report, *_CERTIFYING)
        certificate = chosen.space.certify(chosen.classes, chosen.selection, report)
        choice = choice.without_pairs()
        chosen = choice.prototypes
        quality = measure(chosen, rows, part_of(context.report, *_MEASURING))
        row_coverage, quantiles = measure_row_coverage(chosen), typicality_quantiles(quality, chosen, rows)
        nearest = None if certificate is None else certificate.nearest
        viewed = pool.submit(view_rows, chosen, quality, criticisms, background.cells.result())
        evaluated = _evaluate(context, request, choice, rows, row_coverage, nearest)
        content = PrototypeSetResult(
            **view_choice(request, choice, row_coverage),
            **view_certificate(certificate, chosen.selection.total_weight),
            **viewed.result(),
            quality=view_quality_of_set(quality, chosen, rows),
            typicality=view_typicality(quantiles, chosen, rows),
            nearest_rows=background.reference().view,
            **evaluated,
        )
        arrays = background.arrays(chosen, quantiles)
        meanwhile.wait()
    return Produced(content.model_dump_json().encode(), arrays, background.files())


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


def _find_criticisms(chosen: ChosenPrototypes) -> Criticisms:
    """Find rows that no prototype represents well, up to the number that fits into a result."""
    space, selection = chosen.space, chosen.selection
    n_criticisms = max(0, min(MAX_CRITICISMS, most_prototypes(space.model.view.feature_names) - len(selection.rows)))
    classes = covered_classes(selection.method, chosen.classes)
    return find_criticisms(space.dataset.table, space.weights, classes, selection.rows, n_criticisms)
