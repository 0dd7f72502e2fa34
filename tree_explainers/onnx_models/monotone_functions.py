"""Monotone functions before trees: thresholds on ``log1p(income)`` mapped back to thresholds on income.

Each function is strictly monotone where it is defined; outside it is not a number, which trees treat as missing. The
inverse is calculated in double precision. A graph calculates forwards, often in single precision, so that a threshold
is exact up to a few roundings of the function's argument and value.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator, TreeEnsemble
from .description import FunctionStep, ModelColumn

Floats = NDArray[np.float64]
_LARGEST = float(np.finfo(np.float32).max)
_BY_CODE = (Operator.LEQ, Operator.LT, Operator.GT, Operator.GTE)  # 1 if strict, 2 if negated
_STRICT, _NEGATED = (Operator.LT, Operator.GTE), (Operator.GT, Operator.GTE)


@dataclass(frozen=True, slots=True)
class _Function:
    """A strictly monotone function of one number and a parameter."""

    inverse: Callable[[Floats, float], Any]  # for values in its range
    range: Callable[[float], tuple[float, float]]  # of its values, ends included where they are finite
    domain: Callable[[float], tuple[float, float]] = lambda _: (-np.inf, np.inf)  # closed
    falls: Callable[[float], bool] = lambda _: False
    text: str = "{name}({of})"


def _everywhere(_: float) -> tuple[float, float]:
    return -np.inf, np.inf


def _from_zero(_: float) -> tuple[float, float]:
    return 0.0, np.inf


def _is_odd(power: float) -> bool:
    return power % 2 == 1


def _root(values: Floats, power: float) -> Any:  # an array
    return np.sign(values) * np.abs(values) ** (1 / power)


FUNCTIONS: dict[str, _Function] = {
    "log": _Function(lambda values, _: np.exp(values), _everywhere, _from_zero),
    "exp": _Function(lambda values, _: np.log(values), _from_zero),
    "sqrt": _Function(lambda values, _: values**2, lambda _: (0.0, np.inf), _from_zero),
    "sigmoid": _Function(lambda values, _: np.log(values) - np.log1p(-values), lambda _: (0.0, 1.0)),
    "tanh": _Function(lambda values, _: np.arctanh(values), lambda _: (-1.0, 1.0)),
    # Odd whole powers, and fractional ones of numbers that are not negative.
    "pow": _Function(
        _root,
        lambda power: (-np.inf, np.inf) if _is_odd(power) else (0.0, np.inf),
        lambda power: (-np.inf, np.inf) if _is_odd(power) else (0.0, np.inf),
        lambda power: power < 0,
        "{of}^{parameter:g}",
    ),
    # The number itself on one side of an end, and the end on the other.
    "at least": _Function(lambda values, _: values, lambda end: (end, np.inf), text="max({of}, {parameter:g})"),
    "at most": _Function(lambda values, _: values, lambda end: (-np.inf, end), text="min({of}, {parameter:g})"),
}


def is_monotone_power(power: float) -> bool:
    """Whether ``x ** power`` is strictly monotone wherever it is a number: odd, or a fraction."""
    return bool(np.isfinite(power)) and power != 0 and ((_is_odd(power) and power > 0) or power % 1 != 0)


def raw_number(column: ModelColumn, value: float) -> float:
    """Return the raw number from which a column's value comes about; infinite where none does."""
    number = np.array([(value - column.offset) / column.scale])
    for name, scale, offset, parameter in reversed(column.functions):
        number = (_argument(number, name, parameter) - offset) / scale
    return float(number[0])


def description_of(column: ModelColumn) -> str:
    """Return how a monotone column is computed, such as ``log(income + 1)``."""
    text = str(column.name)
    for name, scale, offset, parameter in column.functions:
        scaled = text if scale == 1 else f"{scale:g} * {text}"
        shifted = scaled if offset == 0 else f"{scaled} {'-' if offset < 0 else '+'} {abs(offset):g}"
        text = FUNCTIONS[name].text.format(name=name, of=shifted, parameter=parameter)
    return text


def thresholds_in_raw_units(
    ensemble: TreeEnsemble, columns: Sequence[ModelColumn]
) -> tuple[TreeEnsemble, tuple[ModelColumn, ...]]:
    """Return trees whose tests of monotone columns are tests of the raw features, and the columns that they then test.

    ``log(income + 1) <= 9`` becomes ``income <= 8102.08``, and ``-log(income) <= -9`` becomes ``income >= 8103.08``. A
    column that some tree tests for equality is left as transformed.
    """
    threshold, operator = ensemble.threshold.astype(np.float64), ensemble.operator.copy()
    changed = list(columns)
    for index, column in enumerate(columns):
        if column.kind != "monotone":
            continue
        nodes = np.flatnonzero((ensemble.column == index) & (ensemble.operator != Operator.LEAF))
        if np.isin(operator[nodes], _BY_CODE).all():
            operator[nodes], threshold[nodes] = _raw_tests(column, operator[nodes], threshold[nodes])
            changed[index] = replace(column, scale=1.0, offset=0.0, function=description_of(column))
        else:
            changed[index] = replace(column, name=description_of(column), kind="transformed", functions=())
    return replace(ensemble, threshold=threshold, operator=operator), tuple(changed)


@dataclass(frozen=True, slots=True)
class _Tests:
    """Tests of one number: ``<= end``, or ``< end`` where strict; the contrary where negated."""

    ends: Floats
    is_strict: NDArray[np.bool_]
    is_negated: NDArray[np.bool_]

    def turned(self) -> "_Tests":
        """Return the tests after an inverse that falls: ``<=`` becomes ``>=``, which is the contrary of ``<``."""
        return _Tests(self.ends, ~self.is_strict, ~self.is_negated)

    def before_scaling(self, scale: float, offset: float) -> "_Tests":
        """Return tests of a number for those of ``number * scale + offset``."""
        before = replace(self, ends=(self.ends - offset) / scale)
        return before.turned() if scale < 0 else before


def _raw_tests(column: ModelColumn, operator: NDArray[np.uint8], threshold: Floats) -> tuple[NDArray[np.uint8], Floats]:
    """Return the same tests as tests of the raw number: operators and thresholds."""
    is_strict, is_negated = (np.isin(operator, some) for some in (_STRICT, _NEGATED))
    tests = _Tests(threshold, is_strict, is_negated).before_scaling(column.scale, column.offset)
    for name, scale, offset, parameter in reversed(column.functions):
        before = replace(tests, ends=_argument(tests.ends, name, parameter, tests.is_strict))
        tests = (before.turned() if FUNCTIONS[name].falls(parameter) else before).before_scaling(scale, offset)
    is_beyond = tests.ends >= _LARGEST  # all numbers
    codes = 2 * tests.is_negated + (tests.is_strict & ~is_beyond)
    ends = np.where(is_beyond, np.inf, np.maximum(tests.ends, -_LARGEST))
    return np.array(_BY_CODE, operator.dtype)[codes], ends


def _argument(values: Floats, name: str, parameter: float, is_strict: NDArray[np.bool_] | None = None) -> Floats:
    """Return the arguments at which a function has the values; infinite where it is below, or above, for all."""
    function, strict = FUNCTIONS[name], np.zeros(len(values), np.bool_) if is_strict is None else is_strict
    low, high = function.range(parameter)
    none, each = (np.inf, -np.inf) if function.falls(parameter) else (-np.inf, np.inf)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        arguments = np.asarray(function.inverse(np.clip(values, low, high), parameter), np.float64)
    is_below, is_above = (values < low) | (strict & (values == low)), (values > high) | (~strict & (values == high))
    return np.where(is_below, none, np.where(is_above, each, arguments))


def defined_between(functions: Sequence[FunctionStep]) -> tuple[float, float]:
    """Return the raw numbers, both ends included, for which functions are defined; others are missing to the trees."""
    low, high = -np.inf, np.inf
    for name, scale, offset, parameter in reversed(functions):
        start, end = FUNCTIONS[name].domain(parameter)
        ends = np.sort(_argument(np.array([low, high]), name, parameter))
        bounds = np.sort((np.clip(ends, start, end) - offset) / scale)
        low, high = float(bounds[0]), float(bounds[1])
    return low, high
