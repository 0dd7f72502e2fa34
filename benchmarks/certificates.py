"""How close to the best a set of prototypes is shown to be: three bounds, and what they take.

Each column is objective / upper bound of any as many prototypes, chosen by SM-A (not refined but in the last two):

- theory: 1 - (1 - 1/k)^k, what is known of any greedy choice beforehand;
- gains: the lowest of g(M) + the k largest gains given M, for the first k/2, k, 3k/2 and 2k choices as M;
- ours: the bound by promised coverages (``certify``);
- sampled: ours where only 1,000 rows are candidates; "all rows" is the bound for any rows then, made without
  comparing all of them;
- refined: ours after swaps.

Seconds are of one run each, after a small run. ``python -m benchmarks.certificates``
"""

import time
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tree_explainers.prototype_sets.certificate import Certificate, certify
from tree_explainers.prototype_sets.goal import Refine, RowsByClass
from tree_explainers.prototype_sets.selection import sample_candidates, select_prototypes
from tree_explainers.prototype_sets.sweep import Sweep

from .fitted_leaves import FittedLeaves, mnist_forest, noisy_forest, spambase_boosting, spambase_forest
from .machine import describe_machine

SIZES, N_CANDIDATES = (5, 10, 20, 50, 100), 1_000


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    for fit in (noisy_forest, spambase_forest, spambase_boosting, partial(mnist_forest, 1_000)):
        leaves = fit()
        _certify(leaves, 2, None)
        print(f"\n{leaves}")
        print(
            f"{'k':>3s} {'theory':>6s} {'gains':>6s} {'ours':>6s} {'refined':>7s} {'sampled':>7s} {'all rows':>8s}",
            end="   ",
        )
        print("seconds: choosing, ours, swaps; of the sample: choosing, ours")
        for n_prototypes in SIZES:
            _line(leaves, n_prototypes)


def _line(leaves: FittedLeaves, k: int) -> None:
    candidates = sample_candidates(leaves.classes, N_CANDIDATES, np.random.default_rng(0))
    ours, choosing, certifying = _certify(leaves, k, None)
    refined, swapping, _ = _certify(leaves, k, None, refine="swap")
    sampled, sampled_choosing, sampled_certifying = _certify(leaves, k, candidates)
    shares = [1 - (1 - 1 / k) ** k, ours.objective / _bound_by_gains(leaves, k), ours.certificate, refined.certificate]
    print(f"{k:3d} {shares[0]:6.3f} {shares[1]:6.3f} {shares[2]:6.3f} {shares[3]:7.3f}", end=" ")
    print(f"{sampled.certificate:7.3f} {sampled.all_rows_certificate:8.3f}", end="   ")
    print(f"{choosing:17.2f} {certifying:5.2f} {swapping - choosing:6.2f}", end=" ")
    print(f"{sampled_choosing:23.2f} {sampled_certifying:5.2f}")


def _certify(
    leaves: FittedLeaves, k: int, candidates: NDArray[np.int64] | None, refine: Refine = "none"
) -> tuple[Certificate, float, float]:
    """Return what is certified of k prototypes, and the seconds that choosing and certifying took."""
    given, start = (leaves.table, leaves.classes, leaves.weights), time.perf_counter()
    chosen = select_prototypes(*given, "sm_a", n_prototypes=k, refine=refine, candidates=candidates)
    between = time.perf_counter()
    found = certify(*given, chosen.rows, method="sm_a", greedy_rows=chosen.rows_before_swaps, candidates=candidates)
    return found, between - start, time.perf_counter() - between


def _bound_by_gains(leaves: FittedLeaves, k: int) -> int:
    """Return the lowest of what a few stages of the greedy choice say by the exact gains of all rows."""
    by_class = RowsByClass.of(leaves.classes)
    chosen = select_prototypes(leaves.table, leaves.classes, leaves.weights, "sm_a", n_prototypes=2 * k).rows
    bounds = []
    for n_first in sorted({max(1, k // 2), k, 3 * k // 2, 2 * k}):
        covered = by_class.coverage(leaves.table, leaves.weights, chosen[:n_first])
        gains = []
        for position in range(by_class.n_classes):
            places = by_class.slice_of(position)
            rows = by_class.rows[places]
            gains.append(Sweep(leaves.table, leaves.weights, rows).gains(rows, covered[places]))
        bounds.append(int(covered.sum() + np.sort(np.concatenate(gains))[::-1][:k].sum()))
    return min(bounds)


if __name__ == "__main__":
    main()
