"""Times: numbers, or ISO 8601 dates and times, as doubles that can be compared."""

from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..dataset_files.layout import shown
from ..errors import DatasetRefused

TimeKind = Literal["number", "moment"]

_MOMENT = r"^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$"
_OTHER_DATE = r"^(?:\d{4}[/.]\d{1,2}[/.]\d{1,2}|\d{1,2}[/.-]\d{1,2}[/.-]\d{4})(?:[T ].*)?$"
_ZONE = r":\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}(?::?\d{2})?)$"
_BEYOND_MICROSECONDS = r"(\.\d{6})\d+"
_MICROSECONDS = 1e6


def read_times(values: pa.Array, where: str, pointer: str) -> tuple[TimeKind | None, NDArray[np.float64]]:
    """Return what the values of a column are, and the values as doubles: numbers, or seconds since 1970 in UTC.

    Parameters
    ----------
    values : (n_rows,)
        Numbers (double) or texts; texts without a zone are in UTC.
    where, pointer
        The column, for the refusal of a value that is neither.

    Returns
    -------
    kind
        None where all values are missing.
    times : (n_rows,)
        NaN for what is missing.
    """
    if values.null_count == len(values):
        return None, np.full(len(values), np.nan)
    if pa.types.is_floating(values.type):
        return "number", _doubles(values)
    if not pa.types.is_string(values.type):
        raise _refused(where, "holds booleans", pointer)
    is_moment = pc.fill_null(pc.match_substring_regex(values, _MOMENT), fill_value=True)
    if not pc.all(is_moment).as_py():
        odd = values[pc.index(is_moment, value=False).as_py()].as_py()
        raise _refused(where, f"holds {shown(odd)}", pointer)
    moments = _moments(values)
    if moments is None:
        raise _refused(where, f"holds {shown(_first_impossible(values))}, which is no date", pointer)
    return "moment", moments


def are_moments(values: pa.Array) -> bool:
    """Return whether all values of a column of texts are dates or times, and there is one at least.

    Dates as they are written in other places, such as 31.01.2026 or 1/31/2026, count too, though they are not read.
    """
    are_dates = pc.all(pc.match_substring_regex(values, f"{_MOMENT}|{_OTHER_DATE}")).as_py()
    return values.null_count < len(values) and bool(are_dates)


def _moments(values: pa.Array) -> NDArray[np.float64] | None:
    """Return seconds, or None where a date does not exist."""
    short = pc.replace_substring_regex(values, _BEYOND_MICROSECONDS, r"\1")
    has_zone = pc.match_substring_regex(short, _ZONE)
    none = pa.scalar(None, pa.string())
    try:
        zoned = pc.if_else(has_zone, short, none).cast(pa.timestamp("us", "UTC")).cast(pa.int64())
        plain = pc.if_else(has_zone, none, short).cast(pa.timestamp("us")).cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    # Microseconds of years beyond 2255 are rounded: 9999-12-31 means no end.
    return _doubles(pc.coalesce(zoned, plain).cast(pa.float64(), safe=False)) / _MICROSECONDS


def _first_impossible(values: pa.Array) -> str:
    """Return the first text that looks like a moment and is none; there is one."""
    first, end = 0, len(values)
    while end - first > 1:
        middle = (first + end) // 2
        if _moments(values.slice(first, middle - first)) is None:
            end = middle
        else:
            first = middle
    return str(values[first].as_py())


def _doubles(values: pa.Array) -> NDArray[np.float64]:
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)


def _refused(where: str, what: str, pointer: str) -> DatasetRefused:
    detail = f"{where} {what}; a time is a number, or an ISO 8601 date or time such as 2026-01-31T08:00:00Z"
    return DatasetRefused("relational_time_type", detail, pointer)
