"""``python -m service``: the API, with settings from the environment."""

import gc
import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from .settings import ServiceSettings


_SWITCH_SECONDS = 0.0005


@click.command()
@click.option("--host", default="127.0.0.1", envvar="LEAFSPACE_HOST", show_default=True)
@click.option("--port", type=int, default=8000, envvar="LEAFSPACE_PORT", show_default=True)
@click.option("--ready-fd", type=int, hidden=True, help="Where to announce that it listens.")
@click.option("--shared-fd", type=int, hidden=True, help="Memory of all API processes of the host.")
@click.option("--index", type=int, default=0, hidden=True, help="Which of these processes this is.")
def main(host: str, port: int, ready_fd: int | None, shared_fd: int | None, index: int) -> None:
    """Serve the API until SIGTERM or Ctrl-C."""
    gc.disable()  # what is imported stays; looking through it for garbage would take a tenth of the start
    # onnxruntime would report the models that it opens to its maker.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    # Imported late: onnxruntime reads the environment as soon as it is imported.
    import uvicorn

    from storage.environment import report_mistyped_names, settings_of_process
    from storage.without_pandas import keep_rich_out

    keep_rich_out()
    from observability.logs import log_json_lines

    from .admission.shared_memory import SharedMemory
    from .draining import Draining
    from .main import create_server_app
    from .middleware.protocol.http_protocol import allow_many_connections, uvicorn_options
    from .server import Server
    from .settings import ServiceSettings

    settings = settings_of_process(ServiceSettings, host=host, port=port)
    shared = None if shared_fd is None else SharedMemory(shared_fd, index, settings.api_workers)
    settings = settings if shared is None else settings.of_one_process()
    _check_storage(settings)
    _spool_to(settings.data_dir / "spool")
    log_json_lines(settings.log_level)
    if index == 0:
        report_mistyped_names(ServiceSettings)
    allow_many_connections()
    # The event loop waits for as long whenever it has looked for requests while another thread computes. Python's own
    # 5 ms would let it explain three fifths as many rows then.
    sys.setswitchinterval(_SWITCH_SECONDS)
    draining = Draining()
    config = uvicorn.Config(
        create_server_app(settings, draining, shared),
        host=host,
        port=port,
        log_config=None,  # uvicorn's own lines go through ours
        log_level="warning",
        timeout_graceful_shutdown=settings.grace_seconds,
        **uvicorn_options(settings.connection_limits),
    )
    # Each process has a queue of connections of its own, among which the kernel spreads callers.
    sockets = None if shared is None else [_listener(host, port)]
    Server(config, draining, settings.drain_seconds, ready_fd).run(sockets)


def _listener(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind(address)
    return listener


def _check_storage(settings: "ServiceSettings") -> None:
    from storage.database import Database
    from storage.errors import StorageError
    from storage.remote_objects import open_objects
    from storage.settings import REQUESTS
    from storage.store_pairs import check_pair_if_available

    try:
        storage = settings.storage
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    database = Database(storage.database_url, REQUESTS)
    try:
        database.check_usable()
        check_pair_if_available(database, open_objects(storage))
    except StorageError as error:
        # Here rather than where the tables are brought up to date, as the server would print how it got there.
        raise click.ClickException(error.detail) from error
    finally:
        database.close()


def _spool_to(directory: Path) -> None:
    # Uploads come in on the disk that they are kept on: /tmp may be memory. Spooled files have no names, so that
    # nothing of them is left however this process ends.
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    tempfile.tempdir = str(directory)


if __name__ == "__main__":
    main()
