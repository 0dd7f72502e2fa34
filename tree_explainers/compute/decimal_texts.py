"""The texts of many decimals, written from their digits by a compiled loop: as JSON has them, or as people read them.

A decimal is a whole number of units, each of which is a one with some decimals: 1234 units of three decimals are 1.234.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .byte_texts import Texts
from .compiled import compiled_ahead, inlined

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Form = Literal["json", "words", "difference"]
"""``1234.0`` and ``1.2e-7``; ``1,234`` and ``0.00000012``; or the same with a sign even above 0."""

MOST_UNITS = 1e9
"""Of a decimal: a double has digits enough to say which number of so many units is nearest."""

_MOST_BYTES = 48  # of a text: nine digits, as many decimals as there can be, sign, point and commas
_MOST_DECIMALS = 32
_LAST_WRITTEN_OUT = -5  # the power of ten of the first digit of numbers that JSON writes without an exponent
_NO_COMMAS = False
_ZERO, _POINT, _COMMA, _MINUS, _PLUS, _EXPONENT = (np.uint8(byte) for byte in b"0.,-+e")


def decimal_texts(units: Ints, are_negative: NDArray[np.bool_], decimals: Ints, form: Form) -> Texts:
    """Return the texts of decimals, without zeros at their ends.

    Parameters
    ----------
    units : (n_numbers,)
        From 0 to 10 ** 9.
    are_negative : (n_numbers,)
        Whether a minus stands before the number, which 0 may have, too.
    decimals : (n_numbers,)
        Of the units, from 0 to 32.
    form
        How they are written.
    """
    if not (_are_within(units, MOST_UNITS) and _are_within(decimals, _MOST_DECIMALS)):
        message = "decimals have 0 to 10 ** 9 units, of 0 to 32 decimals"
        raise ValueError(message)
    content, stops = np.empty(_MOST_BYTES * len(units), np.uint8), np.empty(len(units), np.int64)
    end = _write(units, are_negative, decimals, form == "json", form == "difference", content, stops)
    return Texts(content[:end], np.concatenate((np.zeros(1, np.int64), stops))[: len(units)], stops)


def _are_within(numbers: Ints, most: float) -> bool:
    return bool(numbers.min(initial=0) >= 0 and numbers.max(initial=0) <= most)


def _types(n: Any) -> list[Any]:
    numbers = n.int64[::1]
    return [n.int64(numbers, n.boolean[::1], numbers, n.boolean, n.boolean, n.uint8[::1], numbers)]


@compiled_ahead(_types)
def _write(  # noqa: PLR0917  # as compiled code takes them
    units: Ints,
    are_negative: NDArray[np.bool_],
    decimals: Ints,
    is_json: bool,
    has_plus: bool,
    content: Bytes,
    stops: Ints,
) -> int:
    """Write the texts one behind the other; return where the last one ends."""
    at = 0
    for number in range(len(units)):
        unit, places = units[number], decimals[number]
        while places > 0 and unit % 10 == 0:
            unit, places = unit // 10, places - 1
        if are_negative[number] or has_plus:
            content[at] = _MINUS if are_negative[number] else _PLUS
            at += 1
        n_digits = _n_digits(unit)
        if is_json and n_digits - 1 - places < _LAST_WRITTEN_OUT:
            at = _write_power(unit, n_digits, n_digits - 1 - places, content, at)
        else:
            at = _write_plain(unit, n_digits, places, not is_json, content, at)
            if is_json and places == 0:
                content[at], content[at + 1] = _POINT, _ZERO
                at += 2
        stops[number] = at
    return at


@inlined
def _n_digits(unit: Any) -> Any:  # numba's own numbers
    n_digits, left = 1, unit // 10
    while left:
        n_digits, left = n_digits + 1, left // 10
    return n_digits


@inlined
def _write_plain(unit: Any, n_digits: Any, places: Any, has_commas: bool, content: Bytes, at: Any) -> Any:
    """Write a number from its end to its beginning; return where it ends."""
    n_whole = max(n_digits - places, 1)
    n_commas = (n_whole - 1) // 3 if has_commas else 0
    end = at + n_whole + n_commas + (places + 1 if places else 0)
    left, to = unit, end
    for _ in range(places):
        to -= 1
        content[to], left = _ZERO + np.uint8(left % 10), left // 10
    if places:
        to -= 1
        content[to] = _POINT
    for digit in range(n_whole):
        if has_commas and digit and digit % 3 == 0:
            to -= 1
            content[to] = _COMMA
        to -= 1
        content[to], left = _ZERO + np.uint8(left % 10), left // 10
    return end


@inlined
def _write_power(unit: Any, n_digits: Any, power: Any, content: Bytes, at: Any) -> Any:
    """Write a number as its digits and a power of ten, which is below 0; return where it ends."""
    at = _write_plain(unit, n_digits, n_digits - 1, _NO_COMMAS, content, at)
    content[at], content[at + 1] = _EXPONENT, _MINUS
    return _write_plain(-power, _n_digits(-power), 0, _NO_COMMAS, content, at + 2)
