"""From region models to printed rules: as the paper has them, or searched for so that they predict well."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..compute.progress import ReportProgress, ignore_progress
from ..questions.binned_rows import BinnedRows
from ..scoring import Targets
from .box_sweep import SweepLimits
from .boxes import CERTAINTY, boxes_of
from .draft_boxes import boxes_of_draft, draft_of_boxes
from .drafts import Draft, worth
from .growing import Grower
from .pruning import Pruner, n_errors, without_idle_conditions
from .regions import RegionModel
from .rule_lists import RuleList, fit_rule_list
from .search_goal import SearchGoal, search_goal
from .search_rows import SearchRows, search_rows
from .watched import Heard, watched

STRICTNESS = 0.5  # of the description length, when rules predict; see SearchGoal
_STRICTNESS_OF_REGIONS = 1.0  # when rules tell regions apart
_STRICTNESS_OF_BOXES = 0.05  # when boxes are only to lose what hardly helps
_ERRORS_PER_CONDITION = 0.5  # a condition that mends fewer training errors is not printed
_ERRORS_PER_RULE = 1.0
_STAGE = "searching rules"


@dataclass(frozen=True, slots=True)
class RuleLimits:
    """How long printed rules may be."""

    max_rules: int = 10  # the default counts as one
    max_conditions: int = 8  # of one rule; an interval with two ends has two
    max_median: float = 4  # of the numbers of conditions of all rules but the default
    min_rows: int = 5  # training rows that a rule decides; fewer where there are fewer than 100


def plain_rules(
    model: RegionModel,
    binned: BinnedRows,
    targets: Targets,
    limits: RuleLimits = RuleLimits(),  # frozen
    report: ReportProgress = ignore_progress,
) -> RuleList:
    """Return the rules that the paper prints, in an order, and with only as many conditions as people can read.

    The boxes of the model's regions, without conditions that are idle on the training rows, are put in order by how
    well each alone, with a default, describes the training labels (ties: the earlier region). Then conditions and rules
    that hardly help are taken away, and further conditions, the least helpful first, until the limits hold.

    References
    ----------
    Hara, Hayashi (2018), section 4.1; the order, the default and the limits are ours.
    """
    rows = search_rows(binned)
    goal = search_goal(rows, targets, _STRICTNESS_OF_BOXES)
    boxes = draft_of_boxes(boxes_of(model, binned.statements, CERTAINTY), rows)
    draft = tuple(without_idle_conditions(rule, rows) for rule in boxes if rule.fires.any())
    draft = tuple(sorted(draft, key=lambda rule: worth((rule,), goal)))[: limits.max_rules - 1]
    pruner = Pruner(rows, lambda each: worth(each, goal), lambda: report(0.0, _STAGE))
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

    Lists of rules are grown, one rule at a time: the new one is a single condition, or a part of a rule that is there;
    then all conditions are moved, added and dropped, rules dropped and neighbours swapped, while that shortens the
    description of the training labels. This begins with no rules, and with rules that tell each model's regions apart
    (they find what no single condition tells, such as an exclusive or). The list with the shortest description (ties:
    the earlier start) is pruned: conditions and rules that mend too few training errors are not printed.

    Parameters
    ----------
    models
        To begin with, in the order in which they are tried; may be none.
    binned, targets
        The training rows and what the rules are to predict.
    limits
        How long the rules may be.
    report
        Told how many starts are done; may raise to stop, and is called often enough for that.
    """
    search = _Search(binned, targets, limits, search_rows(binned))
    drafts = watched(search.from_start, [None, *models], report, _STAGE)
    return search.finish(min(drafts, key=search.worth), lambda: report(1.0, _STAGE))


class _Search:
    """One improved search: what all of its starts share."""

    def __init__(self, binned: BinnedRows, targets: Targets, limits: RuleLimits, rows: SearchRows) -> None:
        self._binned, self._targets, self._limits, self._rows = binned, targets, limits, rows
        self._goal = search_goal(rows, targets, STRICTNESS)

    def from_start(self, model: RegionModel | None, heard: Heard) -> Draft:
        """Return the list grown from rules that tell a model's regions apart, or from none."""
        grower = self._grower(self._goal, self._limits.max_rules - 1, heard)
        if model is None:
            return grower.grow(())
        regions = np.unique(model.map_regions(self._binned), return_inverse=True)[1].astype(np.int64)
        apart = Targets.of_classes(regions, int(regions.max()) + 1)
        goal = search_goal(self._rows, apart, _STRICTNESS_OF_REGIONS)
        return grower.grow(self._grower(goal, min(apart.n_classes, grower.max_rules), heard).grow(()))

    def worth(self, draft: Draft) -> float:
        """Return the description length of a list."""
        return worth(draft, self._goal)

    def finish(self, draft: Draft, heard: Heard) -> RuleList:
        """Prune a list, and say what its rules predict."""
        pruner = Pruner(self._rows, self._cost, heard)
        draft = pruner.within(pruner.prune(draft), self._limits.max_conditions, self._limits.max_median)
        boxes = boxes_of_draft(draft, self._rows, self._binned.statements)
        return fit_rule_list(boxes, self._binned, self._targets)

    def _cost(self, draft: Draft) -> float:
        if self._targets.is_regression:
            return self.worth(draft)
        n_conditions = sum(rule.total_conditions for rule in draft)
        lengths = _ERRORS_PER_CONDITION * n_conditions + _ERRORS_PER_RULE * len(draft)
        return n_errors(draft, self._targets) + lengths

    def _grower(self, goal: SearchGoal, max_rules: int, heard: Heard) -> Grower:
        limits = SweepLimits(self._limits.max_conditions, max(1, min(self._limits.min_rows, self._rows.n_rows // 20)))
        return Grower(self._rows, goal, limits, max_rules, heard)
