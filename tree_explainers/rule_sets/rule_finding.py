"""Finding rules: regions fitted, and made into the rules that are printed, by the plain or the improved search."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..compute.progress import ReportProgress, ignore_progress
from ..questions.binned_rows import BinnedRows
from ..scoring import Targets
from .improved_starts import with_start_of_rules
from .restarts import Method, Restarts, fit_restarts
from .rule_lists import RuleList
from .rule_search import RuleLimits, improved_rules, plain_rules

Search = Literal["plain", "improved"]

_SHARE_OF_RANDOM_STARTS = 10  # of the improved search: one in so many restarts


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """What is asked for."""

    method: Method = "fab"
    search: Search = "improved"
    n_restarts: int = 20
    limits: RuleLimits = field(default_factory=RuleLimits)


@dataclass(frozen=True, slots=True)
class FoundRules:
    """The rules, and the fits that they were made from."""

    rules: RuleList
    restarts: Restarts


def find_rules(
    binned: BinnedRows,
    targets: Targets,
    settings: RuleSettings,
    rng: np.random.Generator,
    report: ReportProgress = ignore_progress,
) -> FoundRules:
    """Tell an ensemble in a few rules.

    ``plain`` fits as often as it is told, and prints the boxes of the fit with the smallest training error, as the
    paper does. ``improved`` fits a tenth as often from random starts (at least once), searches for rules from there
    (``improved_rules``), and fits once more from where these put the rows: its regions are those of the best fit of
    all.

    Parameters
    ----------
    binned, targets
        The training rows and what the rules are to predict.
    settings
        Method, search, number of restarts, and limits of what is printed; ``limits.max_rules`` is also K_max.
    rng
        Spawns a generator for each random start: the same answer with any number of threads.
    report
        Told how far it is, by the calling thread; may raise to stop.
    """
    max_regions = settings.limits.max_rules
    if settings.search == "plain":
        restarts = fit_restarts(
            settings.method, binned, targets, max_regions, settings.n_restarts, rng, report=_part(report, 0.0, 0.8)
        )
        rules = plain_rules(restarts.best.model, binned, targets, settings.limits, _part(report, 0.8, 1.0))
        return FoundRules(rules, restarts)
    n_random = max(1, settings.n_restarts // _SHARE_OF_RANDOM_STARTS)
    restarts = fit_restarts(
        settings.method, binned, targets, max_regions, n_random, rng, report=_part(report, 0.0, 0.4)
    )
    rules = improved_rules([restarts.best.model], binned, targets, settings.limits, _part(report, 0.4, 0.9))
    listener = _part(report, 0.9, 1.0)
    return FoundRules(rules, with_start_of_rules(restarts, rules, settings.method, binned, targets, report=listener))


def _part(report: ReportProgress, begin: float, end: float) -> ReportProgress:
    """Return a listener that hears of a part of the work."""

    def of_part(fraction: float, stage: str) -> None:
        report(begin + (end - begin) * fraction, stage)

    return of_part
