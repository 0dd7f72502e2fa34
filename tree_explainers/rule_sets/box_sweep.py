"""The best change of one condition of a rule: every end of every feature's interval, in one sweep over its rows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from .search_goal import Moves, SearchGoal, SearchRows, lengths_after_moves, tally

MIN_GAIN = 1e-9  # nats; less is rounding


class SweptRule(NamedTuple):
    """A rule that may change, and the rules that decide the rows that it does not cover."""

    admits: NDArray[np.bool_]  # (n_groups,) groups of all features that the rule admits
    n_conditions: NDArray[np.int64]  # (n_features,) of the rule on each feature
    n_broken: NDArray[np.int32]  # (n_rows,) features whose conditions the row does not fulfil
    slots: NDArray[np.int64]  # (n_rows,) the other rule, or the default, that decides the row without this one
    is_reached: NDArray[np.bool_]  # (n_rows,) no earlier rule covers the row
    n_slots: int  # number of other rules and the default


class SweepLimits(NamedTuple):
    """Limits of one rule."""

    max_conditions: int
    min_rows: int  # rows that it decides


class Change(NamedTuple):
    """Another set of groups for one feature of a rule; ``feature`` is -1 where no change is better."""

    length: float  # description length of the labels and the rule's own conditions
    feature: int
    admitted: NDArray[np.bool_]  # (n_groups of the feature,)


class _Without(NamedTuple):
    """The state in which the rule decides no row."""

    tallies: NDArray[np.float64]  # (n_slots + 1, n_tallied) the rule's own, empty, is the last
    n_conditions: int  # of the rule


class _Sweep(NamedTuple):
    """The part that all sweeps over one feature's groups share."""

    feature: int
    is_number: bool
    has_missing: bool  # missing values are a number's last group
    sequence: NDArray[np.int64]  # groups in the order of their admission, without a number's missing values
    members: NDArray[np.int64]  # rows that the rule decides where it admits their group, by group
    starts: NDArray[np.int64]  # (n_groups + 1,) start of each group's members
    without: _Without  # counts only the rule's conditions on other features


@compiled
def best_change(
    rows: SearchRows, goal: SearchGoal, rule: SweptRule, limits: SweepLimits, length_to_beat: float
) -> Change:
    """Return the change of one feature's condition that shortens the description most.

    Intervals of numbers keep one end, or lose it, and get any other end; with and without missing values where there
    are any. Sets of categories are the first or the last groups, sorted by the gain of each alone. The predictions of
    the rule and of later rules are refitted for every change.

    Ties go to the lower feature, then to the set without missing values, then to the first one tried.
    """
    tallies = tally(goal, rule.slots, rule.n_slots + 1)
    without = _Without(tallies, rule.n_conditions.sum())
    best = Change(length_to_beat, -1, np.empty(0, np.bool_))
    for feature in range(rows.groups.shape[0]):
        first, end = rows.group_starts[feature], rows.group_starts[feature + 1]
        if end - first > 1:
            sweep = _prepare(rows, goal, rule, feature, without)
            best = _sweep_feature(goal, rule, limits, sweep, rule.admits[first:end], best)
    return best


@compiled
def _prepare(rows: SearchRows, goal: SearchGoal, rule: SweptRule, feature: int, without: _Without) -> _Sweep:
    first, end = rows.group_starts[feature], rows.group_starts[feature + 1]
    is_number, has_missing = rows.is_number[feature], rows.is_number[feature] and rows.has_missing[feature]
    row_starts = rows.row_starts[first + feature : end + feature + 1]
    members, starts = _members_by_group(
        rows.order[feature], row_starts, rule.admits[first:end], rule.n_broken, rule.is_reached
    )
    sequence = np.arange(end - first - has_missing)
    if not is_number:
        sequence = np.argsort(_lengths_alone(goal, without.tallies, rule.slots, members, starts), kind="mergesort")
    without = _Without(without.tallies, without.n_conditions - rule.n_conditions[feature])
    return _Sweep(feature, is_number, has_missing, sequence, members, starts, without)


@compiled
def _members_by_group(
    order: NDArray[np.int32],
    row_starts: NDArray[np.int64],
    admits: NDArray[np.bool_],
    n_broken: NDArray[np.int32],
    is_reached: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows that the rule would decide if it admitted their group, by group, and the start of each group."""
    members, starts = np.empty(len(order), np.int64), np.zeros(len(row_starts), np.int64)
    n_members = 0
    for group in range(len(row_starts) - 1):
        n_broken_here = 0 if admits[group] else 1
        for index in range(row_starts[group], row_starts[group + 1]):
            if n_broken[order[index]] == n_broken_here and is_reached[order[index]]:
                members[n_members] = order[index]
                n_members += 1
        starts[group + 1] = n_members
    return members[:n_members], starts


@compiled
def _lengths_alone(
    goal: SearchGoal,
    tallies: NDArray[np.float64],
    slots: NDArray[np.int64],
    members: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the description length with each group alone admitted."""
    lengths = np.empty(len(starts) - 1)
    for group in range(len(lengths)):
        lengths[group] = lengths_after_moves(goal, tallies, Moves(slots, members, starts, np.array([group])))[0][0]
    return lengths


@compiled
def _sweep_feature(
    goal: SearchGoal,
    rule: SweptRule,
    limits: SweepLimits,
    sweep: _Sweep,
    admits: NDArray[np.bool_],
    best: Change,
) -> Change:
    """Return the best change of one feature, or ``best``: from either side, and from either current end."""
    last = len(sweep.sequence) - 1
    low, high = _ends(admits[: last + 1]) if sweep.is_number else (0, last)
    for with_missing in range(2 if sweep.has_missing else 1):
        best = _sweep_ends(goal, rule, limits, sweep, (0, 1, with_missing), best)
        best = _sweep_ends(goal, rule, limits, sweep, (last, -1, with_missing), best)
        if low <= high and low > 0:
            best = _sweep_ends(goal, rule, limits, sweep, (low, 1, with_missing), best)
        if low <= high < last:
            best = _sweep_ends(goal, rule, limits, sweep, (high, -1, with_missing), best)
    return best


@compiled
def _ends(admits: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the first and last group that is admitted; the first after the last where none is."""
    low, high = 0, len(admits) - 1
    while low < len(admits) and not admits[low]:
        low += 1
    while high >= 0 and not admits[high]:
        high -= 1
    return low, high


@compiled
def _sweep_ends(
    goal: SearchGoal,
    rule: SweptRule,
    limits: SweepLimits,
    sweep: _Sweep,
    direction: tuple[int, int, int],  # first index admitted, 1 upwards or -1 downwards, 1 with missing values
    best: Change,
) -> Change:
    """Admit one group after the other, and evaluate each end."""
    begin, step, with_missing = direction
    without = sweep.without
    n_ordered = len(sweep.sequence)
    # Downwards without the very first: the sweep upwards ends with that set.
    ordered = sweep.sequence[begin:] if step > 0 else sweep.sequence[1 : begin + 1][::-1]
    groups = np.append(np.full(with_missing, n_ordered), ordered)
    lengths, n_moved = lengths_after_moves(
        goal, without.tallies, Moves(rule.slots, sweep.members, sweep.starts, groups)
    )
    best_length, best_end = best.length, -1
    min_rows, max_own = limits.min_rows, limits.max_conditions - without.n_conditions
    of_others = goal.cost_of_condition * without.n_conditions
    for index in range(with_missing, len(groups)):
        end = begin + step * (index - with_missing)
        n_own = (min(begin, end) > 0) + (max(begin, end) < n_ordered - 1)
        n_own = max(n_own, sweep.has_missing - with_missing) if sweep.is_number else min(n_own, 1)
        length = lengths[index] + of_others + goal.cost_of_condition * n_own
        if n_moved[index] >= min_rows and n_own <= max_own and length < best_length - MIN_GAIN:
            best_length, best_end = length, end
    if best_end < 0:
        return best
    admitted = np.zeros(n_ordered + sweep.has_missing, np.bool_)
    admitted[sweep.sequence[min(begin, best_end) : max(begin, best_end) + 1]] = True
    admitted[n_ordered:] = with_missing == 1
    return Change(best_length, sweep.feature, admitted)
