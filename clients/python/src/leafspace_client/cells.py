"""Cells: single values as notebooks have them, made into values that JSON has; what is missing becomes ``None``.

Nothing here imports numpy or pandas: their values are known by what they can do.
"""

import datetime as dt
import decimal
import math
from typing import Any

from .errors import Invalid

Cell = float | int | bool | str | None


def plain_cell(value: Any, where: str) -> Cell:  # noqa: ANN401  # whatever stands in a row
    """Return one value as JSON has it; ``where`` says in an error which one it was.

    Not-a-number, ``pandas.NA`` and ``NaT`` are missing values; moments become text in ISO 8601.

    Raises
    ------
    Invalid
        For infinities and for values that are neither numbers, texts nor booleans.
    """
    if value is None or isinstance(value, str | bool | int):
        return _without_subclass(value)
    if isinstance(value, float):
        return _finite(float(value), where)
    if isinstance(value, decimal.Decimal):
        return _finite(float(value), where)
    if _is_missing(value):
        return None
    if isinstance(value, dt.date):
        return value.isoformat()
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return plain_cell(_python_value(value, where), where)
    raise _refused(value, where)


def spelled(value: Cell) -> str:
    """Return a value as the service spells it where it means a class or a category: ``7`` also for 7.0."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _without_subclass(value: str | float | None) -> Cell:
    # numpy's str_ and enumerations are strings and integers, too; what leaves here is plain.
    for kind in (bool, int, str):
        if isinstance(value, kind):
            return kind(value)
    return value


def _finite(value: float, where: str) -> float | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        detail = f"{where} is {value}; send a finite number, or None where the value is missing"
        raise Invalid("non_finite_number", detail)
    return value


def _is_missing(value: object) -> bool:
    # pandas.NA, NaT and numpy's NaT are the values that do not equal themselves, or cannot tell.
    try:
        return bool(value != value)  # noqa: PLR0124  # see above
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _python_value(value: Any, where: str) -> Any:  # noqa: ANN401  # a numpy scalar
    plain = value.item()
    if type(plain) is type(value):
        raise _refused(value, where)
    return plain


def _refused(value: object, where: str) -> Invalid:
    detail = f"{where} is {str(value)[:80]!r} of type {type(value).__name__}; send a number, a text, a boolean or None"
    return Invalid("bad_feature_type", detail)
