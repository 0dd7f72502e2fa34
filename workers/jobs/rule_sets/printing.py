"""How printed rules are published: conditions on raw values, which are what is asked of rows ever after."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from schemas.rule_sets import Condition, RuleFeature
from tree_explainers.questions.conditions import Condition as PrintedCondition
from tree_explainers.questions.conditions import TrainingValues
from tree_explainers.questions.statements import Statements
from tree_explainers.rule_sets.rule_lists import PrintedRules, RuleList, print_rules

from .material import Material


def printed_as_published(rules: RuleList, material: Material) -> PrintedRules:
    """Return the rules as they are asked of rows.

    Numbers are compared as they are, in double precision, even where the model rounds them: so a person, SQL and Python
    apply them without knowing of the model. Thresholds are chosen such that training rows fall on the same side with
    and without rounding.
    """
    printed = print_rules(rules, TrainingValues(material.training.rows, material.training.binned))
    return replace(printed, precision=np.float64)


def published_conditions(conditions: Iterable[PrintedCondition]) -> list[Condition]:
    """Return a rule's conditions as readers get them."""
    return [
        Condition(
            feature=condition.feature,
            column=condition.column,
            operator=condition.operator,
            value=list(condition.value) if isinstance(condition.value, tuple) else condition.value,
            or_missing=condition.or_missing,
        )
        for condition in conditions
    ]


def published_features(printed: PrintedRules, statements: Statements) -> list[RuleFeature]:
    """Return the features that some rule asks about, in the model's order."""
    asked = {condition.column for conditions in printed.rules for condition in conditions}
    return [
        RuleFeature(
            name=feature.name, type="number" if feature.is_number else "category", missing_text=feature.missing_token
        )
        for feature in statements.features
        if feature.name in asked
    ]
