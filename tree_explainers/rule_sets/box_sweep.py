"""The best change of one condition of a rule: every end of every feature's interval, in one sweep."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from .rule_counts import Swept
from .search_goal import Groups, Moves, SearchGoal, lengths_after_moves

MIN_GAIN = 1e-9  # nats; less is rounding


class SweptRule(NamedTuple):
    """A rule that may change."""

    admits: NDArray[np.bool_]  # (n_groups,) groups of all features that the rule admits
    n_conditions: NDArray[np.int64]  # (n_features,) of the rule on each feature
    before: int  # index of the other rule that it comes before
    swept: Swept  # what it would decide


class SweepLimits(NamedTuple):
    """Limits of one rule."""

    max_conditions: int
    min_rows: int  # rows that it decides


class Change(NamedTuple):
    """Another set of groups for one feature of a rule; ``feature`` is -1 where no change is better."""

    length: float  # description length of the labels and the rule's own conditions
    feature: int
    admitted: NDArray[np.bool_]  # (n_groups of the feature,)


class _Sweep(NamedTuple):
    """The part that all sweeps over one feature's groups share."""

    feature: int
    is_number: bool
    has_missing: bool  # missing values are a number's last group
    sequence: NDArray[np.int64]  # groups in the order of their admission, without a number's missing values
    bins: NDArray[np.int64]  # (n_groups,) of the feature, among the bins of all
    tallies: NDArray[np.float64]  # (n_slots + 1, n_tallied) where the rule decides no row: its own is the last
    n_conditions: int  # of the rule on other features


@compiled
def best_change(
    groups: Groups, goal: SearchGoal, rule: SweptRule, limits: SweepLimits, length_to_beat: float
) -> Change:
    """Return the change of one feature's condition that shortens the description most.

    Intervals of numbers keep one end, or lose it, and get any other end; with and without missing values where there
    are any. Sets of categories are the first or the last groups, sorted by the gain of each alone. The predictions of
    the rule and of later rules are refitted for every change.

    Ties go to the lower feature, then to the set without missing values, then to the first one tried.
    """
    tallies = np.zeros((len(rule.swept.tallies) + 1, rule.swept.tallies.shape[1]))
    tallies[:-1] = rule.swept.tallies
    best = Change(length_to_beat, -1, np.empty(0, np.bool_))
    for feature in range(len(groups.is_number)):
        first, end = groups.group_starts[feature], groups.group_starts[feature + 1]
        if end - first > 1:
            sweep = _prepare(groups, goal, rule, feature, tallies)
            best = _sweep_feature(goal, rule, limits, sweep, rule.admits[first:end], best)
    return best


@compiled_for_loops
def _prepare(groups: Groups, goal: SearchGoal, rule: SweptRule, feature: int, tallies: NDArray[np.float64]) -> _Sweep:
    first, end = groups.group_starts[feature], groups.group_starts[feature + 1]
    is_number, has_missing = groups.is_number[feature], groups.is_number[feature] and groups.has_missing[feature]
    bins = groups.bins_of_all[first:end]
    sequence = np.arange(end - first - has_missing)
    if not is_number:
        sequence = np.argsort(_lengths_alone(goal, rule, tallies, bins), kind="mergesort")
    n_conditions = rule.n_conditions.sum() - rule.n_conditions[feature]
    return _Sweep(feature, is_number, has_missing, sequence, bins, tallies, n_conditions)


@compiled_for_loops
def _lengths_alone(
    goal: SearchGoal, rule: SweptRule, tallies: NDArray[np.float64], bins: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the description length with each group alone admitted."""
    lengths = np.empty(len(bins))
    for group in range(len(bins)):
        moves = Moves(rule.swept.moving, rule.before, bins[group : group + 1])
        lengths[group] = lengths_after_moves(goal, tallies, moves)[0][0]
    return lengths


@compiled_for_loops
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


@compiled_for_loops
def _ends(admits: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the first and last group that is admitted; the first after the last where none is."""
    low, high = 0, len(admits) - 1
    while low < len(admits) and not admits[low]:
        low += 1
    while high >= 0 and not admits[high]:
        high -= 1
    return low, high


@compiled_for_loops
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
    n_ordered = len(sweep.sequence)
    # Downwards without the very first: the sweep upwards ends with that set.
    ordered = sweep.sequence[begin:] if step > 0 else sweep.sequence[1 : begin + 1][::-1]
    groups = np.full(with_missing + len(ordered), n_ordered)
    groups[with_missing:] = ordered
    moves = Moves(rule.swept.moving, rule.before, sweep.bins[groups])
    lengths, n_moved = lengths_after_moves(goal, sweep.tallies, moves)
    best_length, best_end = best.length, -1
    min_rows, max_own = limits.min_rows, limits.max_conditions - sweep.n_conditions
    of_others = goal.cost_of_condition * sweep.n_conditions
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
