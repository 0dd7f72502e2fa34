"""The plain and the improved search on one draw, evaluated by what they print."""

import time
from collections.abc import Callable, Iterator
from typing import Literal, TypeVar

import numpy as np

from tree_explainers.rule_sets.list_search import RuleLimits
from tree_explainers.rule_sets.regions import RegionModel
from tree_explainers.rule_sets.rule_counts import fit_rule_list
from tree_explainers.rule_sets.rule_lists import RuleList, boxes_of
from tree_explainers.rule_sets.rule_search import FoundRules, RuleSettings, find_rules

from .evaluation_case import EvaluationCase
from .fits import n_restarts
from .records import AS_MANY, BOXES, IMPROVED_MAP, MAP, MOST_RULES, PLAIN, SERVED, Evaluated, Seconds, Who

Search = Literal["plain", "improved"]
FEWER_RULES = (2, 3, 4, 5, 6, 8)  # to see how little is lost, or gained
_Made = TypeVar("_Made")


def found(case: EvaluationCase, search: Search, max_rules: int = MOST_RULES) -> FoundRules:
    """Return what a search finds on a draw: shortened boxes of regions (the paper's are whole), or a rule list."""
    settings = RuleSettings(
        method="fab" if search == "plain" else "rule_list",
        boxes="shortened",
        n_restarts=n_restarts(case.realisation.dataset),
        limits=RuleLimits(max_rules=max_rules),
    )
    return find_rules(case.labelled, settings, np.random.default_rng(case.realisation.seed))


def timed(make: Callable[[], _Made]) -> tuple[_Made, Seconds]:
    """Return what is made, and how long that took: of processor, where other work on the machine counts little."""
    of_processor, of_clock = time.process_time(), time.perf_counter()
    made = make()
    return made, Seconds(time.process_time() - of_processor, time.perf_counter() - of_clock)


def evaluated_plain(case: EvaluationCase) -> Iterator[Evaluated]:
    """Evaluate the plain search: its MAP, the regions' boxes, and what it prints."""
    plain, seconds = timed(lambda: found(case, "plain"))
    model = plain.restarts.best.model
    yield case.evaluate_regions(MAP, model)
    yield case.evaluate_rules(BOXES, _boxes(case, model))
    yield case.evaluate_rules(PLAIN, plain.rules, seconds)


def evaluated_improved(case: EvaluationCase, n_plain_rules: int) -> Iterator[Evaluated]:
    """Evaluate the improved search with up to the most rules, with no more than the plain one has, and with fewer."""
    improved, seconds = timed(lambda: found(case, "improved"))
    yield case.evaluate_regions(IMPROVED_MAP, improved.restarts.best.model)
    yield case.evaluate_rules(SERVED, improved.rules, seconds)
    improved, seconds = timed(lambda: found(case, "improved", n_plain_rules))
    yield case.evaluate_rules(AS_MANY, improved.rules, seconds)
    for limit in FEWER_RULES:
        yield case.evaluate_rules(Who(SERVED.name, SERVED.search, limit), found(case, "improved", limit).rules)


def _boxes(case: EvaluationCase, model: RegionModel) -> RuleList:
    """Return the regions' boxes as they are, each saying what its region says: what the authors' program prints."""
    fitted = fit_rule_list(boxes_of(model, case.train.statements), case.labelled)
    return RuleList(fitted.boxes, np.append(model.predictions(), fitted.predictions[-1]), None, fitted.n_decided)
