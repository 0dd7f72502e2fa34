"""Applying printed rules: raw rows and printed conditions are all that it takes."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..questions.conditions import Condition, ConditionReader, TrainingValues, conditions_on
from ..rows import Rows
from .boxes import Box
from .rule_lists import RuleList, first_firing


@dataclass(frozen=True, slots=True)
class PrintedRules:
    """Rules in the order in which they are asked, as they are printed."""

    rules: tuple[tuple[Condition, ...], ...]
    precision: type[np.float32 | np.float64]  # numbers are rounded to this, as by the model, before they are compared
    missing_texts: Mapping[str, str]  # by column: a text that stands for a missing category

    def fires(self, rows: Rows) -> NDArray[np.bool_]:
        """Return for which rows each rule's conditions hold, (n_rows, n_rules).

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` where a column is lacking that some condition reads.
        """
        reader = ConditionReader(self.precision, self.missing_texts)
        held: dict[Condition, NDArray[np.bool_]] = {}
        fires = np.ones((len(rows), len(self.rules)), dtype=np.bool_)
        for place, rule in enumerate(self.rules):
            for condition in rule:
                if condition not in held:
                    held[condition] = reader.holds(condition, rows)
                fires[:, place] &= held[condition]
        return fires

    def deciding(self, rows: Rows) -> NDArray[np.int64]:
        """Return the first rule that holds for each row, (n_rows,); the number of rules where none does."""
        return first_firing(self.fires(rows))


def print_rules(rules: RuleList, values: TrainingValues) -> PrintedRules:
    """Return the conditions of each rule; on training rows they hold exactly where the rule's box covers the row."""
    statements = values.binned.statements
    texts = {each.name: each.missing_token for each in statements.features if each.missing_token is not None}
    return PrintedRules(tuple(conditions_of(box, values) for box in rules.boxes), statements.precision, texts)


def conditions_of(box: Box, values: TrainingValues) -> tuple[Condition, ...]:
    """Return what a box asks, in the order of features; of an interval the lower end first.

    A threshold is the number of fewest decimals between the two neighbouring training values and within a quarter of
    their distance from the cut (of these, the nearest to it): on training rows the conditions say what the box says,
    and other rows change sides only where they lie near the cut. Where no training row misses a feature, nothing is
    known of missing values: they fulfil no condition on it.
    """
    pairs = zip(box.features, box.admitted, strict=True)
    return tuple(condition for feature, admitted in pairs for condition in conditions_on(feature, admitted, values))
