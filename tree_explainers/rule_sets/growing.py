"""Growing lists of rules: rules are put in, changed, moved and taken out while that shortens the description."""

from dataclasses import dataclass
from math import inf

from .box_sweep import Change, SweepLimits, best_change
from .drafts import Draft, DraftRule, costs, lengths_within, swept, worth
from .search_goal import SearchGoal
from .search_rows import SearchRows
from .watched import Heard

_MIN_GAIN = 1e-9  # nats; less is rounding
_MAX_CHANGES = 20  # of one rule before the next is looked at
_MAX_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Grower:
    """Searches lists of rules for one goal."""

    rows: SearchRows
    goal: SearchGoal
    limits: SweepLimits
    max_rules: int
    heard: Heard

    def grow(self, draft: Draft) -> Draft:
        """Return the list with further rules, as long as each, once all are refined, makes the list better."""
        value = self.worth(draft)
        while len(draft) < self.max_rules:
            longer = self._with_new_rule(draft)
            if longer is None:
                break
            longer = self.refine(longer, n_rounds=1)
            longer_value = self.worth(longer)
            if longer_value >= value - _MIN_GAIN:
                break
            draft, value = longer, longer_value
        return self.refine(draft)

    def refine(self, draft: Draft, n_rounds: int = _MAX_ROUNDS) -> Draft:
        """Return the list after changes of conditions, removals and swaps of neighbours, until none helps."""
        value = self.worth(draft)
        for _ in range(n_rounds):
            draft = self._swapped(self._shortened(self._changed(draft)))
            after = self.worth(draft)
            if after >= value - _MIN_GAIN:
                break
            value = after
        return draft

    def worth(self, draft: Draft) -> float:
        """Return the description length of the list."""
        return worth(draft, self.goal)

    def _with_new_rule(self, draft: Draft) -> Draft | None:
        """Put in the best new rule: one of a single condition, or a part of a rule before that rule.

        Ties go to the earlier place, then to the rule of a single condition.
        """
        best, best_place, best_start = None, 0, DraftRule.of_all(self.rows)
        lengths = lengths_within(draft, self.goal)
        for place in range(len(draft) + 1):
            parted = [rule for rule in draft[place : place + 1] if lengths[place] > self._cost_of_part(rule)]
            for start in (DraftRule.of_all(self.rows), *parted):
                change = self._best_change(start, draft, place, best.value if best else inf)
                if change.feature >= 0:
                    best, best_place, best_start = change, place, start
        if best is None:
            return None
        rule = best_start.with_condition(self.rows, best.feature, best.admitted)
        return (*draft[:best_place], rule, *draft[best_place:])

    def _cost_of_part(self, rule: DraftRule) -> float:
        """Return what a part of a rule costs at least: where the rule's own labels cost less, it cannot be worth it."""
        return self.goal.cost_of_rule + self.goal.cost_of_condition * rule.total_conditions

    def _changed(self, draft: Draft) -> Draft:
        """Change conditions of one rule after the other."""
        for place in range(len(draft)):
            for _ in range(_MAX_CHANGES):
                others = (*draft[:place], *draft[place + 1 :])
                to_beat = self.worth(draft) - costs(others, self.goal) - self.goal.cost_of_rule
                change = self._best_change(draft[place], others, place, to_beat)
                if change.feature < 0:
                    break
                rule = draft[place].with_condition(self.rows, change.feature, change.admitted)
                draft = (*others[:place], rule, *others[place:])
        return draft

    def _best_change(self, rule: DraftRule, others: Draft, place: int, to_beat: float) -> Change:
        self.heard()
        change: Change = best_change(
            self.rows, self.goal, swept(rule, others, place, self.rows.n_rows), self.limits, to_beat
        )
        return change

    def _shortened(self, draft: Draft) -> Draft:
        """Take out rules that are not worth their cost; the first such first."""
        value = self.worth(draft)
        place = 0
        while place < len(draft):
            shorter = (*draft[:place], *draft[place + 1 :])
            shorter_value = self.worth(shorter)
            if shorter_value <= value + _MIN_GAIN:
                draft, value, place = shorter, shorter_value, 0
            else:
                place += 1
        return draft

    def _swapped(self, draft: Draft) -> Draft:
        """Swap neighbours where that helps, from the first pair to the last."""
        value = self.worth(draft)
        for place in range(len(draft) - 1):
            swapped = (*draft[:place], draft[place + 1], draft[place], *draft[place + 2 :])
            swapped_value = self.worth(swapped)
            if swapped_value < value - _MIN_GAIN:
                draft, value = swapped, swapped_value
        return draft
