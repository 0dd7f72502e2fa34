"""Rules for an ensemble: a rule list that is searched, or regions that are fitted and printed as their boxes.

``fab`` and ``em`` are the paper's methods: regions are fitted to the ensemble's statements, and their boxes are
printed, whole or shortened until they can be read. ``rule_list``, which is ours, looks for rules that predict as well
as few short rules can, by local search on their description length.

References
----------
Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", AISTATS; its authors'
program is called defragTrees.
"""

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..compute.partitions import Spread
from ..compute.progress import ReportProgress, ignore_progress, part_of
from .draft_search import Pruner, without_idle_conditions
from .drafts import Draft, boxes_of_draft, description_length, draft_of_boxes
from .fab import FitSettings, Restarts, fit_restarts
from .fab import Method as FittingMethod
from .list_search import DEFAULT_LIMITS, RuleLimits, search_rule_list
from .pseudo_rows import PseudoRows
from .regions import RegionModel
from .row_parts import RowParts
from .rule_counts import fit_rule_list
from .rule_lists import CERTAINTY, RuleList, boxes_of
from .search_goal import SearchRows, search_goal

Method = Literal["rule_list", "fab", "em"]
BoxForm = Literal["whole", "shortened"]

_STRICTNESS_OF_BOXES = 0.05  # of boxes, which are only to lose what hardly helps
RESTARTS_PER_FIT = 10  # of rule lists: one fit to begin from for each 10 restarts of ``fab``


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


def find_rules(  # noqa: PLR0917  # the rows, how, and where
    rows: RowParts,
    settings: RuleSettings,
    rng: np.random.Generator,
    report: ReportProgress = ignore_progress,
    pseudo: PseudoRows | None = None,
    spread: Spread | None = None,
    n_fits_at_once: int | None = None,
) -> FoundRules:
    """Find a few rules that predict what an ensemble predicts.

    ``fab`` and ``em`` fit ``n_restarts`` times and print the boxes of the fit with the smallest training error, as the
    paper does. ``rule_list`` makes a tenth of these fits (at least one), and searches for rules from there
    (``search_rule_list``).

    Parameters
    ----------
    rows
        The training rows and what the rules are to predict.
    settings
        Method, starts, number of restarts, and limits of the printed rules; ``limits.max_rules`` is also K_max. Whole
        boxes have no limits.
    rng
        Spawns a generator for each random start: the result is the same with any number of threads.
    report
        Called by the calling thread; may raise to stop.
    pseudo
        More rows for a rule list, with what it is to predict for them.
    spread
        Where restarts are run; see ``fit_restarts``.
    n_fits_at_once
        By default one for each core; see ``fit_restarts``.
    """
    limits, is_list = settings.limits, settings.method == "rule_list"
    method: FittingMethod = settings.regions if settings.method == "rule_list" else settings.method
    n_fits = max(1, settings.n_restarts // RESTARTS_PER_FIT) if is_list else settings.n_restarts
    share = 0.4 if is_list else 0.8  # of the time
    restarts = fit_restarts(
        method,
        rows,
        limits.max_rules,
        n_fits,
        rng,
        settings=settings.fits,
        report=part_of(report, 0.0, share),
        n_threads=n_fits_at_once,
        spread=spread,
    )
    model, report = restarts.best.model, part_of(report, share, 1.0)
    if is_list:
        rules = search_rule_list([model], rows, limits, report, pseudo)
        return FoundRules(rules, restarts)
    if settings.boxes == "shortened":
        return FoundRules(plain_rules(model, rows, limits, report), restarts, model)
    rules, regions = box_rules(model, rows)
    return FoundRules(rules, restarts, model, regions)


def box_rules(model: RegionModel, rows: RowParts) -> tuple[RuleList, tuple[int, ...]]:
    """Return the rules that the paper prints, and the region of each.

    A rule is the box of a region, without conditions that are idle on the training rows, and predicts what its region
    predicts, with the region's shares of classes. A region whose box no training row is in has no rule. Rules are in
    the order of their regions' shares of rows, the largest first (ties: the lower region): the paper, whose rules
    overlap little, names none. The default predicts the commonest class, or the mean, of the rows that no box covers.

    References
    ----------
    Hara, Hayashi (2018), section 4.1 and table 4.
    """
    searched = SearchRows(rows)
    drafts, is_covering = _drafts_of(model, searched)
    by_share = np.argsort(-model.shares, kind="stable").tolist()
    regions = tuple(region for region in by_share if is_covering[region])
    draft = tuple(without_idle_conditions([drafts[region] for region in regions], searched))
    fitted = fit_rule_list(boxes_of_draft(draft, searched.groups, rows.statements), rows)
    predictions = fitted.predictions.copy()
    predictions[:-1] = model.predictions()[list(regions)]
    scores = fitted.scores
    if model.scores is not None and fitted.scores is not None:
        scores = np.concatenate([model.scores[list(regions)], fitted.scores[-1:]])
    return replace(fitted, predictions=predictions, scores=scores), regions


def _drafts_of(model: RegionModel, rows: SearchRows) -> tuple[Draft, NDArray[np.bool_]]:
    """Return the boxes of a model's regions as drafts, and which of them some training row is in."""
    drafts = draft_of_boxes(boxes_of(model, rows.rows.statements, CERTAINTY), rows.groups)
    return drafts, rows.coverage([rule.box(rows) for rule in drafts])[0] > 0


def plain_rules(
    model: RegionModel,
    rows: RowParts,
    limits: RuleLimits = DEFAULT_LIMITS,
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
    searched = SearchRows(rows)
    goal = search_goal(searched, _STRICTNESS_OF_BOXES)
    drafts, is_covering = _drafts_of(model, searched)
    boxes = without_idle_conditions(
        [rule for rule, covers in zip(drafts, is_covering, strict=True) if covers], searched
    )
    draft = tuple(sorted(boxes, key=lambda rule: description_length((rule,), goal, searched)))[: limits.max_rules - 1]
    pruner = Pruner(searched, lambda each: description_length(each, goal, searched), report)
    draft = pruner.within(pruner.prune(pruner.widen(draft)), limits.max_conditions, limits.max_median)
    return fit_rule_list(boxes_of_draft(draft, searched.groups, rows.statements), rows)
