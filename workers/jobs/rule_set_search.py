"""The inputs of rule sets, and the search for rules on them, by each method; rule lists draw pseudo rows, too."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from schemas.rule_sets import DecisionTreeOptions, InTreesOptions, NodeHarvestOptions, RuleSetRequest
from storage.dataset_rows import open_rows
from storage.datasets import DatasetStore, StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features
from storage.models import ModelStore
from tree_explainers.approximation_trees.generators import GeneratorSettings, Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import Answering
from tree_explainers.column_words import Phrases
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.statements import Statements, statements_of
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.decision_tree import tree_rules
from tree_explainers.rule_sets.em import MAX_ROUNDS
from tree_explainers.rule_sets.fab import ROUNDS_IN_TURN, STARTS, FitSettings, Restarts, Start
from tree_explainers.rule_sets.in_trees import InTreesSettings, in_trees_rules
from tree_explainers.rule_sets.list_search import RuleLimits
from tree_explainers.rule_sets.node_harvest import NodeHarvestSettings, harvest
from tree_explainers.rule_sets.pseudo_rows import PseudoRows, draw_pseudo_rows
from tree_explainers.rule_sets.regions import RegionModel
from tree_explainers.rule_sets.row_parts import RowParts, RowsPart
from tree_explainers.rule_sets.rule_lists import RuleList
from tree_explainers.rule_sets.rule_search import Method, RuleSettings, find_rules
from tree_explainers.rule_sets.tree_paths import TreePaths
from tree_explainers.rule_sets.weighted_rules import WeightedRules

from ..runtime.context import JobContext
from .inputs import OpenModel, apply_model, open_model
from .row_targets import refuse_unlabelled
from .rule_set_rows import FITS_AT_ONCE, are_on_cluster, rows_here, rows_on_cluster, source_on_cluster
from .surrogates import cluster_answers, dataset_phrases, predict_each

NEAR = GeneratorSettings(bandwidth=0.1, neighbor_probability=0.2)
"""How rows near the training rows are drawn: so wide that the model does not repeat what it learned of these."""

_BLOCK_ROWS = 2_048  # labelled between two reports

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.1)
_READING_FOR_EVALUATION = (0.1, 0.15)
INPUTS_LOADED = 0.15

_IN_PARTS = ("rule_list", "fab", "em")  # methods that take rows wherever they lie


# Inputs.


@dataclass(frozen=True, slots=True)
class RuleSetInputs:
    """The inputs of a rule set."""

    model: OpenModel
    stored: StoredDataset  # the dataset of the training rows
    columns: tuple[str, ...]  # (n_features,) its column for each feature
    statements: Statements
    training: RowParts
    evaluation: RowParts | None  # other rows, if the request names any
    phrases: Phrases  # of columns that have words of their own
    are_sent: bool  # a fit that another process runs is sent all rows, which are few

    @property
    def held(self) -> RowsPart:
        """The training rows, where this process holds them all."""
        (part,) = self.training.map(_itself)
        return part


def _itself(part: RowsPart) -> RowsPart:
    return part


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
    if request.labels == "predicted":
        model = model.deciding()
    statements = statements_of(model.ensemble, model.description)
    stored = DatasetStore(context.database).get(request.dataset)
    load = partial(_load_rows, context, request, model, statements)
    if request.labels == "target":
        refuse_unlabelled(context.objects, stored)
    training = load(request.dataset, part_of(context.report, *_READING))
    _refuse_equal_targets(request, model, training)
    evaluation = None
    if request.evaluation_dataset is not None:
        evaluation = load(request.evaluation_dataset, part_of(context.report, *_READING_FOR_EVALUATION))
    return RuleSetInputs(
        model,
        stored,
        match_features(model.view, stored.view),
        statements,
        training,
        evaluation,
        dataset_phrases(context, model, stored),
        not are_on_cluster(context, stored.view.n_rows),
    )


def _load_rows(  # a request's rows
    context: JobContext,
    request: RuleSetRequest,
    model: OpenModel,
    statements: Statements,
    dataset_id: str,
    report: ReportProgress,
) -> RowParts:
    stored = DatasetStore(context.database).get(dataset_id)
    if context.cluster is None or request.method not in _IN_PARTS or not are_on_cluster(context, stored.view.n_rows):
        dataset = apply_model(context, model, dataset_id, report).deciding(model)
        return rows_here(context, model, dataset, statements, request.labels)
    columns = match_features(model.view, stored.view)
    source = source_on_cluster(context, model, stored, columns, statements, request.labels)
    return rows_on_cluster(context.cluster, context, stored, source, request.max_rules, report)


def read_rows(context: JobContext, inputs: RuleSetInputs) -> Rows:
    """Return the values of all features of the training rows, in this process: for a method that needs them so."""
    with open_rows(context.objects, inputs.stored.content) as file:
        columns = file.read_columns(list(inputs.columns))
    return Rows(inputs.model.description.feature_names, tuple(columns))


def _refuse_equal_targets(request: RuleSetRequest, model: OpenModel, training: RowParts) -> None:
    ends = np.array(list(training.map(_least_and_most)))
    least, most = ends[:, 0].min(), ends[:, 1].max()
    if least == most:
        name = repr(model.view.classes[int(least)]) if model.view.classes else f"{least:g}"
        verb = "labelled" if request.labels == "target" else "decided as" if model.by_outcome else "predicted"
        detail = (
            f"all {training.n_rows} rows of dataset {request.dataset!r} are {verb} {name}: there is nothing for rules "
            "to separate; send rows for which the model predicts different things"
        )
        raise StorageError("schema_mismatch", detail)


def _least_and_most(part: RowsPart) -> tuple[float, float]:
    targets = part.targets.classes_or_values
    return float(targets.min()), float(targets.max())


# Rules.


@dataclass(frozen=True, slots=True)
class RuleSearch:
    """What the search for rules by any method returned: the rules, and what else it made."""

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
) -> RuleSearch:
    """Find the rules of a request; options that are null are the defaults."""
    if request.method == "decision_tree":
        held = inputs.held
        depth = (request.decision_tree or DecisionTreeOptions()).max_depth
        grown = tree_rules(read_rows(context, inputs), held.targets, inputs.model.description, depth)
        return RuleSearch(grown.rules, RowParts.of_parts([held.with_bins(grown.binned)]))
    if request.method == "in_trees":
        chosen = InTreesSettings(**(request.in_trees or InTreesOptions()).model_dump())
        paths = _paths(inputs, chosen.max_depth, chosen.n_trees)
        binned, targets = inputs.held.binned, inputs.held.targets
        return RuleSearch(in_trees_rules(paths, binned, targets, chosen, context.rng, report), inputs.training)
    if request.method == "node_harvest":
        harvested = NodeHarvestSettings(**(request.node_harvest or NodeHarvestOptions()).model_dump())
        binned, targets = inputs.held.binned, inputs.held.targets
        weighted = harvest(_paths(inputs, harvested.max_depth), binned, targets, harvested, report)
        return RuleSearch(weighted.as_list(), inputs.training, weighted)
    pseudo = None
    if request.method == "rule_list" and request.labels == "predicted":  # what rules predict is known for any row
        pseudo = labelled_pseudo_rows(context, inputs.model, inputs.training, inputs.statements)
    rows, spread = inputs.training, None
    n_at_once: int | None = FITS_AT_ONCE
    if inputs.are_sent:
        rows, n_at_once = RowParts.of_parts([inputs.held.bare()]), None
        spread = None if context.cluster is None else context.cluster.spread
    search = find_rules(rows, _settings(request, request.method), context.rng, report, pseudo, spread, n_at_once)
    return RuleSearch(search.rules, inputs.training, None, search.restarts, search.fitted, search.regions)


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
    """Draw pseudo rows near the training rows, or near a sample of many, and have the model label them."""
    rows = training.sample(model.description.feature_names)
    smoother = Smoother.of(rows, model.description.missing_texts, NEAR)
    everywhere = NodeBox(model.description.missing_texts)
    answers = cluster_answers(context, model) or model.session
    label = partial(_labels, model, answers, context.report)
    return draw_pseudo_rows(rows, partial(smoother.draw, rows, everywhere), label, statements, context.rng)


def _labels(model: OpenModel, answers: Answering, report: ReportProgress, rows: Rows) -> Targets:
    """Return what the model predicts for rows, or decides of them."""
    parts = []
    blocks = (rows.take(slice(start, start + _BLOCK_ROWS)) for start in range(0, len(rows), _BLOCK_ROWS))
    for _, predicted in predict_each(answers, blocks):
        parts.append(predicted)
        report(0.15, "evaluating the model")
    if model.by_outcome:
        outcomes = [model.description.outcome_indices(each.scores, each.labels) for each in parts]
        return Targets.of_classes(
            np.concatenate([each for each in outcomes if each is not None]), len(model.view.classes)
        )
    if parts[0].labels is None:
        return Targets.of_values(np.concatenate([each.scores[:, 0] for each in parts]).astype(np.float64))
    labels = [each.labels for each in parts if each.labels is not None]
    return Targets.of_classes(np.concatenate(labels), len(model.view.classes))
