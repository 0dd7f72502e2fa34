"""Make a rule set: find rules by the method that was requested, print them, and evaluate the printed rules."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np

from schemas.cautions import Caution
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
from tree_explainers.compute.progress import part_of
from tree_explainers.questions.binned_rows import Layout
from tree_explainers.questions.conditions import Condition as PrintedCondition
from tree_explainers.questions.conditions import rule_text
from tree_explainers.questions.statements import Statements
from tree_explainers.rule_sets.fab import Restarts, omega_of
from tree_explainers.rule_sets.regions import BinTables, RegionModel, count_regions
from tree_explainers.rule_sets.row_parts import RowParts
from tree_explainers.rule_sets.rule_evaluation import RuleFigures, ValueRanges, evaluate_rules
from tree_explainers.rule_sets.rule_lists import (
    FiringCounts,
    PrintedRules,
    RuleList,
    measure_all,
    measure_each,
    print_rules,
)

from ..runtime.context import JobContext, Produced
from .cautions import caution_of_agreement, caution_of_figures, known_cautions
from .row_targets import name_constants
from .rule_set_files import FittedRows, write_region_tables
from .rule_set_search import INPUTS_LOADED, RuleSearch, RuleSetInputs, find_by_method, load_inputs
from .surrogates import feature_type

# Shares of the job's progress, which goes from 0 to 1 and never back.
_FINDING = (INPUTS_LOADED, 0.95)
_EVALUATING = 0.95  # to the end: a moment


def make_rule_set(context: JobContext) -> Produced:
    """Make the artefact that a ``RuleSetRequest`` describes."""
    request = RuleSetRequest(**context.request)
    inputs = load_inputs(context, request)
    search = find_by_method(request, inputs, context, part_of(context.report, *_FINDING))
    context.report(_EVALUATING, "evaluating rules")
    printed = _print(search)
    content = _content(request, inputs, search, printed).model_dump_json().encode()
    if search.fitted is None:
        return Produced(content)
    rows = FittedRows(inputs.stored, inputs.training, inputs.model.view.classes)
    return Produced(content, files=write_region_tables(context.workspace, context.objects, rows, search.fitted))


# Printed rules: conditions on raw values, which are what is applied to rows ever after.


def _print(search: RuleSearch) -> PrintedRules:
    """Return the rules as conditions on raw values.

    Numbers are compared in double precision, even where the model rounds them, so that a person, SQL and Python apply
    the rules without knowing the model. Thresholds are chosen such that training rows fall on the same side with and
    without rounding.
    """
    features = sorted({feature for box in search.rules.boxes for feature in box.features})
    return replace(print_rules(search.rules, ValueRanges.of(search.rows, features)), precision=np.float64)


# Evaluation, on the training rows and on others if the request names any.


def evaluate(search: RuleSearch, printed: PrintedRules, rows: RowParts) -> RuleFigures:
    """Compare the predictions of printed rules, regions and model with each other and with the true targets."""
    return evaluate_rules(rows, printed, search.rules, search.predictor, search.fitted)


def _view_evaluation(
    figures: RuleFigures, classes: Sequence[str], evaluated_on: Literal["dataset", "evaluation_dataset"]
) -> RuleSetEvaluation:
    targets = figures.targets
    return RuleSetEvaluation(
        n_rows=targets.n_rows,
        evaluated_on=evaluated_on,
        measured_against="target" if targets.has_truth else "model",
        as_printed=RuleScores(**asdict(figures.as_printed)),
        as_fitted=None if figures.as_fitted is None else RuleScores(**asdict(figures.as_fitted)),
        model=None if figures.of_model is None else RuleScores(**asdict(figures.of_model)),
        constant=ConstantRuleScores(
            **asdict(targets.scores_of_constants()), **name_constants(targets.constants, classes)
        ),
        **asdict(measure_all(figures.firing)),
    )


def _cautions(evaluation: RuleSetEvaluation, *, are_held_out: bool) -> list[Caution]:
    """Return all that speaks against relying on the rules or their figures."""
    cautions = known_cautions(caution_of_agreement(evaluation.as_printed, evaluation.constant))
    if evaluation.evaluated_on == "dataset":
        error, r2 = (None, None) if evaluation.model is None else (evaluation.model.error, evaluation.model.r2)
        accuracy = None if error is None else 1 - error
        cautions.append(caution_of_figures(accuracy=accuracy, r2=r2, are_held_out=are_held_out))
    return cautions


# The result.


def _content(
    request: RuleSetRequest, inputs: RuleSetInputs, search: RuleSearch, printed: PrintedRules
) -> RuleSetResult:
    view, elsewhere = inputs.model.view, None
    figures = evaluate(search, printed, inputs.training)
    on_training = _view_evaluation(figures, view.classes, "dataset")
    if inputs.evaluation is not None:
        elsewhere = _view_evaluation(evaluate(search, printed, inputs.evaluation), view.classes, "evaluation_dataset")
    return RuleSetResult(
        task=view.task,
        classes=view.classes,
        method=request.method,
        boxes=None if search.fitted is None else request.boxes,
        combination="first" if search.weighted is None else "weighted_mean",
        labels=request.labels,
        n_rows=inputs.training.n_rows,
        n_trees=view.n_trees,
        n_statements=inputs.statements.n_statements,
        **_view_rules(search, printed, inputs, figures.firing),
        training_evaluation=on_training,
        evaluation=elsewhere or on_training,
        cautions=_cautions(elsewhere or on_training, are_held_out=inputs.stored.view.held_out),
        regions=[] if search.fitted is None else _view_regions(search.fitted, inputs),
        omega=_omega(request, inputs),
        restarts=[] if search.restarts is None else _view_restarts(search.restarts),
        lower_bounds=[] if search.restarts is None else search.restarts.best.lower_bounds.tolist(),
    )


def _share_or_null(share: np.float64) -> float | None:
    return None if np.isnan(share) else float(share)


def _view_rules(
    search: RuleSearch, printed: PrintedRules, inputs: RuleSetInputs, firing: FiringCounts
) -> dict[str, Any]:
    """Return the fields of ``RuleSetResult`` about the rules, with their counts on the training rows."""
    rules, classes = search.rules, inputs.model.view.classes
    each = measure_each(rules, firing)
    is_list = search.weighted is None
    support, decided_precision = (each.support, each.decided_precision) if is_list else (each.n_covered, each.precision)
    views = [
        Rule(
            rank=index + 1,
            text=rule_text(printed.rules[index], inputs.phrases),
            conditions=_view_conditions(printed.rules[index]),
            prediction=_prediction(rules, index, classes),
            scores=_shares(rules, index, classes),
            weight=None if search.weighted is None else float(search.weighted.weights[index]),
            region=search.regions[index] if search.regions else None,
            coverage=float(each.coverage[index]),
            precision=_share_or_null(each.precision[index]),
            decided_precision=_share_or_null(decided_precision[index]),
            n_rows=int(each.n_covered[index]),
            support=int(support[index]),
        )
        for index in range(rules.n_rules)
    ]
    return {
        "n_rules": rules.n_rules,
        "n_conditions": sum(map(len, printed.rules)),
        "features": _view_features(printed, search.rows.statements, inputs),
        "rules": views,
        "default_prediction": _prediction(rules, rules.n_rules, classes),
        "default_scores": _shares(rules, rules.n_rules, classes),
        "default_support": int(firing.n_decided[-1]),
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


def _view_features(printed: PrintedRules, statements: Statements, inputs: RuleSetInputs) -> list[RuleFeature]:
    """Return the features that occur in some rule, in the model's order."""
    used = {condition.column for conditions in printed.rules for condition in conditions}
    return [
        RuleFeature(
            name=feature.name,
            type=feature_type(feature.name, inputs.phrases, is_number=feature.is_number),
            missing_text=feature.missing_token,
        )
        for feature in statements.features
        if feature.name in used
    ]


def _prediction(rules: RuleList, index: int, classes: list[str]) -> float | str:
    return classes[int(rules.predictions[index])] if classes else float(rules.predictions[index])


def _shares(rules: RuleList, index: int, classes: list[str]) -> list[Score]:
    shares = [] if rules.scores is None else rules.scores[index].tolist()
    return [Score(label=label, value=share) for label, share in zip(classes, shares, strict=True)]


def _view_regions(model: RegionModel, inputs: RuleSetInputs) -> list[Region]:
    classes, predictions = inputs.model.view.classes, model.predictions()
    n_rows = inputs.training.counts(count_regions, BinTables.of(model, Layout.of(inputs.statements)))
    scores = np.empty((model.n_regions, 0)) if model.scores is None else model.scores
    named = [
        [Score(label=label, value=share) for label, share in zip(classes, row, strict=True)] for row in scores.tolist()
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
    return omega_of(inputs.training) if request.omega is None else request.omega


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
