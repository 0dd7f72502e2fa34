"""One API process: uvicorn with the application, by settings from the environment, until SIGTERM.

Whoever starts it has imported this module with all of the API before, and may have forked since: nothing is opened and
no thread runs until ``serve_until_stopped``.
"""

import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import uvicorn

from storage.database import Database
from storage.errors import StorageError
from storage.remote_objects import open_objects
from storage.settings import REQUESTS
from storage.store_pairs import check_pair_if_available

from .admission.shared_memory import SharedMemory
from .draining import Draining
from .main import create_server_app
from .middleware.protocol.http_protocol import allow_many_connections, uvicorn_options
from .server import Server
from .settings import ServiceSettings

_SWITCH_SECONDS = 0.0005


def serve_until_stopped(
    settings: ServiceSettings, announce: Callable[[], None] = lambda: None, shared: SharedMemory | None = None
) -> None:
    """Serve the API until SIGTERM or Ctrl-C.

    Parameters
    ----------
    announce
        Called once it listens.
    shared
        Memory of all API processes of the host; none where there is one.
    """
    settings = settings if shared is None else settings.of_one_process()
    _spool_to(settings.data_dir / "spool")
    allow_many_connections()
    # The event loop waits for as long whenever it has looked for requests while another thread computes. Python's own
    # 5 ms would let it explain three fifths as many rows then.
    sys.setswitchinterval(_SWITCH_SECONDS)
    draining = Draining()
    config = uvicorn.Config(
        create_server_app(settings, draining, shared),
        host=settings.host,
        port=settings.port,
        log_config=None,  # uvicorn's own lines go through ours
        log_level="warning",
        timeout_graceful_shutdown=settings.grace_seconds,
        **uvicorn_options(settings.connection_limits),
    )
    # Each process has a queue of connections of its own, among which the kernel spreads callers.
    sockets = None if shared is None else [_listener(settings.host, settings.port)]
    Server(config, draining, settings.drain_seconds, announce).run(sockets)


def check_storage(settings: ServiceSettings) -> None:
    """End this process with a sentence unless database and objects can be used, and are each other's."""
    try:
        storage = settings.storage
    except ValueError as error:
        sys.exit(f"Error: {error}")
    database = Database(storage.database_url, REQUESTS)
    try:
        database.check_usable()
        check_pair_if_available(database, open_objects(storage))
    except StorageError as error:
        # Here rather than where the tables are brought up to date, as the server would print how it got there.
        sys.exit(f"Error: {error.detail}")
    finally:
        database.close()


def _listener(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind(address)
    return listener


def _spool_to(directory: Path) -> None:
    # Uploads come in on the disk that they are kept on: /tmp may be memory. Spooled files have no names, so that
    # nothing of them is left however this process ends.
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    tempfile.tempdir = str(directory)
