"""Boxes as drafts of rules, and back: the search knows only the bins that some training row is in."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..questions.statements import FeatureStatements, Statements
from .boxes import Box
from .drafts import Draft, DraftRule
from .search_rows import SearchRows


def draft_of_boxes(boxes: Sequence[Box], rows: SearchRows) -> Draft:
    """Return the rules that admit what the boxes admit of the training rows."""
    return tuple(_rule_of(box, rows) for box in boxes)


def _rule_of(box: Box, rows: SearchRows) -> DraftRule:
    rule = DraftRule.of_all(rows)
    for feature, admitted in zip(box.features, box.admitted, strict=True):
        groups = admitted[rows.bins[rows.slice_of(feature)]]
        if not groups.all():
            rule = rule.with_condition(rows, feature, groups)
    return rule


def boxes_of_draft(draft: Draft, rows: SearchRows, statements: Statements) -> tuple[Box, ...]:
    """Return the boxes of a list's rules.

    An interval ends at the cut in the middle of those that lie between the last value admitted and the next. A
    category that no training row has is admitted where more of those that rows do have are admitted than not. A missing
    value that no row has goes where the ensemble's statements say: it fulfils the cuts at an interval's ends or not,
    and is treated as those categories are that statements cannot tell from it.
    """
    return tuple(_box_of(rule, rows, statements) for rule in draft)


def _box_of(rule: DraftRule, rows: SearchRows, statements: Statements) -> Box:
    asked = tuple(int(feature) for feature in np.flatnonzero(rule.n_conditions))
    admitted = []
    for feature in asked:
        own = rows.slice_of(feature)
        admitted.append(_bins_of(statements.features[feature], rows.bins[own], rule.admits[own]))
    return Box(asked, tuple(admitted))


def _bins_of(feature: FeatureStatements, bins: NDArray[np.int64], admitted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Extend what is admitted of the bins that rows are in to all bins of the feature."""
    present = bins != feature.missing_bin
    extended = np.zeros(feature.n_bins, dtype=np.bool_)
    if feature.is_number:
        extended[:-1] = _interval(bins[present], admitted[present], feature.n_bins - 1)
    else:
        extended[:-1] = 2 * admitted[present].sum() > present.sum()
        extended[bins] = admitted
    extended[-1] = admitted[~present].any() if not present.all() else _admits_missing(feature, extended)
    return extended


def _admits_missing(feature: FeatureStatements, admitted: NDArray[np.bool_]) -> bool:
    """Return whether statements put a missing value among the bins admitted, of which the last is not decided yet."""
    if feature.answers is not None:
        is_alike = (feature.answers[:, :-1] == feature.answers[:, -1:]).all(axis=0)
        return bool((admitted[:-1] & is_alike).any())
    inside = np.flatnonzero(admitted[:-1])
    if not len(inside):
        return False
    low, high = inside[0], inside[-1]
    above_low = low == 0 or feature.missing_greater[low - 1]
    below_high = high >= (feature.cuts < np.inf).sum() or not feature.missing_greater[high]
    return bool(above_low and below_high)


def _interval(bins: NDArray[np.int64], admitted: NDArray[np.bool_], n_bins: int) -> NDArray[np.bool_]:
    """Return the interval of bins from halfway below the first admitted to halfway above the last."""
    inside = np.flatnonzero(admitted)
    if not len(inside):
        return np.zeros(n_bins, dtype=np.bool_)
    first, last = inside[0], inside[-1]
    low = 0 if first == 0 else _middle_cut(bins[first - 1], bins[first]) + 1
    high = n_bins - 1 if last == len(bins) - 1 else _middle_cut(bins[last], bins[last + 1])
    every = np.arange(n_bins)
    return (every >= low) & (every <= high)


def _middle_cut(below: np.int64, above: np.int64) -> int:
    """Return the cut in the middle of those that tell two bins apart: cut ``j`` is above bin ``j``."""
    return int(below + above - 1) // 2
