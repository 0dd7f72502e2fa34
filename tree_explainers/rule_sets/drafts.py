"""Drafts: ordered lists of rules as the search changes them, and what each list is worth."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .box_sweep import SweptRule
from .search_goal import SearchGoal, length_of_labels
from .search_rows import SearchRows


@dataclass(frozen=True, slots=True)
class DraftRule:
    """A rule of the search: what it admits of each feature's groups."""

    admits: NDArray[np.bool_]  # (n_groups,) of all features, one after the other
    n_conditions: NDArray[np.int64]  # (n_features,)
    n_broken: NDArray[np.int32]  # (n_rows,) features whose conditions the row does not fulfil

    @classmethod
    def of_all(cls, rows: SearchRows) -> "DraftRule":
        """Return the rule without conditions."""
        n_groups, n_features = len(rows.bins), rows.n_features
        return cls(np.ones(n_groups, np.bool_), np.zeros(n_features, np.int64), np.zeros(rows.n_rows, np.int32))

    def with_condition(self, rows: SearchRows, feature: int, admitted: NDArray[np.bool_]) -> "DraftRule":
        """Return the rule with other groups of one feature admitted."""
        own = rows.slice_of(feature)
        admits, n_conditions = self.admits.copy(), self.n_conditions.copy()
        admits[own] = admitted
        n_conditions[feature] = count_conditions(rows, feature, admitted)
        change = self.admits[own].astype(np.int32) - admitted
        return DraftRule(admits, n_conditions, self.n_broken + change[rows.groups[feature]])

    @property
    def fires(self) -> NDArray[np.bool_]:
        """Which rows it covers, (n_rows,)."""
        fires: NDArray[np.bool_] = self.n_broken == 0
        return fires

    @property
    def total_conditions(self) -> int:
        """How many conditions it prints."""
        return int(self.n_conditions.sum())


Draft = tuple[DraftRule, ...]  # the first rule that covers a row decides it


def count_conditions(rows: SearchRows, feature: int, admitted: NDArray[np.bool_]) -> int:
    """Count the conditions that say which groups of a feature are admitted: the two ends of an interval are two."""
    if admitted.all():
        return 0
    if not rows.is_number[feature]:
        return 1
    numbers = admitted[:-1] if rows.has_missing[feature] else admitted
    return max(1, int(not numbers[0]) + int(not numbers[-1])) if numbers.any() else 1


def deciding(draft: Sequence[DraftRule], n_rows: int) -> NDArray[np.int64]:
    """Return the first rule that covers each row, (n_rows,); the number of rules where none does."""
    slots = np.full(n_rows, len(draft), dtype=np.int64)
    for place in reversed(range(len(draft))):
        slots[draft[place].fires] = place
    return slots


def swept(rule: DraftRule, others: Sequence[DraftRule], place: int, n_rows: int) -> SweptRule:
    """Return a rule as it would stand among others, before the one that is at ``place`` now."""
    slots = deciding(others, n_rows)
    is_reached = slots >= place
    return SweptRule(rule.admits, rule.n_conditions, rule.n_broken, slots, is_reached, len(others) + 1)


def worth(draft: Sequence[DraftRule], goal: SearchGoal) -> float:
    """Return the description length of labels, conditions and rules, in nats: the shorter the better."""
    return length_of_labels(goal, deciding(draft, len(goal.steps) - 1), len(draft) + 1) + costs(draft, goal)


def lengths_within(draft: Sequence[DraftRule], goal: SearchGoal) -> NDArray[np.float64]:
    """Return the description length of the labels that each rule, and the default, decides, (n_rules + 1,), in nats.

    Infinite for values, whose lengths do not add up.
    """
    if len(goal.values):
        return np.full(len(draft) + 1, np.inf)
    slots = deciding(draft, len(goal.classes))
    places = slots * goal.n_tallied + goal.classes
    counts = np.bincount(places, minlength=(len(draft) + 1) * goal.n_tallied).reshape(-1, goal.n_tallied)
    lengths: NDArray[np.float64] = _times_log(counts.sum(axis=1)) - _times_log(counts).sum(axis=1)
    return lengths


def _times_log(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(counts * np.log(np.maximum(counts, 1)), dtype=np.float64)


def costs(draft: Sequence[DraftRule], goal: SearchGoal) -> float:
    """Return the description length of conditions and rules."""
    n_conditions = sum(rule.total_conditions for rule in draft)
    return goal.cost_of_condition * n_conditions + goal.cost_of_rule * len(draft)
