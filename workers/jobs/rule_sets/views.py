"""How rules are told: their words, what they predict, and of how many rows."""

from typing import Any

import numpy as np

from schemas.models import Score
from schemas.rule_sets import Restart, Rule
from tree_explainers.questions.conditions import rule_text
from tree_explainers.rule_sets.fab import Restarts
from tree_explainers.rule_sets.rule_lists import PrintedRules, RuleList, measure_each
from tree_explainers.rule_sets.rule_search import FoundRules

from .material import Material
from .printing import published_conditions, published_features


def view_rules(found: FoundRules, printed: PrintedRules, material: Material) -> dict[str, Any]:
    """Return the fields of ``RuleSetContent`` that tell the rules, and what is counted of the training rows."""
    rules, classes = found.rules, material.model.view.classes
    fires = printed.fires(material.training.rows)
    each = measure_each(rules, fires, material.targets)
    told = [
        Rule(
            rank=place + 1,
            text=rule_text(printed.rules[place]),
            conditions=published_conditions(printed.rules[place]),
            prediction=_prediction(rules, place, classes),
            scores=_shares(rules, place, classes),
            coverage=float(each.coverage[place]),
            precision=None if np.isnan(each.precision[place]) else float(each.precision[place]),
            n_rows=int(each.n_covered[place]),
            support=int(each.support[place]),
        )
        for place in range(rules.n_rules)
    ]
    return {
        "n_rules": rules.n_rules,
        "n_conditions": sum(map(len, printed.rules)),
        "features": published_features(printed, material.statements),
        "rules": told,
        "default_prediction": _prediction(rules, rules.n_rules, classes),
        "default_scores": _shares(rules, rules.n_rules, classes),
        "default_support": len(fires) - int(each.support.sum()),
    }


def view_restarts(restarts: Restarts) -> list[Restart]:
    """Return what came of each start."""
    return [
        Restart(
            restart=place,
            n_regions=each.n_regions,
            n_iterations=len(each.lower_bounds),
            lower_bound=float(each.lower_bounds[-1]),
            training_error=each.training_error,
            chosen=place == restarts.chosen,
        )
        for place, each in enumerate(restarts.all)
    ]


def _prediction(rules: RuleList, place: int, classes: list[str]) -> float | str:
    return classes[int(rules.predictions[place])] if classes else float(rules.predictions[place])


def _shares(rules: RuleList, place: int, classes: list[str]) -> list[Score]:
    shares = [] if rules.scores is None else rules.scores[place].tolist()
    return [Score(label=label, value=share) for label, share in zip(classes, shares, strict=True)]
