"""Reasons in numbers and categories, with what applies to them, as explanations have them where that is included."""

from math import inf
from typing import Any

import orjson

from tree_explainers.prototype_sets.feature_reasons import FeatureReason
from tree_explainers.prototype_sets.raw_units import RawSide
from tree_explainers.wording import Interval


def interval_of(reason: FeatureReason) -> dict[str, Any]:
    """Return a reason in numbers and categories, with what applies to it."""
    sides = (
        (RawSide.LOW_INCLUSIVE, reason["low_inclusive"]),
        (RawSide.HIGH_INCLUSIVE, reason["high_inclusive"]),
        (RawSide.OR_MISSING, reason["or_missing"]),
        (RawSide.IS_MISSING, reason["is_missing"]),
        (RawSide.EXACT, reason["exact"]),
    )
    side = RawSide(sum(flag for flag, holds in sides if holds))
    interval = interval_between(side, reason["low"], reason["high"], is_transformed=reason["transformed"])
    if reason["category"] is not None:
        interval["category"] = reason["category"]
    if reason["categories"]:
        interval["categories"] = list(reason["categories"])
    if reason["excluded_categories"]:
        interval["excluded_categories"] = list(reason["excluded_categories"])
    return interval


def interval_between(side: RawSide, low: float | None, high: float | None, *, is_transformed: bool) -> dict[str, Any]:
    """Return an interval by its ends, None where there is none, and what applies to it."""
    interval: dict[str, Any] = {}
    if low is not None:
        interval |= {"low": low, "low_inclusive": RawSide.LOW_INCLUSIVE in side}
    if high is not None:
        interval |= {"high": high, "high_inclusive": RawSide.HIGH_INCLUSIVE in side}
    flags = {"or_missing": RawSide.OR_MISSING in side, "is_missing": RawSide.IS_MISSING in side}
    interval |= dict.fromkeys((name for name, holds in flags.items() if holds), True)
    if is_transformed:
        interval["transformed"] = True
    if RawSide.EXACT not in side:
        interval["exact"] = False
    return interval


def interval_text(interval: dict[str, Any]) -> bytes:
    """Return an interval as a reason has it, in JSON."""
    return b',"interval":%b' % orjson.dumps(interval)


def ends_of(reason: FeatureReason) -> Interval:
    """Return the ends of a reason, infinite where there is none."""
    low, high = -inf if reason["low"] is None else reason["low"], inf if reason["high"] is None else reason["high"]
    return Interval(low, high, reason["low_inclusive"], reason["high_inclusive"], reason["or_missing"])
