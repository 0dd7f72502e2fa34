"""Loopback: whether only this machine can reach an address, and whether a request was meant for this machine."""

import ipaddress
from collections.abc import Collection, Iterable
from functools import lru_cache

_MOST_REMEMBERED = 256


def is_loopback(host: str) -> bool:
    """Say whether other machines cannot reach a service that listens there; of names, only localhost is sure."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def comes_from_elsewhere(headers: Iterable[tuple[bytes, bytes]], allowed: Collection[bytes] = ()) -> bool:
    """Say whether a page of another site had a browser on this machine send this request.

    Every page that somebody here looks at can have the browser call loopback addresses. Such a request has an
    ``Origin`` that is not where it goes to; or, where the page's own name was made to lead here (DNS rebinding),
    ``Host`` has that name, which is one with a dot, as nobody can register others. Programs need not send either.
    Pages of the origins in ``allowed`` may call.
    """
    hosts = [value for name, value in headers if name == b"host"]
    origins = [value for name, value in headers if name == b"origin"]
    if not all(map(_is_of_this_machine, hosts)):
        return True
    return any(origin not in {*allowed, *(b"http://" + host for host in hosts)} for origin in origins)


@lru_cache(_MOST_REMEMBERED)
def _is_of_this_machine(authority: bytes) -> bool:
    text = authority.decode("latin-1").lower()
    host, colon, port = text.rpartition(":")
    if not colon or port.endswith("]"):  # an address in brackets, and no port
        host = text
    host = host.removeprefix("[").removesuffix("]")
    return is_loopback(host) or not {".", ":"} & set(host)
