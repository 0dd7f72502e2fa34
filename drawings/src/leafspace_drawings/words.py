"""Numbers as people read them. The service writes the sentences; this module formats their numbers."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_MOST_DIGITS = 16  # of a number of double precision
DIGITS = 4  # significant ones
_MOST_DECIMALS = 9
_MOST_ROWS = 50  # percent from which on a row is called near, and not far
_BRIEF_FROM = 1e-7
_GROUPED_FROM, _PLAIN_FROM, _PLAIN_BELOW = 10_000, 1e-4, 1e15
_PART_END = re.compile(r"(?<=[\s_/])(?=\S)|(?<=\w-)(?=\S)|(?<=[a-z])(?=[A-Z])")
_INFINITIES = {"Infinity": "∞", "-Infinity": "\N{MINUS SIGN}∞"}
_UNREADABLE = "\N{REPLACEMENT CHARACTER}"


def number(value: float, digits: int = DIGITS) -> str:
    """Return a number with four significant digits, without trailing zeros, such as ``1,235``, ``0.02714`` or ``3``.

    Digits before the decimal point are all kept, and as many behind it as keep a number below 1 from being 1. Numbers
    below 0.0001 and from 10^15 on have an exponent.
    """
    if not math.isfinite(value):
        return {math.inf: "infinity", -math.inf: "-infinity"}.get(value, "not a number")
    if value == 0:
        return "0"
    size = abs(value)
    if not _PLAIN_FROM <= size < _PLAIN_BELOW:
        return f"{value:.{digits - 1}e}"
    n_decimals = _short_of_one(size, max(0, digits - 1 - math.floor(math.log10(size))))
    text = f"{value:,.{n_decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def distinct_numbers(one: float, other: float) -> tuple[str, str]:
    """Return two numbers with as few digits, four or more, as distinguish them; equal ones with four."""
    for digits in range(DIGITS, _MOST_DIGITS):
        if number(one, digits) != number(other, digits):
            return number(one, digits), number(other, digits)
    return number(one), number(other)


def plain_number(value: float) -> str:
    """Return a year or a code as such, without commas and with the digits that it has, up to six: ``2008.5``."""
    return str(int(value)) if float(value).is_integer() else f"{value:.6g}"


def brief(value: float) -> str:
    """Return a number with two significant digits and all digits before the decimal point, such as ``0.34``."""
    if not math.isfinite(value) or value == 0:
        return number(value)
    n_decimals = _decimals(value)
    if _BRIEF_FROM <= abs(value) < _PLAIN_FROM:  # which four digits would need an exponent for
        return f"{value:.{n_decimals}f}"
    return number(round(value, n_decimals))


def signed(value: float) -> str:
    """Return a difference with its sign, in two significant digits, such as ``+0.34``; of none ``0``."""
    sign = "+" if value > 0 else "\N{MINUS SIGN}" if value < 0 else ""
    return sign + brief(abs(value))


def _decimals(value: float) -> int:
    return _short_of_one(abs(value), max(0, 1 - math.floor(math.log10(abs(value)))))


def _short_of_one(size: float, n_decimals: int) -> int:
    """Return as many decimals, this number at least, as keep a size below 1 from being rounded to 1, which is a claim.

    Beyond nine decimals nothing is left but rounding of the computer's own.
    """
    while size < 1 <= round(size, n_decimals) and n_decimals < _MOST_DECIMALS:
        n_decimals += 1
    return n_decimals


def rounded(value: float, digits: int) -> float:
    """Return a number in this many significant digits; one between -1 and 1 in as many as keep it there."""
    short = float(f"{value:.{digits}g}")
    while abs(value) < 1 <= abs(short) and digits < _MOST_DECIMALS:
        digits += 1
        short = float(f"{value:.{digits}g}")
    return short


def digits_beside(value: float, ends: Iterable[float], least: int, most: int) -> int:
    """Return in how few significant digits, at least and at most so many, a number stays on its side of all ends."""
    known = tuple(ends)
    enough = (
        digits for digits in range(least, most) if all((rounded(value, digits) < end) == (value < end) for end in known)
    )
    return next(enough, most)


def count(value: int) -> str:
    """Return a whole number with separated thousands, such as ``12,345``."""
    return f"{value:,}"


def share(value: float) -> str:
    """Return a share between 0 and 1 in per cent, such as ``86%``; one decimal next to 0 and to 100.

    Only 0 is printed as 0%, and only 1 as 100%.
    """
    percent = 100 * value
    if 0 < percent < 10 or 90 < percent < 100:  # where a whole per cent is much
        return f"{min(max(percent, 0.1), 99.9):.1f}".removesuffix(".0") + "%"
    return f"{percent:.0f}%"


def distinct_shares(one: float, other: float) -> tuple[str, str]:
    """Return two shares in per cent as ``share`` does, or in as few decimals as distinguish them; equal ones alike."""
    if one == other or share(one) != share(other):
        return share(one), share(other)
    decimals = range(1, _MOST_DECIMALS + 1)
    pairs = ((f"{100 * one:.{n}f}%", f"{100 * other:.{n}f}%") for n in decimals)
    return next((pair for pair in pairs if pair[0] != pair[1]), (share(one), share(other)))


def tenths(value: float) -> str:
    """Return a share between 0 and 1 in per cent with one decimal, or with as many as tell it from 0 and from 1."""
    n_decimals = _short_of_one(max(value, 1 - value), 3) - 2 if 0 < value < 1 else 1
    return f"{100 * value:.{n_decimals}f}%"


def points(value: float) -> str:
    """Return a difference of two shares in percentage points, with its sign, such as ``+2.3``."""
    return f"{100 * value:+.1f}".replace("-", "\N{MINUS SIGN}")


def name_or_id(document: Mapping[str, Any]) -> str:
    """Return what something is called in texts: the name that a caller gave it, or else its id."""
    return str(document.get("name") or document["id"])


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, such as ``1 row`` or ``1,200 rows``."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def outcome(predicted: str, actual: str | None) -> str:
    """Return what a model predicts for a case, and what came of it where that differs: ``predicted paid, was unpaid``.

    ``actual`` is None where that is not known.
    """
    return predicted if actual in {None, predicted} else f"predicted {predicted}, was {actual}"


_OF_SCALES = {"probability": "score", "log_odds": "score in log-odds", "value": "value"}


def effect_scale(scale: str) -> str:
    """Return what effects of a scale are on: ``score``, ``score in log-odds`` or ``value``."""
    return _OF_SCALES[scale]


_SIZES = {
    "n_prototypes": "",
    "max_rules": "at most ",
    "max_depth": "depth at most ",
}  # of requests: what they are called


def requested_size(request: Mapping[str, Any]) -> str:
    """Return how large a result was requested, behind what it is: ``, at most 10``; nothing where no number was."""
    return "".join(f", {said}{request[name]}" for name, said in _SIZES.items() if isinstance(request.get(name), int))


def reference_case(reference: Mapping[str, Any]) -> str:
    """Return what effects compare a row with: ``row 7 (paid)``, or ``the mean of 40 reference rows of paid``.

    ``reference`` is the one of an explanation's effects.
    """
    outcome_of_rows = reference.get("outcome")
    if "row_id" in reference:
        return f"row {reference['row_id']}{'' if outcome_of_rows is None else f' ({outcome_of_rows})'}"
    noun = "prototype" if reference["kind"] == "prototypes" else "reference row"
    of = "" if outcome_of_rows is None else f" of {outcome_of_rows}"
    if reference.get("among") is not None:  # all would take too long
        return f"the mean of {reference['n_rows']:,} of {counted(reference['among'], noun)}{of}, evenly spaced"
    every = "all " if reference["kind"] == "all" else ""
    return f"the mean of {every}{counted(reference['n_rows'], noun)}{of}"


_UNEQUAL = 0.1  # by how much a constant answer gains where classes are not counted alike, so that they must be


def are_unequal(fidelity: float | None, balanced_fidelity: float | None) -> bool:
    """Return whether classes are so unequal that each must count alike, from how often a constant answer agrees."""
    return fidelity is not None and balanced_fidelity is not None and fidelity - balanced_fidelity >= _UNEQUAL


def agreement(measured: Mapping[str, Any], constant: Mapping[str, Any] | None, said: Callable[[Any], Any] = str) -> str:
    """Return how often predictions agree with a model's, beside a constant answer: ``86% (always “good”: 70%)``.

    ``said`` gives what people call an answer. Of unequal classes each counts alike first, as one answer agrees for
    nearly all rows of a model that rarely gives another:
    ``85% with each class counted alike and 91% of all (always “good”: 50% and 80%)``.
    """
    fidelity, balanced = measured["fidelity"], measured.get("balanced_fidelity")
    if constant is None or constant.get("fidelity") is None or balanced is None:
        return share(fidelity)
    agreed, of_constant = share(fidelity), share(constant["fidelity"])
    if are_unequal(constant["fidelity"], constant["balanced_fidelity"]):
        agreed = f"{share(balanced)} with each class counted alike and {agreed} of all"
        of_constant = f"{share(constant['balanced_fidelity'])} and {of_constant}"
    return f"{agreed} (always “{said(constant['model_prediction'])}”: {of_constant})"


def nearness(typicality: Mapping[str, Any]) -> str:
    """Return how near a row is to its nearest prototype beside other rows: ``less near than 81% of rows``.

    Of a row that is nearer than most: ``at least as near as 97% of rows``.

    ``typicality`` is that of an explanation, whose percentile is the share of rows that are no nearer, rounded down.
    """
    if typicality["level"] == "none":
        return "shares no leaf with any prototype"
    percentile = typicality["percentile"]
    if percentile == 100:  # of a hundred
        return "no row is nearer"
    if percentile >= _MOST_ROWS:
        return f"at least as near as {percentile}% of rows"
    return f"less near than {f'{100 - percentile}% of rows' if percentile else 'nearly all rows'}"


def measured_on(n_rows: int, evaluated_on: str) -> str:
    """Return which rows figures were measured on: ``the 700 rows that it was made from`` or ``300 other rows``."""
    if evaluated_on == "evaluation_dataset":
        return counted(n_rows, "other row")
    return f"the {counted(n_rows, 'row')} that it was made from"


def cell(value: Any) -> str:  # of JSON
    """Return a value of a table as text; a null is ``missing``, and the text of an infinite number its sign."""
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    return _INFINITIES.get(value, str(value))


def sentence(text: str) -> str:
    """Return a phrase of the API as a sentence: its first letter large, with a full stop; nothing else is changed."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


_KINDS = {
    "prototype_sets": "prototypes",
    "rule_sets": "rules",
    "approximation_trees": "tree",
    "proximities": "proximities",
}


def kind_words(kind: str) -> str:
    """Return what jobs of a kind make, such as ``label audit`` for ``label_audits``."""
    return _KINDS.get(kind) or kind.replace("_", " ").removesuffix("s")


_WEIGHTINGS = {
    "random_forest": "all trees count alike",
    "boosting": "trees count by the variance of what they add",
    "boosting_sd": "trees count by the standard deviation of what they add",
    "boosting_l1": "trees count by the mean deviation of what they add",
}


def weighting(kind: str) -> str:
    """Return how trees count in a kind of proximity; a kind that is not known is named."""
    return _WEIGHTINGS.get(kind) or kind.replace("_", " ")


def duration(seconds: float) -> str:
    """Return how long something took, such as ``0.4 s``, ``12 s``, ``3 min`` or ``2 h 5 min``."""
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def moment(text: str | None) -> str:
    """Return a time of the API, such as ``2026-01-31T08:00:12.345Z``, to the minute; nothing for none."""
    return "" if text is None else text[:16].replace("T", " ")


def word_parts(text: str) -> list[str]:
    """Return the parts of a text after each of which a line may end: words, and parts of names of several words."""
    return _PART_END.split(text)


def readable(text: str) -> str:
    """Return a text without characters that cannot be seen or that turn others round: each becomes U+FFFD."""
    return text if text.isprintable() else "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    return character if character.isprintable() else " " if character in "\n\t" else _UNREADABLE
