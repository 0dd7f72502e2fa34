"""Where the service may listen."""

import socket
import threading

import pytest

from leafspace.errors import CannotServe
from leafspace.listening import check_keys, free_port, url_of
from tests.support.patience import PATIENCE_SECONDS

_NONE, _SOME = (lambda: False), (lambda: True)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_on_loopback_nobody_needs_a_key_unless_that_is_configured(host: str) -> None:
    check_keys(host, are_required=False, there_are_keys=_NONE)
    check_keys(host, are_required=True, there_are_keys=_SOME)
    with pytest.raises(CannotServe, match="leafspace keys create"):
        check_keys(host, are_required=True, there_are_keys=_NONE)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", "127.0.0.1.example.org", ""])  # noqa: S104  # refused, not listened on
def test_other_machines_are_let_in_only_where_there_are_keys(host: str) -> None:
    with pytest.raises(CannotServe, match="leafspace keys create"):
        check_keys(host, are_required=False, there_are_keys=_NONE)

    check_keys(host, are_required=False, there_are_keys=_SOME)


def test_a_taken_port_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CannotServe, match=f"port {port}"):
            free_port("127.0.0.1", port)


def test_a_port_is_waited_for_that_is_left_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        found: list[int] = []
        waiting = threading.Thread(target=lambda: found.append(free_port("127.0.0.1", port, PATIENCE_SECONDS)))
        waiting.start()
    waiting.join()

    assert found == [port]


def test_port_0_is_any_free_one() -> None:
    assert free_port("127.0.0.1", 0) > 0


def test_addresses_of_six_are_bracketed() -> None:
    assert (url_of("::1", 80), url_of("localhost", 8000)) == ("http://[::1]:80", "http://localhost:8000")
