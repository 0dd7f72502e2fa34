"""What a siege says of the besieger's own calls: refused ones besiege nobody."""

import socket

import pytest

from benchmarks.siege import _besieged, _show, _status


@pytest.mark.parametrize(("begun", "status"), [(b"", None), (b"HTTP/1.1 429 Too Many Requests\r\n", 429)])
def test_the_status_of_an_answer_is_read_where_it_has_begun(begun: bytes, status: int | None) -> None:
    caller, service = socket.socketpair()
    with caller, service:
        service.sendall(begun)

        assert _status(caller) == status


def test_a_connection_that_was_closed_has_no_answer() -> None:
    caller, service = socket.socketpair()
    with caller:
        service.close()

        assert _status(caller) == 0


@pytest.mark.parametrize(
    ("statuses", "measured", "short"),
    [([413, 413], 0.0, True), ([413, 200], 0.0, False), ([None, 429], 0.0, False), ([200, 200], 2.0, True)],
)
def test_a_siege_falls_short_where_all_of_its_calls_are_refused(
    capsys: pytest.CaptureFixture[str], statuses: list[int | None], measured: float, short: bool
) -> None:
    assert _show("check", *_besieged(measured, 1, "s until", statuses)) == short

    n_refused = sum(status in {413, 429} for status in statuses)
    assert f"{2 - n_refused} of 2 calls accepted, {statuses.count(None)} of them without an answer yet, " in (
        printed := capsys.readouterr().out
    )
    assert ("FALLS SHORT" in printed) == short
