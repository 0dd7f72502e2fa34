"""Wording: conditions on raw values as plain English, the same for reasons, rules and questions of trees.

Each function returns what follows "income is ": a person reads "income is above 1,200 and at most 3,400".
"""

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from math import copysign, inf, isfinite
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from .compute.byte_texts import Texts
from .compute.decimal_texts import decimal_texts

MISSING_ALLOWED = " (missing allowed)"
YES, NO = "yes", "no"
MISSING, NOT_MISSING = "missing", "not missing"
ANYTHING = "any value"
_LONGEST_ALTERNATIVE = 2  # longer lists are written as "one of"
_MOST_LISTED = 10  # categories of a reason; of more it says how many
_LONGEST_SENT = 60  # characters
_DIGITS_OF_MANY = 6  # of a value that has more
_LEAST_SINGLE = 1e-37  # from here on, single precision has seven digits
_BELOW, _ABOVE = 1 - 1.2e-7, 1 + 1.2e-7
_EXPONENTS_WRITTEN_OUT = range(-9, 21)
_SHORT_FROM, _SHORT_BELOW = 1e-4, 999.0  # sizes of which six digits are written without exponent or comma
_FIRST_OF_SIX = 10.0 ** (_DIGITS_OF_MANY - 1)  # the least number of six digits
_SURELY_ROUNDED = (
    0.37  # of a unit of the sixth digit: what ``_BELOW`` and ``_ABOVE`` move a number by is less than 0.13
)
_LEAST_WRITTEN_OUT = 1e-9  # whose digits are written without an exponent, as are those of all smaller than 1e20
_NEARLY_HALF = 0.499999  # beyond it the product does not say how a number is rounded
_POWERS = np.array([10.0**digits for digits in range(2 * _DIGITS_OF_MANY + 4)])
_NEGLIGIBLE = 1e-30  # LightGBM writes 1e-35 for the threshold between 0 and what is above it
_ALMOST_INFINITE = (1 - 2.0**-40) * float(np.finfo(np.float64).max)  # some roundings below the largest double
_SHOWN_CHARACTERS = 80  # of a misspelt name
_N_COMPARED = 300  # names; comparing takes up to 70 µs each
_COULD_MISLEAD = re.compile(r",|\b(and|or|is)\b|^\s|\s$|^$")  # a text that holds words of conditions
_READS_AS_CONDITION = re.compile(  # a category that holds their words or signs, or begins as they go on after "is"
    rf"{_COULD_MISLEAD.pattern}|[<>=?;:]|^(no|not|none|one of|another|any|missing|above|below|at least|at most|in)\b",
    re.IGNORECASE,
)
_COMMA_OF_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_THOUSAND = 1000  # from here on, commas part the digits


def number_text(value: float) -> str:
    """Return a number in as few digits as bring it back, whole ones without a point: ``1,234.5``.

    Only of numbers that nobody would write out is the exponent shown: ``1e-35``.
    """
    if not isfinite(value):
        return "infinity" if value > 0 else "-infinity"
    text = repr(float(value)).removesuffix(".0")
    if -_THOUSAND < value < _THOUSAND and "e" not in text:
        return text
    if "e" in text:
        if int(text.partition("e")[2]) not in _EXPONENTS_WRITTEN_OUT:
            return text
        text = f"{Decimal(text):f}"
    whole, point, fraction = text.partition(".")
    sign = "-" if whole.startswith("-") else ""
    return f"{sign}{int(whole.removeprefix('-')):,}{point}{fraction}"


def without_commas(text: str) -> str:
    """Return the text of one or more numbers without the commas that part their digits: ``2007`` for ``2,007``."""
    return _COMMA_OF_THOUSANDS.sub("", text)


def short(value: float) -> float:
    """Return a fraction that is of single precision by its fewest digits: 0.1 for 0.10000000149011612; others as is.

    Features of several tables are of single precision, and so are columns of many data frames.
    """
    return value if float(value).is_integer() else _short_fraction(value)


@lru_cache(maxsize=1 << 16)  # those of prototypes come again and again, and numpy takes a microsecond for each
def _short_fraction(value: float) -> float:
    single = np.float32(value)
    return float(str(single)) if value == float(single) else value


def rounded(value: float) -> float:
    """Return a number of many digits with six, or with all of its whole ones: -0.164589 for -0.16458944345822604.

    It describes a value; an end of an interval is never rounded so.
    """
    whole = float(value)
    if not isfinite(whole) or whole.is_integer():
        return whole
    if _LEAST_SINGLE < abs(whole) < 10**_DIGITS_OF_MANY:
        # What is less than a ten-millionth away has the same digits as a rule, the decimal of single precision, too.
        text = f"{whole:.6g}"
        if f"{whole * _BELOW:.6g}" == text == f"{whole * _ABOVE:.6g}":
            return float(text)
    known = short(whole)
    return float(f"{known:.{_DIGITS_OF_MANY}g}") if abs(known) < 10**_DIGITS_OF_MANY else float(round(known))


def rounded_text(value: float) -> str:
    """Return the text of a number that is rounded as a value is."""
    if _SHORT_FROM <= abs(value) < _SHORT_BELOW:  # as ``rounded`` has it, whose text needs no further change
        text = f"{value:.6g}"  # those of rows hardly come again: to keep them would take as long
        if f"{value * _BELOW:.6g}" == text == f"{value * _ABOVE:.6g}":
            return text
    return _rounded_text(value) if value else number_text(value)  # 0 and -0 are equal, and have two texts


@lru_cache(maxsize=1 << 10)
def _rounded_text(value: float) -> str:
    return number_text(rounded(value))


def rounded_texts(values: NDArray[np.float64]) -> tuple[Texts, NDArray[np.bool_]]:
    """Return the texts of many numbers as ``rounded_text`` does, and which are surely that."""
    sizes = np.abs(values)
    is_sure = (sizes >= _LEAST_WRITTEN_OUT) & (sizes < 10 * _FIRST_OF_SIX)
    sizes = np.where(is_sure, sizes, 1.0)
    # The logarithm of what is next below a million is rounded to that of a million, which would have less than none.
    decimals = np.maximum(_DIGITS_OF_MANY - 1 - np.floor(np.log10(sizes)).astype(np.int64), 0)
    units = sizes * _POWERS[decimals]
    # The decimal of single precision that a number may be can lie on the other side of the middle between two.
    near_middle = np.flatnonzero(np.abs(units - np.rint(units)) > _SURELY_ROUNDED)
    units[near_middle] = _short_decimals(sizes[near_middle]) * _POWERS[decimals[near_middle]]
    whole = np.rint(units)
    is_sure &= (np.abs(units - whole) < _NEARLY_HALF) & (units >= _FIRST_OF_SIX) & (whole < 10 * _FIRST_OF_SIX)
    is_zero = values == 0
    whole[is_zero] = 0
    return decimal_texts(whole.astype(np.int64), np.signbit(values), decimals, "words"), is_sure | is_zero


def _short_decimals(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return fractions as ``short`` does, none of them infinite."""
    singles = values.astype(np.float32)
    shortest = np.array(orjson.loads(orjson.dumps(singles, option=orjson.OPT_SERIALIZE_NUMPY)), np.float64)
    return np.where(values == singles.astype(np.float64), shortest, values)


def value_text(value: float | str) -> str:
    """Return a number or a text; texts that hold words of conditions are quoted."""
    if not isinstance(value, str):
        return number_text(value)
    return _short_text(value) if len(value) <= _LONGEST_SENT else _quoted_if_misleading(value)


def _quoted_if_misleading(text: str) -> str:
    return repr(text) if _COULD_MISLEAD.search(text) else text


_short_text = lru_cache(maxsize=1 << 12)(_quoted_if_misleading)  # those of classes come again and again


def category_text(category: str) -> str:
    """Return a category that a caller sent, quoted as in conditions; of a long one the beginning."""
    (text,) = _value_texts([_beginning(category)])
    return text


def label_text(label: str) -> str:
    """Return a class as ``value_text`` does; of a long one the beginning."""
    return value_text(_beginning(label))


def _beginning(text: str) -> str:
    return text if len(text) <= _LONGEST_SENT else f"{text[:_LONGEST_SENT]}…"


def lower_end(*, inclusive: bool) -> str:
    """Return what stands before a lower end."""
    return "at least " if inclusive else "above "


def upper_end(*, inclusive: bool) -> str:
    """Return what stands before an upper end."""
    return "at most " if inclusive else "below "


class End(NamedTuple):
    """An end of an interval."""

    value: float
    inclusive: bool


def shortest_end(end: End, *, is_low: bool, is_single: bool) -> End:
    """Return an end in the fewest digits that leave the same numbers inside.

    Numbers have gaps, and from one side of a gap to the other is no number: what is at most 0.32299998 in single
    precision is below 0.323, which is the next number. Of two that are equally long, the end itself is returned. An end
    that is nearer to 0 than any data are is 0.

    Parameters
    ----------
    end
        A finite end, in as few digits as bring it back.
    is_low
        Whether it is the lower end.
    is_single
        Whether the numbers are of single precision; else they are of double precision.
    """
    if 0 < abs(end.value) < _NEGLIGIBLE:
        return End(0.0, (end.value < 0) is is_low)
    kind = np.float32 if is_single else np.float64
    outwards = -inf if is_low else inf
    with np.errstate(over="ignore"):
        beyond = np.nextafter(kind(end.value), kind(outwards if end.inclusive else -outwards))
    other = float(str(beyond))
    is_shorter = abs(other) < inf and len(number_text(other)) < len(number_text(end.value))
    return End(other, not end.inclusive) if is_shorter else end


def interval(
    low: float, high: float, *, low_inclusive: bool, high_inclusive: bool, is_single: bool | None = None
) -> str:
    """Return an interval, such as ``above 28 and at most 33``; an infinite end is none.

    Where the precision of the numbers is given, ends are written in the fewest digits (``shortest_end``).
    """
    ends = []
    if low > -inf:
        end = End(low, low_inclusive)
        end = end if is_single is None else shortest_end(end, is_low=True, is_single=is_single)
        ends.append(lower_end(inclusive=end.inclusive) + number_text(end.value))
    if high < inf:
        end = End(high, high_inclusive)
        end = end if is_single is None else shortest_end(end, is_low=False, is_single=is_single)
        ends.append(upper_end(inclusive=end.inclusive) + number_text(end.value))
    return " and ".join(ends)


def one_of(values: Iterable[float | str]) -> str:
    """Return ``G``, ``G or H``, or ``one of A, B, C``."""
    texts = _value_texts(values)
    return _either(texts) if len(texts) <= _LONGEST_ALTERNATIVE else f"one of {', '.join(texts)}"


def none_of(values: Iterable[float | str]) -> str:
    """Return ``not G``, ``not G or H``, or ``none of A, B, C``."""
    texts = _value_texts(values)
    return f"not {_either(texts)}" if len(texts) <= _LONGEST_ALTERNATIVE else f"none of {', '.join(texts)}"


def but_not(values: Iterable[float | str]) -> str:
    """Return what follows an interval from which single values are left out."""
    return f" but not {_either(_value_texts(values))}"


def some_of(allowed: Sequence[float | str], refused: Sequence[float | str]) -> str:
    """Return the categories that are allowed, or those that are not, whichever is shorter; of many only the first."""
    lists = ((one_of, allowed), (none_of, refused))
    return min((_first_of(write, values) for write, values in lists if values), key=len)


def _first_of(write: Callable[[Iterable[float | str]], str], values: Sequence[float | str]) -> str:
    n_more = len(values) - _MOST_LISTED
    return write(values) if n_more <= 1 else f"{write(values[:_MOST_LISTED])} and {n_more} more"


def comparison(operator: str, value: float | str | tuple[str, ...] | None) -> str:
    """Return a condition of rules and trees in words."""
    if value is None:
        return MISSING if operator == "is missing" else NOT_MISSING
    return _COMPARISONS[operator](value if isinstance(value, tuple) else (value,))


def _value_texts(values: Iterable[float | str]) -> list[str]:
    """Return numbers and categories as ``value_text`` does, but all categories quoted where one has to be."""
    known = list(values)
    is_quoted = any(isinstance(value, str) and _READS_AS_CONDITION.search(value) for value in known)
    return [repr(value) if is_quoted and isinstance(value, str) else value_text(value) for value in known]


def _end_text(value: float | str) -> str:
    """Return the end of a comparison: the lowest double stands for the end below all numbers, which no row passes."""
    if isinstance(value, str) or abs(value) < _ALMOST_INFINITE:
        return value_text(value)
    return number_text(copysign(inf, value))


def _either(texts: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the end of a sentence, ``; did you mean 'age'?``; empty where none of the first names is near."""
    near = difflib.get_close_matches(name[:_SHOWN_CHARACTERS], list(islice(names, _N_COMPARED)), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


_COMPARISONS: dict[str, Callable[[tuple[float | str, ...]], str]] = {
    "<=": lambda values: upper_end(inclusive=True) + _end_text(values[0]),
    ">": lambda values: lower_end(inclusive=False) + _end_text(values[0]),
    "is": one_of,
    "is one of": one_of,
    "is not": none_of,
    "is none of": none_of,
}


class Interval(NamedTuple):
    """The values of a number that some sentence is about; an infinite end is none."""

    low: float = -inf
    high: float = inf
    low_inclusive: bool = False
    high_inclusive: bool = True
    or_missing: bool = False

    def admits(self, value: float) -> bool:
        """Return whether a value lies inside."""
        above = value >= self.low if self.low_inclusive else value > self.low
        return above and (value <= self.high if self.high_inclusive else value < self.high)
