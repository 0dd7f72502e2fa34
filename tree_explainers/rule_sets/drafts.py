"""Drafts: ordered lists of rules while they are searched, how long their description is, and their boxes.

A draft knows only groups, that is the bins that some training row is in; a box admits all bins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..questions.statements import FeatureStatements, Statements
from .rule_counts import Candidate
from .rule_lists import Box
from .search_goal import Groups, SearchGoal, SearchRows, length_of_labels


@dataclass(frozen=True)
class DraftRule:
    """A rule of the search: the groups that it admits of each feature."""

    admits: NDArray[np.bool_]  # (n_groups,) of all features, one after the other
    n_conditions: NDArray[np.int64]  # (n_features,)

    @classmethod
    def of_all(cls, groups: Groups) -> "DraftRule":
        """Return the rule without conditions."""
        return cls(np.ones(len(groups.bins), np.bool_), np.zeros(groups.n_features, np.int64))

    def with_condition(self, groups: Groups, feature: int, admitted: NDArray[np.bool_]) -> "DraftRule":
        """Return the rule with other groups of one feature admitted."""
        admits, n_conditions = self.admits.copy(), self.n_conditions.copy()
        admits[groups.slice_of(feature)] = admitted
        n_conditions[feature] = count_conditions(groups, feature, admitted)
        return DraftRule(admits, n_conditions)

    @property
    def total_conditions(self) -> int:
        """Number of conditions that it prints."""
        return int(self.n_conditions.sum())

    @cached_property
    def name(self) -> bytes:
        """A text that no other rule has."""
        return np.packbits(self.admits).tobytes()

    def box(self, rows: SearchRows) -> Box:
        """Return the box of the bins of its groups, which covers the same rows: bins that no row is in are left out."""
        groups, features = rows.groups, tuple(np.flatnonzero(self.n_conditions).tolist())
        admitted = []
        for feature in features:
            group_slice = groups.slice_of(feature)
            bins = np.zeros(rows.rows.statements.features[feature].n_bins, np.bool_)
            bins[groups.bins[group_slice]] = self.admits[group_slice]
            admitted.append(bins)
        return Box(features, tuple(admitted))


Draft = tuple[DraftRule, ...]  # the first rule that covers a row decides it


def count_conditions(groups: Groups, feature: int, admitted: NDArray[np.bool_]) -> int:
    """Count the conditions that restrict a feature to the admitted groups: the two ends of an interval are two."""
    if admitted.all():
        return 0
    if not groups.is_number[feature]:
        return 1
    numbers = admitted[:-1] if groups.has_missing[feature] else admitted
    return max(1, int(not numbers[0]) + int(not numbers[-1])) if numbers.any() else 1


def tallies(drafts: Sequence[Draft], rows: SearchRows) -> list[NDArray[np.float64]]:
    """Return what each rule, and the default, of each list decides, (n_rules + 1, n_tallied); see ``SearchRows``."""
    names = [b"".join(rule.name for rule in draft) for draft in drafts]
    return rows.tallies([[rule.box(rows) for rule in draft] for draft in drafts], names)


def candidate_of(rule: DraftRule, others: Draft, index: int, rows: SearchRows) -> Candidate:
    """Return a rule as it would be among others, in front of the one that is now at ``index``."""
    return Candidate(rule.box(rows), tuple(other.box(rows) for other in others), index)


def description_length(draft: Draft, goal: SearchGoal, rows: SearchRows) -> float:
    """Return the description length of labels, conditions and rules, in nats: the shorter the better."""
    (tally,) = tallies([draft], rows)
    return float(length_of_labels(goal, tally)) + length_of_rules(draft, goal)


def length_of_rules(draft: Sequence[DraftRule], goal: SearchGoal) -> float:
    """Return the description length of conditions and rules, in nats."""
    n_conditions = sum(rule.total_conditions for rule in draft)
    return goal.cost_of_condition * n_conditions + goal.cost_of_rule * len(draft)


def label_lengths(draft: Draft, rows: SearchRows) -> NDArray[np.float64]:
    """Return the description length of the labels that each rule, and the default, decides, (n_rules + 1,), in nats.

    Infinite for values, whose lengths are not additive.
    """
    if rows.rows.is_regression:
        return np.full(len(draft) + 1, np.inf)
    (counts,) = tallies([draft], rows)
    lengths: NDArray[np.float64] = _times_log(counts.sum(axis=1)) - _times_log(counts).sum(axis=1)
    return lengths


def n_errors(draft: Draft, rows: SearchRows) -> int:
    """Return the number of rows whose class is not the commonest one of the rule that decides them."""
    (counts,) = tallies([draft], rows)
    return rows.n_rows - int(counts.max(axis=1).sum())


def _times_log(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(counts * np.log(np.maximum(counts, 1)), dtype=np.float64)


def draft_of_boxes(boxes: Sequence[Box], groups: Groups) -> Draft:
    """Return the rules that admit the same training rows as the boxes."""
    draft = []
    for box in boxes:
        rule = DraftRule.of_all(groups)
        for feature, admitted in zip(box.features, box.admitted, strict=True):
            admits = admitted[groups.bins[groups.slice_of(feature)]]
            if not admits.all():
                rule = rule.with_condition(groups, feature, admits)
        draft.append(rule)
    return tuple(draft)


def boxes_of_draft(draft: Draft, groups: Groups, statements: Statements) -> tuple[Box, ...]:
    """Return the boxes of a list's rules.

    An interval ends at the middle one of the cuts that lie between the last admitted value and the next. A category
    that no training row has is admitted where more than half of those that rows do have are admitted. A missing value
    that no row has is treated as the ensemble's statements treat it: by the cuts at an interval's ends, or like those
    categories for which all statements give the same answers.
    """
    boxes = []
    for rule in draft:
        restricted = tuple(int(feature) for feature in np.flatnonzero(rule.n_conditions))
        slices = [(feature, groups.slice_of(feature)) for feature in restricted]
        admitted = (
            _all_bins(statements.features[each], groups.bins[group_slice], rule.admits[group_slice])
            for each, group_slice in slices
        )
        boxes.append(Box(restricted, tuple(admitted)))
    return tuple(boxes)


def _all_bins(feature: FeatureStatements, bins: NDArray[np.int64], admitted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Extend what is admitted of the bins that rows are in to all bins of the feature."""
    present = bins != feature.missing_bin
    extended = np.zeros(feature.n_bins, dtype=np.bool_)
    if feature.is_number:
        extended[:-1] = _interval(bins[present], admitted[present], feature.n_bins - 1)
    else:
        extended[:-1] = 2 * admitted[present].sum() > present.sum()
        extended[bins] = admitted
    extended[-1] = admitted[~present].any() if not present.all() else _admits_missing(feature, extended)
    return extended


def _interval(bins: NDArray[np.int64], admitted: NDArray[np.bool_], n_bins: int) -> NDArray[np.bool_]:
    """Return the interval of bins from halfway below the first admitted to halfway above the last."""
    inside = np.flatnonzero(admitted)
    if not len(inside):
        return np.zeros(n_bins, dtype=np.bool_)
    first, last = inside[0], inside[-1]
    low = 0 if first == 0 else _middle_cut(bins[first - 1], bins[first]) + 1
    high = n_bins - 1 if last == len(bins) - 1 else _middle_cut(bins[last], bins[last + 1])
    indices = np.arange(n_bins)
    return (indices >= low) & (indices <= high)


def _middle_cut(below: np.int64, above: np.int64) -> int:
    """Return the middle one of the cuts between two bins: cut ``j`` is above bin ``j``."""
    return int(below + above - 1) // 2


def _admits_missing(feature: FeatureStatements, admitted: NDArray[np.bool_]) -> bool:
    """Return whether statements put a missing value among the admitted bins, of which the last is not decided yet."""
    if feature.answers is not None:
        is_alike = (feature.answers[:, :-1] == feature.answers[:, -1:]).all(axis=0)
        return bool((admitted[:-1] & is_alike).any())
    inside = np.flatnonzero(admitted[:-1])
    if not len(inside):
        return False
    low, high = inside[0], inside[-1]
    above_low = low == 0 or feature.missing_greater[low - 1]
    below_high = high >= (feature.cuts < np.inf).sum() or not feature.missing_greater[high]
    return bool(above_low and below_high)
