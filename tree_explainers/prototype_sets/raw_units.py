"""Reasons in raw units: grouped by feature, mapped back through scaling, sorted; in one compiled loop."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntFlag
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import array_of, compiled_ahead, compiled_for_loops
from ..compute.distinct_records import distinct_records
from .leaf_boxes import Side
from .reasons import REASON


class RawSide(IntFlag):
    """Properties of an interval in raw units beside its ends."""

    LOW_INCLUSIVE = 1
    HIGH_INCLUSIVE = 2
    OR_MISSING = 4  # a missing raw value is allowed, too
    EXACT = 8  # the ends are the model's own
    IS_MISSING = 16  # only a missing value is allowed: there is no interval
    NOT_MISSING = 32  # any number is allowed, but not a missing value


@dataclass(frozen=True, slots=True)
class ColumnUnits:
    """How model-side columns that are numbers map back to raw units; one line per column."""

    scale: NDArray[np.float64]  # 1 where there is nothing to scale back
    offset: NDArray[np.float64]
    imputed: NDArray[np.float64]  # model-side value of a missing raw number; NaN: it stays missing
    # Raw numbers for which the functions before the trees are defined, ends included: the others are missing to trees.
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    is_alone: NDArray[np.bool_]  # the feature's only column, and a number that varies
    is_exact: NDArray[np.bool_]  # nothing to calculate back, so ends are the model's own
    is_nullable: NDArray[np.bool_]  # some reference row misses the feature: reasons mention missing values
    is_single: bool  # numbers are in single precision, so that there may be none between two ends

    def interval(self, column: int, side: int, low: float, high: float) -> tuple[float, float, int]:
        """Return a column's interval in raw units: its ends and its ``RawSide``, as if the column were nullable."""
        # Plain numbers, so that the loop is compiled for doubles, whatever callers have.
        raw: tuple[float, float, int] = raw_interval(
            float(low),
            float(high),
            int(side),
            self.scale[column],
            self.offset[column],
            self.imputed[column],
            self.lowest[column],
            self.highest[column],
            self.is_single,
        )
        low_end, high_end, raw_side = raw
        return low_end, high_end, raw_side if self.is_exact[column] else raw_side & ~int(RawSide.EXACT)


SHARE_DIGITS = 4
"""Of shares of trees: more would be read by nobody, and an explanation has dozens of them."""

RAW_REASON = np.dtype(
    [
        ("column", np.int64),  # the feature's first
        ("side", np.int64),  # RawSide
        ("low", np.float64),  # infinite where no tree sets an end
        ("high", np.float64),
        ("share_of_trees", np.float64),
        ("share_units", np.int64),  # the same in units of the last decimal that it is printed in
        ("first", np.int64),  # where the feature's own reasons begin among those that were grouped
        ("n_own", np.int64),  # how many they are
        ("is_other", np.bool_),  # more than one number: ends and side are of its first column only
    ],
    align=True,
)
_STATEMENT_BYTES = RAW_REASON.fields["share_of_trees"][1]  # type: ignore[index]  # all before it
_RAW_REASON_BYTES = RAW_REASON.itemsize
_FEW_GROUPS = 64  # of a pair, that are in order soonest when each is put among those before it


class RawReasons(NamedTuple):
    """Reasons by feature: those of pair ``p`` are ``bounds[p]`` to ``bounds[p + 1]``, by descending share of trees."""

    reasons: NDArray[Any]  # (n_reasons,) RAW_REASON
    bounds: NDArray[np.int64]  # (n_pairs + 1,)

    def statements(self) -> list[bytes]:
        """Return what each states: its column, side and ends, as bytes that are equal only where all are the same.

        As numbers, the ends 0 and -0 would be equal, which are written in two ways.
        """
        whole = self.reasons.tobytes()
        return [whole[start : start + _STATEMENT_BYTES] for start in range(0, len(whole), _RAW_REASON_BYTES)]

    def distinct(self) -> tuple["RawReasons", NDArray[np.int64]]:
        """Return the reasons with distinct statements, and the number of each reason's among them."""
        words = self.reasons.view(np.int64).reshape(len(self.reasons), _RAW_REASON_BYTES // 8)
        firsts, numbers = distinct_records(words, _STATEMENT_BYTES // 8)
        return RawReasons(self.reasons[firsts], np.array([0, len(firsts)])), numbers

    def own_statements(self, reasons: NDArray[Any], indices: Sequence[int]) -> Iterator[bytes]:
        """Yield what some of them were grouped from, but for the pair and the share of trees, as bytes.

        ``reasons``, (n_reasons,) REASON, are those that were grouped.
        """
        own = reasons.copy()
        own["pair"], own["share_of_trees"] = 0, 0.0
        whole, n_bytes = own.tobytes(), REASON.itemsize
        firsts, counts = self.reasons["first"].tolist(), self.reasons["n_own"].tolist()
        for index in indices:
            yield whole[firsts[index] * n_bytes : (firsts[index] + counts[index]) * n_bytes]


class Wanted(NamedTuple):
    """Which of the grouped reasons are wanted."""

    is_shown: NDArray[np.bool_]  # (n_columns,) of features whose first column this is
    n_reasons: int  # of each pair, at most


def group_by_feature(
    reasons: NDArray[Any], n_pairs: int, units: ColumnUnits, is_nullable: NDArray[np.bool_], wanted: Wanted
) -> RawReasons:
    """Group and translate reasons, which are sorted by pair, feature and column; ties keep that order.

    ``is_nullable``, (n_columns,), marks the columns whose reasons mention that a missing value is allowed.
    """
    arrays = (units.scale, units.offset, units.imputed, units.lowest, units.highest, units.is_alone, units.is_exact)
    grouped = np.empty(len(reasons), RAW_REASON)  # of numba, records take longer to return than to be given
    bounds = _group(reasons, n_pairs, *arrays, is_nullable, units.is_single, *wanted, grouped)
    return RawReasons(grouped[: bounds[-1]], bounds)


_UNITS = 10.0**SHARE_DIGITS
_LOW_INCLUSIVE, _HIGH_INCLUSIVE = int(Side.LOW_INCLUSIVE), int(Side.HIGH_INCLUSIVE)
_MISSING_STAYS = int(Side.MISSING_STAYS)
_LARGEST_SINGLE, _LARGEST = float(np.finfo(np.float32).max), float(np.finfo(np.float64).max)
_RAW_LOW_INCLUSIVE, _RAW_HIGH_INCLUSIVE = int(RawSide.LOW_INCLUSIVE), int(RawSide.HIGH_INCLUSIVE)
_OR_MISSING, _EXACT = int(RawSide.OR_MISSING), int(RawSide.EXACT)
_IS_MISSING, _NOT_MISSING = int(RawSide.IS_MISSING), int(RawSide.NOT_MISSING)


@compiled_ahead("boolean(float64, float64, boolean, boolean, boolean)")
def holds_a_number(
    low: float, high: float, low_inclusive: bool, high_inclusive: bool, is_single: bool
) -> bool:  # compiled
    """Return whether there is any number in an interval, in single or double precision; infinities are numbers.

    An end that is infinite is no end: it is in the interval.
    """
    if low == -np.inf or high == np.inf:
        return low < np.inf and high > -np.inf
    if low_inclusive or high_inclusive:
        return low < high or (low == high and low_inclusive and high_inclusive)
    if is_single:
        return bool(np.float64(np.nextafter(np.float32(low), np.float32(np.inf))) < high)
    return bool(np.nextafter(low, np.inf) < high)


@compiled_ahead(
    "Tuple((float64, float64, int64))(float64, float64, int64, float64, float64, float64, float64, float64, boolean)"
)
def raw_interval(  # noqa: PLR0917  # plain numbers: this runs compiled
    low: float,
    high: float,
    side: int | np.int64,
    scale: float,
    offset: float,
    imputed: float,
    lowest: float,
    highest: float,
    is_single: bool,
) -> tuple[float, float, int]:
    """Return an interval in raw units, and its ``RawSide``; ``side`` is a ``Side``, ``EXACT`` as if nothing scaled.

    Where missing values have branches of their own, they may have nothing else in common: then no number lies between
    the ends, and there is no interval.
    """
    largest = _LARGEST_SINGLE if is_single else _LARGEST
    # Thresholds may be doubles where the values are singles: what lies beyond all values is no end, either, and what is
    # above the lowest of all is any number.
    low = -np.inf if low < -largest or (low == -largest and (side & _LOW_INCLUSIVE) == 0) else low
    high = np.inf if high > largest else high
    low_inclusive = (side & _LOW_INCLUSIVE) != 0 and low > -np.inf
    high_inclusive = (side & _HIGH_INCLUSIVE) != 0 and high < np.inf
    if isnan(imputed):
        or_missing = (side & _MISSING_STAYS) != 0
    else:
        above = imputed > low or (low_inclusive and imputed == low)
        or_missing = above and (imputed < high or (high_inclusive and imputed == high))
    raw_side = _EXACT
    if or_missing and not holds_a_number(low, high, low_inclusive, high_inclusive, is_single):
        return -np.inf, np.inf, raw_side | _IS_MISSING
    raw_side |= _OR_MISSING if or_missing else 0
    raw_side |= _NOT_MISSING if not or_missing and low == -np.inf and high == np.inf else 0
    raw_low, raw_high = (low - offset) / scale, (high - offset) / scale
    if scale < 0:
        raw_low, raw_high = raw_high, raw_low
        low_inclusive, high_inclusive = high_inclusive, low_inclusive
    if not side & _MISSING_STAYS:  # nor is a number allowed for which a function is not defined
        raw_low, low_inclusive = (lowest, True) if raw_low < lowest else (raw_low, low_inclusive)
        raw_high, high_inclusive = (highest, True) if raw_high > highest else (raw_high, high_inclusive)
    raw_side |= _RAW_LOW_INCLUSIVE if low_inclusive else 0
    raw_side |= _RAW_HIGH_INCLUSIVE if high_inclusive else 0
    return raw_low, raw_high, raw_side


@compiled_ahead(lambda n: [n.int64[::1](array_of(REASON))])
def _group_starts(reasons: NDArray[Any]) -> NDArray[np.int64]:
    """Return where another pair or another feature begins."""
    starts = np.empty(len(reasons), dtype=np.int64)
    n_groups = 0
    for index in range(len(reasons)):
        opens = index == 0 or reasons[index].pair != reasons[index - 1].pair
        if opens or reasons[index].feature != reasons[index - 1].feature:
            starts[n_groups] = index
            n_groups += 1
    return starts[:n_groups].copy()


@compiled_ahead(
    lambda n: [n.UniTuple(n.int64[::1], 2)(array_of(REASON), n.int64[::1], n.int64, n.boolean[::1], n.int64)]
)
def _chosen(
    reasons: NDArray[Any], starts: NDArray[np.int64], n_pairs: int, is_shown: NDArray[np.bool_], n_most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each pair's wanted groups by falling share of trees, and where each pair begins among them."""
    bounds = np.zeros(n_pairs + 1, dtype=np.int64)
    chosen = np.empty(len(starts), dtype=np.int64)
    first, end = 0, 0  # of the pair's groups; of those chosen
    for pair in range(n_pairs):
        last, begin = first, end
        while last < len(starts) and reasons[starts[last]].pair == pair:
            last += 1
        if last - first <= _FEW_GROUPS:
            for group in range(first, last):
                if is_shown[reasons[starts[group]].column]:
                    _insert(reasons, starts, group, chosen, begin, end)
                    end = min(end + 1, begin + n_most)
        else:
            shares = np.array([-reasons[start].share_of_trees for start in starts[first:last]])
            for group in first + np.argsort(shares, kind="mergesort"):
                if end - begin < n_most and is_shown[reasons[starts[group]].column]:
                    chosen[end] = group
                    end += 1
        first, bounds[pair + 1] = last, end
    return chosen[:end].copy(), bounds


@compiled_for_loops
def _insert(
    reasons: NDArray[Any], starts: NDArray[np.int64], group: int, groups: NDArray[np.int64], begin: int, end: int
) -> None:
    """Put a group among some others, behind those of at least its share of trees; the place at their end is free."""
    share, at = reasons[starts[group]].share_of_trees, end
    while at > begin and reasons[starts[groups[at - 1]]].share_of_trees < share:
        groups[at] = groups[at - 1]
        at -= 1
    groups[at] = group


def _types_of_group(n: Any) -> list[Any]:  # numba's types
    flags = n.boolean[::1]
    columns = (*([n.float64[::1]] * 5), *([flags] * 3))
    return [n.int64[::1](array_of(REASON), n.int64, *columns, n.boolean, flags, n.int64, array_of(RAW_REASON))]


@compiled_ahead(_types_of_group)
def _group(  # noqa: PLR0917  # the parts of ColumnUnits and Wanted: compiled code takes arrays
    reasons: NDArray[Any],
    n_pairs: int,
    scale: NDArray[np.float64],
    offset: NDArray[np.float64],
    imputed: NDArray[np.float64],
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
    is_alone: NDArray[np.bool_],
    is_exact: NDArray[np.bool_],
    is_nullable: NDArray[np.bool_],
    is_single: bool,
    is_shown: NDArray[np.bool_],
    n_most: int,
    grouped: NDArray[Any],
) -> NDArray[np.int64]:
    """Write the reasons; return where each pair's begin, and where the last ends."""
    starts = _group_starts(reasons)
    groups, bounds = _chosen(reasons, starts, n_pairs, is_shown, n_most)
    for index in range(len(groups)):
        group = groups[index]
        start = starts[group]
        end = starts[group + 1] if group + 1 < len(starts) else len(reasons)
        first_reason = reasons[start]
        of = first_reason.column
        low, high, raw_side = raw_interval(
            first_reason.low,
            first_reason.high,
            np.int64(first_reason.side),
            scale[of],
            offset[of],
            imputed[of],
            lowest[of],
            highest[of],
            is_single,
        )
        raw_side &= -1 if is_exact[of] else ~_EXACT
        reason = grouped[index]
        reason.column, reason.low, reason.high, reason.share_of_trees = of, low, high, first_reason.share_of_trees
        reason.share_units = share_units(first_reason.share_of_trees)
        reason.side = raw_side & (-1 if is_nullable[of] else ~_OR_MISSING)
        reason.first, reason.n_own = start, end - start
        reason.is_other = end - start > 1 or not is_alone[of]
    return bounds


@compiled_ahead("int64(float64)")
def share_units(share: float) -> int:
    """Return a share of trees, from 0 to 1, in units of the last decimal that it is printed in, as Python rounds it.

    Its leading half is a number of single precision, so that the products are exact, and so are the comparisons.
    """
    leading = np.float64(np.float32(share))
    whole = np.rint(leading * _UNITS)
    over, rest = leading * _UNITS - whole, (share - leading) * _UNITS
    above, below = (over - 0.5) + rest, (over + 0.5) + rest
    is_odd = whole % 2 == 1
    if above > 0 or (above == 0 and is_odd):
        whole += 1
    elif below < 0 or (below == 0 and is_odd):
        whole -= 1
    return int(whole)
