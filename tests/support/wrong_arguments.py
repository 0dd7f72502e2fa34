"""Calls with wrong values: each parameter of a method in turn gets what a caller may pass by mistake."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any


class _Thing:
    def __repr__(self) -> str:
        return "<a thing>"


WRONG_VALUES: tuple[Any, ...] = (
    "no such",
    "",
    -1,
    2.5,
    float("nan"),
    None,
    True,
    [],
    {"a": _Thing()},
    _Thing(),
    ["a", 2],
    b"bytes",
)
_WITHOUT_VALUES = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
_WAITING = frozenset({"timeout", "progress"})


def wrong_calls(
    name: str, function: Callable[..., Any], arguments: Mapping[str, Any], values: Sequence[Any] = WRONG_VALUES
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the arguments of calls of a method, each with one wrong value, and one with an unknown name.

    Parameters
    ----------
    name
        What the method is called.
    function
        The method.
    arguments
        Right values of its parameters that have no default, by name.
    values
        Wrong ones.
    """
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in _WITHOUT_VALUES and parameter.name not in _WAITING:
            for value in values:
                yield f"{name}({parameter.name}={value!r})", {**arguments, parameter.name: value}
    yield f"{name}(nonsense=1)", {**arguments, "nonsense": 1}
