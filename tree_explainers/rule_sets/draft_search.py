"""Local search on drafts: ``Grower`` makes a list's description shorter, ``Pruner`` makes the list itself shorter.

Every step is greedy: rules are added, changed, swapped and removed only while that improves the list by more than
rounding. What may be tried next is counted together, since each count takes all partitions of the rows.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from statistics import median

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress
from .box_sweep import MIN_GAIN, Change, SweepLimits, SweptRule, best_change
from .drafts import Draft, DraftRule, candidate_of, description_length, label_lengths, length_of_rules, tallies
from .search_goal import Groups, SearchGoal, SearchRows

SEARCHING = "searching rules"  # the stage that progress reports name
_MAX_CHANGES = 20  # of one rule before the search goes on to the next
_MAX_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Grower:
    """Searches lists of rules for one goal."""

    rows: SearchRows
    goal: SearchGoal
    limits: SweepLimits
    max_rules: int
    report: ReportProgress  # called for every change that is tried; may raise to stop

    def grow(self, draft: Draft) -> Draft:
        """Add rules while each, after all rules are refined, makes the description shorter."""
        length = self.length(draft)
        while len(draft) < self.max_rules:
            longer = self._with_new_rule(draft)
            if longer is None:
                break
            longer = self.refine(longer, n_rounds=1)
            length_after = self.length(longer)
            if length_after >= length - MIN_GAIN:
                break
            draft, length = longer, length_after
        return self.refine(draft)

    def refine(self, draft: Draft, n_rounds: int = _MAX_ROUNDS) -> Draft:
        """Change conditions, remove rules and swap neighbours, until nothing helps."""
        length = self.length(draft)
        for _ in range(n_rounds):
            draft = self._swap_neighbours(self._remove_rules(self._change_conditions(draft)))
            length_after = self.length(draft)
            if length_after >= length - MIN_GAIN:
                break
            length = length_after
        return draft

    def length(self, draft: Draft) -> float:
        """Return the description length of the list."""
        return description_length(draft, self.goal, self.rows)

    def _with_new_rule(self, draft: Draft) -> Draft | None:
        """Insert the best new rule: one of a single condition, or a part of a rule, in front of that rule.

        Ties go to the lower index, then to the rule of a single condition.
        """
        lengths = label_lengths(draft, self.rows)
        starts: list[tuple[DraftRule, int]] = []
        for index in range(len(draft) + 1):
            parted = [rule for rule in draft[index : index + 1] if lengths[index] > self._least_cost_of_part(rule)]
            starts += [(start, index) for start in (DraftRule.of_all(self.rows.groups), *parted)]
        best, best_at = None, 0
        for at, change in enumerate(self._best_changes([(start, draft, index) for start, index in starts], inf)):
            if change.feature >= 0 and (best is None or change.length < best.length - MIN_GAIN):
                best, best_at = change, at
        if best is None:
            return None
        start, index = starts[best_at]
        rule = start.with_condition(self.rows.groups, best.feature, best.admitted)
        return (*draft[:index], rule, *draft[index:])

    def _least_cost_of_part(self, rule: DraftRule) -> float:
        """Return the least cost of a part of a rule: where the rule's own labels cost less, no part can be worth it."""
        return self.goal.cost_of_rule + self.goal.cost_of_condition * rule.total_conditions

    def _change_conditions(self, draft: Draft) -> Draft:
        """Change conditions of one rule after the other."""
        for index in range(len(draft)):
            for _ in range(_MAX_CHANGES):
                others = (*draft[:index], *draft[index + 1 :])
                to_beat = self.length(draft) - length_of_rules(others, self.goal) - self.goal.cost_of_rule
                (change,) = self._best_changes([(draft[index], others, index)], to_beat)
                if change.feature < 0:
                    break
                rule = draft[index].with_condition(self.rows.groups, change.feature, change.admitted)
                draft = (*others[:index], rule, *others[index:])
        return draft

    def _best_changes(self, starts: Sequence[tuple[DraftRule, Draft, int]], to_beat: float) -> Iterator[Change]:
        """Yield the best change of each rule among others, in front of the one that is at an index."""
        self.report(0.0, SEARCHING)
        swept = self.rows.sweeps([candidate_of(*start, self.rows) for start in starts])
        for (rule, _, index), sums in zip(starts, swept, strict=True):
            self.report(0.0, SEARCHING)
            rule_sums = SweptRule(rule.admits, rule.n_conditions, index, sums)
            change: Change = best_change(self.rows.groups, self.goal, rule_sums, self.limits, to_beat)
            yield change

    def _remove_rules(self, draft: Draft) -> Draft:
        """Remove rules that are not worth their cost, the first such first."""
        tallies([draft, *((*draft[:index], *draft[index + 1 :]) for index in range(len(draft)))], self.rows)
        length = self.length(draft)
        index = 0
        while index < len(draft):
            shorter = (*draft[:index], *draft[index + 1 :])
            length_after = self.length(shorter)
            if length_after <= length + MIN_GAIN:
                draft, length, index = shorter, length_after, 0
            else:
                index += 1
        return draft

    def _swap_neighbours(self, draft: Draft) -> Draft:
        """Swap neighbours where that helps, from the first pair to the last."""
        tallies([draft, *(_swapped(draft, index) for index in range(len(draft) - 1))], self.rows)
        length = self.length(draft)
        for index in range(len(draft) - 1):
            swapped = _swapped(draft, index)
            length_after = self.length(swapped)
            if length_after < length - MIN_GAIN:
                draft, length = swapped, length_after
        return draft


def _swapped(draft: Draft, index: int) -> Draft:
    return (*draft[:index], draft[index + 1], draft[index], *draft[index + 2 :])


@dataclass(frozen=True, slots=True)
class Pruner:
    """Removes ends of intervals, conditions and whole rules while that lowers a cost."""

    rows: SearchRows
    cost: Callable[[Draft], float]
    report: ReportProgress  # called for every removal that is tried; may raise to stop

    def prune(self, draft: Draft) -> Draft:
        """Make the best removal of a rule or condition, repeatedly, while the cost falls; ties: the first."""
        return self._while_cost_falls(draft, self._shorter_lists)

    def widen(self, draft: Draft) -> Draft:
        """Make the best removal of a condition, repeatedly, while the cost falls; ties: the first."""
        return self._while_cost_falls(draft, self._wider_lists)

    def within(self, draft: Draft, max_conditions: int, max_median: float, max_total: int | None = None) -> Draft:
        """Remove conditions, the cheapest first, until no rule, nor all together, has too many.

        Nor is the median of the rules' numbers of conditions too large then.
        """
        while True:
            counts = [rule.total_conditions for rule in draft]
            too_long = [index for index, count in enumerate(counts) if count > max_conditions]
            if not too_long and counts and median(counts) > max_median:
                too_long = [index for index, count in enumerate(counts) if count > max_median]
            if not too_long and max_total is not None and sum(counts) > max_total:
                too_long = [index for index, count in enumerate(counts) if count > 0]
            if not too_long:
                return draft
            best, _ = self._best(each for index in too_long for each in self._with_wider_rule(draft, index))
            assert best is not None  # a rule that is too long has conditions to lose
            draft = best

    def _while_cost_falls(self, draft: Draft, removals: Callable[[Draft], Iterator[Draft]]) -> Draft:
        cost = self.cost(draft)
        while True:
            best, best_cost = self._best(removals(draft))
            if best is None or best_cost >= cost - MIN_GAIN:
                return draft
            draft, cost = best, best_cost

    def _best(self, drafts: Iterator[Draft]) -> tuple[Draft | None, float]:
        best, best_cost, tried = None, inf, list(drafts)
        tallies(tried, self.rows)
        for draft in tried:
            self.report(0.0, SEARCHING)
            cost = self.cost(draft)
            if cost < best_cost - MIN_GAIN:
                best, best_cost = draft, cost
        return best, best_cost

    def _shorter_lists(self, draft: Draft) -> Iterator[Draft]:
        for index in range(len(draft)):
            yield (*draft[:index], *draft[index + 1 :])
            yield from self._with_wider_rule(draft, index)

    def _wider_lists(self, draft: Draft) -> Iterator[Draft]:
        for index in range(len(draft)):
            yield from self._with_wider_rule(draft, index)

    def _with_wider_rule(self, draft: Draft, index: int) -> Iterator[Draft]:
        for rule in wider_rules(draft[index], self.rows.groups):
            yield (*draft[:index], rule, *draft[index + 1 :])


def wider_rules(rule: DraftRule, groups: Groups) -> Iterator[DraftRule]:
    """Yield the rule without one of its conditions: each feature's lower end, its upper end, its whole condition."""
    for feature in np.flatnonzero(rule.n_conditions).tolist():
        admitted = rule.admits[groups.slice_of(feature)]
        inside = np.flatnonzero(admitted)
        if rule.n_conditions[feature] > 1:
            yield rule.with_condition(groups, feature, admitted | (np.arange(len(admitted)) < inside[0]))
            # a number's groups above those that are admitted, without the missing values
            n_numbers = len(admitted) - int(groups.has_missing[feature])
            above = np.zeros_like(admitted)
            above[np.flatnonzero(admitted[:n_numbers])[-1] : n_numbers] = True
            yield rule.with_condition(groups, feature, admitted | above)
        else:
            yield rule.with_condition(groups, feature, np.ones_like(admitted))


def without_idle_conditions(rules: Sequence[DraftRule], rows: SearchRows) -> list[DraftRule]:
    """Return the rules without the conditions that do not change which rows they cover.

    The idle condition that fewest rows break is removed first, then the next that is idle without it (ties: the lower
    feature, the lower end). The rows of all rules are counted together.
    """
    shortened, waiting = list(rules), list(range(len(rules)))
    while waiting:
        _, alone = rows.coverage([shortened[at].box(rows) for at in waiting])
        changed = []
        for at, n_alone in zip(waiting, alone, strict=True):
            before, shortened[at] = shortened[at], _without_idle_condition(shortened[at], n_alone, rows)
            changed += [at] if shortened[at] is not before else []
        waiting = changed
    return shortened


def _without_idle_condition(rule: DraftRule, alone: NDArray[np.int64], rows: SearchRows) -> DraftRule:
    """Return the rule without its idle condition that fewest rows break; the rule itself where none is idle.

    ``alone``, (n_bins,), has the rows that break one condition only, by their bin of its feature.
    """
    groups, counts = rows.groups, rows.rows.bin_counts
    best, fewest = rule, np.inf
    for wider in wider_rules(rule, groups):
        bins = groups.bins_of_all[wider.admits & ~rule.admits]
        if not alone[bins].any() and counts[bins].sum() < fewest:
            best, fewest = wider, counts[bins].sum()
    return best
