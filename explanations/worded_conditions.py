"""WordedConditions: conditions of rules and of trees in the words of a dictionary."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from schemas.rule_sets import Condition
from tree_explainers.column_words import Phrases
from tree_explainers.questions import conditions as raw

HIDDEN = "hidden"
"""What a hidden feature is called where a feature has to be named."""

HIDDEN_CONDITION = "a condition on a hidden feature"


@dataclass(frozen=True, slots=True)
class WordedConditions:
    """The phrases of columns, and those of which nothing is shown."""

    phrases: Phrases
    hidden: frozenset[str]  # columns

    def rule_text(self, conditions: Sequence[Condition]) -> str:
        """Return the conditions of a rule as one sentence, without those on hidden features, of which it says so."""
        shown = tuple(_raw(each) for each in conditions if each.column not in self.hidden)
        if len(shown) == len(conditions):
            return raw.rule_text(shown, self.phrases)
        return ", and ".join([*([raw.rule_text(shown, self.phrases)] if shown else []), HIDDEN_CONDITION])

    def text(self, condition: Condition) -> str:
        """Return a single condition as a sentence."""
        return (
            HIDDEN_CONDITION if condition.column in self.hidden else raw.condition_text(_raw(condition), self.phrases)
        )

    def feature(self, condition: Condition) -> str:
        """Return the name of the feature that a condition is on, unless it is hidden."""
        return HIDDEN if condition.column in self.hidden else condition.feature


def _raw(condition: Condition) -> raw.Condition:
    value = tuple(condition.value) if isinstance(condition.value, list) else condition.value
    operator = cast("raw.Operator", condition.operator)
    return raw.Condition(condition.feature, condition.column, operator, value, condition.or_missing)
