"""WarmRules: the rules of a rule set, ready to be asked of rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.rule_sets import Condition, RuleSetResult
from tree_explainers.questions.conditions import Condition as PrintedCondition
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.rule_lists import PrintedRules

from .rule_terms import Term, terms_of


@dataclass(frozen=True, slots=True)
class WarmRules:
    """Rules in the order in which they are asked, and what is said of those that hold.

    For single rows they are asked by plain terms, for many by array code; a test holds the two against each other.
    """

    features: tuple[str, ...]  # of rows, in their order
    terms: tuple[tuple[tuple[int, Term], ...], ...]  # (n_rules,) what each asks, and of which of a row's values
    printed: PrintedRules
    told: tuple[dict[str, Any], ...]  # (n_rules,) what is said of a rule whose conditions hold
    texts: tuple[bytes, ...]  # (n_rules,) the same as JSON

    @staticmethod
    def of(content: RuleSetResult, features: Sequence[str]) -> "WarmRules":
        """Prepare the rules for rows that have these features, in this order."""
        position = {name: index for index, name in enumerate(features)}
        told = tuple({"rank": rule.rank, "text": rule.text, "prediction": rule.prediction} for rule in content.rules)
        return WarmRules(
            tuple(features),
            tuple(tuple((position[term.column], term) for term in own) for own in terms_of(content)),
            _printed(content),
            told,
            tuple(map(orjson.dumps, told)),
        )

    def firing(self, values: Sequence[Any]) -> list[int]:
        """Return which rules hold for a row, whose values are as callers send them, in the order of the features."""
        return [index for index, terms in enumerate(self.terms) if _hold(terms, values)]

    def fires(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Return which rules hold for many rows, (n_rows, n_rules).

        Parameters
        ----------
        columns : n_features arrays (n_rows,)
            float64, NaN where missing; or objects: texts, None where missing.
        """
        return self.printed.fires(Rows(self.features, tuple(columns)))

    def text(self, firing: Iterable[int]) -> bytes:
        """Return what is said of a row for which these rules hold, as a JSON list."""
        return b"[%b]" % b",".join([self.texts[index] for index in firing])


def _hold(terms: Iterable[tuple[int, Term]], values: Sequence[Any]) -> bool:
    # A plain loop: a generator for ``all`` would take twice as long, for every row that is explained.
    for position, term in terms:  # noqa: SIM110
        if not term.holds(values[position]):
            return False
    return True


def _printed(content: RuleSetResult) -> PrintedRules:
    texts = {feature.name: feature.missing_text for feature in content.features if feature.missing_text is not None}
    rules = tuple(tuple(map(printed_condition, rule.conditions)) for rule in content.rules)
    return PrintedRules(rules, np.float64, texts)


def printed_condition(condition: Condition) -> PrintedCondition:
    """Return a condition of a document as array code asks it."""
    value = tuple(condition.value) if isinstance(condition.value, list) else condition.value
    return PrintedCondition(
        condition.feature,
        condition.column,
        condition.operator,  # type: ignore[arg-type]  # what we wrote ourselves
        value,
        condition.or_missing,
    )
