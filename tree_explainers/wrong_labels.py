"""Wrong labels: how many there are, with an interval, and how probable it is of each row that its own is wrong.

That votes contradict a label does not make it wrong: where classes overlap, right labels are contradicted, too. What
tells both apart is where contradictions are. Overlap is rare where votes are surest; labels that were mistaken without
regard to the row's values are as frequent there as elsewhere. So the share of contradicted labels, as votes become
surer, falls to a level, and the level is the share of wrong labels, but for the overlap that is left even there. How
much is left cannot be known from the rows. It grows steeply with the overlap elsewhere, about as its cube: how much it
is was measured on ten data sets with the labels that they have, and is uncertain by a factor of 14 either way
(``_OVERLAP``). The interval is as wide as that makes it.

For the rows that votes count to a class, the ``u``-th part of which is less sure, the share of contradicted labels is
``level + (1 - 2 level) overlap (1 - u)^decay``. Levels, overlaps and decays are weighed on a grid by their likelihood;
the levels of classes are expected to be like one another, and a few of them may be quite unlike the others.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInput

LEVEL = 0.9
"""The probability with which an interval should hold the number of wrong labels."""

MIN_ROWS = 50
"""Rows below which nothing is said."""

Floats = NDArray[np.float64]

LEVELS: Floats = np.exp(np.linspace(np.log(5e-4), np.log(0.5), 41))  # of contradicted labels, where votes are surest
OVERLAPS: Floats = np.linspace(0.05, 0.75, 15)  # shares of contradicted right labels where votes are least sure
DECAYS: Floats = np.exp(np.linspace(0.0, np.log(30.0), 21))  # powers
_DECAY, _DECAY_SPREAD = 3.0, 0.7  # median and logarithmic deviation of what is expected
_LEVEL_SPREAD = 0.3  # of the classes' levels about the one that they have in common: Cauchy's, of logarithms
_OVERLAP, _OVERLAP_SPREAD = 8.0, 1.6  # median and logarithmic deviation of what is left, for a cube of 1
N_BINS = 30  # of rows of a class by how sure votes are
_MIN_GROUP = 30  # rows of a class below which it is not looked at on its own
_N_DRAWS = 4000


@dataclass(frozen=True, slots=True)
class WrongLabels:
    """An estimate of how many labels are wrong, and of which."""

    share: float  # of the rows, 0 to 1: the median of what is possible
    low: float  # ends of the interval of ``LEVEL``
    high: float
    probabilities: Floats  # (n_rows,) that a row's label is wrong, 0 to 1, with the mean ``share``, or less if it is 0


def estimate_wrong_labels(votes: Floats, classes: NDArray[np.int64], seed: int) -> WrongLabels:
    """Estimate how many labels are wrong.

    Parameters
    ----------
    votes : (n_rows, n_classes)
        Share of each class in the votes on a row, in which its own label has no part, such as ``out_of_bag_votes``.
        Rows of which they are NaN have no vote, and are left out of the estimate.
    classes : (n_rows,) int64
        The labels, in 0 to ``n_classes - 1``.
    seed
        Of the draws from what is possible.

    Raises
    ------
    InvalidInput
        If there are fewer than ``MIN_ROWS`` rows with votes, or not as many classes as rows.
    """
    if classes.shape != votes.shape[:1]:
        msg = f"one class is needed for each of {len(votes)} rows, got shape {classes.shape}"
        raise InvalidInput(msg)
    rows = np.flatnonzero(~np.isnan(votes).any(axis=1))
    if len(rows) < MIN_ROWS:
        msg = f"at least {MIN_ROWS} rows with votes are needed, got {len(rows)}"
        raise InvalidInput(msg)
    groups = _groups_of(votes[rows], classes[rows])
    weights = np.array([len(group.contradicted) for group in groups]) / len(rows)
    shares = _possible_shares(groups, np.random.default_rng(seed))
    low, share, high = np.quantile(shares @ weights, [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2]).tolist()
    probabilities = np.zeros(len(votes))
    for group, level in zip(groups, shares.mean(axis=0).tolist(), strict=True):
        probabilities[rows[group.rows]] = _probabilities(group, level)
    return WrongLabels(share, low, high, scaled_to(probabilities, share * len(votes)))


def probabilities_by_rank(ranks: NDArray[np.int64], probabilities: Floats, n_rows: int, number: float) -> Floats:
    """Return for each rank how probable it is that the label of its row is wrong, from those of some rows.

    Parameters
    ----------
    ranks : (n_known,)
        Distinct ranks, 0 to ``n_rows - 1``.
    probabilities : (n_known,)
        Of the rows with these ranks.
    n_rows
        Number of ranks.
    number
        How many labels are wrong, 0 to ``n_rows``.

    Returns
    -------
    (n_rows,)
        In [0, 1], falling from rank to rank or equal, and adding up to ``number``: least squares, and straight lines
        between known ranks.
    """
    from sklearn.isotonic import isotonic_regression  # late, as trees are

    order = np.argsort(ranks)
    falling = isotonic_regression(probabilities[order], increasing=False)
    return scaled_to(np.interp(np.arange(n_rows), ranks[order], falling), number)


def scaled_to(probabilities: Floats, number: float) -> Floats:
    """Return probabilities that add up to a number: all times the same factor, but at most 1.

    Where too few are above 0, the number is missed.
    """
    factor_low, factor_high = 0.0, 1.0
    while factor_high < 1e12 and np.minimum(probabilities * factor_high, 1).sum() < number:
        factor_high *= 2
    for _ in range(100):
        middle = (factor_low + factor_high) / 2
        is_enough = np.minimum(probabilities * middle, 1).sum() >= number
        factor_low, factor_high = (factor_low, middle) if is_enough else (middle, factor_high)
    return np.minimum(probabilities * factor_high, 1)


@dataclass(frozen=True, slots=True)
class _Group:
    """The rows that votes count to one class, or to one of several that have few."""

    rows: NDArray[np.int64]  # (n_group,)
    sureness: Floats  # (n_group,) rank of how far votes favour the first class over the second, 0 to 1 (most)
    contradicted: NDArray[np.bool_]  # (n_group,) whether the label is another


def _groups_of(votes: Floats, classes: NDArray[np.int64]) -> list[_Group]:
    favoured = votes.argmax(axis=1)
    second, first = np.partition(votes, -2, axis=1)[:, -2:].T if votes.shape[1] > 1 else (0 * votes[:, 0], votes[:, 0])
    sizes = np.bincount(favoured)
    groups = np.where(sizes[favoured] >= _MIN_GROUP, favoured, -1)
    return [
        _group(np.flatnonzero(groups == number), first - second, favoured != classes) for number in np.unique(groups)
    ]


def _group(rows: NDArray[np.int64], margins: Floats, contradicted: NDArray[np.bool_]) -> _Group:
    _, positions, counts = np.unique(margins[rows], return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2  # rows of equal margins share the middle of their ranks
    return _Group(rows, middle[positions] / len(rows), contradicted[rows])


def _possible_shares(groups: list[_Group], rng: np.random.Generator) -> Floats:
    """Draw the share of wrong labels in each group, (n_draws, n_groups)."""
    levels = _possible_levels(np.array([log_likelihoods(each.sureness, each.contradicted) for each in groups]), rng)
    contradicted = np.array([each.contradicted.mean() for each in groups])
    elsewhere = np.maximum(contradicted - levels, 0)
    left = _OVERLAP * np.exp(_OVERLAP_SPREAD * rng.standard_normal((len(levels), 1)))
    # Wrong labels make both levels and what is above them smaller by the factor 1 - 2 levels.
    return np.asarray(np.maximum(levels - left * elsewhere**3 / np.maximum(1 - 2 * levels, 0.2) ** 2, 0))


def log_likelihoods(sureness: Floats, contradicted: NDArray[np.bool_]) -> Floats:
    """Return the logarithm of the likelihood of each level, overlaps and decays weighed, (n_levels,)."""
    bins = np.minimum((sureness * N_BINS).astype(np.int64), N_BINS - 1)
    n_rows = np.bincount(bins, minlength=N_BINS)
    n_contradicted = np.bincount(bins, contradicted, minlength=N_BINS)
    means = np.bincount(bins, sureness, minlength=N_BINS) / np.maximum(n_rows, 1)
    overlap = OVERLAPS[:, None, None] * (1 - means) ** DECAYS[:, None]
    levels = LEVELS[:, None, None, None]
    shares = np.clip(levels + (1 - 2 * levels) * overlap, 1e-6, 1 - 1e-6)
    logs = (np.log(shares) * n_contradicted + np.log1p(-shares) * (n_rows - n_contradicted)).sum(axis=-1)
    logs -= (np.log(DECAYS / _DECAY) / _DECAY_SPREAD) ** 2 / 2
    return np.asarray(_log_sum(_log_sum(logs)))


def _possible_levels(logs: Floats, rng: np.random.Generator) -> Floats:
    """Draw the level of each group, (n_draws, n_groups), from their logarithms of likelihoods, (n_groups, n_levels)."""
    steps = np.log(LEVELS)
    kernel = -np.log1p(((steps - steps[:, None]) / _LEVEL_SPREAD) ** 2)
    kernel -= _log_sum(kernel)[:, None]  # (n_common, n_levels): what is expected of a group's, given the common level
    joint = kernel + logs[:, None]  # (n_groups, n_common, n_levels)
    of_common = _log_sum(joint).sum(axis=0)
    common = rng.choice(len(steps), _N_DRAWS, p=np.exp(of_common - _log_sum(of_common)))
    uniform = rng.random((len(logs), _N_DRAWS))
    drawn = np.empty((_N_DRAWS, len(logs)), np.int64)
    for group, of_group in enumerate(joint):
        cumulated = np.cumsum(np.exp(of_group - _log_sum(of_group)[:, None]), axis=1)
        drawn[:, group] = (cumulated[common] < uniform[group][:, None]).sum(axis=1)
    return LEVELS[np.minimum(drawn, len(LEVELS) - 1)]


def _log_sum(logs: Floats) -> Floats:
    """Return the logarithm of the sum of what the last axis has the logarithms of."""
    largest = logs.max(axis=-1)
    return np.asarray(largest + np.log(np.exp(logs - largest[..., None]).sum(axis=-1)))


def _probabilities(group: _Group, level: float) -> Floats:
    """Return how probable it is of each row of a group that its label is wrong, given the share of wrong ones.

    The label of a row is contradicted if it is wrong and the votes are right, or else it is right and they are wrong.
    """
    from sklearn.isotonic import isotonic_regression  # late, as trees are

    order = np.argsort(group.sureness, kind="stable")
    shares = np.empty(len(order))
    shares[order] = isotonic_regression(group.contradicted[order].astype(np.float64), increasing=False)
    shares = np.clip(shares, level, 1 - level)
    overlap = np.clip((shares - level) / max(1 - 2 * level, 1e-9), 0, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        if_contradicted, if_not = level * (1 - overlap) / shares, level * overlap / (1 - shares)
    return np.nan_to_num(np.where(group.contradicted, if_contradicted, if_not))
