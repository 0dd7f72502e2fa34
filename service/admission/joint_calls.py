"""JointCalls: quick calls that wait on the event loop at the same time, those of a kind computed together."""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from .calls import current_call

Result = TypeVar("Result")
Work = TypeVar("Work")
_MOST_JOINT = 32  # calls; some fewer begin before sockets are looked at again


class Kind(NamedTuple, Generic[Work, Result]):
    """What may be computed together, and how."""

    key: Hashable  # equal for what may be computed together
    alone: Callable[[Work], Result]
    joint: Callable[[Sequence[Work]], Sequence[Result | None]]  # None for what has to be computed alone


class JointCalls:
    """Calls under way; all methods are called on the event loop.

    A call takes less among others than alone: what it runs and reads is in the processor's caches by then. Where no
    other waits, a call is computed at once.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[Kind[Any, Any], Any, asyncio.Future[Any]]] = []

    async def run(self, kind: Kind[Work, Result], work: Work) -> Result:
        """Return the result of quick work; it is the same whether it is computed alone or among others.

        Raises
        ------
        Exception
            What ``kind.alone`` raises.
        """
        if not (self._waiting or current_call().others_wait):
            return kind.alone(work)
        loop = asyncio.get_running_loop()
        result: asyncio.Future[Result] = loop.create_future()
        self._waiting.append((kind, work, result))
        if len(self._waiting) == 1:
            loop.call_soon(self._compute)  # which comes after all requests that wait have begun
        elif len(self._waiting) == _MOST_JOINT:
            self._compute()
        return await result

    def _compute(self) -> None:
        waiting, self._waiting = self._waiting, []
        groups: dict[Hashable, list[tuple[Kind[Any, Any], Any, asyncio.Future[Any]]]] = {}
        for kind, work, result in waiting:
            if not result.done():  # its caller has left
                groups.setdefault(kind.key, []).append((kind, work, result))
        for group in groups.values():
            joint = group[0][0].joint([work for _, work, _ in group]) if len(group) > 1 else [None]
            for (kind, work, result), known in zip(group, joint, strict=True):
                if known is None:
                    _compute_alone(kind, work, result)
                else:
                    result.set_result(known)


def _compute_alone(kind: Kind[Work, Result], work: Work, result: asyncio.Future[Result]) -> None:
    try:
        result.set_result(kind.alone(work))
    except Exception as error:  # noqa: BLE001  # it is raised where the call is answered
        result.set_exception(error)
