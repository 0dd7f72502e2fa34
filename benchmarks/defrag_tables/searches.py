"""The plain and the improved search on one draw, judged by what they print."""

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from tree_explainers.rule_sets.regions import RegionModel
from tree_explainers.rule_sets.rule_lists import RuleList, boxes_of, fit_rule_list
from tree_explainers.rule_sets.rule_search import FoundRules, RuleLimits, RuleSettings, Search, find_rules

from .fits import n_restarts
from .records import AS_MANY, BOXES, IMPROVED_MAP, MAP, MOST_RULES, PLAIN, SERVED, Judged, Seconds, Who
from .told import Told

FEWER_RULES = (2, 3, 4, 5, 6, 8)  # to see how little is lost, or gained
_Made = TypeVar("_Made")


def found(told: Told, search: Search, max_rules: int = MOST_RULES) -> FoundRules:
    """Return what a search finds on a draw."""
    settings = RuleSettings(
        search=search, n_restarts=n_restarts(told.realisation.dataset), limits=RuleLimits(max_rules=max_rules)
    )
    return find_rules(told.train, told.targets, settings, np.random.default_rng(told.realisation.seed))


def timed(make: Callable[[], _Made]) -> tuple[_Made, Seconds]:
    """Return what is made, and how long that took: of processor, where other work on the machine counts little."""
    of_processor, of_clock = time.process_time(), time.perf_counter()
    made = make()
    return made, Seconds(time.process_time() - of_processor, time.perf_counter() - of_clock)


def judged_plain(told: Told) -> Iterator[Judged]:
    """Judge the plain search: its MAP, the regions' boxes, and what it prints."""
    plain, seconds = timed(lambda: found(told, "plain"))
    model = plain.restarts.best.model
    yield told.judge_regions(MAP, model)
    yield told.judge_rules(BOXES, _boxes(told, model))
    yield told.judge_rules(PLAIN, plain.rules, seconds)


def judged_improved(told: Told, n_plain_rules: int) -> Iterator[Judged]:
    """Judge the improved search with up to the most rules, with no more than the plain one has, and with fewer."""
    improved, seconds = timed(lambda: found(told, "improved"))
    yield told.judge_regions(IMPROVED_MAP, improved.restarts.best.model)
    yield told.judge_rules(SERVED, improved.rules, seconds)
    improved, seconds = timed(lambda: found(told, "improved", n_plain_rules))
    yield told.judge_rules(AS_MANY, improved.rules, seconds)
    for limit in FEWER_RULES:
        yield told.judge_rules(Who(SERVED.name, SERVED.search, limit), found(told, "improved", limit).rules)


def _boxes(told: Told, model: RegionModel) -> RuleList:
    """Return the regions' boxes as they are, each saying what its region says: what the authors' program prints."""
    fitted = fit_rule_list(boxes_of(model, told.train.statements), told.train, told.targets)
    return RuleList(fitted.boxes, np.append(model.predictions(), fitted.predictions[-1]), None, fitted.n_decided)
