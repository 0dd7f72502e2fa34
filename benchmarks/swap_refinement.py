"""Refining prototypes by swaps, against the package kmedoids (FasterPAM) on the whole matrix of distances.

The prototypes that SM-A chooses are refined: by ours from leaves; by kmedoids from the same start, where distances are
1 - proximity within a class and 1 between classes; and by kmedoids from 10 random starts, of which the best counts.
Objectives are relative to that best, so more than 1 is better. "kmedoids" is its FasterPAM on one core, and "both" its
version for several, which goes through candidates in another order; "plain" is ours from the given start alone, and
"ours" with the other starts that are tried by default. Times of ours include gathering close pairs; that of making the
matrix is given apart. Each figure is from one run, all one after the other. ``python -m benchmarks.swap_refinement``
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import kmedoids
import numpy as np
from numpy.typing import NDArray

from tree_explainers.leaf_space.proximity import columns
from tree_explainers.prototype_sets.selection import select_prototypes
from tree_explainers.prototype_sets.swapping import refine_by_swaps

from .fitted_leaves import FittedLeaves, mnist_forest, spambase_boosting, spambase_forest
from .machine import describe_machine

SIZES, N_RANDOM_STARTS = (5, 10, 20, 50), 10


class _Timed(NamedTuple):
    result: Any
    seconds: float


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    for leaves in (spambase_forest(), spambase_boosting(), mnist_forest(1_000)):
        _warm_up(leaves)
        matrix = _timed(partial(_distances, leaves))
        print(f"\n{leaves}; matrix {matrix.result.nbytes / 1e6:.0f} MB, made in {matrix.seconds:.1f} s")
        print("    objective / best of 10 random starts     seconds")
        print(f"{'k':>3s} {'SM-A':>7s} {'kmedoids':>8s} {'both':>7s} {'plain':>7s} {'ours':>7s}", end="   ")
        print(f"{'kmedoids':>8s} {'both':>6s} {'plain':>6s} {'ours':>6s}   {'starts':>6s} {'swaps':>5s}")
        for n_prototypes in SIZES:
            _compare(leaves, matrix, n_prototypes)


def _compare(leaves: FittedLeaves, matrix: _Timed, n_prototypes: int) -> None:
    given = leaves.table, leaves.classes, leaves.weights
    chosen = select_prototypes(*given, "sm_a", n_prototypes=n_prototypes).rows
    start = chosen.astype(np.uint64)
    peers = [_timed(partial(kmedoids.fasterpam, matrix.result, start, n_cpu=n_cores)) for n_cores in (1, 2)]
    random = [_random_start(matrix.result, n_prototypes, seed) for seed in range(N_RANDOM_STARTS)]
    plain = _timed(lambda: refine_by_swaps(*given, chosen, method="sm_a", try_other_starts=False))
    ours = _timed(lambda: refine_by_swaps(*given, chosen, method="sm_a"))
    best = max(_objective(leaves, matrix.result, rows) for rows in random)
    sets = chosen, *(_medoids(peer.result) for peer in peers), plain.result.rows, ours.result.rows
    shares = [_objective(leaves, matrix.result, rows) / best for rows in sets]
    print(f"{n_prototypes:3d} {shares[0]:7.4f} {shares[1]:8.4f}", *(f"{share:7.4f}" for share in shares[2:]), end="   ")
    print(f"{peers[0].seconds:8.2f} {peers[1].seconds:6.2f} {plain.seconds:6.2f} {ours.seconds:6.2f}", end="   ")
    print(f"{ours.result.n_starts:6d} {ours.result.n_swaps:5d}", flush=True)
    assert shares[3] >= shares[1] * (1 - 1e-12)
    assert shares[4] >= max(shares[3], 0.995)


def _random_start(matrix: NDArray[Any], n_prototypes: int, seed: int) -> NDArray[np.int64]:
    return _medoids(kmedoids.fasterpam(matrix, n_prototypes, n_cpu=2, random_state=seed))


def _medoids(found: Any) -> NDArray[np.int64]:  # of a library without types
    return np.asarray(found.medoids, dtype=np.int64)


def _objective(leaves: FittedLeaves, matrix: NDArray[Any], rows: NDArray[np.int64]) -> float:
    whole = float(leaves.weights.sum()) * leaves.table.n_rows
    return whole - float(matrix[:, rows].min(axis=1).sum(dtype=np.float64))


def _distances(leaves: FittedLeaves) -> NDArray[Any]:
    """Return the matrix that kmedoids takes: whole numbers where their sums fit into its 32 bits."""
    n_rows, whole = leaves.table.n_rows, int(leaves.weights.sum())
    matrix = np.full((n_rows, n_rows), whole, dtype=np.int32 if whole * n_rows < 2**31 else np.float64)
    for value in np.unique(leaves.classes):
        rows = np.flatnonzero(leaves.classes == value)
        own = leaves.table.among(rows)
        for start in range(0, len(rows), 512):
            some = np.arange(start, min(start + 512, len(rows)))
            shared = columns(own, leaves.weights, own.leaves_of(some))
            matrix[np.ix_(rows[some], rows)] = whole - shared.astype(matrix.dtype)
    return matrix


def _warm_up(leaves: FittedLeaves) -> None:
    few = leaves.table.among(np.arange(200))
    refine_by_swaps(few, leaves.classes[:200], leaves.weights, np.array([0, 100]), method="sm_a")


def _timed(work: Callable[[], Any]) -> _Timed:
    start = time.perf_counter()
    result = work()
    return _Timed(result, time.perf_counter() - start)


if __name__ == "__main__":
    main()
