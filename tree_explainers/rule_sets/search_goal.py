"""The goal of the search for rules: the description length of labels, and how moving rows between rules changes it.

``SearchRows`` holds the training rows as compiled loops read them: grouped by bin, feature by feature.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..questions.binned_rows import BinnedRows
from ..scoring import Targets

_LEAST_SHARE = 1e-12  # of the sum of squares: exactly predicted values would have a description of minus infinity


class SearchRows(NamedTuple):
    """The distinct bins of each feature that some row is in, called groups, and the rows of each.

    The groups of all features are concatenated; those of feature ``d`` are ``group_starts[d]`` to
    ``group_starts[d + 1]``, ascending by bin, so that the group of missing values, if some row has one, comes last.
    Only arrays, since compiled loops read this.
    """

    groups: NDArray[np.int64]  # (n_features, n_rows) group of each row, counted within the feature
    order: NDArray[np.int32]  # (n_features, n_rows) rows by group; ties: the lower row first
    group_starts: NDArray[np.int64]  # (n_features + 1,)
    row_starts: NDArray[np.int64]  # (n_groups + n_features,) start of each group's rows in ``order``, and an end
    has_missing: NDArray[np.bool_]  # (n_features,) the last group holds missing values
    is_number: NDArray[np.bool_]  # (n_features,)
    bins: NDArray[np.int64]  # (n_groups,) the bin of each group

    @property
    def n_features(self) -> int:
        """Number of features that trees test."""
        return len(self.groups)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.groups.shape[1])

    def slice_of(self, feature: int) -> slice:
        """Return the feature's slice of all groups."""
        return slice(self.group_starts[feature], self.group_starts[feature + 1])


def search_rows(binned: BinnedRows) -> SearchRows:
    """Return the rows, grouped and sorted by each feature."""
    features = binned.statements.features
    found = [np.unique(own, return_inverse=True) for own in binned.bins]
    groups = np.array([inverse for _, inverse in found], dtype=np.int64).reshape(binned.bins.shape)
    sizes = [np.bincount(own, minlength=len(bins)) for (bins, _), own in zip(found, groups, strict=True)]
    return SearchRows(
        groups=groups,
        order=np.argsort(groups, axis=1, kind="stable").astype(np.int32),
        group_starts=np.cumsum([0, *map(len, sizes)], dtype=np.int64),
        row_starts=_concatenated([np.cumsum([0, *each]) for each in sizes]),
        has_missing=np.array(
            [feature.missing_bin in bins[-1:] for feature, (bins, _) in zip(features, found, strict=True)], np.bool_
        ),
        is_number=np.array([feature.is_number for feature in features], dtype=np.bool_),
        bins=_concatenated([bins for bins, _ in found]),
    )


def _concatenated(parts: list[NDArray[np.integer]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, np.int64), *parts]).astype(np.int64)


class SearchGoal(NamedTuple):
    """Description length in nats: the labels given the rule that decides each row, the conditions, the rules.

    Labels of classes cost their entropy within what one rule decides; values cost ``n_rows / 2 * log`` of the sum of
    squares about their rule's mean. The tally of a rule is its number of rows of each class, or (number, sum) for
    values. Only arrays and numbers, since compiled loops read this.
    """

    classes: NDArray[np.int64]  # (n_rows,) empty for regression
    values: NDArray[np.float64]  # (n_rows,) less their mean; empty for classification
    steps: NDArray[np.float64]  # (n_rows + 1,) (n + 1) log(n + 1) - n log(n)
    n_tallied: int  # number of classes; 2 for regression
    sum_of_squares: float  # of the values
    cost_of_condition: float
    cost_of_rule: float


def search_goal(rows: SearchRows, targets: Targets, strictness: float) -> SearchGoal:
    """Return the goal of rules that predict these targets.

    Parameters
    ----------
    rows, targets
        The training rows and their classes or values.
    strictness
        Factor of the cost of a condition (naming one of all features' groups) and of a rule (``log(n_rows) / 2`` for
        each number of its prediction): 1 gives the description length itself, less gives more rules and conditions.
    """
    n_rows = rows.n_rows
    n_numbers = 1 if targets.is_regression else max(1, targets.n_classes - 1)
    values = np.empty(0) if targets.values is None else targets.values - targets.values.mean()
    counts = np.arange(n_rows + 2, dtype=np.float64)
    return SearchGoal(
        classes=np.array([] if targets.classes is None else targets.classes, dtype=np.int64),
        values=values,
        steps=np.diff(counts * np.log(np.maximum(counts, 1))),
        n_tallied=2 if targets.is_regression else max(1, targets.n_classes),
        sum_of_squares=float(values @ values),
        cost_of_condition=strictness * float(np.log(max(2, len(rows.bins)))),
        cost_of_rule=strictness * n_numbers * float(np.log(max(2, n_rows))) / 2,
    )


@compiled
def tally(goal: SearchGoal, slots: NDArray[np.int64], n_slots: int) -> NDArray[np.float64]:
    """Return the tally of each slot, (n_slots, n_tallied), where ``slots`` holds the rule that decides each row."""
    classes, values = goal.classes, goal.values
    tallies = np.zeros((n_slots, goal.n_tallied))
    for row in range(len(slots)):
        if len(values):
            tallies[slots[row], 0] += 1
            tallies[slots[row], 1] += values[row]
        else:
            tallies[slots[row], classes[row]] += 1
    return tallies


@compiled
def loss_of(goal: SearchGoal, tallies: NDArray[np.float64]) -> float:
    """Return the entropy in nats; for values, the sum of squares less that about the mean of all."""
    loss = 0.0
    for own in tallies:
        if len(goal.values):
            loss -= own[1] ** 2 / max(own[0], 1.0)
        else:
            n_rows = own.sum()
            loss += n_rows * np.log(max(n_rows, 1.0)) - (own * np.log(np.maximum(own, 1.0))).sum()
    return loss


@compiled
def length_of(goal: SearchGoal, loss: float) -> float:
    """Return the description length of the labels in nats, given their loss."""
    if len(goal.values):
        remaining = max(goal.sum_of_squares + loss, _LEAST_SHARE * goal.sum_of_squares + 1e-300)
        loss = 0.5 * len(goal.values) * np.log(remaining)
    return loss


@compiled
def length_of_labels(goal: SearchGoal, slots: NDArray[np.int64], n_slots: int) -> float:
    """Return the description length of the labels in nats; ``slots`` holds each row's rule, (n_rows,)."""
    return length_of(goal, loss_of(goal, tally(goal, slots, n_slots)))


class Moves(NamedTuple):
    """Groups of rows that move to another slot, one after the other."""

    slots: NDArray[np.int64]  # (n_rows,) the rule that decides each row before
    members: NDArray[np.int64]  # rows by group
    starts: NDArray[np.int64]  # (n_groups + 1,) start of each group's members
    groups: NDArray[np.int64]  # (n_steps,) in the order in which they move


@compiled
def lengths_after_moves(
    goal: SearchGoal, tallies: NDArray[np.float64], moves: Moves
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
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
    (n_steps,) float64, (n_steps,) int64
        The description length of the labels after each step, and the number of rows moved by then.
    """
    loss = loss_of(goal, tallies)
    if len(goal.values):
        losses, n_moved = _move_values(goal.values, loss, tallies.copy(), moves)
        for step in range(len(losses)):
            losses[step] = length_of(goal, losses[step])
        return losses, n_moved
    return _move_classes(goal.classes, goal.steps, loss, tallies.astype(np.int64), moves)


@compiled
def _move_classes(
    classes: NDArray[np.int64], steps: NDArray[np.float64], loss: float, counts: NDArray[np.int64], moves: Moves
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    slots, members, starts, groups = moves
    losses, n_moved = np.empty(len(groups)), np.empty(len(groups), np.int64)
    sizes, own = counts.sum(axis=1), counts[-1]
    n_own = sizes[-1]
    for step in range(len(groups)):
        for index in range(starts[groups[step]], starts[groups[step] + 1]):
            row = members[index]
            source, label = slots[row], classes[row]
            sizes[source] -= 1
            counts[source, label] -= 1
            loss += steps[n_own] - steps[own[label]] + steps[counts[source, label]] - steps[sizes[source]]
            own[label] += 1
            n_own += 1
        losses[step], n_moved[step] = loss, n_own
    return losses, n_moved


@compiled
def _move_values(
    values: NDArray[np.float64], loss: float, tallies: NDArray[np.float64], moves: Moves
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    slots, members, starts, groups = moves
    losses, n_moved = np.empty(len(groups)), np.empty(len(groups), np.int64)
    before = (tallies[:, 1] ** 2 / np.maximum(tallies[:, 0], 1.0)).sum()
    n_own = 0
    for step in range(len(groups)):
        for index in range(starts[groups[step]], starts[groups[step] + 1]):
            source, value = slots[members[index]], values[members[index]]
            tallies[source, 0] -= 1
            tallies[source, 1] -= value
            tallies[-1, 0] += 1
            tallies[-1, 1] += value
            n_own += 1
        after = 0.0
        for slot in range(len(tallies)):
            if tallies[slot, 0] > 0:
                after += tallies[slot, 1] ** 2 / tallies[slot, 0]
        losses[step], n_moved[step] = loss + before - after, n_own
    return losses, n_moved
