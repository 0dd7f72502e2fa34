"""Addresses: which of them are this machine's own, and whether a page of another site had a browser send a request.

The supervisor uses this, too: nothing heavy is imported here.
"""

import ipaddress
from collections.abc import Collection
from functools import lru_cache

_MOST_REMEMBERED = 256

THIS_MACHINE = "loopback"
"""The name under which all addresses of this machine are counted."""


def is_loopback(host: str) -> bool:
    """Return whether other machines cannot reach a service that listens there; of names, only localhost is certain."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@lru_cache(4096)
def network_of(address: str) -> str:
    """Return the name under which an address is counted: one caller may use all IPv6 addresses of a network."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    if parsed.is_loopback:
        return THIS_MACHINE
    return str(parsed) if parsed.version == 4 else str(ipaddress.ip_network((int(parsed), 64), strict=False))


def comes_from_elsewhere(headers: Collection[tuple[bytes, bytes]], allowed: Collection[bytes] = ()) -> bool:
    """Return whether a page of another site had a browser on this machine send this request.

    Every page that is open on this machine can have the browser call loopback addresses. Such a request has an
    ``Origin`` other than its destination; or, where the page's own name resolves to this machine (DNS rebinding),
    ``Host`` has that name, which contains a dot, as no other names can be registered. What a page only shows, such as
    an image, has no ``Origin``, and the browser says that it comes from another site; links may be followed. Programs
    need not send any of these. Pages of the origins in ``allowed`` may call.
    """
    hosts = [value for name, value in headers if name == b"host"]
    origins = [value for name, value in headers if name == b"origin"]
    if not all(map(_is_of_this_machine, hosts)):
        return True
    stated = dict(headers)
    is_link = stated.get(b"sec-fetch-mode") == b"navigate" and stated.get(b"sec-fetch-dest") == b"document"
    if not origins and stated.get(b"sec-fetch-site") == b"cross-site" and not is_link:
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
