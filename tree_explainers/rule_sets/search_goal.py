"""SearchGoal: what a list of rules is judged by while it is searched, and what deciding rows anew does to it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..scoring import Targets
from .search_rows import SearchRows

_LEAST_SHARE = 1e-12  # of the sum of squares: values told exactly would have a description of minus infinity


class SearchGoal(NamedTuple):
    """Description length in nats: the labels given the rule that decides each row, the conditions, the rules.

    Labels of classes cost their entropy within what one rule decides; values cost ``n_rows / 2 * log`` of the sum of
    squares about their rule's mean. The tally of a rule is its number of rows of each class, or (number, sum) for
    values. Arrays and numbers alone: compiled loops read this.
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
        What it costs to name one of all features' groups (a condition) and the numbers of a prediction (a rule,
        ``log(n_rows) / 2`` for each number) is multiplied by this: 1 is the description length itself, less gives more
        rules and conditions.
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
    """Return the tally of each slot, (n_slots, n_tallied), where ``slots`` says what decides each row."""
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
    """Return the description length of the labels in nats, where ``slots`` says what decides each row, (n_rows,)."""
    return length_of(goal, loss_of(goal, tally(goal, slots, n_slots)))


class Walk(NamedTuple):
    """Groups of rows that another slot is to decide, one after the other."""

    slots: NDArray[np.int64]  # (n_rows,) what decides each row before
    members: NDArray[np.int64]  # rows by group
    starts: NDArray[np.int64]  # (n_groups + 1,) where each group's rows begin
    path: NDArray[np.int64]  # (n_steps,) groups in the order in which they are taken


@compiled
def lengths_along(
    goal: SearchGoal, tallies: NDArray[np.float64], walk: Walk
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Let the last slot decide one group of rows after the other; return what each step leads to.

    Parameters
    ----------
    goal
        What the description is of.
    tallies : (n_slots, n_tallied)
        Before the first step; they are not changed.
    walk
        The groups.

    Returns
    -------
    (n_steps,) float64, (n_steps,) int64
        The description length of the labels after each step, and the rows taken by then.
    """
    loss = loss_of(goal, tallies)
    if len(goal.values):
        losses, n_taken = _along_values(goal.values, loss, tallies.copy(), walk)
        for step in range(len(losses)):
            losses[step] = length_of(goal, losses[step])
        return losses, n_taken
    return _along_classes(goal.classes, goal.steps, loss, tallies.astype(np.int64), walk)


@compiled
def _along_classes(
    classes: NDArray[np.int64], steps: NDArray[np.float64], loss: float, counts: NDArray[np.int64], walk: Walk
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    slots, members, starts, path = walk
    losses, n_taken = np.empty(len(path)), np.empty(len(path), np.int64)
    sizes, own = counts.sum(axis=1), counts[-1]
    n_own = sizes[-1]
    for step in range(len(path)):
        for at in range(starts[path[step]], starts[path[step] + 1]):
            row = members[at]
            source, one = slots[row], classes[row]
            sizes[source] -= 1
            counts[source, one] -= 1
            loss += steps[n_own] - steps[own[one]] + steps[counts[source, one]] - steps[sizes[source]]
            own[one] += 1
            n_own += 1
        losses[step], n_taken[step] = loss, n_own
    return losses, n_taken


@compiled
def _along_values(
    values: NDArray[np.float64], loss: float, tallies: NDArray[np.float64], walk: Walk
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    slots, members, starts, path = walk
    losses, n_taken = np.empty(len(path)), np.empty(len(path), np.int64)
    before = (tallies[:, 1] ** 2 / np.maximum(tallies[:, 0], 1.0)).sum()
    n_own = 0
    for step in range(len(path)):
        for at in range(starts[path[step]], starts[path[step] + 1]):
            source, value = slots[members[at]], values[members[at]]
            tallies[source, 0] -= 1
            tallies[source, 1] -= value
            tallies[-1, 0] += 1
            tallies[-1, 1] += value
            n_own += 1
        after = 0.0
        for slot in range(len(tallies)):
            if tallies[slot, 0] > 0:
                after += tallies[slot, 1] ** 2 / tallies[slot, 0]
        losses[step], n_taken[step] = loss + before - after, n_own
    return losses, n_taken
