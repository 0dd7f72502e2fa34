"""Where the service may listen."""

import socket

import pytest

from leafspace.errors import CannotServe
from leafspace.listening import check_host, free_port, url_of


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_is_always_allowed(host: str) -> None:
    check_host(host, open_network_allowed=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])  # noqa: S104  # refused, not listened on
def test_other_machines_are_let_in_only_when_that_is_said(host: str) -> None:
    with pytest.raises(CannotServe, match="LEAFSPACE_ALLOW_OPEN_NETWORK=1"):
        check_host(host, open_network_allowed=False)

    check_host(host, open_network_allowed=True)


def test_a_taken_port_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CannotServe, match=f"port {port}"):
            free_port("127.0.0.1", port)


def test_port_0_is_any_free_one() -> None:
    assert free_port("127.0.0.1", 0) > 0


def test_addresses_of_six_are_bracketed() -> None:
    assert (url_of("::1", 80), url_of("localhost", 8000)) == ("http://[::1]:80", "http://localhost:8000")
