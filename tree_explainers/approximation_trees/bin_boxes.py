"""BinBox: which bins of each feature the rows of a node can be in; the bins are all that an ensemble tells apart."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from ..questions.binned_rows import BinnedRows
from ..questions.statements import FeatureStatements, Statements

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Span:
    """What is left of a number: bins that follow each other, both ends among them, and the missing value."""

    low: int
    high: int  # below ``low`` where none is left
    missing: bool = True

    def meet(self, other: "Span") -> "Span":
        """Return what two spans have in common."""
        return Span(max(self.low, other.low), min(self.high, other.high), self.missing and other.missing)


@dataclass(frozen=True, slots=True)
class BinBox:
    """A product of sets of bins, one of each feature. Only what was taken away is kept, not all of the bins."""

    statements: Statements
    left: Mapping[int, Span | Flags] = field(default_factory=dict)  # by feature, a category's bins (n_bins,)

    @staticmethod
    def of_rows(binned: BinnedRows) -> "BinBox":
        """Return the box of all rows whose values are missing only in features that some of these rows miss."""
        features = enumerate(binned.statements.features)
        left = {at: _without_missing(feature) for at, feature in features if not binned.has_missing(at)}
        return BinBox(binned.statements, left)

    def narrowed(self, feature: int, own: int, *, is_true: bool) -> "BinBox":
        """Return the part of the box in which the statement ``own`` of a feature is true, or that in which it is not.

        Bins between equal cuts, or beyond infinity, hold no value; none is left at either end of a number's span.
        """
        about, known = self.statements.features[feature], self.left.get(feature)
        if about.answers is not None:
            answers: Flags = about.answers[own] == is_true
            return self._with(feature, answers & known if isinstance(known, np.ndarray) else answers)
        missing = bool(about.missing_greater[own]) == is_true
        side = Span(own + 1, about.missing_bin - 1, missing) if is_true else Span(0, own, missing)
        return self._with(feature, trimmed(about, side.meet(known) if isinstance(known, Span) else side))

    def _with(self, feature: int, left: Span | Flags) -> "BinBox":
        return BinBox(self.statements, {**self.left, feature: left})


def _without_missing(feature: FeatureStatements) -> Span | Flags:
    if feature.is_number:
        return replace(whole_span(feature), missing=False)
    flags: Flags = np.arange(feature.n_bins) != feature.missing_bin
    return flags


def whole_span(feature: FeatureStatements) -> Span:
    """Return all bins of a number that hold values; of a category it means nothing."""
    whole = Span(0, feature.missing_bin - 1)
    return trimmed(feature, whole) if feature.is_number else whole


def trimmed(feature: FeatureStatements, span: Span) -> Span:
    """Return a span of a number without the bins at its ends that hold no value."""
    low, high = span.low, span.high
    while low <= high and not _holds_values(feature, low):
        low += 1
    while low <= high and not _holds_values(feature, high):
        high -= 1
    return Span(low, high, span.missing)


def _holds_values(feature: FeatureStatements, own: int) -> bool:
    below = feature.cuts[own - 1] if own > 0 else -inf
    return bool(below < (feature.cuts[own] if own < len(feature.cuts) else inf))


def possible_bins(feature: FeatureStatements) -> Flags:
    """Return which bins hold any value, (n_bins,)."""
    possible = np.ones(feature.n_bins, np.bool_)
    if feature.is_number:
        ends = np.concatenate(([-inf], feature.cuts, [inf]))
        possible[: feature.missing_bin] = ends[:-1] < ends[1:]
    return possible
