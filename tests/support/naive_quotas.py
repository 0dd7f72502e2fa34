"""How many prototypes each class gets, and which: the slow, obvious twins."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from . import naive


def equal(sizes: list[int], n_prototypes: int) -> list[int]:
    """Each in turn gets one, the largest classes first, as long as it has rows."""
    counts = [0] * len(sizes)
    while sum(counts) < n_prototypes and counts != sizes:
        least = min(count for count, size in zip(counts, sizes, strict=True) if count < size)
        behind = [value for value, size in enumerate(sizes) if counts[value] == least and counts[value] < size]
        counts[min(behind, key=lambda value: (-sizes[value], value))] += 1
    return counts


def by_rows(sizes: list[int], n_prototypes: int) -> list[int]:
    """One each, the largest first; then always to the class with the most rows for each prototype it would have."""
    counts = equal([min(1, size) for size in sizes], 0)
    for value in sorted(range(len(sizes)), key=lambda value: (-sizes[value], value)):
        counts[value] += sizes[value] > 0 and sum(counts) < n_prototypes
    while sum(counts) < n_prototypes and counts != sizes:
        free = [value for value, size in enumerate(sizes) if counts[value] < size]
        counts[min(free, key=lambda value: (-Fraction(sizes[value], counts[value] + 1), value))] += 1
    return counts


def of_counts(
    proximity: naive.Matrix, classes: NDArray[np.int64], counts: list[int], candidates: list[int] | None = None
) -> set[int]:
    """Return the rows that SM-A takes in each class alone."""
    chosen: set[int] = set()
    for value, count in enumerate(counts):
        rows = np.flatnonzero(classes == value)
        own = [place for place, row in enumerate(rows.tolist()) if candidates is None or row in candidates]
        if own and count:
            alone = proximity[np.ix_(rows, rows)]
            found = naive.sm_a(alone, np.zeros(len(rows), np.int64), count, own)
            chosen |= {int(rows[place]) for place in found}
    return chosen


def auto(proximity: naive.Matrix, classes: NDArray[np.int64], n_prototypes: int) -> set[int]:
    """SM-A's rows; if these leave out a class of 1 % of the rows, first one of each such class, then others by gain."""
    by_gain = naive.sm_a(proximity, classes, n_prototypes)
    needed = [value for value in set(classes.tolist()) if 100 * int((classes == value).sum()) >= len(classes)]
    if len(needed) > n_prototypes or {*needed} <= {int(classes[row]) for row in by_gain}:
        return set(by_gain)
    firsts = {
        next(iter(of_counts(proximity, classes, [int(v == value) for v in range(max(needed) + 1)]))) for value in needed
    }
    chosen = sorted(firsts)
    while len(chosen) < n_prototypes:
        before = naive.objective(proximity, classes, chosen)
        gains = [naive.objective(proximity, classes, [*chosen, row]) - before for row in range(len(classes))]
        chosen.append(int(np.argmax(gains)))
    return set(chosen)
