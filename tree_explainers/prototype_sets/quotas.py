"""How many prototypes each class gets: by what they gain, equally, by rows, or as given.

By gain alone a class of few rows may get none, since it adds little to the objective: then no row of it ever has a
prototype of its own.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

PerClass = Literal["auto", "by_gain", "equal", "by_rows"]
"""``auto``: by gain, but no class with one row in a hundred or more goes without a prototype if there are enough."""

_ONE_ROW_IN = 100

Counts = NDArray[np.int64]


def equal_counts(sizes: Counts, n_prototypes: int) -> Counts:
    """Return equally many prototypes of each class, and one more of the classes with the most rows.

    Parameters
    ----------
    sizes : (n_classes,)
        How many rows of each class may become prototypes; a class gets no more.
    n_prototypes
        Of all classes together.

    Returns
    -------
    (n_classes,) int64
    """
    return _one_by_one(sizes, np.zeros_like(sizes), n_prototypes, lambda count, size: (-count, size))


def counts_by_rows(sizes: Counts, n_prototypes: int) -> Counts:
    """Return one prototype of each class, the largest first, and the others by D'Hondt's highest averages of rows."""
    one_each = equal_counts(sizes, min(n_prototypes, int((sizes > 0).sum())))
    n_left = n_prototypes - int(one_each.sum())
    return _one_by_one(sizes, one_each, n_left, lambda count, size: (Fraction(size, count + 1),))


def counts_with_small_classes(chosen: Counts, sizes: Counts, eligible: Counts) -> Counts | None:
    """Return the counts of classes where each that has enough rows has a prototype; ``None`` if that holds already.

    Parameters
    ----------
    chosen : (n_prototypes,) int64
        Classes of the prototypes that were chosen by gain, in this order: the last ones make room.
    sizes, eligible : (n_classes,) int64
        How many rows each class has, and how many of them may become prototypes.

    Returns
    -------
    (n_classes,) int64
        ``None``, too, where there are fewer prototypes than classes with enough rows.
    """
    counts = np.bincount(chosen, minlength=len(sizes))
    is_needed = (_ONE_ROW_IN * sizes >= sizes.sum()) & (eligible > 0)
    n_missing = int((is_needed & (counts == 0)).sum())
    if n_missing == 0 or int(is_needed.sum()) > len(chosen):
        return None
    for value in chosen[::-1].tolist():
        if n_missing and not (is_needed[value] and counts[value] == 1):
            counts[value] -= 1
            n_missing -= 1
    return np.asarray(np.maximum(counts, is_needed), np.int64)


def _one_by_one(sizes: Counts, counts: Counts, n_more: int, rank: Callable[[int, int], tuple[Any, ...]]) -> Counts:
    """Return the counts with more prototypes, each of the class of highest rank that is not full (ties: the first)."""
    found = counts.tolist()
    for _ in range(n_more):
        open_classes = [value for value, size in enumerate(sizes.tolist()) if found[value] < size]
        if not open_classes:
            break
        found[max(open_classes, key=lambda value: rank(found[value], int(sizes[value])))] += 1
    return np.array(found, dtype=np.int64)
