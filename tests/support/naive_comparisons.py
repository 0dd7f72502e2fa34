"""Comparisons, slow and obvious: every conjunction of a beam by masks, distributions at every value, sets of rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.approximation_trees.candidate_splits import Candidates

_WIDTH, _LEAST_GAIN = 8, 1.05


def best_conjunction(
    candidates: Candidates,
    bins: tuple[NDArray[np.unsignedinteger[Any]], ...],
    changes: NDArray[np.float64],
    max_conditions: int,
    min_rows: int,
) -> NDArray[np.bool_]:
    """Return which rows the best conjunction holds for: each extension of the eight best is a mask of all rows."""
    excess = changes - changes.mean()
    splits = [candidates.sends_left(each, bins) for each in range(candidates.n_candidates)]
    sides = [side for split in splits for side in (split, ~split)]
    beam = [np.ones(len(changes), np.bool_)]
    best, best_score = np.zeros(len(changes), np.bool_), 0.0
    for depth in range(max_conditions):
        extended: dict[bytes, tuple[float, NDArray[np.bool_]]] = {}
        for mask in beam:
            least = 0.0 if depth == 0 else _LEAST_GAIN * excess[mask].sum()
            for side in sides:
                both = mask & side
                if both.sum() >= min_rows and both.sum() < mask.sum() and excess[both].sum() > max(0.0, least):
                    extended[both.tobytes()] = (float(excess[both].sum()), both)
        ranked = sorted(extended.values(), key=lambda each: -each[0])[:_WIDTH]
        if not ranked:
            break
        beam = [mask for _, mask in ranked]
        if ranked[0][0] > best_score * _LEAST_GAIN:
            best_score, best = ranked[0]
    return best


def distance(values: Sequence[float], other: Sequence[float]) -> float:
    """Return the largest difference of the two shares of values up to any value (Kolmogorov, Smirnov)."""
    gaps = [
        abs(sum(each <= at for each in values) / len(values) - sum(each <= at for each in other) / len(other))
        for at in {*values, *other}
    ]
    return max(gaps)


def common_share(proximities: NDArray[np.int64], others: NDArray[np.int64], n_neighbors: int) -> float:
    """Return the mean share of common nearest rows, from two matrices of proximities, (n_rows, n_rows)."""
    shares = []
    for row in range(len(proximities)):
        lists = []
        for of_row in (proximities[row], others[row]):
            order = sorted((-near, other) for other, near in enumerate(of_row.tolist()) if other != row and near > 0)
            lists.append({other for _, other in order[:n_neighbors]})
        if all(lists):
            shares.append(len(lists[0] & lists[1]) / max(map(len, lists)))
    return float(np.mean(shares))
