"""Requests that wait for their turns: a caller may fill all places and keeps no other out; whose turn is next."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from service.middleware.admission.limits import TOO_MANY_OF_CALLER, TOO_MANY_WAIT
from service.middleware.protocol.http_protocol import _Turns

_N_PLACES = 16


def _come(turns: _Turns, callers: Sequence[str]) -> list[str | None]:
    """Have a request of each caller come; return why it has no place, or None."""
    reasons = []
    for caller in callers:
        reasons.append(turns.surplus(caller, _N_PLACES))
        if reasons[-1] is None:
            turns.add(caller, lambda: None)
    return reasons


def test_a_caller_alone_has_all_places() -> None:
    assert _come(_Turns(), ["many"] * 20) == [None] * 16 + [TOO_MANY_OF_CALLER] * 4


def test_others_have_an_eighth_each_beyond_what_one_has_filled() -> None:
    turns = _Turns()
    _come(turns, ["many"] * 16)

    assert _come(turns, ["one"] * 3) == [None, None, TOO_MANY_WAIT]
    assert _come(turns, ["two", "many"]) == [None, TOO_MANY_OF_CALLER]


def test_callers_without_number_have_twice_the_places_at_most() -> None:
    turns = _Turns()
    reasons = _come(turns, [str(number) for number in range(100)])

    assert reasons == [None] * 32 + [TOO_MANY_WAIT] * 68


def test_places_are_free_again() -> None:
    turns = _Turns()
    _come(turns, ["many"] * 16)
    for _ in range(16):
        turns.come("many")

    assert turns.n_waiting == 0
    assert _come(turns, ["many"] * 16) == [None] * 16


def test_a_caller_with_few_connections_has_as_many_turns_as_others_where_calls_are_answered_together() -> None:
    n_begun = asyncio.run(_turns_of_connections({"many": 120, "some": 60, "few": 20}, n_requests=10_000))

    assert max(n_begun.values()) <= 1.1 * min(n_begun.values()), n_begun


async def _turns_of_connections(n_connections: Mapping[str, int], n_requests: int) -> Counter[str]:
    """Return how many requests of each caller have begun; a connection sends the next when the last is answered."""
    turns, n_begun, enough = _Turns(), Counter[str](), asyncio.Event()
    loop = asyncio.get_running_loop()

    def come(caller: str) -> None:
        turns.come(caller)
        n_begun[caller] += 1
        if n_begun.total() == n_requests:
            enough.set()
        loop.call_soon(send, caller)  # when all that begin in this pass have been answered

    def begin(caller: str) -> None:
        loop.call_soon(come, caller)

    def send(caller: str) -> None:
        turns.add(caller, partial(begin, caller))

    for caller, number in n_connections.items():
        for _ in range(number):
            send(caller)
    await enough.wait()
    return n_begun
