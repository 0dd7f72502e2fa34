"""RawScores: how a model's scores follow from sums of its leaves' values, found from what it says of training rows.

Averages, weights, base values and links are all in what a model says, and nowhere else are they together: a graph
may hold them in several operators. So they are not read but fitted, and where the fit does not bring back what the
model said of training rows, nothing is claimed.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..ensemble import TreeEnsemble

Floats = NDArray[np.float64]

_TOLERANCE = 2e-5  # of a score: sums, links and their arguments are calculated in single precision
_NEAR = 1e-3  # of a whole or half scale
_FEWEST_ROWS = 5  # that tell what went into a link
_ROUNDING = 2.0**-23  # of one operation in single precision, with as much again to spare


@dataclass(frozen=True, slots=True)
class RawScores:
    """The class that a row's label is: the one of which ``offsets + the sum of values`` of its leaves is largest.

    Where the largest leads by less than ``margin``, rounding may decide otherwise.
    """

    values: Floats  # (n_leaves, n_classes), one entry for each leaf of the ensemble
    offsets: Floats  # (n_classes,)
    margin: float


@dataclass(frozen=True, slots=True)
class _Link:
    """What happens to raw scores, forth and back; back is told up to what all classes have in common."""

    forth: Callable[[Floats], Floats]  # (n_rows, n_classes) to scores
    back: Callable[[Floats], Floats]
    surely_above: float  # rows all of whose scores are above it tell what went into the link
    slack: float  # by which what went in, calculated back from scores, may be off


@dataclass(frozen=True, slots=True)
class _Fit:
    scale: float
    offsets: Floats
    off: float  # by which scores differ from what the model said, at most


def raw_scores(
    ensemble: TreeEnsemble, reached: NDArray[np.int64], scores: Floats, share: float = 1.0
) -> RawScores | None:
    """Return how scores follow from leaves; ``None`` where no link is known that brings back what the model said.

    Known are plain sums and means, and softmax, of which the logistic function of two classes is one. A single output
    of two classes speaks for one of them.

    Parameters
    ----------
    ensemble
        With the values of its leaves.
    reached : (n_rows, n_trees)
        The leaves of some rows, counted through all trees.
    scores : (n_rows, n_classes)
        What the model says of them: shares that sum to 1.
    share
        Of the rows, whose scores must come out: less than 1 where leaves are known of most rows only.
    """
    values = _by_class(ensemble.leaf_values, scores.shape[1])
    if values is None:
        return None
    sums = np.zeros(scores.shape)
    for leaves in reached.T:
        sums += values[leaves]
    largest = np.maximum.reduceat(abs(values).max(axis=1), ensemble.leaf_offsets[:-1]).sum()
    for link in _LINKS:
        found = _fitted(link, sums, scores, share)
        if found is not None:
            rounding = abs(found.scale) * largest * ensemble.n_trees * _ROUNDING
            return RawScores(values * found.scale, found.offsets, 2 * (rounding + link.slack + found.off))
    return None


def _by_class(values: Floats, n_classes: int) -> Floats | None:
    """Return leaf values with a column for each class, of a lone output of two classes half against the first."""
    if values.shape[1] == n_classes:
        return values
    if n_classes == 2 and values.shape[1] == 1:  # noqa: PLR2004  # one output stands for two
        return np.hstack((-values, values)) / 2
    return None


def _fitted(link: _Link, sums: Floats, scores: Floats, share: float) -> _Fit | None:
    """Return the scale and the offsets with which a link gives the scores, if it does."""
    given = _centred(sums)
    is_sure = (scores > link.surely_above).all(axis=1)
    if is_sure.sum() < _FEWEST_ROWS:
        return None
    argument = _centred(link.back(scores[is_sure]))
    scale = _scale(given[is_sure], argument)
    if scale is None:
        return None
    offsets = np.median(argument - scale * given[is_sure], axis=0)
    off = abs(link.forth(scale * given + offsets) - scores).max(axis=1)
    fits = off <= _TOLERANCE
    return _Fit(scale, offsets, float(off[fits].max())) if fits.mean() >= share else None


def _scale(given: Floats, wanted: Floats) -> float | None:
    """Return by what sums are multiplied: the median over rows of what each tells that is far from the middle."""
    given, wanted = given - np.median(given, axis=0), wanted - np.median(wanted, axis=0)
    far = abs(given) >= max(0.5 * abs(given).max(initial=0.0), _TOLERANCE)
    if not far.any():
        return None
    scale = float(np.median(wanted[far] / given[far]))
    nearest = round(2 * scale) / 2  # links are of plain sums, or of half of them
    return nearest if nearest and abs(scale - nearest) < _NEAR else scale


def _centred(scores: Floats) -> Floats:
    """Return scores less their mean over the classes: what is common to all decides nothing."""
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


def _shares(raw: Floats) -> Floats:
    return np.asarray(_centred(raw) + 1 / raw.shape[1])


def _softmax(raw: Floats) -> Floats:
    powers = np.exp(raw - raw.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


_LINKS = (
    _Link(_shares, lambda scores: scores, surely_above=-1, slack=0.0),
    _Link(_softmax, np.log, surely_above=0.001, slack=1e-4),
)
