"""Places of requests that wait for their turns: a caller may fill all, and keeps no other out."""

from collections.abc import Sequence

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
