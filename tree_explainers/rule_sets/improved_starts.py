"""Improved starts: regions that begin where a list of rules puts the rows, rather than at random."""

import time

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..questions.binned_rows import BinnedRows
from ..scoring import Targets
from .em import fit_em
from .fab import fit_fab
from .restarts import Method, Restart, Restarts
from .rule_lists import RuleList, first_firing

_DOUBT = 0.02  # share of each row's responsibility that is spread over all regions


def start_of_rules(rules: RuleList, binned: BinnedRows) -> NDArray[np.float64]:
    """Return responsibilities, (n_rows, n_regions): a region for each rule, or the default, that decides some row.

    Nearly all of each row belongs to the rule that decides it, and a little of it to all, so that a fit can move it.
    """
    decided_by = np.unique(first_firing(rules.fires(binned)), return_inverse=True)[1]
    n_regions = int(decided_by.max()) + 1
    start = np.full((binned.n_rows, n_regions), _DOUBT / n_regions)
    start[np.arange(binned.n_rows), decided_by] += 1 - _DOUBT
    return start


def with_start_of_rules(  # what is fitted, from where, and who listens
    restarts: Restarts,
    rules: RuleList,
    method: Method,
    binned: BinnedRows,
    targets: Targets,
    *,
    report: ReportProgress = ignore_progress,
) -> Restarts:
    """Return the restarts with one more, the last, which begins at a list of rules; the best is chosen among all."""
    begun = time.perf_counter()
    start = start_of_rules(rules, binned)
    fit_from = fit_fab if method == "fab" else fit_em
    unused = np.random.default_rng(0)  # there is a start, so nothing is drawn
    fit = fit_from(binned, targets, start.shape[1], unused, start, report)
    seconds = time.perf_counter() - begun
    error = fit.model.training_error(binned, targets)
    return restarts.followed_by(fit, Restart(fit.model.n_regions, fit.lower_bounds, error, seconds))
