"""Candidates: the possible splits of a node, from the training rows that reach it, and the bins between them.

All that later steps need of a row is its bin of each feature: rows in one bin are on the same side of every candidate.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.progress import ReportProgress, ignore_progress
from ..questions.conditions import Condition
from ..rows import Rows
from .node_boxes import is_missing

_NEAR = 1 / 8  # of the gap: the largest distance of a round number from its middle
_MOST_DECIMALS = 22  # ten to that power is still exact in a double
Floats = NDArray[np.float64]
_Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Sends:
    """The rows that candidates send left; see ``FeatureCandidates``."""

    first: _Integers
    last: _Integers
    with_missing: NDArray[np.bool_]
    n_left: _Integers  # training rows


@dataclass(frozen=True, slots=True)
class FeatureCandidates:
    """The candidates of one feature, and the bins of its values between them.

    **A number**: bin ``b`` holds the values above ``cuts[b - 1]`` and at most ``cuts[b]``, so ``n_cuts + 1`` bins.
    **A category**: bin ``b`` is ``categories[b]``, then comes one bin for every other category. The last bin of either
    is the missing value. The rows that a candidate sends left are those in bins ``first`` to ``last``, and those in the
    last bin if ``with_missing``.
    """

    name: str
    missing_text: str | None
    cuts: NDArray[np.float64]  # (n_cuts,) ascending; none of a category
    categories: tuple[str, ...] | None  # None of a number
    first: NDArray[np.int64]  # (n_candidates,)
    last: NDArray[np.int64]  # (n_candidates,)
    with_missing: NDArray[np.bool_]  # (n_candidates,)

    @property
    def n_candidates(self) -> int:
        """Number of candidates."""
        return len(self.first)

    @property
    def sends(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """The bins that each candidate sends left: first, last (ascending), whether the missing value is added."""
        return self.first, self.last, self.with_missing

    @property
    def n_bins(self) -> int:
        """Number of bins, that of the missing value included."""
        return (len(self.cuts) if self.categories is None else len(self.categories)) + 2

    def bins_of(self, values: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
        """Return the bin of each raw value, (n_values,), in the smallest type that holds all bins."""
        if self.categories is None:
            bins = np.empty(len(values), _smallest_type(len(self.cuts) + 2))
            _look_up(values, self.cuts, bins)
            return bins
        return bins_of_categories(values, self.categories, self.missing_text)

    def select(self, is_kept: NDArray[np.bool_]) -> "FeatureCandidates":
        """Return the candidates that are kept, (n_candidates,); the bins remain the same."""
        return replace(
            self, first=self.first[is_kept], last=self.last[is_kept], with_missing=self.with_missing[is_kept]
        )

    def condition(self, candidate: int) -> Condition:
        """Return a candidate as a condition, which holds for the rows that it sends left."""
        last = int(self.last[candidate])
        if last == self.n_bins - 1:
            return Condition(self.name, self.name, "is missing", None, or_missing=False)
        if self.categories is not None:
            return Condition(self.name, self.name, "is", self.categories[last], or_missing=False)
        or_missing = bool(self.with_missing[candidate])
        return Condition(self.name, self.name, "<=", float(self.cuts[last]), or_missing)


@dataclass(frozen=True, slots=True)
class Candidates:
    """All candidates of a node: feature by feature, by ascending threshold or category, ``is missing`` last."""

    features: tuple[FeatureCandidates, ...]  # those with a candidate, in the order of the columns

    @property
    def n_candidates(self) -> int:
        """Number of candidates."""
        return sum(feature.n_candidates for feature in self.features)

    @property
    def starts(self) -> NDArray[np.int64]:
        """The number of each feature's first candidate, (n_features + 1,)."""
        return np.cumsum([0, *(feature.n_candidates for feature in self.features)], dtype=np.int64)

    def bins_of(self, rows: Rows) -> tuple[NDArray[np.unsignedinteger[Any]], ...]:
        """Return the bins of raw rows, feature by feature, each (n_rows,)."""
        columns = rows.select([feature.name for feature in self.features]).columns
        return tuple(each.bins_of(column) for each, column in zip(self.features, columns, strict=True))

    def condition(self, candidate: int) -> Condition:
        """Return a candidate as a condition, which holds for the rows that it sends left."""
        feature, within = self.locate(candidate)
        return self.features[feature].condition(within)

    def sends_left(self, candidate: int, bins: Sequence[NDArray[np.unsignedinteger[Any]]]) -> NDArray[np.bool_]:
        """Return which rows a candidate sends left, (n_rows,), given the rows' bins."""
        index, within = self.locate(candidate)
        feature, row_bins = self.features[index], bins[index]
        inside = (row_bins >= feature.first[within]) & (row_bins <= feature.last[within])
        if feature.with_missing[within]:
            inside |= row_bins == feature.n_bins - 1
        return np.asarray(inside, np.bool_)

    def select(self, is_kept: NDArray[np.bool_]) -> "Candidates":
        """Return the candidates that are kept, (n_candidates,), with new numbers; their bins remain the same."""
        pieces = np.split(is_kept, self.starts[1:-1])
        return Candidates(tuple(self.features[index].select(pieces[index]) for index in self.features_of(is_kept)))

    def features_of(self, is_kept: NDArray[np.bool_]) -> list[int]:
        """Return the indices of the features that have a candidate that is kept."""
        return [index for index, piece in enumerate(np.split(is_kept, self.starts[1:-1])) if piece.any()]

    def locate(self, candidate: int) -> tuple[int, int]:
        """Return the index of a candidate's feature, and its number among the candidates of this feature."""
        feature = int(np.searchsorted(self.starts, candidate, side="right")) - 1
        return feature, candidate - int(self.starts[feature])


@dataclass(frozen=True, slots=True)
class GivenSplits:
    """The splits of one column that the caller allows; without any, all that the training rows suggest."""

    thresholds: tuple[float, ...] = ()
    categories: tuple[str, ...] = ()
    missing: bool = False  # ``is missing`` by itself

    @property
    def are_free(self) -> bool:
        """Whether the training rows suggest the splits."""
        return not (self.thresholds or self.categories or self.missing)


def candidates_of(
    rows_at_node: Rows,
    missing_texts: Mapping[str, str],
    min_samples_leaf: int = 1,
    report: ReportProgress = ignore_progress,
    given: Mapping[str, GivenSplits] | None = None,
) -> Candidates:
    """Return the candidate splits that the training rows at a node suggest.

    For a number, ``x <= t`` for each distinct value t but the largest and for each midpoint of adjacent values, as a
    round number (``round_midpoints``; left out if no double lies strictly between them); if some rows miss the number,
    with the missing on the right, with the missing on the left, and ``is missing``. For a category, ``is`` for each one
    that occurs, with the missing on the right, and ``is missing``. Candidates that leave fewer than
    ``min_samples_leaf`` training rows on a side are left out, and so are columns without any candidate.

    Parameters
    ----------
    rows_at_node
        Training rows that reach the node.
    missing_texts
        By column: a text that represents a missing category.
    min_samples_leaf
        At least 1.
    report
        Called before each column; may raise to stop.
    given
        The caller's own splits by column, of which those that leave enough training rows on both sides are candidates,
        and of thresholds those with numbers on both sides; other columns have none. ``None``: the training rows suggest
        all.

    References
    ----------
    Zhou, Hooker (2016), section 2.5.
    """
    features: list[FeatureCandidates] = []
    for name, column in zip(rows_at_node.names, rows_at_node.columns, strict=True):
        report(len(features) / len(rows_at_node.names), "collecting candidates")
        allowed = GivenSplits() if given is None else given.get(name)
        if allowed is not None:
            text, least = missing_texts.get(name), max(1, min_samples_leaf)
            features.append(_candidates_of_column(name, column, text, least, allowed))
    return Candidates(tuple(feature for feature in features if feature.n_candidates))


def _candidates_of_column(
    name: str, values: NDArray[Any], missing_text: str | None, min_samples_leaf: int, allowed_splits: GivenSplits
) -> FeatureCandidates:
    missing = is_missing(values, missing_text)
    known, n_missing = values[~missing], int(missing.sum())
    cuts, n_below, categories = np.empty(0), np.empty(0, np.int64), None
    if values.dtype == object:
        counts = Counter(known)
        categories = tuple(sorted(counts))
        n_left = np.array([*(counts[category] for category in categories), 0, n_missing], np.int64)
        bins = np.flatnonzero(n_left)  # a candidate sends one bin left; no training row has another category
        sends = _Sends(bins, bins, np.zeros(len(bins), np.bool_), n_left[bins])
    else:
        numbers = known.astype(np.float64)
        cuts, n_below = _cuts(numbers) if allowed_splits.are_free else _given_cuts(numbers, allowed_splits.thresholds)
        sends = _up_to(n_below, n_missing)
    enough = (sends.n_left >= min_samples_leaf) & (len(values) - sends.n_left >= min_samples_leaf)
    if not allowed_splits.are_free:
        parts = (n_below > 0) & (n_below < len(known))  # or it would be ``is missing`` in other words
        allowed = parts if categories is None else [category in allowed_splits.categories for category in categories]
        enough &= np.array([*allowed, False, allowed_splits.missing], np.bool_)[sends.last]
    sent = sends.first[enough], sends.last[enough], sends.with_missing[enough]
    return FeatureCandidates(name, missing_text, cuts, categories, *sent)


def _given_cuts(known: Floats, thresholds: Sequence[float]) -> tuple[Floats, _Integers]:
    """Return the caller's thresholds in ascending order, and the number of values up to each."""
    cuts = np.unique(np.array(thresholds, np.float64))
    return cuts, np.searchsorted(np.sort(known), cuts, side="right")


def _up_to(counts: _Integers, n_missing: int) -> _Sends:
    """Return what thresholds send left, the missing on either side if there are some, and the missing value alone."""
    n_sides = 2 if n_missing else 1
    last = np.repeat(np.arange(len(counts)), n_sides)
    with_missing = np.tile(np.arange(n_sides) > 0, len(counts))
    n_left = counts[last] + n_missing * with_missing
    if not n_missing:
        return _Sends(np.zeros_like(last), last, with_missing, n_left)
    missing_bin = len(counts) + 1
    return _Sends(
        np.append(np.zeros_like(last), missing_bin),
        np.append(last, missing_bin),
        np.append(with_missing, False),  # it is the missing bin
        np.append(n_left, n_missing),
    )


def _cuts(known: NDArray[np.float64]) -> tuple[NDArray[np.float64], _Integers]:
    """Return the thresholds in ascending order, and the number of values up to each, (n_cuts,) both."""
    distinct, counts = np.unique(known, return_counts=True)
    low, high = distinct[:-1], distinct[1:]
    middle = round_midpoints(low, high)
    between = (low < middle) & (middle < high)
    n_below = np.cumsum(counts)[:-1]
    cuts = np.concatenate((low, middle[between]))
    order = np.argsort(cuts, kind="stable")
    return cuts[order], np.concatenate((n_below, n_below[between]))[order]


def bins_of_categories(
    values: NDArray[Any], categories: tuple[str, ...], missing_text: str | None
) -> NDArray[np.unsignedinteger[Any]]:
    """Return each value's index among the categories, (n_values,); then come all others, then the missing value."""
    index_of: dict[str | None, int] = {category: index for index, category in enumerate(categories)}
    index_of[None] = index_of[missing_text] = len(categories) + 1
    others = len(categories)
    n_values, smallest = len(values), _smallest_type(len(categories) + 2)
    return np.fromiter((index_of.get(value, others) for value in values), smallest, n_values)


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
        while length > 1:  # without a branch that would be mispredicted half the time
            half = length >> 1
            base += half * (cuts[base + half - 1] < value)
            length -= half
        bins[row] = base + (length == 1 and cuts[base] < value)


def round_midpoints(low: Floats, high: Floats) -> Floats:
    """Return for each gap the number with the fewest decimals within an eighth of the gap from its middle.

    People read them: 1.15 rather than 1.1500000357627869. Decimals before the point count as negative, so 1200 is
    rounder than 1250. Ties go to the number nearest to the middle.

    Parameters
    ----------
    low, high : (n_gaps,)
        Neighbouring values, finite, each low below its high.

    Returns
    -------
    (n_gaps,)
        Above ``low`` and below ``high``; the middle itself if no short number is near it, which is ``low`` or
        ``high`` if no double lies between them.
    """
    middle = low / 2 + high / 2  # the sum itself may be too large for a double
    midpoints, open_gaps = middle.copy(), np.ones(len(middle), np.bool_)
    reach = (high / 2 - low / 2) * (2 * _NEAR)
    for n_decimals in _decimals(middle, reach):
        with np.errstate(over="ignore", invalid="ignore"):  # what is too large for this number of decimals does not fit
            rounded = np.round(middle, n_decimals)
        fits = open_gaps & (abs(rounded - middle) <= reach) & (low < rounded) & (rounded < high)
        midpoints[fits] = rounded[fits]
        open_gaps &= ~fits
        if not open_gaps.any():
            break
    return midpoints + 0.0  # no negative zero


def _decimals(middle: Floats, reach: Floats) -> range:
    """Return the numbers of decimals to try, fewest first."""
    if not len(middle):
        return range(0)
    most = float(max(abs(middle).max(), reach.max(), np.finfo(np.float64).tiny))
    least = float(max(reach.min(), np.finfo(np.float64).tiny))
    first, last = -int(np.ceil(np.log10(most))), int(np.ceil(-np.log10(least)))
    return range(max(first, -_MOST_DECIMALS), min(last, _MOST_DECIMALS) + 1)
