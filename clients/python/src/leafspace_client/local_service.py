"""A private service on this machine, for as long as this program runs: nothing to start in a terminal beside."""

import json
import os
import select
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

from .client import Leafspace
from .errors import LeafspaceError, MissingExtra
from .retrying import RetryPolicy

_SERVICE = "leafspace"
_SECONDS_TO_STOP = 30.0


class LocalLeafspace(Leafspace):
    """A client of a service of its own, which ends with ``close()``, with the ``with`` block, or with this program."""

    def __init__(self, process: "subprocess.Popen[bytes]", address: dict[str, str], **options: Any) -> None:
        super().__init__(address["url"], address["key"], **options)
        self._process = process
        self.url, self.data_dir = address["url"], Path(address["data_dir"])

    @property
    def key(self) -> str:
        """The key of this start, for a browser or another program of yours."""
        return str(self._transport.connection.api_key)

    def __repr__(self) -> str:
        state = "closed" if self._process.poll() is not None else "running"
        return f"LocalLeafspace at {self.url} ({state})"

    def close(self) -> None:
        """Close the connections and stop the service; what it kept in a folder of its own is gone then."""
        super().close()
        _stop(self._process)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def local(
    data_dir: str | Path | None = None, *, seconds_to_start: float = 600.0, retries: RetryPolicy | None = None
) -> LocalLeafspace:
    """Start a private service on this machine and return a client of it.

    It listens on a free port of loopback, for a key that is made for this start and known to this process alone. It
    ends when the client is closed or this process ends, also by kill -9.

    Parameters
    ----------
    data_dir
        Where it keeps what is registered and made, to be found again by the next start; default: a folder of the owner
        alone (mode 0700), which is removed at the end.
    seconds_to_start
        How long to wait until it answers: seconds, but minutes where loops are compiled first, as after an update.
    retries
        As of ``Leafspace``.

    Raises
    ------
    MissingExtra
        Where the service is not installed in this environment.
    LeafspaceError
        If it does not start; the message has what it said.

    Examples
    --------
    >>> import leafspace_client
    >>> with leafspace_client.local() as client:  # doctest: +SKIP
    ...     model = client.register_model(forest, X)
    """
    if find_spec(_SERVICE) is None:
        detail = "local() starts the service, which is not installed here: pip install leafspace"
        raise MissingExtra("missing_extra", detail)
    command = [sys.executable, "-P", "-m", _SERVICE, "local-service"]
    options = [] if data_dir is None else ["--data-dir", str(Path(data_dir).absolute())]
    process = subprocess.Popen(  # our own program; a group of its own: Ctrl-C is for this one
        [*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
    )
    try:
        address = _first_line(process, time.monotonic() + seconds_to_start)
    except BaseException:
        _stop(process)
        raise
    return LocalLeafspace(process, address, retries=retries)


def _first_line(process: "subprocess.Popen[bytes]", until: float) -> dict[str, str]:
    """Return what the service writes about itself in its first line."""
    assert process.stdout is not None  # it is a pipe
    line = b""
    while not line.endswith(b"\n"):
        readable, _, _ = select.select([process.stdout], [], [], max(0.0, until - time.monotonic()))
        if not readable:
            raise LeafspaceError("local_service_failed", "the local service did not answer in time; try again")
        part = os.read(process.stdout.fileno(), 1 << 16)
        if not part:
            raise LeafspaceError("local_service_failed", "the local service ended before it was ready")
        line += part
    address: dict[str, str] = json.loads(line)
    if "error" in address:
        raise LeafspaceError("local_service_failed", address["error"])
    return address


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End the service by closing its pipe, and wait for it."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(_SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()
