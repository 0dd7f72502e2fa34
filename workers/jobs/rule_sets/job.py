"""Make a rule set: fit regions, make rules of them, print the rules, and judge them as they are printed."""

from schemas.rule_sets import RuleSetContent, RuleSetEvaluation, RuleSetRequest
from tree_explainers.rule_sets.rule_search import FoundRules, RuleLimits, RuleSettings, find_rules

from ...runtime.cautions import caution_of_figures
from ...runtime.context import JobContext, Produced
from ...runtime.progress import part_of
from .judging import judge
from .material import Material, gather
from .printing import printed_as_published
from .stages import FINDING, JUDGING
from .views import view_restarts, view_rules


def make_rule_set(context: JobContext) -> Produced:
    """Make what a ``RuleSetRequest`` asks for."""
    request = RuleSetRequest(**context.request)
    material = gather(context, request)
    found = _find(context, request, material)
    context.report(JUDGING, "judging rules")
    printed = printed_as_published(found.rules, material)
    classes = material.model.view.classes
    on_training, elsewhere = judge(found, printed, material.training, classes, "dataset"), None
    if material.evaluation is not None:
        elsewhere = judge(found, printed, material.evaluation, classes, "evaluation_dataset")
    content = RuleSetContent(
        task=material.model.view.task,
        classes=classes,
        method=request.method,
        search=request.search,
        labels=request.labels,
        n_rows=material.targets.n_rows,
        n_trees=material.model.view.n_trees,
        n_statements=material.statements.n_statements,
        **view_rules(found, printed, material),
        training_evaluation=on_training,
        evaluation=elsewhere or on_training,
        caution=_caution(on_training) if elsewhere is None else None,
        restarts=view_restarts(found.restarts),
        lower_bound=found.restarts.best.lower_bounds.tolist(),
    )
    return Produced(content.model_dump_json().encode())


def _caution(on_training: RuleSetEvaluation) -> str | None:
    model = on_training.model
    if model is None:
        return None
    return caution_of_figures(accuracy=None if model.error is None else 1 - model.error, r2=model.r2)


def _find(context: JobContext, request: RuleSetRequest, material: Material) -> FoundRules:
    settings = RuleSettings(request.method, request.search, request.n_restarts, RuleLimits(max_rules=request.max_rules))
    report = part_of(context.report, *FINDING)
    return find_rules(material.training.binned, material.targets, settings, context.rng, report)
