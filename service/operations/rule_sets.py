"""Request rule sets, export them, and read the tables of their regions."""

from typing import Literal

from schemas.models import Model
from schemas.nouns import RULE_SETS
from schemas.relational_features import SqlSource
from schemas.rule_sets import (
    DecisionTreeOptions,
    InTreesOptions,
    NodeHarvestOptions,
    RuleExportFormat,
    RuleSet,
    RuleSetMethod,
    RuleSetRequest,
    RuleSetResult,
)
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.feature_matching import describe_type, match_features

from ..app_context import AppContext
from ..exports import write_rules, write_rules_over_tables
from .artefact_tables import KeptTable, open_table
from .artefacts import MadeFrom, get_result, matching_evaluation, request_artefact
from .feature_sets import tables_behind
from .request_checks import refuse_unmapped_columns

_OF_FITS = ("boxes", "max_rules", "n_restarts", "start", "omega", "e_step_rounds", "regions")
_NOT_USED: dict[RuleSetMethod, tuple[str, ...]] = {  # fields of requests that do not matter to a method
    "rule_list": ("boxes", "e_step_rounds"),
    "fab": ("regions",),
    "em": ("regions", "e_step_rounds"),
    "in_trees": _OF_FITS,
    "node_harvest": (*_OF_FITS, "seed"),
    "decision_tree": (*_OF_FITS, "seed"),
}
_TWO = 2  # classes, at most
_OPTIONS = {"in_trees": InTreesOptions, "node_harvest": NodeHarvestOptions, "decision_tree": DecisionTreeOptions}


def request_rule_set(context: AppContext, request: RuleSetRequest) -> RuleSet:
    """Return the rule set if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    model = context.models.get(request.model)
    dataset = context.datasets.get(request.dataset)
    refuse_unmapped_columns(context, model, "rules are about raw features")
    match_features(model.view, dataset.view)
    if request.method == "node_harvest" and len(model.view.classes) > _TWO:
        detail = (
            f"model {request.model!r} has {len(model.view.classes)} classes; Node Harvest predicts values or one of "
            "two classes: take another method"
        )
        raise StorageError("method_not_applicable", detail, "/method")
    if request.labels == "target":
        _check_target(model.view, dataset)
    complete = _normalised(request)
    evaluation = matching_evaluation(context, model.view, complete.evaluation_dataset)
    return request_artefact(context, RULE_SETS, complete, MadeFrom(model.view, dataset, evaluation))


def export_rules(context: AppContext, rule_set_id: str, form: RuleExportFormat, over: SqlSource | None = None) -> str:
    """Return the rules in a form that other programs can read or run; see ``tables_behind`` for ``over``."""
    content = RuleSetResult.model_validate_json(get_result(context, RULE_SETS, rule_set_id))
    behind = tables_behind(context, context.artefacts.get(RULE_SETS.name, rule_set_id), form, over)
    return write_rules(content, form) if behind is None else write_rules_over_tables(content, behind)


def open_region_table(context: AppContext, rule_set_id: str, name: Literal["parameters", "rows"]) -> KeptTable:
    """Return a table about the regions of a rule set, opened.

    Raises
    ------
    StorageError
        ``method_not_applicable`` for a rule set without regions; ``not_found`` and ``artefact_not_ready`` as always.
    """
    try:
        return open_table(context, RULE_SETS, rule_set_id, name)[1]
    except KeyError:
        detail = (
            f"rule set {rule_set_id!r} keeps no regions: its method fits none, or an earlier version made it; request "
            "one with method `fab` or `em`"
        )
        raise StorageError("method_not_applicable", detail) from None


def _normalised(request: RuleSetRequest) -> RuleSetRequest:
    """Return the request that all requests with the same answer have in common, so that they share an id."""
    on_itself, unused = request.evaluation_dataset == request.dataset, _NOT_USED[request.method]
    fields = RuleSetRequest.model_fields
    update = {name: fields[name].get_default(call_default_factory=True, validated_data={}) for name in unused}
    for name, options in _OPTIONS.items():
        update[name] = (getattr(request, name) or options()) if name == request.method else None
    return request.model_copy(update=update | ({"evaluation_dataset": None} if on_itself else {}))


def _check_target(model: Model, dataset: StoredDataset) -> None:
    target = dataset.view.target
    if target is None:
        detail = (
            f"labels is `target`, but dataset {dataset.view.id!r} has none; name it in the dataset's metadata, or take "
            "labels=predicted"
        )
        raise StorageError("schema_mismatch", detail, "/labels")
    column = next(column for column in dataset.view.columns if column.name == target)
    if model.task == "regression" and column.type == "category":
        detail = f"model {model.id!r} predicts a number, but the target {describe_type(column)}; take labels=predicted"
        raise StorageError("schema_mismatch", detail, "/labels")
