"""BinBox: the bins of each feature that rows of a node can be in; an ensemble distinguishes nothing but bins."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from ..questions.binned_rows import KnownRows
from ..questions.statements import FeatureStatements, Statements

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class BinRange:
    """The consecutive bins that remain of a number, both ends included, and the missing value."""

    low: int
    high: int  # below ``low`` if none remains
    missing: bool = True

    def intersection(self, other: "BinRange") -> "BinRange":
        """Return the bins of both."""
        return BinRange(max(self.low, other.low), min(self.high, other.high), self.missing and other.missing)


@dataclass(frozen=True, slots=True)
class BinBox:
    """A product of sets of bins, one for each feature; features with all of their bins are not listed."""

    statements: Statements
    remaining: Mapping[int, BinRange | Flags] = field(default_factory=dict)  # by feature, a category's bins (n_bins,)

    @staticmethod
    def of_rows(binned: KnownRows) -> "BinBox":
        """Return the box of all rows that miss only features which some of these rows miss."""
        features = enumerate(binned.statements.features)
        remaining = {index: _without_missing(each) for index, each in features if not binned.has_missing(index)}
        return BinBox(binned.statements, remaining)

    def narrowed(self, feature: int, statement: int, *, is_true: bool) -> "BinBox":
        """Return the part of the box in which a feature's ``statement`` is true, or that in which it is not.

        Bins between equal cuts, or beyond infinity, hold no value; none remains at either end of a number's range.
        """
        about, known = self.statements.features[feature], self.remaining.get(feature)
        if about.answers is not None:
            answers: Flags = about.answers[statement] == is_true
            return self._with(feature, answers & known if isinstance(known, np.ndarray) else answers)
        missing = bool(about.missing_greater[statement]) == is_true
        side = BinRange(statement + 1, about.missing_bin - 1, missing) if is_true else BinRange(0, statement, missing)
        return self._with(feature, trimmed(about, side.intersection(known) if isinstance(known, BinRange) else side))

    def _with(self, feature: int, bins: BinRange | Flags) -> "BinBox":
        return BinBox(self.statements, {**self.remaining, feature: bins})


def _without_missing(feature: FeatureStatements) -> BinRange | Flags:
    if feature.is_number:
        return replace(all_bins(feature), missing=False)
    flags: Flags = np.arange(feature.n_bins) != feature.missing_bin
    return flags


def all_bins(feature: FeatureStatements) -> BinRange:
    """Return all bins of a number that hold values; for a category the result has no meaning."""
    whole = BinRange(0, feature.missing_bin - 1)
    return trimmed(feature, whole) if feature.is_number else whole


def trimmed(feature: FeatureStatements, bins: BinRange) -> BinRange:
    """Return a range of a number without the bins at its ends that hold no value."""
    low, high = bins.low, bins.high
    while low <= high and not _holds_values(feature, low):
        low += 1
    while low <= high and not _holds_values(feature, high):
        high -= 1
    return BinRange(low, high, bins.missing)


def _holds_values(feature: FeatureStatements, bin_: int) -> bool:
    below = feature.cuts[bin_ - 1] if bin_ > 0 else -inf
    return bool(below < (feature.cuts[bin_] if bin_ < len(feature.cuts) else inf))


def possible_bins(feature: FeatureStatements) -> Flags:
    """Return which bins hold any value, (n_bins,)."""
    possible = np.ones(feature.n_bins, np.bool_)
    if feature.is_number:
        ends = np.concatenate(([-inf], feature.cuts, [inf]))
        possible[: feature.missing_bin] = ends[:-1] < ends[1:]
    return possible
