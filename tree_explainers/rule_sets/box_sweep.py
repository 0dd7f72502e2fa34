"""The best change of one condition of a rule: every end of every feature's interval, tried in a pass over its rows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from .search_goal import SearchGoal, Walk, lengths_along, tally
from .search_rows import SearchRows

_MIN_GAIN = 1e-9  # nats; less is rounding


class SweptRule(NamedTuple):
    """A rule that may change, and what becomes of rows that it does not cover."""

    admits: NDArray[np.bool_]  # (n_groups,) groups of all features that the rule admits
    n_conditions: NDArray[np.int64]  # (n_features,) of the rule on each feature
    n_broken: NDArray[np.int32]  # (n_rows,) features whose conditions the row does not fulfil
    slots: NDArray[np.int64]  # (n_rows,) which other rule, or the default, decides the row without this one
    is_reached: NDArray[np.bool_]  # (n_rows,) no rule before it covers the row
    n_slots: int  # the other rules and the default


class SweepLimits(NamedTuple):
    """What a rule may be like."""

    max_conditions: int
    min_rows: int  # that it decides


class Change(NamedTuple):
    """Another set of groups for one feature of a rule; ``feature`` is -1 where nothing is better."""

    value: float  # description length of the labels and the rule's own conditions
    feature: int
    admitted: NDArray[np.bool_]  # (n_groups of the feature,)


class _Without(NamedTuple):
    """How things stand where the rule decides nothing."""

    tallies: NDArray[np.float64]  # (n_slots + 1, n_tallied) the rule's own, empty, is the last
    n_conditions: int  # of the rule


class _Sweep(NamedTuple):
    """What all ways through one feature's groups share."""

    feature: int
    is_number: bool
    has_missing: bool  # missing values are a number's last group
    sequence: NDArray[np.int64]  # groups in the order in which they are admitted, missing values of a number left out
    members: NDArray[np.int64]  # rows that the rule decides where it admits their group, by group
    starts: NDArray[np.int64]  # (n_groups + 1,) where each group's members begin
    without: _Without  # the rule's conditions on other features alone are counted


@compiled
def best_change(
    rows: SearchRows, goal: SearchGoal, rule: SweptRule, limits: SweepLimits, value_to_beat: float
) -> Change:
    """Return the change of one feature's condition that shortens the description most.

    Intervals of numbers keep one end, or lose it, and get any other end; with and without missing values where there
    are some. Sets of categories are the first or the last of the groups, sorted by what each alone would gain. The
    predictions of the rule and of those below it are refitted for every change.

    Ties go to the lower feature, then to the set without missing values, then to the first that is tried.
    """
    tallies = tally(goal, rule.slots, rule.n_slots + 1)
    without = _Without(tallies, rule.n_conditions.sum())
    best = Change(value_to_beat, -1, np.empty(0, np.bool_))
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
    members, starts = _gather(rows.order[feature], row_starts, rule.admits[first:end], rule.n_broken, rule.is_reached)
    sequence = np.arange(end - first - has_missing)
    if not is_number:
        sequence = np.argsort(_gains(goal, without.tallies, rule.slots, members, starts), kind="mergesort")
    without = _Without(without.tallies, without.n_conditions - rule.n_conditions[feature])
    return _Sweep(feature, is_number, has_missing, sequence, members, starts, without)


@compiled
def _gather(
    order: NDArray[np.int32],
    row_starts: NDArray[np.int64],
    admits: NDArray[np.bool_],
    n_broken: NDArray[np.int32],
    is_reached: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows that the rule would decide if it admitted their group, by group, and where each group begins."""
    members, starts = np.empty(len(order), np.int64), np.zeros(len(row_starts), np.int64)
    n_members = 0
    for group in range(len(row_starts) - 1):
        n_broken_here = 0 if admits[group] else 1
        for at in range(row_starts[group], row_starts[group + 1]):
            if n_broken[order[at]] == n_broken_here and is_reached[order[at]]:
                members[n_members] = order[at]
                n_members += 1
        starts[group + 1] = n_members
    return members[:n_members], starts


@compiled
def _gains(
    goal: SearchGoal,
    tallies: NDArray[np.float64],
    slots: NDArray[np.int64],
    members: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the description length with each group alone admitted."""
    gains = np.empty(len(starts) - 1)
    for group in range(len(gains)):
        gains[group] = lengths_along(goal, tallies, Walk(slots, members, starts, np.array([group])))[0][0]
    return gains


@compiled
def _sweep_feature(
    goal: SearchGoal,
    rule: SweptRule,
    limits: SweepLimits,
    sweep: _Sweep,
    admits: NDArray[np.bool_],
    best: Change,
) -> Change:
    """Return the best change of one feature, or ``best``: from either side, and from either end that stands now."""
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
    way: tuple[int, int, int],  # the first position admitted, 1 upwards or -1 downwards, 1 with missing values
    best: Change,
) -> Change:
    """Admit one group after the other, and look at each end."""
    begin, step, with_missing = way
    without = sweep.without
    n_ordered = len(sweep.sequence)
    # Downwards not to the very first: that set is one that the way up ends with.
    ordered = sweep.sequence[begin:] if step > 0 else sweep.sequence[1 : begin + 1][::-1]
    path = np.append(np.full(with_missing, n_ordered), ordered)
    lengths, n_taken = lengths_along(goal, without.tallies, Walk(rule.slots, sweep.members, sweep.starts, path))
    value, best_end = best.value, -1
    min_rows, max_own = limits.min_rows, limits.max_conditions - without.n_conditions
    of_others = goal.cost_of_condition * without.n_conditions
    for at in range(with_missing, len(path)):
        end = begin + step * (at - with_missing)
        n_own = (min(begin, end) > 0) + (max(begin, end) < n_ordered - 1)
        n_own = max(n_own, sweep.has_missing - with_missing) if sweep.is_number else min(n_own, 1)
        length = lengths[at] + of_others + goal.cost_of_condition * n_own
        if n_taken[at] >= min_rows and n_own <= max_own and length < value - _MIN_GAIN:
            value, best_end = length, end
    if best_end < 0:
        return best
    admitted = np.zeros(n_ordered + sweep.has_missing, np.bool_)
    admitted[sweep.sequence[min(begin, best_end) : max(begin, best_end) + 1]] = True
    admitted[n_ordered:] = with_missing == 1
    return Change(value, sweep.feature, admitted)
