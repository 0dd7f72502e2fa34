"""A tiny evaluator: whether a printed condition on a number holds, by its words alone."""

import re

from tree_explainers.wording import ANYTHING, MISSING_ALLOWED, NOT_MISSING

_NUMBER = r"(-?[\d,]+(?:\.\d+)?(?:e[-+]?\d+)?)"
_ENDS = {
    "above": lambda value, end: value > end,
    "at least": lambda value, end: value >= end,
    "below": lambda value, end: value < end,
    "at most": lambda value, end: value <= end,
}


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def holds(text: str, value: float) -> bool:
    """Return whether a printed condition holds for a number, by its words alone."""
    text = text.removesuffix(MISSING_ALLOWED)
    if text in ("", ANYTHING, NOT_MISSING):
        return True
    if text in ("yes", "no"):
        return value == (text == "yes")
    if found := re.fullmatch(f"{_NUMBER} to {_NUMBER}", text):
        return _number(found[1]) <= value <= _number(found[2])
    if re.fullmatch(_NUMBER, text):
        return value == _number(text)
    parts = [re.fullmatch(f"(above|at least|below|at most) {_NUMBER}", part) for part in text.split(" and ")]
    assert all(parts), text
    return all(_ENDS[part[1]](value, _number(part[2])) for part in parts if part)
