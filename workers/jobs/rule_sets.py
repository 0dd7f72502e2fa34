"""Make a rule set: fit regions to a model's predictions, turn them into rules, print and evaluate the printed rules."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from schemas.models import Score
from schemas.rule_sets import (
    Condition,
    ConstantRuleScores,
    Region,
    Restart,
    Rule,
    RuleFeature,
    RuleScores,
    RuleSetEvaluation,
    RuleSetRequest,
    RuleSetResult,
)
from storage.dataset_files import DatasetFile
from storage.errors import StorageError
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import part_of
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.conditions import Condition as PrintedCondition
from tree_explainers.questions.conditions import TrainingValues, rule_text
from tree_explainers.questions.statements import Statements, statements_of
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.fab import STARTS, FitSettings, Restarts, Start, omega_of
from tree_explainers.rule_sets.list_search import RuleLimits
from tree_explainers.rule_sets.regions import RegionModel
from tree_explainers.rule_sets.rule_lists import (
    PrintedRules,
    RuleList,
    first_firing,
    measure_all,
    measure_each,
    print_rules,
)
from tree_explainers.rule_sets.rule_search import FoundRules, RuleSettings, find_rules
from tree_explainers.scoring import Targets, score_constants, score_predictions
from tree_explainers.wording import Phrases

from ..runtime.context import JobContext, Produced
from .cautions import caution_of_figures
from .column_phrases import dataset_phrases, feature_type
from .inputs import OpenModel, ScoredDataset, apply_model, open_model
from .pseudo_rows import labelled_pseudo_rows
from .region_tables import FittedRows, write_region_tables
from .row_targets import constant_predictions, predicted_targets, refuse_unlabelled, true_targets

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.1)
_READING_FOR_EVALUATION = (0.1, 0.15)
_FINDING = (0.15, 0.95)
_EVALUATING = 0.95  # to the end: a moment


def make_rule_set(context: JobContext) -> Produced:
    """Make the artefact that a ``RuleSetRequest`` describes."""
    request = RuleSetRequest(**context.request)
    inputs = load_inputs(context, request)
    report = part_of(context.report, *_FINDING)
    training = inputs.training.binned
    pseudo = None
    if request.method == "rule_list" and request.labels == "predicted":  # what rules predict is known for any row
        pseudo = labelled_pseudo_rows(context, inputs.model, inputs.dataset, inputs.statements)
    found = find_rules(training, inputs.targets, _settings(request), context.rng, report, pseudo)
    context.report(_EVALUATING, "evaluating rules")
    printed = _print(found.rules, inputs)
    content = _content(request, inputs, found, printed).model_dump_json().encode()
    if request.method == "rule_list":
        return Produced(content)
    rows = FittedRows(inputs.dataset, inputs.training.binned, inputs.model.view.classes)
    model = found.restarts.best.model
    return Produced(content, files=write_region_tables(context.workspace, context.objects, rows, model))


def _settings(request: RuleSetRequest) -> RuleSettings:
    starts: tuple[Start, ...] = STARTS if request.start == "in_turn" else (request.start,)
    return RuleSettings(
        request.method,
        request.boxes,
        request.regions,
        tuple(FitSettings(start, request.omega) for start in starts),
        request.n_restarts,
        RuleLimits(max_rules=request.max_rules),
    )


# Inputs: raw rows, the bins that the trees' tests put them in, and their targets.


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
    training, phrases = (
        _evaluation_rows(context.objects, model, dataset, statements),
        dataset_phrases(context, model, dataset),
    )
    if request.labels == "target":
        refuse_unlabelled(context.objects, dataset)
    targets = _training_targets(request, model, training)
    evaluation = None
    if request.evaluation_dataset is not None:
        report = part_of(context.report, *_READING_FOR_EVALUATION)
        other = apply_model(context, model, request.evaluation_dataset, report)
        evaluation = _evaluation_rows(context.objects, model, other, statements)
    return RuleSetInputs(model, dataset, statements, training, evaluation, targets, phrases)


def _evaluation_rows(
    objects: ObjectStore, model: OpenModel, dataset: ScoredDataset, statements: Statements
) -> EvaluationRows:
    features = statements.features
    with DatasetFile(objects.path(dataset.stored.content)) as file:
        columns = file.read_columns([dataset.columns[feature.raw_index] for feature in features])
    rows = Rows(tuple(feature.name for feature in features), tuple(columns))
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


# Printed rules: conditions on raw values, which are what is applied to rows ever after.


def _print(rules: RuleList, inputs: RuleSetInputs) -> PrintedRules:
    """Return the rules as conditions on raw values.

    Numbers are compared in double precision, even where the model rounds them, so that a person, SQL and Python apply
    the rules without knowing the model. Thresholds are chosen such that training rows fall on the same side with and
    without rounding.
    """
    printed = print_rules(rules, TrainingValues(inputs.training.rows, inputs.training.binned))
    return replace(printed, precision=np.float64)


# Evaluation, on the training rows and on others if the request names any.


def evaluate(
    found: FoundRules,
    printed: PrintedRules,
    rows: EvaluationRows,
    classes: Sequence[str],
    evaluated_on: Literal["dataset", "evaluation_dataset"],
) -> RuleSetEvaluation:
    """Compare the predictions of printed rules, regions and model with each other and with the true targets."""
    fires = printed.fires(rows.rows)
    regions = found.fitted
    return RuleSetEvaluation(
        n_rows=len(fires),
        evaluated_on=evaluated_on,
        measured_against="model" if rows.truth is None else "target",
        as_printed=_scores(found.rules.predictions[first_firing(fires)], rows),
        as_fitted=None if regions is None else _scores(regions.predict(rows.binned), rows),
        model=None if rows.truth is None else _scores(rows.predicted.classes_or_values, rows),
        constant=ConstantRuleScores(
            **asdict(score_constants(rows.truth, rows.predicted)),
            **constant_predictions(rows.truth, rows.predicted, classes),
        ),
        **asdict(measure_all(fires)),
    )


def _scores(given: NDArray[Any], rows: EvaluationRows) -> RuleScores:
    return RuleScores(**asdict(score_predictions(given, rows.truth, rows.predicted)))


def _caution(on_training: RuleSetEvaluation) -> str | None:
    model = on_training.model
    if model is None:
        return None
    return caution_of_figures(accuracy=None if model.error is None else 1 - model.error, r2=model.r2)


# The result.


def _content(request: RuleSetRequest, inputs: RuleSetInputs, found: FoundRules, printed: PrintedRules) -> RuleSetResult:
    view, elsewhere = inputs.model.view, None
    on_training = evaluate(found, printed, inputs.training, view.classes, "dataset")
    if inputs.evaluation is not None:
        elsewhere = evaluate(found, printed, inputs.evaluation, view.classes, "evaluation_dataset")
    return RuleSetResult(
        task=view.task,
        classes=view.classes,
        method=request.method,
        boxes=None if found.fitted is None else request.boxes,
        labels=request.labels,
        n_rows=inputs.targets.n_rows,
        n_trees=view.n_trees,
        n_statements=inputs.statements.n_statements,
        **_view_rules(found, printed, inputs),
        training_evaluation=on_training,
        evaluation=elsewhere or on_training,
        caution=_caution(on_training) if elsewhere is None else None,
        regions=[] if found.fitted is None else _view_regions(found.fitted, inputs),
        omega=_omega(request, inputs),
        restarts=_view_restarts(found.restarts),
        lower_bounds=found.restarts.best.lower_bounds.tolist(),
    )


def _view_rules(found: FoundRules, printed: PrintedRules, inputs: RuleSetInputs) -> dict[str, Any]:
    """Return the fields of ``RuleSetResult`` about the rules, with their counts on the training rows."""
    rules, classes = found.rules, inputs.model.view.classes
    fires = printed.fires(inputs.training.rows)
    each = measure_each(rules, fires, inputs.targets)
    views = [
        Rule(
            rank=index + 1,
            text=rule_text(printed.rules[index], inputs.phrases),
            conditions=_view_conditions(printed.rules[index]),
            prediction=_prediction(rules, index, classes),
            scores=_shares(rules, index, classes),
            region=found.regions[index] if found.regions else None,
            coverage=float(each.coverage[index]),
            precision=None if np.isnan(each.precision[index]) else float(each.precision[index]),
            n_rows=int(each.n_covered[index]),
            support=int(each.support[index]),
        )
        for index in range(rules.n_rules)
    ]
    return {
        "n_rules": rules.n_rules,
        "n_conditions": sum(map(len, printed.rules)),
        "features": _view_features(printed, inputs),
        "rules": views,
        "default_prediction": _prediction(rules, rules.n_rules, classes),
        "default_scores": _shares(rules, rules.n_rules, classes),
        "default_support": len(fires) - int(each.support.sum()),
    }


def _view_conditions(conditions: Iterable[PrintedCondition]) -> list[Condition]:
    return [
        Condition(
            feature=condition.feature,
            column=condition.column,
            operator=condition.operator,
            value=list(condition.value) if isinstance(condition.value, tuple) else condition.value,
            or_missing=condition.or_missing,
        )
        for condition in conditions
    ]


def _view_features(printed: PrintedRules, inputs: RuleSetInputs) -> list[RuleFeature]:
    """Return the features that occur in some rule, in the model's order."""
    used = {condition.column for conditions in printed.rules for condition in conditions}
    return [
        RuleFeature(
            name=feature.name,
            type=feature_type(feature.name, inputs.phrases, is_number=feature.is_number),
            missing_text=feature.missing_token,
        )
        for feature in inputs.statements.features
        if feature.name in used
    ]


def _prediction(rules: RuleList, index: int, classes: list[str]) -> float | str:
    return classes[int(rules.predictions[index])] if classes else float(rules.predictions[index])


def _shares(rules: RuleList, index: int, classes: list[str]) -> list[Score]:
    shares = [] if rules.scores is None else rules.scores[index].tolist()
    return [Score(label=label, value=share) for label, share in zip(classes, shares, strict=True)]


def _view_regions(model: RegionModel, inputs: RuleSetInputs) -> list[Region]:
    classes, predictions = inputs.model.view.classes, model.predictions()
    n_rows = np.bincount(model.map_regions(inputs.training.binned), minlength=model.n_regions)
    scores = np.empty((model.n_regions, 0)) if model.scores is None else model.scores
    named = [
        [Score(label=label, value=share) for label, share in zip(classes, own, strict=True)] for own in scores.tolist()
    ]
    return [
        Region(
            region=region,
            share=float(model.shares[region]),
            prediction=classes[int(predictions[region])] if classes else float(predictions[region]),
            scores=named[region],
            mean=None if model.means is None else float(model.means[region]),
            variance=None if model.precisions is None else float(1 / model.precisions[region]),
            n_rows=int(n_rows[region]),
        )
        for region in range(model.n_regions)
    ]


def _omega(request: RuleSetRequest, inputs: RuleSetInputs) -> float | None:
    """Return what a region cost; only FAB knows such a cost."""
    if request.method != "fab":
        return None
    return omega_of(inputs.training.binned, inputs.targets) if request.omega is None else request.omega


def _view_restarts(restarts: Restarts) -> list[Restart]:
    return [
        Restart(
            restart=index,
            start=each.start,
            n_regions=each.n_regions,
            n_iterations=len(each.lower_bounds),
            lower_bound=float(each.lower_bounds[-1]),
            training_error=each.training_error,
            chosen=index == restarts.chosen,
        )
        for index, each in enumerate(restarts.all)
    ]
