"""Bins: where the values of a column lie among the thresholds or categories that candidates tell apart."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled


def bins_of_numbers(values: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.unsignedinteger[Any]]:
    """Return how many cuts lie below each value, (n_values,); one more than there are cuts and bins where it is NaN."""
    bins = np.empty(len(values), _smallest_type(len(cuts) + 2))
    _look_up(values, cuts, bins)
    return bins


def bins_of_categories(
    values: NDArray[Any], categories: tuple[str, ...], missing_text: str | None
) -> NDArray[np.unsignedinteger[Any]]:
    """Return each value's place among the categories, (n_values,); then come all others, then the missing value."""
    place: dict[str | None, int] = {category: at for at, category in enumerate(categories)}
    place[None] = place[missing_text] = len(categories) + 1
    others = len(categories)
    n_values, smallest = len(values), _smallest_type(len(categories) + 2)
    return np.fromiter((place.get(value, others) for value in values), smallest, n_values)


def _smallest_type(n_bins: int) -> np.dtype[np.unsignedinteger[Any]]:
    return np.min_scalar_type(n_bins - 1)


@compiled
def _look_up(values: NDArray[np.float64], cuts: NDArray[np.float64], bins: NDArray[np.unsignedinteger[Any]]) -> None:
    n_cuts = len(cuts)
    for row in range(len(values)):
        value = values[row]
        if np.isnan(value):
            bins[row] = n_cuts + 1
            continue
        base, length = 0, n_cuts
        while length > 1:  # without a branch that would be guessed wrong half the time
            half = length >> 1
            base += half * (cuts[base + half - 1] < value)
            length -= half
        bins[row] = base + (length == 1 and cuts[base] < value)
