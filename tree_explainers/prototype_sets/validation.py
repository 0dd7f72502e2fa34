"""How many prototypes to take: the smallest number that is as good on other rows as the best one, within its error.

The one standard error rule (Breiman et al. 1984, "Classification and regression trees", section 3.4.3), for the
balanced accuracy of the nearest prototype's label, or the R2 of its value. Tan et al. and Karolczak & Stefanowski
choose the number of prototypes by its score on validation rows, too, and do not say how they deal with ties and noise.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput


class Score(NamedTuple):
    """A score, and its standard error."""

    value: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class ValidatedNumber:
    """The number of prototypes, and what it was found by."""

    n_prototypes: int
    scores: tuple[float, ...]  # of the first prototype, of the first two, and so on
    best: int  # the number of prototypes of the best score
    standard_error: float  # of the best score


def validate_number(scores: Iterable[Score]) -> ValidatedNumber:
    """Return the smallest number of prototypes whose score is within one standard error of the best.

    Parameters
    ----------
    scores
        Those of the first prototype, of the first two, and so on; at least one. Of equally good ones the smallest
        number is the best.
    """
    by_number = list(scores)
    values = [score.value for score in by_number]
    best = int(np.argmax(values))
    good_enough = values[best] - by_number[best].standard_error
    first = next(number for number, value in enumerate(values, start=1) if value >= good_enough)
    return ValidatedNumber(first, tuple(values), best + 1, by_number[best].standard_error)


def score_labels(assigned: NDArray[np.int64], classes: NDArray[np.int64]) -> Score:
    """Return the balanced accuracy of classes given to rows, and its standard error.

    Parameters
    ----------
    assigned : (n_rows,) int64
        Class given to each row; -1 (none) counts as wrong.
    classes : (n_rows,) int64
        Class of each row.

    Returns
    -------
    Score
        Mean over the classes that have rows of the share p of their rows given that class; each share has the variance
        p (1 - p) / rows, and classes are independent.
    """
    sizes = np.bincount(classes)
    right = np.bincount(classes[assigned == classes], minlength=len(sizes))[sizes > 0]
    sizes = sizes[sizes > 0]
    shares = right / sizes
    variance = (shares * (1 - shares) / sizes).sum() / len(sizes) ** 2
    return Score(float(shares.mean()), sqrt(variance))


def score_numbers(assigned: NDArray[np.float64], values: NDArray[np.float64]) -> Score:
    """Return R2 of values given to rows, and its standard error.

    Parameters
    ----------
    assigned : (n_rows,) float64
        Value given to each row. NaN (none) counts as the mean of ``values``: prototypes that represent few rows, and
        these well, are not good ones.
    values : (n_rows,) float64
        Value of each row.

    Returns
    -------
    Score
        R2 is 1 less a ratio of means, that of squared errors e and squared deviations d; its standard error is that
        of a ratio, the root of the sum of (e - (1 - R2) d)^2, divided by the sum of d.

    Raises
    ------
    InvalidInput
        If the values do not vary.
    """
    deviations = (values - values.mean()) ** 2
    total = float(deviations.sum())
    if total == 0:
        msg = f"the values of all {len(values)} rows are the same, so none is better predicted than another"
        raise InvalidInput(msg)
    errors = np.where(np.isnan(assigned), deviations, (values - assigned) ** 2)
    ratio = float(errors.sum()) / total
    return Score(1 - ratio, sqrt(float(((errors - ratio * deviations) ** 2).sum())) / total)
