"""Levels: the distinct categories of a column, in an order that does not depend on its rows."""

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def in_order(levels: Iterable[str]) -> list[str]:
    """Return the levels in numeric order if all are numbers (equal ones by text), else by text."""
    ordered = sorted(levels)
    if all(_NUMBER.fullmatch(level) for level in ordered):
        ordered.sort(key=float)
    return ordered
