"""The rules of each method, searched for on the inputs of a rule set; for rule lists, pseudo rows, too."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from schemas.rule_sets import DecisionTreeOptions, InTreesOptions, NodeHarvestOptions, RuleSetRequest
from tree_explainers.approximation_trees.generators import GeneratorSettings, Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import Answering
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.statements import Statements
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.decision_tree import tree_rules
from tree_explainers.rule_sets.em import MAX_ROUNDS
from tree_explainers.rule_sets.fab import ROUNDS_IN_TURN, STARTS, FitSettings, Restarts, Start
from tree_explainers.rule_sets.in_trees import InTreesSettings, in_trees_rules
from tree_explainers.rule_sets.list_search import RuleLimits
from tree_explainers.rule_sets.node_harvest import NodeHarvestSettings, harvest
from tree_explainers.rule_sets.pseudo_rows import PseudoRows, draw_pseudo_rows
from tree_explainers.rule_sets.regions import RegionModel
from tree_explainers.rule_sets.row_parts import RowParts
from tree_explainers.rule_sets.rule_lists import RuleList
from tree_explainers.rule_sets.rule_search import Method, RuleSettings, find_rules
from tree_explainers.rule_sets.tree_paths import TreePaths
from tree_explainers.rule_sets.weighted_rules import WeightedRules

from ..runtime.context import JobContext
from .answering import cluster_answers, predict_each
from .inputs import OpenModel
from .rule_rows import FITS_AT_ONCE
from .rule_set_inputs import RuleSetInputs, read_rows

NEAR = GeneratorSettings(bandwidth=0.1, neighbor_probability=0.2)
"""How rows near the training rows are drawn: so wide that the model does not repeat what it learned of these."""

_BLOCK_ROWS = 2_048  # labelled between two reports


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


def labelled_pseudo_rows(
    context: JobContext, model: OpenModel, training: RowParts, statements: Statements
) -> PseudoRows:
    """Draw pseudo rows by the training rows, of which many are sampled, and label them by the model."""
    rows = training.sample(model.description.feature_names)
    smoother = Smoother.of(rows, model.description.missing_texts, NEAR)
    everywhere = NodeBox(model.description.missing_texts)
    answers = cluster_answers(context, model) or model.session
    label = partial(_labels, model, answers, context.report)
    return draw_pseudo_rows(rows, partial(smoother.draw, rows, everywhere), label, statements, context.rng)


def _labels(model: OpenModel, answers: Answering, report: ReportProgress, rows: Rows) -> Targets:
    """Return what the model predicts for rows."""
    parts = []
    blocks = (rows.take(slice(start, start + _BLOCK_ROWS)) for start in range(0, len(rows), _BLOCK_ROWS))
    for _, predicted in predict_each(answers, blocks):
        parts.append(predicted)
        report(0.15, "evaluating the model")
    if parts[0].labels is None:
        return Targets.of_values(np.concatenate([each.scores[:, 0] for each in parts]).astype(np.float64))
    labels = [each.labels for each in parts if each.labels is not None]
    return Targets.of_classes(np.concatenate(labels), len(model.view.classes))
