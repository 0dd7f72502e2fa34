"""Where values stand in a picture: axes by value and by rank."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Axis:
    """The axis of a numeric feature, from 0 at its left end to 1 at its right one.

    With quantiles it goes by rank, so that a skewed feature is not squeezed into a corner; else from the lowest value
    to the highest. Values beyond the ends stand at the ends.
    """

    points: tuple[float, ...]  # ascending, at equal distances on the axis; two or more
    by_rank: bool

    @staticmethod
    def of(column: Mapping[str, Any] | None) -> "Axis | None":
        """Return the axis of a column as the dataset's document describes it, or None where it has no numbers."""
        if column is None or column.get("type") != "number" or column.get("min") is None:
            return None
        quantiles = column.get("quantiles")
        if quantiles:
            return Axis(tuple(quantiles), by_rank=True)
        return Axis((column["min"], column["max"]), by_rank=False)

    def place(self, value: float) -> float:
        """Return where a value stands; between equal points, in their middle."""
        first, last = bisect_left(self.points, value), bisect_right(self.points, value)
        if last > first:
            return (first + last - 1) / 2 / (len(self.points) - 1)
        if first == 0 or first == len(self.points):
            return float(first > 0)
        low, high = self.points[first - 1], self.points[first]
        return (first - 1 + (value - low) / (high - low)) / (len(self.points) - 1)

    def share_between(self, low: float | None, high: float | None) -> float | None:
        """Return the share of rows in an interval, to about one in a hundred; None where the axis is not by rank."""
        if not self.by_rank:
            return None
        below = 0.0 if low is None else _rank(self.points, low)
        return max(0.0, (1.0 if high is None else _rank(self.points, high)) - below)


def _rank(points: Sequence[float], value: float) -> float:
    """Return the share of rows that are at most ``value``: linear between two quantiles."""
    last = bisect_right(points, value)
    if last == 0 or last == len(points):
        return float(last > 0)
    low, high = points[last - 1], points[last]
    return (last - 1 + (value - low) / (high - low)) / (len(points) - 1)


@dataclass(frozen=True, slots=True)
class Strip:
    """One feature on its axis: all lengths are in units of the picture, ``WIDTH`` wide."""

    band: tuple[float, float] | None  # the stretch inside which shared trees cannot separate two rows
    opens_left: bool  # the stretch has no lower end
    opens_right: bool
    row: float | None  # where the explained row stands; None: its value is missing
    other: float | None  # where the prototype stands
    ticks: tuple[float, ...]  # quartiles; only the ends where they are not known
    share: float | None = None  # of all rows that lie in the stretch; None: not known

    WIDTH = 240
    _INSET = 6

    @classmethod
    def of(cls, axis: Axis, interval: Mapping[str, Any], value: float | None, other: float | None) -> "Strip":
        """Return the strip of a feature."""
        low, high = interval.get("low"), interval.get("high")
        has_band = not interval.get("is_missing")
        band = (
            cls._at(axis.place(low) if low is not None else 0),
            cls._at(axis.place(high) if high is not None else 1),
        )
        return cls(
            band=band if has_band else None,
            opens_left=low is None,
            opens_right=high is None,
            row=None if value is None else cls._at(axis.place(value)),
            other=None if other is None else cls._at(axis.place(other)),
            ticks=tuple(cls._at(share) for share in ((0, 0.25, 0.5, 0.75, 1) if axis.by_rank else (0, 1))),
            share=axis.share_between(low, high) if has_band else None,
        )

    @classmethod
    def _at(cls, share: float) -> float:
        return round(cls._INSET + share * (cls.WIDTH - 2 * cls._INSET), 1)
