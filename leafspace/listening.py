"""Where the service listens: checked before anything is started."""

import ipaddress
import socket

from .errors import CannotServe

OPEN_NETWORK = "LEAFSPACE_ALLOW_OPEN_NETWORK"


def check_host(host: str, *, open_network_allowed: bool) -> None:
    """Refuse to listen where others could come in, unless that was allowed explicitly.

    Raises
    ------
    CannotServe
        If ``host`` is not a loopback address and nobody allowed it.
    """
    if not (_is_loopback(host) or open_network_allowed):
        message = (
            f"--host {host} lets other machines in, and no keys are asked for: listen on 127.0.0.1 behind a proxy that "
            f"does ask, or set {OPEN_NETWORK}=1 where the network itself is private (a container's own, say)"
        )
        raise CannotServe(message)


def free_port(host: str, port: int) -> int:
    """Return the port, or a free one for 0.

    Raises
    ------
    CannotServe
        If the port is taken, or the address is not this machine's.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            chosen: int = listener.getsockname()[1]
            return chosen
    except OSError as error:
        message = f"cannot listen on {host} port {port}: {error.strerror}; choose another with --host or --port"
        raise CannotServe(message) from error


def url_of(host: str, port: int) -> str:
    """Return the address for people and clients."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
