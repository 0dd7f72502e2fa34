"""Programs: what the client does, written without any waiting, so that blocking and async clients share it.

A program is a generator: it yields what should be done (a call, a pause, some work) and is sent what came of it.
"""

import functools
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
SelfT = TypeVar("SelfT")


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the service."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)  # httpx's own words: params, json, files
    into: Path | None = None  # the file that the answer's body is written to, rather than held in memory


@dataclass(frozen=True, slots=True)
class Pause:
    """Do nothing for a while."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Work:
    """Compute something that takes longer than others want to be held up; sent back is what it returns."""

    compute: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """What came of a call that nobody answered."""

    reason: str
    may_try_again: bool


Step: TypeAlias = Call | Pause | Work
Program: TypeAlias = Generator[Step, Any, T]


class Transport(Protocol):
    """What carries out programs: at once, or when awaited."""

    def run(self, program: Program[Any]) -> Any:  # noqa: ANN401  # the program's result, or a coroutine of it
        """Carry out a program."""


class Connected:
    """Anything that programs are run on behalf of."""

    _transport: Transport


def blocking(program: Callable[Concatenate[SelfT, P], Program[T]]) -> Callable[Concatenate[SelfT, P], T]:
    """Return the method that carries out the program and returns its result."""

    @functools.wraps(program)
    def method(self: SelfT, /, *args: P.args, **kwargs: P.kwargs) -> T:
        result: T = transport_of(self).run(program(self, *args, **kwargs))
        return result

    return method


def awaitable(
    program: Callable[Concatenate[SelfT, P], Program[T]],
) -> Callable[Concatenate[SelfT, P], Coroutine[Any, Any, T]]:
    """Return the coroutine method that carries out the program and returns its result."""

    @functools.wraps(program)
    async def method(self: SelfT, /, *args: P.args, **kwargs: P.kwargs) -> T:
        result: T = await transport_of(self).run(program(self, *args, **kwargs))
        return result

    return method


def transport_of(connected: object) -> Transport:
    """Return what carries out the programs of a client or one of its parts."""
    transport: Transport = connected._transport  # type: ignore[attr-defined]  # noqa: SLF001  # all Connected have it
    return transport
