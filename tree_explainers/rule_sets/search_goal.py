"""The goal of the search for rules: the description length of labels, and how moving rows between rules changes it.

``SearchRows`` is what a search knows of its rows, which lie in partitions: the bins that some row is in, and how many
rows rules decide.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops, inlined
from .row_parts import RowParts
from .rule_counts import Candidate, Swept, coverage_of, sweeps_of, tallies_of
from .rule_lists import Box

_LEAST_SHARE = 1e-12  # of the sum of squares: exactly predicted values would have a description of minus infinity
_MOST_LOOKED_UP = 65_536  # numbers of rows whose n log n is looked up
_MOST_REMEMBERED = 512  # lists whose tallies are remembered


class Groups(NamedTuple):
    """The distinct bins of each feature that some row is in, called groups.

    The groups of all features are concatenated; those of feature ``d`` are ``group_starts[d]`` to
    ``group_starts[d + 1]``, ascending by bin, so that the group of missing values, if some row has one, comes last.
    Only arrays, since compiled loops read this.
    """

    group_starts: NDArray[np.int64]  # (n_features + 1,)
    has_missing: NDArray[np.bool_]  # (n_features,) the last group holds missing values
    is_number: NDArray[np.bool_]  # (n_features,)
    bins: NDArray[np.int64]  # (n_groups,) the bin of each group
    bins_of_all: NDArray[np.int64]  # (n_groups,) the bin of each group, counted among the bins of all features

    @property
    def n_features(self) -> int:
        """Number of features that trees test."""
        return len(self.is_number)

    def slice_of(self, feature: int) -> slice:
        """Return the feature's slice of all groups."""
        return slice(self.group_starts[feature], self.group_starts[feature + 1])


class SearchRows:
    """The rows of a search, in partitions, and their groups."""

    def __init__(self, rows: RowParts, groups: Groups | None = None) -> None:
        self.rows = rows
        self.groups = _groups_of(rows) if groups is None else groups
        self._center = rows.mean if rows.is_regression else 0.0
        self._known: dict[bytes, NDArray[np.float64]] = {}

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.rows.n_rows

    def relabelled(self, rows: RowParts) -> "SearchRows":
        """Return the same rows, of which something else is to be predicted."""
        return SearchRows(rows, self.groups)

    def tallies(self, lists: Sequence[Sequence[Box]], names: Sequence[bytes]) -> list[NDArray[np.float64]]:
        """Return the tally of each rule, and of the default, of each list, (n_rules + 1, n_tallied).

        Values are less their mean. Lists of a name that was counted lately are not counted again.
        """
        known = self._known
        tallies = {name: known[name] for name in names if name in known}
        missing = {name: each for name, each in zip(names, lists, strict=True) if name not in tallies}
        if missing:
            fresh = tallies_of(self.rows, list(missing.values()), self._center)
            tallies |= dict(zip(missing, fresh, strict=True))
            self._known = (known if len(known) < _MOST_REMEMBERED else {}) | tallies
        return [tallies[name] for name in names]

    def sweeps(self, candidates: Sequence[Candidate]) -> Iterator[Swept]:
        """Yield what each candidate would decide; see ``rule_counts.sweeps_of``."""
        return sweeps_of(self.rows, candidates, self._center)

    def coverage(self, rules: Sequence[Box]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many rows each rule covers, and how many conditions all rows break; see ``coverage_of``."""
        return coverage_of(self.rows, rules)


def _groups_of(rows: RowParts) -> Groups:
    features, starts = rows.statements.features, rows.statements.bin_starts.tolist()
    counts = np.split(rows.bin_counts, starts[1:-1]) if features else []
    bins_of_groups = [np.flatnonzero(bin_counts) for bin_counts in counts]
    return Groups(
        group_starts=np.cumsum([0, *map(len, bins_of_groups)], dtype=np.int64),
        has_missing=np.array(
            [feature.missing_bin in bins[-1:] for feature, bins in zip(features, bins_of_groups, strict=True)], np.bool_
        ),
        is_number=np.array([feature.is_number for feature in features], dtype=np.bool_),
        bins=_concatenated(bins_of_groups),
        bins_of_all=_concatenated([bins + start for bins, start in zip(bins_of_groups, starts, strict=False)]),
    )


def _concatenated(parts: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, np.int64), *parts]).astype(np.int64)


class SearchGoal(NamedTuple):
    """Description length in nats: the labels given the rule that decides each row, the conditions, the rules.

    Labels of classes cost their entropy within what one rule decides; values cost ``n_rows / 2 * log`` of the sum of
    squares about their rule's mean. The tally of a rule is its number of rows of each class, or (number, sum) for
    values less their mean. Only arrays and numbers, since compiled loops read this.
    """

    n_rows: int
    is_regression: bool
    times_log: NDArray[np.float64]  # n log n of the first numbers
    sum_of_squares: float  # of the values
    cost_of_condition: float
    cost_of_rule: float


def search_goal(rows: SearchRows, strictness: float) -> SearchGoal:
    """Return the goal of rules that predict the targets of rows.

    Parameters
    ----------
    rows
        The training rows and their classes or values.
    strictness
        Factor of the cost of a condition (naming one of all features' groups) and of a rule (``log(n_rows) / 2`` for
        each number of its prediction): 1 gives the description length itself, less gives more rules and conditions.
    """
    of_rows, n_rows = rows.rows, rows.n_rows
    n_numbers = 1 if of_rows.is_regression else max(1, of_rows.n_classes - 1)
    return SearchGoal(
        n_rows=n_rows,
        is_regression=of_rows.is_regression,
        times_log=_first_times_log(min(n_rows, _MOST_LOOKED_UP) + 1),
        sum_of_squares=of_rows.squares if of_rows.is_regression else 0.0,
        cost_of_condition=strictness * float(np.log(max(2, len(rows.groups.bins)))),
        cost_of_rule=strictness * n_numbers * float(np.log(max(2, n_rows))) / 2,
    )


@compiled
def _first_times_log(n: int) -> NDArray[np.float64]:
    table = np.zeros(n)
    for number in range(1, n):
        table[number] = number * np.log(number)
    return table


@inlined
def _times_log(goal: SearchGoal, number: float) -> float:
    """Return n log n of a number of rows, 0 of none."""
    return float(goal.times_log[int(number)]) if number < len(goal.times_log) else number * float(np.log(number))


@compiled_for_loops
def loss_of(goal: SearchGoal, tallies: NDArray[np.float64]) -> float:
    """Return the entropy in nats; for values, the sum of squares less that about the mean of all."""
    loss = 0.0
    for tally in tallies:
        if goal.is_regression:
            loss -= tally[1] ** 2 / max(tally[0], 1.0)
        else:
            loss += _times_log(goal, tally.sum())
            for number in tally:
                loss -= _times_log(goal, number)
    return loss


@compiled_for_loops
def length_of(goal: SearchGoal, loss: float) -> float:
    """Return the description length of the labels in nats, given their loss."""
    if goal.is_regression:
        remaining = max(goal.sum_of_squares + loss, _LEAST_SHARE * goal.sum_of_squares + 1e-300)
        loss = 0.5 * goal.n_rows * np.log(remaining)
    return loss


@compiled
def length_of_labels(goal: SearchGoal, tallies: NDArray[np.float64]) -> float:
    """Return the description length of the labels in nats, given what each rule decides, (n_slots, n_tallied)."""
    return length_of(goal, loss_of(goal, tallies))


class Moves(NamedTuple):
    """Groups of rows that move to the last slot, one after the other."""

    moving: NDArray[np.float64]  # (n_bins, n_slots, n_tallied) rows of each bin, by what decides them before
    first_slot: int  # of these; moving rows are in no earlier one
    bins: NDArray[np.int64]  # (n_steps,) in the order in which they move


@compiled_for_loops
def lengths_after_moves(
    goal: SearchGoal, tallies: NDArray[np.float64], moves: Moves
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Move one group of rows after the other to the last slot.

    Parameters
    ----------
    goal
        Whose description is measured.
    tallies : (n_slots, n_tallied)
        Before the first step; they are not changed.
    moves
        The groups.

    Returns
    -------
    (n_steps,) float64, (n_steps,) float64
        The description length of the labels after each step, and the number of rows moved by then.
    """
    loss = loss_of(goal, tallies)
    if goal.is_regression:
        losses, n_moved = _move_values(loss, tallies.copy(), moves)
        for step in range(len(losses)):
            losses[step] = length_of(goal, losses[step])
        return losses, n_moved
    return _move_classes(goal, loss, tallies.copy(), moves)


@compiled_for_loops
def _move_classes(
    goal: SearchGoal, loss: float, tallies: NDArray[np.float64], moves: Moves
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    moving, first_slot, bins = moves
    losses, n_moved = np.empty(len(bins)), np.empty(len(bins))
    sizes, target = tallies.sum(axis=1), tallies[-1]
    n_own = sizes[-1]
    for step in range(len(bins)):
        for at in range(moving.shape[1]):
            slot, n_leaving = first_slot + at, 0.0
            for label in range(moving.shape[2]):
                number = moving[bins[step], at, label]
                if number > 0:
                    before, after = tallies[slot, label], tallies[slot, label] - number
                    loss += _times_log(goal, before) - _times_log(goal, after)
                    loss += _times_log(goal, target[label]) - _times_log(goal, target[label] + number)
                    tallies[slot, label] = after
                    target[label] += number
                    n_leaving += number
            if n_leaving > 0:
                loss += _times_log(goal, sizes[slot] - n_leaving) - _times_log(goal, sizes[slot])
                loss += _times_log(goal, n_own + n_leaving) - _times_log(goal, n_own)
                sizes[slot] -= n_leaving
                n_own += n_leaving
        losses[step], n_moved[step] = loss, n_own
    return losses, n_moved


@compiled_for_loops
def _move_values(
    loss: float, tallies: NDArray[np.float64], moves: Moves
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    moving, first_slot, bins = moves
    losses, n_moved = np.empty(len(bins)), np.empty(len(bins))
    before = (tallies[:, 1] ** 2 / np.maximum(tallies[:, 0], 1.0)).sum()
    for step in range(len(bins)):
        for at in range(moving.shape[1]):
            for which in range(2):
                tallies[first_slot + at, which] -= moving[bins[step], at, which]
                tallies[-1, which] += moving[bins[step], at, which]
        after = 0.0
        for slot in range(len(tallies)):
            if tallies[slot, 0] > 0:
                after += tallies[slot, 1] ** 2 / tallies[slot, 0]
        losses[step], n_moved[step] = loss + before - after, tallies[-1, 0]
    return losses, n_moved
