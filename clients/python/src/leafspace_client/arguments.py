"""Arguments: what a caller passes is compared with the annotations of the method before anything is sent.

NumPy's numbers become Python's, because JSON knows no others; what no annotation allows is refused by its name.
"""

import inspect
import json
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

from .errors import Answered, FieldError, WrongArgument
from .parameters import with_shared_parameters
from .suggestions import did_you_mean

P = ParamSpec("P")
T = TypeVar("T")

_SHOWN_CHARACTERS = 60  # of a value
_WORDS = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a text",
    NoneType: "None",
    Path: "a path",
}


def fitted_arguments(
    function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> inspect.BoundArguments:
    """Return the arguments of a call as the annotations of the function have them.

    Parameters
    ----------
    function
        A method, or the program of one: its first parameter is the object.
    name
        What errors call it, such as ``Models.predict``.
    args, kwargs
        What the caller passed, the object first.

    Raises
    ------
    WrongArgument
        If a parameter is missing or unknown, or a value is not of a type that the annotation allows.
    """
    bound = _bound(function, name, args, kwargs)
    for parameter, kind in _kinds(function).items():
        if parameter in bound.arguments:
            bound.arguments[parameter] = _argument(kind, bound.arguments[parameter], name, parameter)
    return bound


def checked(method: Callable[P, T]) -> Callable[P, T]:
    """Return a plain method that checks its arguments first, as those that speak to the service do."""

    @wraps(with_shared_parameters(method))
    def checking(*args: P.args, **kwargs: P.kwargs) -> T:
        arguments = fitted_arguments(method, method.__qualname__, args, kwargs)
        return method(*arguments.args, **arguments.kwargs)

    return checking


def json_text(value: Any) -> str:  # lists, dicts, texts and numbers
    """Return a part of a request as JSON.

    Raises
    ------
    WrongArgument
        If it holds what JSON cannot say.
    """
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise not_sendable(error) from error


def not_sendable(reason: Exception) -> WrongArgument:
    """Return the error for a request that cannot be written as JSON."""
    detail = f"the request holds a value that JSON cannot say ({reason}); pass texts, finite numbers, lists and dicts"
    return WrongArgument("validation_failed", detail)


def _bound(
    function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> inspect.BoundArguments:
    signature = _signature(function)
    if unknown := [each for each in kwargs if each not in signature.parameters and not _takes_any(signature)]:
        near = did_you_mean(unknown[0], list(signature.parameters)[1:])
        detail = f"{name}() got an unexpected keyword argument {unknown[0]!r}{near}"
        raise WrongArgument("validation_failed", detail)
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        raise WrongArgument("validation_failed", f"{name}() {error}") from None


def _takes_any(signature: inspect.Signature) -> bool:
    return any(each.kind is each.VAR_KEYWORD for each in signature.parameters.values())


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


@cache
def _kinds(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the annotations of the parameters after the first, without those of ``*`` and ``**``."""
    _, *parameters = _signature(function).parameters.values()
    many = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    return {each.name: each.annotation for each in parameters if each.kind not in many}


class _DoesNotFit(Exception):  # it says so to this module alone
    """A value is not of an annotation's type."""


def _argument(kind: Any, value: Any, name: str, parameter: str) -> Any:  # of any type
    try:
        return _fit(kind, value)
    except _DoesNotFit:
        text = repr(value)
        shown = text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
        words = " or ".join(dict.fromkeys(_words(kind)))
        detail = f"{name}() cannot take {parameter}={shown}; give {words}"
        field = FieldError(f"/{parameter}", f"give {words}")
        raise WrongArgument("validation_failed", detail, Answered(errors=(field,))) from None


def _fit(kind: Any, value: Any) -> Any:  # of any type
    """Return the value as the annotation has it; raise ``_DoesNotFit`` if it allows none such."""
    origin = get_origin(kind)
    if origin in {Union, UnionType}:
        return _fit_one(get_args(kind), value)
    if origin is Literal:
        return _require(isinstance(value, str | int) and value in get_args(kind), value)
    if origin in {Sequence, list} or is_typeddict(kind):
        return _fields(kind, value) if is_typeddict(kind) else _items(get_args(kind)[0], value)
    if origin is None and kind in _CONVERSIONS:
        return _CONVERSIONS[kind](value)
    if origin is Iterable:
        return _require(_has_items(value), value)
    kind = Mapping if origin in {Mapping, dict} else kind
    return _require(isinstance(value, kind), value) if isinstance(kind, type) else value


def _require(is_fit: bool, value: Any) -> Any:  # of any type; a condition
    if not is_fit:
        raise _DoesNotFit
    return value


def _fit_one(kinds: Iterable[Any], value: Any) -> Any:  # of any type
    for kind in kinds:
        try:
            return _fit(kind, value)
        except _DoesNotFit:
            continue
    raise _DoesNotFit


def _items(kind: Any, values: Any) -> Any:  # of any type
    """Return a list of the items; names of columns may be of any type, as columns of frames are."""
    _require(_has_items(values), values)
    is_free = kind is Any or str in (kind, *get_args(kind))
    return list(values) if is_free else [_fit(kind, value) for value in values]


def _fields(kind: Any, values: Any) -> Any:  # of any type
    """Return a dict as a ``TypedDict`` has it."""
    kinds = get_type_hints(kind)
    _require(isinstance(values, Mapping) and set(values) <= set(kinds), values)
    return {name: _fit(kinds[name], value) for name, value in values.items()}


def _has_items(values: Any) -> bool:  # of any type
    """Whether these are several values; a text is no list of letters."""
    return isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)


def _whole(value: Any) -> int:  # of any type
    if isinstance(value, float) and value.is_integer():
        return int(value)
    try:
        return int(_require(not _is_truth_value(value), operator.index(value)))
    except TypeError:
        raise _DoesNotFit from None


def _number(value: Any) -> float:  # of any type
    _require(hasattr(value, "__float__") and not _is_truth_value(value) and not getattr(value, "shape", ()), value)
    try:
        number = value if isinstance(value, int) else float(value)
    except (TypeError, ValueError, OverflowError):
        raise _DoesNotFit from None
    return _require(not math.isnan(number), number)  # type: ignore[no-any-return]  # the number


def _truth_value(value: Any) -> bool:  # of any type
    return bool(_require(_is_truth_value(value), value))


def _is_truth_value(value: Any) -> bool:  # of any type
    return type(value).__name__ in {"bool", "bool_"}  # Python's and NumPy's


_CONVERSIONS: Mapping[Any, Callable[[Any], Any]] = {
    Any: lambda value: value,
    int: _whole,
    float: _number,
    bool: _truth_value,
    str: lambda value: _require(isinstance(value, str), value),
    Path: lambda value: _require(isinstance(value, PathLike), value),
    None: lambda value: _require(value is None, value),
    NoneType: lambda value: _require(value is None, value),
}


def _words(kind: Any) -> list[str]:  # an annotation
    """Return what an annotation allows, in words."""
    origin = get_origin(kind)
    if origin in {Union, UnionType}:
        return [word for each in get_args(kind) for word in _words(each)]
    if origin is Literal:
        return [repr(each) for each in get_args(kind)]
    if origin in {Sequence, list, Iterable}:
        item = get_args(kind)[0]
        return [f"a list of {' or '.join(_words(item))}" if get_origin(item) is Literal else "a list"]
    if is_typeddict(kind):
        return [f"a dict of {', '.join(get_type_hints(kind))}"]
    if origin in {Mapping, dict}:
        return ["a dict"]
    return [_WORDS.get(kind) or f"a {getattr(kind, '__name__', 'value')}"]
