"""Where the service listens: checked before anything is started."""

import socket
from collections.abc import Callable

from service.middleware.access import is_loopback

from .errors import CannotServe


def check_keys(host: str, *, are_required: bool, there_are_keys: Callable[[], bool]) -> None:
    """Refuse to listen where keys are required, while there are none.

    Beyond loopback they always are; with ``are_required`` they are on loopback, too.

    Raises
    ------
    CannotServe
        Naming the command that makes the first key.
    """
    if (are_required or not is_loopback(host)) and not there_are_keys():
        message = (
            f"--host {host} requires keys of callers, and there are none: make the first one with "
            "`leafspace keys create NAME --scope admin` (as the same user, with the same --data-dir or "
            "LEAFSPACE_DATABASE_URL)"
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
