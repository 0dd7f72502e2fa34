"""WarmRules: the rules of a rule set, ready to be asked of rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.rule_sets import RuleSetContent

from .rule_terms import Term, terms_of


@dataclass(frozen=True, slots=True)
class WarmRules:
    """Rules in the order in which they are asked."""

    rules: tuple[tuple[tuple[int, Term], ...], ...]  # of each its terms, and the positions of the features they are of
    told: tuple[dict[str, Any], ...]  # (n_rules,) what is said of a rule whose conditions hold
    texts: tuple[bytes, ...]  # (n_rules,) the same as JSON

    @staticmethod
    def of(content: RuleSetContent, features: Sequence[str]) -> "WarmRules":
        """Prepare the rules for rows that have these features, in this order."""
        position = {name: index for index, name in enumerate(features)}
        placed = (tuple((position[term.column], term) for term in terms) for terms in terms_of(content))
        told = tuple({"rank": rule.rank, "text": rule.text, "prediction": rule.prediction} for rule in content.rules)
        return WarmRules(tuple(placed), told, tuple(map(orjson.dumps, told)))

    def firing(self, values: Sequence[Any]) -> list[int]:
        """Return which rules hold for a row, whose values are as callers send them, in the order of the features."""
        return [index for index, terms in enumerate(self.rules) if _hold(terms, values)]

    def fires(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Return which rules hold for many rows, (n_rows, n_rules).

        Parameters
        ----------
        columns : n_features arrays (n_rows,)
            float64, NaN where missing; or objects: texts, None where missing.
        """
        found = np.ones((len(columns[0]), len(self.rules)), dtype=np.bool_)
        for index, terms in enumerate(self.rules):
            for position, term in terms:
                found[:, index] &= term.hold(columns[position])
        return found

    def text(self, firing: Iterable[int]) -> bytes:
        """Return what is said of a row for which these rules hold, as a JSON list."""
        return b"[%b]" % b",".join([self.texts[index] for index in firing])


def _hold(terms: Iterable[tuple[int, Term]], values: Sequence[Any]) -> bool:
    # A plain loop: a generator for ``all`` would take twice as long, for every row that is explained.
    for position, term in terms:  # noqa: SIM110
        if not term.holds(values[position]):
            return False
    return True
