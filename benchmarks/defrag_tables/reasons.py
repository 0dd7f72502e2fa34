"""Why ours differs from what is printed, where it does: each reason stands on figures of the same run."""

from typing import NamedTuple

from .datasets import STAND_INS
from .published import Drawn, Printed

_FAR = 0.15  # rules per row that are worth a word
_WORSE = 1.05  # times an error that is worth a word


class Fewest(NamedTuple):
    """The best of EM, and what it stands against."""

    error: float
    n_regions: int
    of_fab: float
    n_regions_of_fab: float  # median
    price: float  # of a region, omega


def why_seconds(printed: Printed, found: float) -> str:
    """Return why a restart of FAB is faster or slower than in the paper."""
    ratio = printed.mean / found
    if ratio > 1:
        return f"{ratio:.0f} x the paper's speed: another machine, and no matrix of rows and statements"
    return "too short to be anything but the calls it makes, on a machine that did other work"


def why_fab(fewest: Fewest) -> str:
    """Return why EM does better than FAB with some number of regions, where it does."""
    if fewest.of_fab <= fewest.error * _WORSE:
        return ""
    return (
        f"EM is better with {fewest.n_regions}: FAB keeps {fewest.n_regions_of_fab:g}, as each costs "
        f"omega = {fewest.price:,.0f} where a row's class weighs as one statement"
    )


def why_rules_per_row(dataset: str, printed: Printed, found: float, n_regions: float) -> str:
    """Return why the regions' boxes cover a test row more or less often than in the paper."""
    parts = _stand_in(dataset)
    if abs(found - printed.mean) > max(_FAR, 2 * printed.deviation):
        overlap = "more" if found > printed.mean else "less"
        parts.append(
            f"boxes of our {n_regions:g} regions overlap {overlap}; how many the paper has here is not printed"
        )
    return "; ".join(parts)


def why_error(dataset: str, found: float, axis: Drawn, of_smaller: float | None, remark: str = "") -> str:
    """Return why a test error lies off the axis of the paper's figure."""
    parts = _stand_in(dataset)
    if found > axis.highest:
        parts.append("above the axis")
        parts += [remark] if remark else []
        if of_smaller is not None:
            parts.append(f"with trees of at most 32 leaves, which make fewer statements, {of_smaller:.3f}")
    elif found < axis.lowest:
        parts.append("below the axis")
    return "; ".join(parts)


def _stand_in(dataset: str) -> list[str]:
    return [f"other data: {STAND_INS[dataset]}"] if dataset in STAND_INS else []
