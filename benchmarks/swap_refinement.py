"""Refining prototypes by swaps, against the package kmedoids (FasterPAM) on the whole matrix of distances.

The prototypes that SM-A chooses are refined: by ours from leaves; by kmedoids from the same start, where distances are
1 - proximity within a class and 1 between classes; and by kmedoids from 10 random starts, of which the best counts.
Objectives are relative to that best, so more than 1 is better. Times of ours include gathering close pairs; "plain" is
the search from the given start alone. kmedoids gets both cores; its matrix is made by ours as fast as it can be, which
is told apart. Each figure is from one run, all one after the other. ``python -m benchmarks.swap_refinement``
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import kmedoids
import numpy as np
from numpy.typing import NDArray

from tree_explainers.prototypes.selection import select_prototypes
from tree_explainers.prototypes.swapping import refine_by_swaps
from tree_explainers.proximity import columns

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
        print(
            f"{'k':>3s} {'SM-A':>7s} {'kmedoids':>8s} {'plain':>7s} {'ours':>7s}   {'seconds: kmedoids':>17s}", end=" "
        )
        print(f"{'with matrix':>11s} {'plain':>6s} {'ours':>6s} {'starts':>6s} {'swaps':>5s}")
        for n_prototypes in SIZES:
            _compare(leaves, matrix, n_prototypes)


def _compare(leaves: FittedLeaves, matrix: _Timed, n_prototypes: int) -> None:
    given = leaves.table, leaves.classes, leaves.weights
    chosen = select_prototypes(*given, "sm_a", n_prototypes=n_prototypes).rows
    start = chosen.astype(np.uint64)
    peer = _timed(lambda: kmedoids.fasterpam(matrix.result, start, n_cpu=2, random_state=0))
    random = [_random_start(matrix.result, n_prototypes, seed) for seed in range(N_RANDOM_STARTS)]
    plain = _timed(lambda: refine_by_swaps(*given, chosen, method="sm_a", try_other_starts=False))
    ours = _timed(lambda: refine_by_swaps(*given, chosen, method="sm_a"))
    sets = chosen, peer.result.medoids, plain.result.rows, ours.result.rows
    best = max(_objective(leaves, matrix.result, rows) for rows in random)
    shares = [_objective(leaves, matrix.result, np.asarray(rows, dtype=np.int64)) / best for rows in sets]
    alone = _objective(leaves, matrix.result, _medoids(kmedoids.fasterpam(matrix.result, start, n_cpu=1)))
    assert shares[2] * best >= alone * (1 - 1e-12)
    print(f"{n_prototypes:3d} {shares[0]:7.4f} {shares[1]:8.4f} {shares[2]:7.4f} {shares[3]:7.4f}", end="   ")
    print(f"{peer.seconds:17.2f} {peer.seconds + matrix.seconds:11.2f} {plain.seconds:6.2f}", end=" ")
    print(f"{ours.seconds:6.2f} {ours.result.n_starts:6d} {ours.result.n_swaps:5d}")
    assert shares[3] >= 0.995


def _random_start(matrix: NDArray[Any], n_prototypes: int, seed: int) -> NDArray[np.int64]:
    return _medoids(kmedoids.fasterpam(matrix, n_prototypes, n_cpu=2, random_state=seed))


def _medoids(found: Any) -> NDArray[np.int64]:  # noqa: ANN401  # of a library without types
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
