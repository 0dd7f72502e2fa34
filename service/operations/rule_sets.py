"""Request rule sets, export them, and read the tables of their regions."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from schemas.models import Model
from schemas.relational_features import SqlSource
from schemas.rule_sets import (
    RULE_SETS,
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
from storage.feature_matching import describe_type, match_features, refuse_infinite_cells
from tree_explainers.compute.job_sizes import JobSizes
from tree_explainers.compute.partitions import BLOCK_ROWS
from tree_explainers.rule_sets import cost

from ..app_context import AppContext
from ..exports import write_rules, write_rules_over_tables
from .artefact_tables import StoredTable, open_table
from .artefacts import MadeFrom, exported_result, matching_evaluation, request_artefact, words_of
from .feature_sets import tables_behind
from .job_estimates import KindEstimate, Need, Request
from .request_checks import other_methods, refuse_unmapped_columns, refuse_unused

_OPTIONS = {"in_trees": InTreesOptions, "node_harvest": NodeHarvestOptions, "decision_tree": DecisionTreeOptions}
_OF_FITS = ("boxes", "max_rules", "n_restarts", "start", "omega", "e_step_rounds", "regions")
_UNUSED: dict[RuleSetMethod, tuple[str, ...]] = {  # fields of requests that do not matter to a method
    "rule_list": ("boxes", "e_step_rounds", *_OPTIONS),
    "fab": ("regions", *_OPTIONS),
    "em": ("regions", "omega", "e_step_rounds", *_OPTIONS),
    "in_trees": (*_OF_FITS, "node_harvest", "decision_tree"),
    "node_harvest": (*_OF_FITS, "in_trees", "decision_tree"),
    "decision_tree": (*_OF_FITS, "in_trees", "node_harvest"),
}
_NUMBER_OF_RULES = {  # how methods without `max_rules` come to have fewer
    "in_trees": "leave it out, and raise in_trees.min_frequency for fewer rules",
    "node_harvest": "leave it out, and lower node_harvest.max_depth or max_total_weight for fewer rules",
    "decision_tree": "leave it out, and lower decision_tree.max_depth for fewer rules",
}
_WITHOUT_SEED = ("node_harvest", "decision_tree")  # methods that draw nothing: every seed gives the same
_OF_FINITE_NUMBERS = ("rule_list", "fab", "em")
_TWO = 2  # classes, at most


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
    columns = match_features(model.view, dataset.view)
    if request.method in _OF_FINITE_NUMBERS:
        why = f"method {request.method} rounds cuts between finite ones: take in_trees, node_harvest or decision_tree"
        refuse_infinite_cells(columns, dataset.view, why)
    classes = model.view.outcomes if request.labels == "predicted" else model.view.classes  # that rules predict
    what = "classes" if classes == model.view.classes else "outcomes"
    if request.method == "node_harvest" and len(classes) > _TWO:
        detail = (
            f"model {request.model!r} has {len(classes)} {what}; Node Harvest predicts values or one of "
            f"two {what}: take another method"
        )
        raise StorageError("method_not_applicable", detail, "/method")
    _refuse_unused(request)
    if request.in_trees is not None and classes:
        advice = {"n_levels": "leave it out"}
        refuse_unused(request.in_trees, f"in_trees for the {what} of model {request.model!r}", advice, "/in_trees")
    if request.labels == "target":
        _check_target(model.view, dataset)
    complete = _normalised(request)
    evaluation = matching_evaluation(context, model.view, complete.evaluation_dataset)
    return request_artefact(context, RULE_SETS, complete, MadeFrom(model.view, dataset, evaluation))


def _needs(sizes: JobSizes, request: Request) -> tuple[Need, ...]:
    method = request.get("method", "rule_list")
    if method in _NEEDS_OF_TREES:
        rows = Need(cost.COMPILING_BYTES + cost.binned_row_bytes(sizes), "send fewer rows")
        return rows, _NEEDS_OF_TREES[method](sizes, request[method] or {})
    held, is_list = _held(sizes, request), method == "rule_list"
    n_bytes = cost.searched_row_bytes(held)
    if is_list and request.get("labels") == "predicted":  # lists are found on pseudo rows
        n_bytes += cost.pseudo_row_bytes(held)
    searched = cost.search_bytes(held, request["max_rules"], cost.n_fits(request["n_restarts"], is_list=is_list))
    return (
        Need(cost.COMPILING_BYTES + n_bytes, "send fewer rows", "/dataset"),
        Need(searched, "request fewer rules, or send fewer rows", "/max_rules"),
    )


def _in_trees_need(sizes: JobSizes, options: Mapping[str, Any]) -> Need:
    advice = "take fewer trees or less depth, or send fewer rows"
    return Need(cost.in_trees_bytes(sizes, options), advice, "/in_trees")


def _node_harvest_need(sizes: JobSizes, options: Mapping[str, Any]) -> Need:
    advice = "weight fewer nodes, or send fewer rows"
    return Need(cost.node_harvest_bytes(sizes, options), advice, "/node_harvest/n_nodes")


def _decision_tree_need(sizes: JobSizes, _options: Mapping[str, Any]) -> Need:
    return Need(cost.decision_tree_bytes(sizes), "send fewer rows", "/dataset")


_NEEDS_OF_TREES: Mapping[str, Callable[[JobSizes, Mapping[str, Any]], Need]] = {
    "in_trees": _in_trees_need,
    "node_harvest": _node_harvest_need,
    "decision_tree": _decision_tree_need,
}


def _seconds(sizes: JobSizes, request: Request) -> float:
    method = request.get("method", "rule_list")
    if method == "in_trees":
        return cost.in_trees_seconds(sizes, request["in_trees"] or {})
    if method in _NEEDS_OF_TREES:
        return cost.tree_method_seconds(sizes)
    return cost.search_seconds(sizes, int(request.get("n_restarts", 1)))


def _held(sizes: JobSizes, request: Request) -> JobSizes:
    """Return the sizes of what the job's process holds: few rows for methods that add rows up on a cluster."""
    if sizes.is_local or request.get("method", "rule_list") in _NEEDS_OF_TREES:
        return sizes
    return replace(sizes, n_rows=min(sizes.n_rows, 2 * BLOCK_ROWS))  # of a dataset, and of one to evaluate on


ESTIMATE = KindEstimate(_needs, _seconds, _held)


def export_rules(context: AppContext, rule_set_id: str, form: RuleExportFormat, over: SqlSource | None = None) -> str:
    """Return the rules in a form that other programs can read or run; see ``tables_behind`` for ``over``."""
    artefact = context.artefacts.get(RULE_SETS.name, rule_set_id)
    content = RuleSetResult(**exported_result(context, RULE_SETS, artefact, form))
    behind = tables_behind(context, artefact, form, over)
    return write_rules(content, form) if behind is None else write_rules_over_tables(content, behind)


def open_region_table(context: AppContext, rule_set_id: str, name: Literal["parameters", "rows"]) -> StoredTable:
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
            f"rule set {rule_set_id!r} keeps no regions: its method fits none; request one with method `fab` or `em`"
        )
        raise StorageError("method_not_applicable", detail) from None


def shown_parameters(context: AppContext, rule_set_id: str) -> tuple[StoredTable, Iterator[pa.Table] | None]:
    """Return the table of parameters, opened, and its lines without hidden features; none where all are shown."""
    table = open_region_table(context, rule_set_id, "parameters")
    words = words_of(context, RULE_SETS, context.artefacts.get(RULE_SETS.name, rule_set_id))
    if words is None or not words.words.hidden:
        return table, None
    hidden = pa.array(sorted(words.words.hidden))
    return table, (rows.filter(pc.invert(pc.is_in(rows.column("column"), hidden))) for rows in table.blocks())


def _refuse_unused(request: RuleSetRequest) -> None:
    """Refuse settings that the method does not have, or that go with regions fitted in another way."""
    unused = {name: other_methods(_UNUSED, name) for name in _UNUSED[request.method]}
    if "max_rules" in unused:
        unused["max_rules"] = _NUMBER_OF_RULES[request.method]
    if request.method == "em" and request.regions == "em":
        del unused["regions"]  # so they are
    refuse_unused(request, f"method {request.method}", unused)
    if request.method == "rule_list" and request.regions == "em":
        refuse_unused(request, "`regions: em`", {"omega": "leave it out, or take regions fab"})


def _normalised(request: RuleSetRequest) -> RuleSetRequest:
    """Return the request that all requests with the same answer have in common, so that they share an id."""
    update: dict[str, Any] = {}
    if request.method == "em":
        update["regions"] = "fab"
    if request.method in _WITHOUT_SEED:
        update["seed"] = 0
    if request.method in _OPTIONS:
        update[request.method] = getattr(request, request.method) or _OPTIONS[request.method]()
    if request.evaluation_dataset == request.dataset:
        update["evaluation_dataset"] = None
    return request.model_copy(update=update)


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
