"""The address that the service listens on: checks before anything is started, and calls to see whether it is ready."""

import errno
import http.client
import socket
import time
from collections.abc import Callable

from service.middleware.addresses import is_loopback

from .errors import CannotServe

_SECONDS_BETWEEN_TRIES = 0.05


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


def free_port(host: str, port: int, patience_seconds: float = 0) -> int:
    """Return the port, or a free one for 0.

    Parameters
    ----------
    host
        An address or name of this machine.
    port
        Where to listen; 0 for any.
    patience_seconds
        How long to wait for a port that is taken: a service that was killed a moment ago may not have left it.

    Raises
    ------
    CannotServe
        If the port is taken, or the address is not this machine's.
    """
    until = time.monotonic() + patience_seconds
    while True:
        try:
            return _bound_port(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() >= until:
                message = f"cannot listen on {host} port {port}: {error.strerror}; choose another with --host or --port"
                raise CannotServe(message) from error
        time.sleep(_SECONDS_BETWEEN_TRIES)


def _bound_port(host: str, port: int) -> int:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        chosen: int = listener.getsockname()[1]
        return chosen


def url_of(host: str, port: int) -> str:
    """Return the address for people and clients."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def is_ready(host: str, port: int, timeout_seconds: float) -> bool:
    """Return whether a service that listens there says that it can do its work."""
    connection = http.client.HTTPConnection(reachable(host), port, timeout=timeout_seconds)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def answers(host: str, port: int, timeout_seconds: float = 1) -> bool:
    """Whether somebody listens there. The kernel knows, so that nobody waits."""
    try:
        socket.create_connection((reachable(host), port), timeout=timeout_seconds).close()
    except OSError:
        return False
    return True


def reachable(host: str) -> str:
    """Return an address at which a service can be called that listens on ``host``, which may be all addresses."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # compared with, not listened on
