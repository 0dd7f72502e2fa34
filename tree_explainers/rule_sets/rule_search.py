"""Rules for an ensemble: a rule list that is searched, or regions that are fitted and printed as their boxes.

``fab`` and ``em`` are the paper's methods: regions are fitted to the ensemble's statements, and their boxes are
printed, whole or shortened until they can be read. ``rule_list``, which is ours, looks for rules that predict as well
as few short rules can, by local search on their description length.

References
----------
Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", AISTATS; its authors'
program is called defragTrees.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from ..compute.parallel import run_in_threads
from ..compute.progress import ReportProgress, ignore_progress, part_of
from ..questions.binned_rows import BinnedRows
from ..scoring import Targets
from .box_sweep import SweepLimits
from .draft_search import SEARCHING, Grower, Pruner, without_idle_conditions
from .drafts import Draft, boxes_of_draft, description_length, draft_of_boxes, n_errors
from .fab import FitSettings, Restarts, fit_restarts
from .fab import Method as FittingMethod
from .regions import RegionModel
from .rule_lists import CERTAINTY, RuleList, boxes_of, fit_rule_list
from .search_goal import SearchGoal, SearchRows, search_goal, search_rows

Method = Literal["rule_list", "fab", "em"]
BoxForm = Literal["whole", "shortened"]

STRICTNESS = 0.5  # of the description length of rules that predict; see ``search_goal``
_STRICTNESS_OF_REGIONS = 1.0  # of rules that distinguish regions
_STRICTNESS_OF_BOXES = 0.05  # of boxes, which are only to lose what hardly helps
_ERRORS_PER_CONDITION = 0.5  # a condition that corrects fewer training errors is not printed
_ERRORS_PER_RULE = 1.0
_RESTARTS_PER_FIT = 10  # of rule lists: one fit to begin from for each 10 restarts of ``fab``


@dataclass(frozen=True, slots=True)
class RuleLimits:
    """Limits of the printed rules."""

    max_rules: int = 10  # including the default
    max_conditions: int = 8  # of one rule; an interval with two ends has two
    max_median: float = 4  # of the numbers of conditions of all rules but the default
    min_rows: int = 5  # training rows that a rule decides; fewer where there are fewer than 100


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """Settings of ``find_rules``."""

    method: Method = "rule_list"
    boxes: BoxForm = "whole"  # of ``fab`` and ``em``
    regions: FittingMethod = "fab"  # at which a rule list begins
    fits: tuple[FitSettings, ...] = (FitSettings(),)  # restarts take them in turn
    n_restarts: int = 20
    limits: RuleLimits = field(default_factory=RuleLimits)


@dataclass(frozen=True, slots=True)
class FoundRules:
    """The rules, and the fits that they were made from."""

    rules: RuleList
    restarts: Restarts
    fitted: RegionModel | None = None  # what the paper's methods return; None for a rule list
    regions: tuple[int, ...] = ()  # (n_rules,) the region whose box each rule is; empty unless boxes are whole


def find_rules(
    binned: BinnedRows,
    targets: Targets,
    settings: RuleSettings,
    rng: np.random.Generator,
    report: ReportProgress = ignore_progress,
) -> FoundRules:
    """Find a few rules that predict what an ensemble predicts.

    ``fab`` and ``em`` fit ``n_restarts`` times and print the boxes of the fit with the smallest training error, as the
    paper does. ``rule_list`` makes a tenth of these fits (at least one), and searches for rules from there
    (``improved_rules``).

    Parameters
    ----------
    binned, targets
        The training rows and what the rules are to predict.
    settings
        Method, starts, number of restarts, and limits of the printed rules; ``limits.max_rules`` is also K_max. Whole
        boxes have no limits.
    rng
        Spawns a generator for each random start: the result is the same with any number of threads.
    report
        Called by the calling thread; may raise to stop.
    """
    limits, is_list = settings.limits, settings.method == "rule_list"
    method: FittingMethod = settings.regions if settings.method == "rule_list" else settings.method
    n_fits = max(1, settings.n_restarts // _RESTARTS_PER_FIT) if is_list else settings.n_restarts
    share = 0.4 if is_list else 0.8  # of the time
    restarts = fit_restarts(
        method,
        binned,
        targets,
        limits.max_rules,
        n_fits,
        rng,
        settings=settings.fits,
        report=part_of(report, 0.0, share),
    )
    model, report = restarts.best.model, part_of(report, share, 1.0)
    if is_list:
        return FoundRules(improved_rules([model], binned, targets, limits, report), restarts)
    if settings.boxes == "shortened":
        return FoundRules(plain_rules(model, binned, targets, limits, report), restarts, model)
    rules, regions = box_rules(model, binned, targets)
    return FoundRules(rules, restarts, model, regions)


def box_rules(model: RegionModel, binned: BinnedRows, targets: Targets) -> tuple[RuleList, tuple[int, ...]]:
    """Return the rules that the paper prints, and the region of each.

    A rule is the box of a region, without conditions that are idle on the training rows, and predicts what its region
    predicts, with the region's shares of classes. A region whose box no training row is in has no rule. Rules are in
    the order of their regions' shares of rows, the largest first (ties: the lower region): the paper, whose rules
    overlap little, names none. The default predicts the commonest class, or the mean, of the rows that no box covers.

    References
    ----------
    Hara, Hayashi (2018), section 4.1 and table 4.
    """
    rows = search_rows(binned)
    drafts = draft_of_boxes(boxes_of(model, binned.statements, CERTAINTY), rows)
    by_share = np.argsort(-model.shares, kind="stable").tolist()
    regions = tuple(region for region in by_share if drafts[region].fires.any())
    draft = tuple(without_idle_conditions(drafts[region], rows) for region in regions)
    fitted = fit_rule_list(boxes_of_draft(draft, rows, binned.statements), binned, targets)
    predictions = np.append(model.predictions()[list(regions)], fitted.predictions[-1:])
    scores = fitted.scores
    if model.scores is not None and fitted.scores is not None:
        scores = np.concatenate([model.scores[list(regions)], fitted.scores[-1:]])
    return replace(fitted, predictions=predictions, scores=scores), regions


def plain_rules(
    model: RegionModel,
    binned: BinnedRows,
    targets: Targets,
    limits: RuleLimits = RuleLimits(),  # frozen
    report: ReportProgress = ignore_progress,
) -> RuleList:
    """Return the rules of regions with only as many conditions as people can read, in an order.

    The boxes of the model's regions, without conditions that are idle on the training rows, are sorted by how well each
    alone, with a default, describes the training labels (ties: the lower region). Then conditions and rules that hardly
    help are removed, and further conditions, the least helpful first, until the limits hold.

    References
    ----------
    Hara, Hayashi (2018), section 4.1; the order, the default and the limits are ours.
    """
    rows = search_rows(binned)
    goal = search_goal(rows, targets, _STRICTNESS_OF_BOXES)
    boxes = draft_of_boxes(boxes_of(model, binned.statements, CERTAINTY), rows)
    draft = tuple(without_idle_conditions(rule, rows) for rule in boxes if rule.fires.any())
    draft = tuple(sorted(draft, key=lambda rule: description_length((rule,), goal)))[: limits.max_rules - 1]
    pruner = Pruner(rows, lambda each: description_length(each, goal), report)
    draft = pruner.within(pruner.prune(pruner.widen(draft)), limits.max_conditions, limits.max_median)
    return fit_rule_list(boxes_of_draft(draft, rows, binned.statements), binned, targets)


def improved_rules(
    models: Sequence[RegionModel],
    binned: BinnedRows,
    targets: Targets,
    limits: RuleLimits = RuleLimits(),  # frozen
    report: ReportProgress = ignore_progress,
) -> RuleList:
    """Return rules that predict as well as few rules of few conditions can.

    Lists of rules are grown, one rule at a time: the new one is a single condition, or a part of an existing rule; then
    all conditions are moved, added and removed, rules removed and neighbours swapped, while that shortens the
    description of the training labels. One list starts without rules, the others from rules that distinguish each
    model's regions (they find what no single condition finds, such as an exclusive or). The list with the shortest
    description (ties: the earlier start) is pruned: conditions and rules that correct too few training errors are not
    printed.

    Parameters
    ----------
    models
        To start from, in the order in which they are tried; may be empty.
    binned, targets
        The training rows and what the rules are to predict.
    limits
        Limits of the rules' number and length.
    report
        Called with the share of starts that are done; may raise to stop, and is called often enough for that.
    """
    search = _Search(binned, targets, limits, search_rows(binned))
    drafts = run_in_threads(search.grow_from, [None, *models], report, SEARCHING)
    return search.finish(min(drafts, key=search.length), report)


class _Search:
    """The training rows, goal and limits that all starts of one improved search share."""

    def __init__(self, binned: BinnedRows, targets: Targets, limits: RuleLimits, rows: SearchRows) -> None:
        self._binned, self._targets, self._limits, self._rows = binned, targets, limits, rows
        self._goal = search_goal(rows, targets, STRICTNESS)

    def grow_from(self, model: RegionModel | None, report: ReportProgress) -> Draft:
        """Return the list grown from rules that distinguish a model's regions, or from no rules."""
        grower = self._grower(self._goal, self._limits.max_rules - 1, report)
        if model is None:
            return grower.grow(())
        regions = np.unique(model.map_regions(self._binned), return_inverse=True)[1].astype(np.int64)
        as_classes = Targets.of_classes(regions, int(regions.max()) + 1)
        goal = search_goal(self._rows, as_classes, _STRICTNESS_OF_REGIONS)
        return grower.grow(self._grower(goal, min(as_classes.n_classes, grower.max_rules), report).grow(()))

    def _grower(self, goal: SearchGoal, max_rules: int, report: ReportProgress) -> Grower:
        min_rows = max(1, min(self._limits.min_rows, self._rows.n_rows // 20))
        return Grower(self._rows, goal, SweepLimits(self._limits.max_conditions, min_rows), max_rules, report)

    def length(self, draft: Draft) -> float:
        """Return the description length of a list."""
        return description_length(draft, self._goal)

    def finish(self, draft: Draft, report: ReportProgress) -> RuleList:
        """Prune a list, and fit the predictions of its rules."""

        def report_done(fraction: float, stage: str) -> None:  # noqa: ARG001  # the searches are done
            report(1.0, stage)

        pruner = Pruner(self._rows, self._cost, report_done)
        draft = pruner.within(pruner.prune(draft), self._limits.max_conditions, self._limits.max_median)
        boxes = boxes_of_draft(draft, self._rows, self._binned.statements)
        return fit_rule_list(boxes, self._binned, self._targets)

    def _cost(self, draft: Draft) -> float:
        """Return the training errors and what conditions and rules cost in errors; for values the description."""
        if self._targets.is_regression:
            return self.length(draft)
        n_conditions = sum(rule.total_conditions for rule in draft)
        cost_of_length = _ERRORS_PER_CONDITION * n_conditions + _ERRORS_PER_RULE * len(draft)
        return n_errors(draft, self._targets) + cost_of_length
