"""How good rules are: of each rule its coverage and precision, of predictions their errors and their fidelity."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..scoring import Targets
from .rule_lists import RuleList, first_firing


@dataclass(frozen=True, slots=True)
class MeasuresOfEach:
    """Of each rule, the default left out; shares of no rows are NaN."""

    n_covered: NDArray[np.int64]  # (n_rules,) rows for which its conditions hold
    coverage: NDArray[np.float64]  # (n_rules,) share of all rows
    support: NDArray[np.int64]  # (n_rules,) rows that it decides: no rule before it covers them
    precision: NDArray[np.float64]  # (n_rules,) share of the covered rows that are of its class; NaN for values


@dataclass(frozen=True, slots=True)
class MeasuresOfAll:
    """Of the rules together."""

    coverage: float  # share of rows that some rule covers
    mean_rules_per_row: float  # how many rules cover a row, the default left out: table 3 of the paper


def measure_each(rules: RuleList, fires: NDArray[np.bool_], targets: Targets) -> MeasuresOfEach:
    """Measure each rule.

    Parameters
    ----------
    rules
        What each rule predicts.
    fires : (n_rows, n_rules)
        Which rules cover each row.
    targets
        Of the same rows.
    """
    n_covered = fires.sum(axis=0)
    support = np.bincount(first_firing(fires), minlength=rules.n_rules + 1)[:-1]
    right = np.full(rules.n_rules, np.nan)
    if targets.classes is not None:
        right = (fires & (targets.classes[:, None] == rules.predictions[:-1])).sum(axis=0).astype(np.float64)
    return MeasuresOfEach(n_covered, _share(n_covered, len(fires)), support, _share(right, n_covered))


def measure_all(fires: NDArray[np.bool_]) -> MeasuresOfAll:
    """Measure the rules together; ``fires`` is (n_rows, n_rules), with a row at least."""
    return MeasuresOfAll(float(fires.any(axis=1).mean()), float(fires.sum(axis=1).mean()))


def _share(part: NDArray[np.int64] | NDArray[np.float64], whole: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """Divide; NaN where the whole is 0."""
    quotients = np.full(part.shape, np.nan)
    np.divide(part, whole, out=quotients, where=np.broadcast_to(np.asarray(whole) > 0, part.shape))
    return quotients
