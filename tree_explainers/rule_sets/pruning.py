"""Pruning lists of rules: ends of intervals, conditions and whole rules are taken away while that costs nothing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from ..scoring import Targets
from .drafts import Draft, DraftRule, deciding
from .search_rows import SearchRows
from .watched import Heard

Cost = Callable[[Draft], float]

_MIN_GAIN = 1e-9


@dataclass(frozen=True, slots=True)
class Pruner:
    """Takes away what the cost of a list can do without."""

    rows: SearchRows
    cost: Cost
    heard: Heard

    def prune(self, draft: Draft) -> Draft:
        """Return the list after the best removal, again and again, while the cost falls; ties: the first."""
        return self._while_it_pays(draft, self._shorter)

    def widen(self, draft: Draft) -> Draft:
        """Return the list after the best removal of a condition, again and again, while the cost falls."""
        return self._while_it_pays(draft, self._wider)

    def within(self, draft: Draft, max_conditions: int, max_median: float) -> Draft:
        """Return the list without some conditions, the cheapest first, so that no rule has too many, nor the median."""
        while True:
            counts = [rule.total_conditions for rule in draft]
            too_long = [place for place, count in enumerate(counts) if count > max_conditions]
            if not too_long and counts and median(counts) > max_median:
                too_long = [place for place, count in enumerate(counts) if count > max_median]
            if not too_long:
                return draft
            best, _ = self._best(each for place in too_long for each in self._without_end(draft, place))
            assert best is not None  # noqa: S101  # a rule that is too long has conditions to lose
            draft = best

    def _while_it_pays(self, draft: Draft, removals: Callable[[Draft], Iterator[Draft]]) -> Draft:
        value = self.cost(draft)
        while True:
            best, best_value = self._best(removals(draft))
            if best is None or best_value >= value - _MIN_GAIN:
                return draft
            draft, value = best, best_value

    def _best(self, lists: Iterator[Draft]) -> tuple[Draft | None, float]:
        best, best_value = None, float("inf")
        for each in lists:
            self.heard()
            value = self.cost(each)
            if value < best_value - _MIN_GAIN:
                best, best_value = each, value
        return best, best_value

    def _shorter(self, draft: Draft) -> Iterator[Draft]:
        for place in range(len(draft)):
            yield (*draft[:place], *draft[place + 1 :])
            yield from self._without_end(draft, place)

    def _wider(self, draft: Draft) -> Iterator[Draft]:
        for place in range(len(draft)):
            yield from self._without_end(draft, place)

    def _without_end(self, draft: Draft, place: int) -> Iterator[Draft]:
        for rule in wider_rules(draft[place], self.rows):
            yield (*draft[:place], rule, *draft[place + 1 :])


def wider_rules(rule: DraftRule, rows: SearchRows) -> Iterator[DraftRule]:
    """Yield the rule without one of its conditions: each feature's lower end, its upper end, its whole condition."""
    for feature in np.flatnonzero(rule.n_conditions).tolist():
        admitted = rule.admits[rows.slice_of(feature)]
        inside = np.flatnonzero(admitted)
        if rule.n_conditions[feature] > 1:
            yield rule.with_condition(rows, feature, admitted | (np.arange(len(admitted)) < inside[0]))
            yield rule.with_condition(rows, feature, admitted | _above(rows, feature, admitted))
        else:
            yield rule.with_condition(rows, feature, np.ones_like(admitted))


def _above(rows: SearchRows, feature: int, admitted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a number's groups above those that are admitted, missing values left out."""
    n_numbers = len(admitted) - int(rows.has_missing[feature])
    above = np.zeros_like(admitted)
    above[np.flatnonzero(admitted[:n_numbers])[-1] : n_numbers] = True
    return above


def without_idle_conditions(rule: DraftRule, rows: SearchRows) -> DraftRule:
    """Return the rule without those conditions that do not change which rows it covers.

    Of these the one that fewest rows break goes first, then the next that is idle without it (ties: the lower feature,
    the lower end).
    """
    n_covered, n_broken = int(rule.fires.sum()), int(rule.n_broken.sum())
    while True:
        idle = [each for each in wider_rules(rule, rows) if int(each.fires.sum()) == n_covered]
        if not idle:
            return rule
        rule = min(idle, key=lambda each: n_broken - int(each.n_broken.sum()))


def n_errors(draft: Draft, targets: Targets) -> int:
    """Return how many rows have another class than the commonest one of the rule that decides them."""
    assert targets.classes is not None  # noqa: S101  # values have no errors to count
    slots = deciding(draft, targets.n_rows)
    places = slots * targets.n_classes + targets.classes
    counts = np.bincount(places, minlength=(len(draft) + 1) * targets.n_classes)
    return int(targets.n_rows - counts.reshape(-1, targets.n_classes).max(axis=1).sum())
