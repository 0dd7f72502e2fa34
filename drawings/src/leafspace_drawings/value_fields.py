"""Fields for the values of a row: their texts, the choices of one, and which values the reference rows have."""

from collections.abc import Mapping
from typing import Any

from .words import cell, number, plain_number

Json = Mapping[str, Any]

_EXACT_BELOW = 2.0**53  # whole numbers
_MOST_CHOICES = 100  # categories that a field lists; more are typed


def choices_of(column: Json | None, value: Any) -> tuple[str, ...]:  # a cell
    """Return the values that a category or a boolean may have, empty for a missing one; none where it is to be typed.

    The present value is among them, whatever it is.
    """
    if column is None or column["type"] == "number":
        return ()
    known = ["yes", "no"] if column["type"] == "boolean" else column.get("categories") or []
    if not 0 < len(known) <= _MOST_CHOICES:
        return ()
    missing = [""] if value is None or column.get("n_missing") else []
    return tuple(dict.fromkeys([*known, *([] if value is None else [cell(value)]), *missing]))


def hint_of(column: Json | None) -> str:
    """Return which numbers the reference rows have; nothing for other columns."""
    if column is None or column.get("min") is None:
        return ""
    write = plain_number if column.get("plain_digits") else number
    low, high = column["min"], column["max"]
    between = "or" if column.get("decimals") == 0 and high - low == 1 else "to"
    return f"in the reference rows {write(low)} {between} {write(high)}"


def text_of(value: Any) -> str:  # a cell of JSON
    """Return the text of a value, by which a field is read as the same value; of a missing one none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_BELOW
    return str(int(value) if is_whole else value)
