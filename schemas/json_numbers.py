"""Infinite numbers in JSON, which has none: they are texts there."""

from math import inf
from typing import Any

_INFINITIES = {"Infinity": inf, "-Infinity": -inf}
_TEXTS = {number: text for text, number in _INFINITIES.items()}
INFINITE = "an infinite number is the text `Infinity` or `-Infinity`"
"""How descriptions say it."""


def is_infinity(value: object) -> bool:
    """Return whether a JSON value is the text of an infinite number."""
    return isinstance(value, str) and value in _INFINITIES


def number_of(value: Any) -> Any:  # any JSON value
    """Return the number of a JSON value: an infinity for its text, and everything else unchanged."""
    return _INFINITIES[value] if is_infinity(value) else value


def json_number(value: Any) -> Any:  # any value
    """Return a value as JSON has it: the text of an infinite number, and everything else unchanged."""
    return _TEXTS[value] if value == inf or value == -inf else value  # noqa: PLR1714  # a tuple is slower, and lists differ
