"""Make an evaluation: how well a model predicts the labels of a dataset, and where it is wrong."""

from explanations.evaluation_texts import summary_of_evaluation
from schemas.cautions import Caution
from schemas.evaluations import N_ROWS_SHOWN, EvaluationRequest, EvaluationResult, WrongRow
from tree_explainers.compute.progress import part_of
from tree_explainers.prediction_scores import r2_of

from ..runtime.context import JobContext, Produced
from .cautions import Consequence, caution_of_memory, known_cautions
from .evaluation_classes import evaluate_classes, positive_class
from .evaluation_groups import evaluate_groups
from .evaluation_regions import find_error_regions
from .evaluation_rows import EvaluatedRows, load_evaluated_rows
from .evaluation_values import evaluate_bands, evaluate_values
from .wrong_rows import rank_wrong_rows, read_first_rows, write_wrong_rows

_LOADED, _MEASURED, _SEARCHED = 0.5, 0.7, 0.95
_FEW_ROWS = 100
_MEMORY = Consequence(
    "measured_on_training_rows",
    "where it was trained on these rows, it repeats what it learned, and will be wrong more often on others",
    "name rows that it was not trained on as dataset",
)


def make_evaluation(context: JobContext) -> Produced:
    """Make the artefact that an ``EvaluationRequest`` describes."""
    request = EvaluationRequest(**context.request)
    rows = load_evaluated_rows(context, request, part_of(context.report, 0, _LOADED))
    is_classifier = rows.labels is not None
    positive = positive_class(rows, request.positive) if is_classifier else None
    measured = evaluate_classes(rows, positive, part_of(context.report, _LOADED, _MEASURED)) if is_classifier else None
    ranking, table = rank_wrong_rows(rows), context.workspace / "wrong_rows.parquet"
    write_wrong_rows(context, rows, ranking, table)
    report = part_of(context.report, _MEASURED, _SEARCHED)
    regions, n_checked = find_error_regions(context, rows, request.max_regions, report)
    groups, n_comparisons = evaluate_groups(
        context, rows, request.group_by, positive, part_of(context.report, _SEARCHED, 1)
    )
    result = EvaluationResult(
        summary="",
        task=rows.model.view.task,
        n_rows=rows.stored.view.n_rows,
        n_evaluated=rows.n_rows,
        held_out=rows.stored.view.held_out,
        measured_on=_measured_on(rows),
        positive=None if positive is None else rows.classes[positive],
        classification=measured,
        regression=None if is_classifier else evaluate_values(rows),
        bands=list(evaluate_bands(rows)),
        n_comparisons=n_comparisons,
        groups=groups,
        n_rows_checked=n_checked,
        regions=regions,
        n_wrong=len(ranking),
        wrong_rows=[WrongRow(**line) for line in read_first_rows(table, N_ROWS_SHOWN)],
        cautions=_cautions(rows),
    )
    summarised = result.model_copy(update={"summary": summary_of_evaluation(result)})
    return Produced(summarised.model_dump_json().encode(), files={"table": table})


def _measured_on(rows: EvaluatedRows) -> str:
    """Return which rows figures are of, and what is known of them."""
    n_rows, n_labelled = rows.stored.view.n_rows, rows.n_rows
    which = f"{n_rows:,} rows" if n_rows == n_labelled else f"the {n_labelled:,} of {n_rows:,} rows that have a label"
    if rows.stored.view.held_out:
        return f"{which}, which are declared as held out: no model that is used with them was trained on them"
    return f"{which}; whether the model was trained on them is not known"


def _cautions(rows: EvaluatedRows) -> list[Caution]:
    """Return the reasons to read the figures with care."""
    return known_cautions(_caution_of_memory(rows), _caution_of_few_rows(rows.n_rows), _caution_of_one_label(rows))


def _caution_of_memory(rows: EvaluatedRows) -> Caution | None:
    if rows.stored.view.held_out:
        return None
    r2 = None if rows.truth.values is None else r2_of(rows.values, rows.truth.values)
    accuracy = None if rows.labels is None else 1 - float(rows.errors.mean())
    return caution_of_memory(_MEMORY, accuracy=accuracy, r2=r2)


def _caution_of_few_rows(n_rows: int) -> Caution | None:
    if n_rows >= _FEW_ROWS:
        return None
    return Caution(code="few_rows", detail=f"figures of {n_rows:,} rows are uncertain: see their intervals")


def _caution_of_one_label(rows: EvaluatedRows) -> Caution | None:
    if rows.truth.classes is None or (rows.truth.classes != rows.truth.classes[0]).any():
        return None
    label = rows.classes[rows.truth.classes[0]]
    detail = f"all rows have the label {label!r}: nothing says how well it is separated from others"
    return Caution(code="one_label", detail=detail)
