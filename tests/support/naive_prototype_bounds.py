"""Slow, obvious twins for swaps and certificates: every set is tried, every swap is tried, nothing is bounded."""

from itertools import combinations
from math import lcm

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.int64]
Counts = dict[int, int]


def worth_of_rows(classes: NDArray[np.int64], method: str) -> NDArray[np.int64]:
    """What a unit of a row's proximity counts: 1, or for SM-WA the common multiple of all class sizes over its own."""
    sizes = {int(value): int((classes == value).sum()) for value in classes}
    whole = lcm(*sizes.values()) if method == "sm_wa" else 1
    return np.array([whole // (sizes[int(value)] if method == "sm_wa" else 1) for value in classes], dtype=np.int64)


def near_matrix(proximity: Matrix, classes: NDArray[np.int64], method: str) -> Matrix:
    """What each row has of each other row as its prototype: nothing of one of another class."""
    near = np.where(classes[:, None] == classes[None, :], proximity, 0)
    return np.asarray(near * worth_of_rows(classes, method)[:, None])


def value(near: Matrix, chosen: list[int]) -> int:
    return int(near[:, chosen].max(axis=1).sum()) if chosen else 0


def swapped(
    proximity: Matrix,
    classes: NDArray[np.int64],
    chosen: list[int],
    method: str,
    candidates: NDArray[np.int64] | None = None,
) -> tuple[list[int], int]:
    """FasterPAM without its bookkeeping: candidates in turn, each tried in the place of each prototype."""
    near = near_matrix(proximity, classes, method)
    rows = list(range(len(classes))) if candidates is None else candidates.tolist()
    chosen, n_swaps, turn, n_idle = list(chosen), 0, 0, 0
    while n_idle < len(rows):
        candidate = rows[turn % len(rows)]
        best, best_rank = value(near, chosen), None
        for rank, prototype in enumerate(chosen):
            if candidate in chosen or (method == "sm_u" and classes[candidate] != classes[prototype]):
                continue
            after = value(near, [*chosen[:rank], candidate, *chosen[rank + 1 :]])
            if after > best:
                best, best_rank = after, rank
        turn, n_idle = turn + 1, n_idle + 1
        if best_rank is not None:
            chosen[best_rank], n_swaps, n_idle = candidate, n_swaps + 1, 0
    return chosen, n_swaps


def best_value(
    proximity: Matrix, classes: NDArray[np.int64], chosen: list[int], method: str, candidates: list[int] | None = None
) -> int:
    """The largest objective of any set of as many prototypes (SM-U: as many of each class), by trying all of them."""
    near = near_matrix(proximity, classes, method)
    rows = list(range(len(classes))) if candidates is None else candidates
    if method == "sm_u":
        return sum(
            _best_of(near, [row for row in rows if classes[row] == own], int((classes[chosen] == own).sum()))
            for own in np.unique(classes)
        )
    return _best_of(near, rows, len(chosen))


def _best_of(near: Matrix, rows: list[int], n_prototypes: int) -> int:
    n = min(n_prototypes, len(rows))
    return max(value(near, list(some)) for some in combinations(rows, n))


def plain_bound(proximity: Matrix, classes: NDArray[np.int64], chosen: list[int], method: str) -> int:
    """g(M) and the k largest gains given M (SM-U: of each class)."""
    near = near_matrix(proximity, classes, method)
    covered = near[:, chosen].max(axis=1)
    gains = np.maximum(near - covered[:, None], 0).sum(axis=0)
    if method != "sm_u":
        return int(covered.sum() + np.sort(gains)[::-1][: len(chosen)].sum())
    total = int(covered.sum())
    for own in np.unique(classes):
        n = int((classes[chosen] == own).sum())
        total += int(np.sort(gains[classes == own])[::-1][:n].sum())
    return total


def agreeing_twins(
    proximity: Matrix, classes: NDArray[np.int64], chosen: list[int], agrees: NDArray[np.bool_]
) -> list[int]:
    """Return prototypes, where each that does not agree is replaced by the lowest row just like it that does."""
    rows = list(chosen)
    for rank, row in enumerate(chosen):
        alike = [
            other
            for other in np.flatnonzero(agrees & (classes == classes[row])).tolist()
            if proximity[row, other] == proximity[row, row] and other not in rows
        ]
        if not agrees[row] and alike:
            rows[rank] = alike[0]
    return rows
