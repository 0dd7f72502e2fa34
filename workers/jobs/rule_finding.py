"""The rules of each method, found on the inputs of a rule set."""

from dataclasses import dataclass

from schemas.rule_sets import DecisionTreeOptions, InTreesOptions, NodeHarvestOptions, RuleSetRequest
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.rule_sets.decision_tree import tree_rules
from tree_explainers.rule_sets.em import MAX_ROUNDS
from tree_explainers.rule_sets.fab import ROUNDS_IN_TURN, STARTS, FitSettings, Restarts, Start
from tree_explainers.rule_sets.in_trees import InTreesSettings, in_trees_rules
from tree_explainers.rule_sets.list_search import RuleLimits
from tree_explainers.rule_sets.node_harvest import NodeHarvestSettings, harvest
from tree_explainers.rule_sets.regions import RegionModel
from tree_explainers.rule_sets.row_parts import RowParts
from tree_explainers.rule_sets.rule_lists import RuleList
from tree_explainers.rule_sets.rule_search import Method, RuleSettings, find_rules
from tree_explainers.rule_sets.tree_paths import TreePaths
from tree_explainers.rule_sets.weighted_rules import WeightedRules

from ..runtime.context import JobContext
from .pseudo_rows import labelled_pseudo_rows
from .rule_rows import FITS_AT_ONCE
from .rule_set_inputs import RuleSetInputs, read_rows


@dataclass(frozen=True, slots=True)
class FoundRules:
    """The rules of whatever method, and what else it made."""

    rules: RuleList
    rows: RowParts  # the training rows in the bins that the rules are about
    weighted: WeightedRules | None = None  # where not the first rule decides, but their weighted mean
    restarts: Restarts | None = None  # of the fits of regions
    fitted: RegionModel | None = None  # the regions whose boxes are the rules
    regions: tuple[int, ...] = ()  # (n_rules,) the region whose box each rule is; empty unless boxes are whole

    @property
    def predictor(self) -> RuleList | WeightedRules:
        """What predicts rows from which rules hold for them."""
        return self.rules if self.weighted is None else self.weighted


def find_by_method(
    request: RuleSetRequest, inputs: RuleSetInputs, context: JobContext, report: ReportProgress
) -> FoundRules:
    """Find the rules of a request; options that are null are the defaults."""
    if request.method == "decision_tree":
        held = inputs.held
        depth = (request.decision_tree or DecisionTreeOptions()).max_depth
        grown = tree_rules(read_rows(context, inputs), held.targets, inputs.model.description, depth)
        return FoundRules(grown.rules, RowParts.of_parts([held.with_bins(grown.binned)]))
    if request.method == "in_trees":
        chosen = InTreesSettings(**(request.in_trees or InTreesOptions()).model_dump())
        paths = _paths(inputs, chosen.max_depth, chosen.n_trees)
        binned, targets = inputs.held.binned, inputs.held.targets
        return FoundRules(in_trees_rules(paths, binned, targets, chosen, context.rng, report), inputs.training)
    if request.method == "node_harvest":
        harvested = NodeHarvestSettings(**(request.node_harvest or NodeHarvestOptions()).model_dump())
        binned, targets = inputs.held.binned, inputs.held.targets
        weighted = harvest(_paths(inputs, harvested.max_depth), binned, targets, harvested, report)
        return FoundRules(weighted.as_list(), inputs.training, weighted)
    pseudo = None
    if request.method == "rule_list" and request.labels == "predicted":  # what rules predict is known for any row
        pseudo = labelled_pseudo_rows(context, inputs.model, inputs.training, inputs.statements)
    rows, spread = inputs.training, None
    n_at_once: int | None = FITS_AT_ONCE
    if inputs.are_sent:
        rows, n_at_once = RowParts.of_parts([inputs.held.bare()]), None
        spread = None if context.cluster is None else context.cluster.spread
    found = find_rules(rows, _settings(request, request.method), context.rng, report, pseudo, spread, n_at_once)
    return FoundRules(found.rules, inputs.training, None, found.restarts, found.fitted, found.regions)


def _paths(inputs: RuleSetInputs, max_depth: int, n_trees: int | None = None) -> TreePaths:
    model = inputs.model
    return TreePaths.of(model.ensemble, model.description, inputs.statements, max_depth, n_trees)


def _settings(request: RuleSetRequest, method: Method) -> RuleSettings:
    starts: tuple[Start, ...] = STARTS if request.start == "in_turn" else (request.start,)
    rounds: tuple[int, ...] = (MAX_ROUNDS,)
    if method == "fab":
        rounds = ROUNDS_IN_TURN if request.e_step_rounds == "in_turn" else (request.e_step_rounds,)
    return RuleSettings(
        method,
        request.boxes,
        request.regions,
        tuple(FitSettings(start, request.omega, limit) for limit in rounds for start in starts),
        request.n_restarts,
        RuleLimits(max_rules=request.max_rules),
    )
